"""Where a run looked: every sentence is said when it is true, and only then."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice import Choice, Float, Int, Optimizer, Ordinal, Space, minimize
from suffice.result.coverage import SAME, coverage

LIGANDS = ("PPh3", "PCy3", "dppf", "XPhos", "SPhos", "BINAP", "Xantphos", "dppe")


def told(space, points, values=None, **words):
    """The history of a run to which these points were told."""
    optimizer = Optimizer(space, seed=0, **words)
    for k, point in enumerate(points):
        optimizer.tell(point, float(k) if values is None else values[k])
    return optimizer.result().history


def found(history):
    return {finding.name: finding for finding in coverage(history)}


def sentence(name, history):
    return found(history)[name].sentence


# ------------------------------------------------------------------ options and combinations


def test_options_that_nobody_tried_are_counted_and_named():
    space = Space(ligand=Choice(*LIGANDS), T=Float(20, 120))
    history = told(space, [{"ligand": ligand, "T": 40.0 + 20.0 * k} for k, ligand in enumerate(LIGANDS[:3])])
    assert sentence("options", history) == (
        "5 of 8 options of ligand were never evaluated: 'XPhos', 'SPhos', 'BINAP' and 2 more."
    )


def test_one_missing_option_is_spoken_of_in_the_singular():
    space = Space(loss=Choice("l1", "l2", "huber"), x=Float(0, 1))
    history = told(space, [{"loss": "l1", "x": 0.2}, {"loss": "huber", "x": 0.6}])
    assert sentence("options", history) == "1 of 3 options of loss was never evaluated: 'l2'."
    assert "It may be better" in found(history)["options"].remedy


def test_options_in_an_order_are_options_too_and_have_no_bounds():
    space = Space(size=Ordinal("s", "m", "l"), x=Float(0, 1))
    history = told(space, [{"size": "s", "x": 0.2}, {"size": "m", "x": 0.6}])
    assert sentence("options", history) == "1 of 3 options of size was never evaluated: 'l'."
    assert "bounds" not in found(history)


def test_the_upper_bound_of_steps_is_the_last_of_them():
    space = Space(x=Float(0, 1, step=0.3), n=Int(1, 10, step=4))
    history = told(space, [{"x": 0.9, "n": 9}, {"x": 0.6, "n": 5}])
    assert (
        sentence("bounds", history) == "The best point lies on the upper bound of x (0.9) and the upper bound of n (9)."
    )
    assert "bounds" not in found(told(space, [{"x": 0.6, "n": 5}, {"x": 0.9, "n": 9}]))  # beside a bound is not on it


def test_options_with_something_in_common_are_counted_as_well():
    orders = tuple(itertools.permutations("abcd"))
    layers = ((64, 32), (128, 32), (128, 64), (128, 128))
    space = Space(order=Choice(*orders), layers=Choice(*layers))
    history = told(space, [{"order": order, "layers": layers[k % 3]} for k, order in enumerate(orders[:10])])
    assert [finding.sentence for finding in coverage(history)][:3] == [
        f"14 of 24 options of order were never evaluated: {orders[10]}, {orders[11]}, {orders[12]} and 11 more.",
        "1 of 4 options of layers was never evaluated: (128, 128).",
        "10 of the 96 combinations of order and layers were tried in 10 trials.",
    ]


def test_an_evaluation_that_failed_was_one():
    optimizer = Optimizer(Space(a=Choice(1, 2), x=Float(0, 1)), seed=0)
    optimizer.tell({"a": 1, "x": 0.4}, 1.0)
    optimizer.tell({"a": 2, "x": 0.4}, float("nan"))
    assert "options" not in found(optimizer.result().history)


def test_what_is_pending_is_not_evaluated_but_its_option_is_not_missing_either():
    optimizer = Optimizer(Space(a=Choice(1, 2), x=Float(0, 1)), seed=0, x0=[{"a": 2, "x": 0.5}])
    optimizer.ask()
    assert coverage(optimizer.result().history) == ()
    optimizer.tell({"a": 1, "x": 0.4}, 1.0)
    assert "options" not in found(optimizer.result().history)
    optimizer.cancel(optimizer.trials[0])
    assert "1 of 2 options of a was never evaluated: 2." in sentence("options", optimizer.result().history)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.floats(0.1, 0.9)), min_size=1, max_size=20))
def test_every_choice_has_its_own_count_and_combinations_are_counted_once(rows):
    space = Space(a=Choice(*"pqrs"), b=Choice(*range(3)), only=Choice("one"), x=Float(0, 1))
    history = told(space, [{"a": "pqrs"[i], "b": j, "only": "one", "x": x} for i, j, x in rows])
    said = [finding.sentence for finding in coverage(history) if finding.name in ("options", "combinations")]
    expected = []
    for name, seen, size in (("a", {i for i, _, _ in rows}, 4), ("b", {j for _, j, _ in rows}, 3)):
        if len(seen) < size:
            expected.append(f"{size - len(seen)} of {size} options of {name} ")
    if (tried := len({(i, j) for i, j, _ in rows})) < 12 and len(rows) >= 2:
        expected.append(f"{tried} of the 12 combinations of a and b ")
    assert len(said) == len(expected)
    assert all(text.startswith(start) for text, start in zip(said, expected, strict=True))


def test_combinations_far_beyond_the_trials_are_not_spoken_of():
    space = Space(a=Choice(*range(10)), b=Choice(*range(10)))
    points = [{"a": k, "b": k} for k in range(10)]
    assert "combinations" not in found(told(space, points[:9]))
    assert sentence("combinations", told(space, points)).startswith("10 of the 100 combinations of a and b were tried")


def test_a_space_all_of_which_was_tried_needs_no_word():
    space = Space(a=Choice(*"pq"), b=Choice(*"rs"))
    assert coverage(told(space, [{"a": a, "b": b} for a in "pq" for b in "rs"])) == ()


# ------------------------------------------------------------------ repeats


def test_refinement_near_the_best_point_is_no_repeat():
    result = minimize(lambda x: float((x[0] - 0.3) ** 2), [(-1, 2)], n_trials=25, seed=0)
    units = np.sort([trial.unit[0] for trial in result.trials])
    assert np.count_nonzero(np.diff(units) <= SAME) >= 5  # else this is about another case
    assert "repeats" not in found(result.history)


def test_only_the_very_same_point_with_the_same_value_is_called_a_repeat():
    points = [{"n": 1, "x": 0.2}, {"n": 3, "x": 0.5}] * 2
    history = told({"n": Int(0, 9), "x": Float(0, 1)}, points, [0.0, 1.0] * 2)
    assert sentence("repeats", history) == ("2 of 4 trials repeat an earlier one: the same point and the same value.")
    assert found(history)["repeats"].brief == "2 of 4 trials repeat an earlier one: evaluate each point once"
    for others in ([0.0, 1.0, 0.1, 1.1], [0.0, 1.0, 1e-9, 1.0 + 1e-9]):  # noise
        assert "repeats" not in found(told({"n": Int(0, 9), "x": Float(0, 1)}, points, others))
    near = [{"n": 1, "x": 0.2}, {"n": 1, "x": 0.2 + 1e-9}, {"n": 2, "x": 0.2}]
    assert "repeats" not in found(told({"n": Int(0, 9), "x": Float(0, 1)}, near, [0.0] * 3))


def test_few_repeats_among_many_trials_are_not_worth_a_line():
    points = [[x] for x in np.linspace(0.1, 0.9, 19)]
    assert "repeats" not in found(told([(0, 1)], [*points, [0.9]], [0.0] * 20))


# ------------------------------------------------------------------ bounds


@pytest.mark.parametrize(("x", "side"), [(2.0, "lower"), (2.0 + 1e-4, "lower"), (5.0, "upper")])
def test_a_best_point_on_a_bound_is_said_to_be_there(x, side):
    history = told({"x": (2.0, 5.0)}, [{"x": x}, {"x": 3.0}])
    bound = {"lower": 2.0, "upper": 5.0}[side]
    assert sentence("bounds", history) == f"The best point lies on the {side} bound of x ({bound})."


def test_only_the_best_point_counts():
    assert coverage(told({"x": (2.0, 5.0)}, [{"x": 3.0}, {"x": 2.0}, {"x": 5.0}])) == ()


def test_bounds_of_parameters_without_effect_are_not_to_be_widened():
    """A fraction that changes nothing ends anywhere; a bound that the objective pushes against is worth a word."""

    def f(p):
        return -p["steep"] + (p["x"] - 0.3) ** 2

    space = {"steep": (0.0, 1.0), "fraction": (0.0, 1.0), "x": (-1.0, 1.0)}
    result = minimize(f, space, n_trials=20, seed=0, x0=[{"steep": 1.0, "fraction": 0.0, "x": 0.3}])
    assert result.x["fraction"] == 0.0  # else this is about another case
    (finding,) = (finding for finding in result.diagnose() if finding.name == "bounds")
    assert finding.sentence == "The best point lies on the upper bound of steep (1.0)."
    assert "unless it is a natural limit" in finding.remedy
    assert "on the upper bound of steep (1.0): widen it if possible" in str(result)


def test_with_noise_the_recommended_point_is_the_one_on_a_bound():
    rng = np.random.default_rng(0)
    optimizer = Optimizer({"x": (0.0, 1.0)}, seed=0)
    for x in np.linspace(0.0, 1.0, 12):
        for _ in range(3):
            optimizer.tell({"x": float(x)}, float((x - 0.5) ** 2 + 0.05 * rng.standard_normal()))
    optimizer.tell({"x": 1.0}, -1.0, noise_var=1.0)  # the best value, and luck
    assert "bounds" not in {finding.name for finding in optimizer.result().diagnose()}


def test_integers_are_on_a_bound_or_not_and_two_of_them_always_are():
    space = Space(n=Int(0, 10**6), log=Int(1, 4, log=True), flag=Int(0, 1), c=Choice("a", "b"))
    first = {"n": 1, "log": 4, "flag": 0, "c": "a"}
    assert sentence("bounds", told(space, [first])) == "The best point lies on the upper bound of log (4)."
    text = sentence("bounds", told(space, [first | {"n": 0, "log": 1}]))
    assert text == "The best point lies on the lower bound of n (0) and the lower bound of log (1)."


def test_many_bounds_are_counted_in_one_sentence():
    history = told([(0, 1)] * 6, [[0.0, 1.0, 0.0, 0.5, 0.0, 1.0]])
    assert sentence("bounds", history).endswith("the lower bound of x[2] (0.0) and 2 more.")


@given(st.floats(0, 1), st.booleans())
def test_the_sense_of_the_objective_turns_the_best_point_round(x, larger):
    direction = "maximize" if larger else "minimize"
    history = told([(0, 1)], [[0.0], [1.0]], [x, x + 1.0], direction=direction)
    assert ("upper" if larger else "lower") in sentence("bounds", history)


# ------------------------------------------------------------------ the result


def test_a_result_without_trials_says_nothing_and_prints():
    result = Optimizer([(0, 1)], seed=0).result()
    assert coverage(result.history) == ()
    assert "nothing: no trial has a value" in str(result)


def test_every_finding_is_printed_with_its_remedy_on_lines_that_fit():
    space = Space(ligand=Choice(*LIGANDS), base=Choice("a", "b"), T=Float(20, 120))
    optimizer = Optimizer(space, seed=0)
    optimizer.tell({"ligand": "dppf", "base": "a", "T": 20.0}, 1.0)
    optimizer.tell({"ligand": "dppf", "base": "a", "T": 20.0}, 1.0)
    result = optimizer.result()
    text = " ".join(str(result).split())
    assert [finding.name for finding in coverage(result.history)] == [
        *("options", "options", "combinations", "repeats", "bounds")
    ]
    everything = " ".join(str(result.diagnose()).split())
    for finding in coverage(result.history):
        assert f"- {finding.sentence} {finding.remedy}" in everything
    assert "of ligand were never evaluated: try them" in text
    assert max(map(len, str(result).splitlines())) <= 88
