"""Every finding is there where it must be, and not where it must not."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.problems import find
from suffice.result.diagnostics import check, stated
from suffice.result.findings import Finding, Findings

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def told(space, f, n=30, seed=0, **words):
    """The result of values at points that fill the space."""
    optimizer = sf.Optimizer(space, seed=seed, **words)
    for x in sf.candidates.sobol(n, optimizer.space, design=np.empty((0, 0)), rng=np.random.default_rng(seed)):
        point = optimizer.space.from_unit(x)
        optimizer.tell(point, float(f(point)))
    return optimizer.result()


def names(result):
    return {finding.name for finding in result.diagnose()}


def said(result, name):
    (finding,) = (finding for finding in result.diagnose() if finding.name == name)
    return finding


def inner(x):
    """A bowl whose best point is inside, known well by 30 values."""
    return (x[0] - 0.43) ** 2 + 2 * (x[1] - 0.58) ** 2


@pytest.fixture(scope="module")
def clean():
    return told(SQUARE, inner)


# ------------------------------------------------------------------ nothing to say


def test_a_run_in_order_has_no_findings_and_says_so(clean):
    found = clean.diagnose()
    assert found == ()
    assert repr(found) == str(found) == "Nothing was found that calls for a remedy."
    assert "Nothing was found" in found._repr_html_()


@pytest.mark.parametrize("problem", ["branin", "hartmann3", "levy5", "griewank5"])
def test_ordinary_problems_cause_no_alarm_about_the_model(problem):
    given = find(problem)
    result = sf.minimize(given, list(given.bounds), 30, seed=0, solver=sf.solvers.Grid(size=sf.solvers.Fixed(256)))
    assert not names(result) & {"noise", "model", "effect", "constant", "outliers", "failed"}


# ------------------------------------------------------------------ the values


def test_values_that_are_all_equal():
    finding = said(told(SQUARE, lambda x: 7.0, 5), "constant")
    assert finding.sentence == "All 5 values are 7.0, so no point is better than another."
    assert finding.severity == "warning"
    assert "constant" not in names(told(SQUARE, lambda x: 7.0, 2))
    assert "constant" not in names(told(sf.Space(a=1), lambda p: 7.0, 1))
    assert "all 5 values are 7.0: does the objective use its argument?" in repr(told(SQUARE, lambda x: 7.0, 5))


def test_penalties_are_counted():
    result = told(SQUARE, lambda x: 1e12 if x[0] > 0.9 else inner(x))
    bad = sum(trial.value == 1e12 for trial in result.trials)
    finding = said(result, "outliers")
    assert finding.sentence.startswith(f"{bad} values are far worse than all others (the worst 1e+12)")
    assert finding.severity == "note"


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_one_value_that_is_too_good_is_named(direction):
    sign = 1.0 if direction == "minimize" else -1.0
    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0, direction=direction)
    for k, x in enumerate(np.linspace(0, 1, 12)):
        optimizer.tell([x], sign * (-1e9 if k == 5 else x))
    finding = next(found for found in optimizer.result().diagnose() if found.name == "outliers")
    assert "trial 5" in finding.sentence
    assert f"{sign * -1e9:.3g}" in finding.sentence
    assert finding.severity == "warning"


def test_too_few_values_for_the_parameters():
    result = told([(0.0, 1.0)] * 6, lambda x: x[0] + (x[1] - 0.5) ** 2, 9)
    assert (
        said(result, "budget").sentence
        == "9 values are few for 6 parameters: it takes 14 to estimate the effect of each."
    )
    assert "budget" not in names(told([(0.0, 1.0)] * 6, lambda x: (x[0] - 0.4) ** 2 + (x[1] - 0.5) ** 2, 64))
    assert "budget" not in names(told(sf.Space(a=sf.Choice(1, 2, 3)), lambda p: p["a"], 3))  # all there is


def test_progress_at_the_end():
    def run(values):
        optimizer = sf.Optimizer([(0.0, 1.0)], seed=0)
        for x, y in zip(np.linspace(0.05, 0.95, len(values)), values, strict=True):
            optimizer.tell([x], y)
        return optimizer.result()

    falling = run(np.linspace(1, 0, 20).tolist())
    assert "% of its progress came in the last fifth" in said(falling, "budget").sentence
    done = [1.0, 0.9, 0.8, 0.4, 0.3, 0.1, *(0.1 + 0.001 * k for k in range(14))]
    assert "budget" not in names(run(done))
    assert "budget" not in names(run([*done[:-1], 0.095]))  # half a percent more
    huge = (1.7e308 * np.linspace(1, -1, 20)).tolist()
    assert "budget" in names(run(huge))


def test_most_evaluations_failed():
    optimizer = sf.Optimizer(SQUARE, seed=0)
    for k in range(6):
        trial = optimizer.ask()
        if k == 2:
            optimizer.tell(trial, 1.0)
        else:
            optimizer.fail(trial, "ValueError: no", cause="raised")
    finding = said(optimizer.result(), "failed")
    assert finding.sentence == "5 of 6 evaluations failed; the last: ValueError: no."
    assert optimizer.result().diagnose()[0] is not None
    assert "failed" not in names(told(SQUARE, inner, 12))
    nothing = sf.Optimizer(SQUARE, seed=0)
    nothing.fail(nothing.ask())
    assert names(nothing.result()) == {"failed"}


# ------------------------------------------------------------------ the model


def test_noise_that_drowns_the_parameters():
    rng = np.random.default_rng(1)
    result = told(SQUARE, lambda x: 10 * inner(x) + 30 * rng.standard_normal(), 40, seed=1)
    finding = said(result, "noise")
    about = float(finding.sentence.split("is about ")[1].split(",")[0])
    assert 15 < about < 60  # 30, give or take what 40 values can tell
    assert {"model", "effect"}.isdisjoint(names(result))
    assert "noise" not in names(told(SQUARE, lambda x: 10 * inner(x) + 0.3 * rng.standard_normal(), 40))


@pytest.mark.parametrize("seed", range(6))
def test_whether_it_takes_noise_for_noise_or_for_a_rough_function_it_is_found(seed):
    rng = np.random.default_rng(seed)
    assert names(told(SQUARE, lambda x: inner(x) + 3 * rng.standard_normal(), 40, seed=seed)) & {"noise", "model"}
    assert not names(told(SQUARE, lambda x: inner(x) + 0.1 * rng.standard_normal(), 40, seed=seed)) & {"noise", "model"}


def test_a_model_that_does_not_predict():
    def jagged(x):
        return math.sin(1e4 * x[0]) + math.sin(2.3e4 * x[1])

    result = told(SQUARE, jagged, 32, model=sf.GP(noise=1e-6))  # no noise to explain it by
    assert said(result, "model").severity == "warning"
    assert "explains" in said(result, "model").sentence
    assert "model" not in names(told(SQUARE, inner, 32, model=sf.GP(noise=1e-6)))


def test_a_model_that_is_too_sure_names_the_worst_value():
    def f(x):
        return inner(x) + (0.3 if abs(x[0] - 0.4) < 0.04 else 0.0)

    # Length-scales, scale and noise as if the objective were smooth and known
    sure = sf.GP(
        kernel=sf.gp.RBF(),
        noise=1e-8,
        warp=False,
        prior=sf.gp.Prior(lengthscale_bounds=(0.7, 0.7), scale_bounds=(1.0, 1.0)),
    )
    result = told(SQUARE, f, 40, model=sure)
    finding = said(result, "model")
    assert "overconfident" in finding.sentence or "explains" in finding.sentence
    mild = told(SQUARE, lambda x: inner(x) + 0.02 * math.sin(25 * x[0]), 40, model=replace(sure, noise=4e-6))
    assert "overconfident" in said(mild, "model").sentence
    worst = int(said(mild, "model").sentence.split("trial ")[1].split(",")[0])
    assert mild.trials[worst].state == "done"


def test_a_parameter_without_effect_is_named():
    def f(p):
        return inner([p["x"], p["y"]])

    space = {"x": (0.0, 1.0), "idle": (0.0, 1.0), "y": (0.0, 1.0), "also": sf.Choice("a", "b")}
    finding = said(told(space, f, 48), "effect")
    assert "no effect of" in finding.sentence
    assert "idle" in finding.sentence
    assert "also" in finding.sentence
    assert finding.severity == "note"
    assert "effect" not in names(told(space, lambda p: f(p) + 0.2 * p["idle"] + 0.1 * (p["also"] == "a"), 48))


def test_a_model_that_a_file_only_describes_is_said_not_to_have_been_looked_at(tmp_path):
    class Own(sf.GP):
        """Not a part of the library."""

    told(SQUARE, inner, 12, model=Own()).save(tmp_path / "run.json")
    finding = said(sf.load(tmp_path / "run.json"), "model")
    assert finding.sentence == "The model was not checked."
    assert "surface(result.history, model=…)" in finding.remedy


def test_spaces_without_parameters_are_checked_too():
    pool = sf.Pool(np.random.default_rng(0).random((60, 3)))
    assert "constant" in names(told(pool, lambda x: 1.0, 20))
    assert not names(told(pool, lambda x: float(x.sum()), 20)) & {"noise", "model", "failed"}


# ------------------------------------------------------------------ under one roof


def test_all_that_is_printed_is_found():
    space = sf.Space(c=sf.Choice("a", "b", "c"), x=sf.Float(0, 1))
    optimizer = sf.Optimizer(space, seed=0)
    for k, x in enumerate(np.linspace(0, 0.6, 10)):
        optimizer.tell({"c": "ab"[k % 2], "x": float(x)}, float(x))
    result = optimizer.result()
    printed, found = stated(result.history, result.accuracy), result.diagnose()
    assert {"options", "bounds"} <= {finding.name for finding in printed}
    assert set(printed) <= set(found)
    assert all(finding.brief in repr(result) for finding in printed)
    assert all(str(finding) in repr(found) for finding in found)


def test_warnings_come_first():
    result = told({"x": (0.0, 1.0), "y": (0.0, 1.0), "idle": (0.0, 1.0)}, lambda p: p["x"] + 2 * p["y"] + 1e-9, 40)
    severities = [finding.severity for finding in check(result.history, result.accuracy)]
    assert severities == sorted(severities, key=["warning", "note"].index)


def test_findings_are_a_tuple_and_survive_a_pickle():
    found = Findings((Finding("a", "It is <b>.", "Do."), Finding("b", "So.", "Nothing.", "warning")))
    assert isinstance(found, tuple)
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(found) == "- It is <b>. Do.\n- So. Nothing."
    assert "<b>It is &lt;b&gt;.</b> Do." in found._repr_html_()


def test_a_trial_that_lacks_a_parameter_says_nothing_about_where_it_fails():
    space = sf.Space(
        c=sf.Choice("a", "b"), x=sf.Float(0, 1, when={"c": "a"}), k=sf.Choice(1, 2, 3, when={"c": "a"}), z=(0.0, 1.0)
    )
    optimizer = sf.Optimizer(space, seed=0)
    for i in range(8):
        optimizer.tell({"c": "a", "x": 0.03 * i, "k": 1 + 2 * (i % 2), "z": 0.1 * i}, float(i))
    for i in range(4):
        optimizer.tell({"c": "b", "z": 0.2 * i}, math.nan)
    sentences = [finding.sentence for finding in optimizer.result().diagnose() if finding.name == "failures"]
    assert sentences == ["All 4 evaluations with c='b' failed."]


def test_nothing_that_is_printed_of_a_run_steers_a_terminal():
    red = "\x1b[31m\u202e"
    optimizer = sf.Optimizer({red: (0.0, 1.0), "c" + red: sf.Choice("a", "b"), "y": (0.0, 1.0)}, seed=0)
    for i in range(12):
        optimizer.tell({red: 0.05 * i, "c" + red: "a", "y": (0.37 * i) % 1.0}, float(i))
    optimizer.fail(optimizer.ask(fixed={"c" + red: "a"}), f"no {red}")
    result = optimizer.result()
    assert "bounds" in names(result)
    for text in map(repr, (result, result.diagnose(), result.importance())):
        assert "\x1b" not in text
        assert "\u202e" not in text
