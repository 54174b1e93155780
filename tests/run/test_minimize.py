"""minimize and maximize: the budget, the answer, what ends a run."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import suffice as sf
from suffice import (
    UCB,
    Choice,
    Exhausted,
    Float,
    Int,
    LogEI,
    NoImprovement,
    Optimizer,
    Space,
    Target,
    load,
    maximize,
    minimize,
)
from suffice.acquisition import LookAround
from suffice.record.trial import Failed
from suffice.run.attempts import Attempts
from suffice.run.minimize import run

LINE = [(0.0, 1.0)]
SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


class Counted:
    """f, and the points it was called with."""

    def __init__(self, f=bowl):
        self.f, self.points = f, []

    def __call__(self, x):
        self.points.append(x)
        return self.f(x)


def refuse(*_):
    raise AssertionError("nothing may be evaluated")


class Unsent:
    """An objective that no process can be sent."""

    def __call__(self, x):
        refuse()

    def __reduce__(self):
        raise TypeError("it stays here")


def test_the_minimum_of_a_bowl_is_found():
    result = minimize(bowl, [(-5, 10), (0, 15)], n_trials=30, seed=0)
    # 24 suggestions on a quadratic: the best of 30 uniform points would be at about 225/(30 pi) = 2.4.
    assert result.fun < 0.01
    assert bowl(result.x) == result.fun


@pytest.mark.parametrize("n_trials", [1, 2, 7])
def test_the_budget_is_exact_and_the_design_counts(quick, n_trials):
    f = Counted()
    result = minimize(f, SQUARE, n_trials, **quick)
    assert len(f.points) == result.nfev == len(result.trials) == n_trials
    assert result.message == f"all {n_trials} trials are done"


@pytest.mark.parametrize(("n_trials", "n_initial"), [(1, 2), (6, 2), (9, 3), (15, 5), (18, 6), (30, 6)])
def test_the_design_takes_at_most_a_third_of_the_budget(quick, n_trials, n_initial):
    result = minimize(bowl, SQUARE, n_trials, **quick)
    assert result.nit == max(0, n_trials - n_initial)
    assert sum(trial.origin == "design" for trial in result.trials) == min(n_trials, n_initial)


def test_the_design_can_be_chosen_and_given_points_come_first(quick):
    result = minimize(bowl, SQUARE, 6, n_initial=3, x0=[[0.3, 0.3]], **quick)
    assert [trial.origin for trial in result.trials] == ["given"] + ["design"] * 2 + ["model"] * 3
    assert result.fun == 0.0
    assert result.x.tolist() == [0.3, 0.3]


def test_a_named_space_gives_dicts_and_a_list_of_pairs_gives_arrays(quick):
    def named(point):
        assert [type(value) for value in point.values()] == [float, int, str]
        return point["x"] + point["n"] + len(point["c"])

    space = Space(x=Float(1e-3, 1, log=True), n=Int(0, 3), c=Choice("a", "bb"))
    result = minimize(named, space, 12, **quick)
    assert type(result.x) is dict
    assert result.fun == named(result.x)
    pairs = minimize(lambda point: point["p"], {"p": (-1.0, 1.0)}, 4, **quick)
    assert list(pairs.x) == ["p"]
    assert minimize(lambda x: x[0], [(-1, 1)], 4, **quick).x.shape == (1,)


def test_an_objective_that_changes_its_argument_does_not_change_the_record(quick):
    def destructive(x):
        value = bowl(x)
        x[:] = -1.0
        return value

    def greedy(point):
        return point.pop("p")

    result = minimize(destructive, SQUARE, 8, **quick)
    assert np.array_equal(result.x_iters, minimize(bowl, SQUARE, 8, **quick).x_iters)
    assert bowl(result.x) == result.fun
    assert all(list(point) == ["p"] for point in minimize(greedy, {"p": (0.0, 1.0)}, 4, **quick).x_iters)


def test_values_are_in_the_users_sense(quick):
    high = maximize(lambda x: 5.0 - bowl(x), SQUARE, 12, **quick)
    assert high.fun == high.func_vals.max() == 5.0 - bowl(high.x)
    low = minimize(lambda x: 5.0 + bowl(x), SQUARE, 12, **quick)
    assert low.fun == low.func_vals.min() == 5.0 + bowl(low.x)


def test_a_run_goes_on_where_an_optimizer_stands(quick):
    opt = Optimizer(SQUARE, n_initial=2, **quick)
    opt.tell([0.5, 0.5], 0.08)
    pending = opt.ask()
    f = Counted()
    run(opt, f, 6)
    assert len(f.points) == 5
    assert opt.trials[pending.number].state == "pending"  # somebody else's
    assert run(opt, refuse, 6).nfev == 6


def test_a_finite_space_that_is_used_up_ends_the_run(quick):
    result = minimize(lambda point: point["n"], Space(n=Int(1, 4)), 20, **quick)
    assert (result.nfev, result.fun, result.success) == (4, 1.0, True)
    assert "all 4 points of the space have been proposed" in result.message
    only = minimize(lambda point: 1.0, {"x": Choice("a")}, 5, seed=0)
    assert only.message.startswith("the only point of the space has been proposed")
    assert minimize(lambda point: point["n"], Space(n=Int(1, 4)), 8, repeat=True, **quick).nfev == 8


@pytest.mark.parametrize("stop", [True, 1, "yes"])
def test_a_true_value_of_the_callback_stops_the_run(quick, stop):
    results = []

    def callback(result):
        results.append(result)
        return stop if result.nfev == 4 else None

    result = minimize(bowl, SQUARE, 20, callback=callback, **quick)
    assert [seen.nfev for seen in results] == [1, 2, 3, 4]
    assert [seen.fun for seen in results] == np.minimum.accumulate(result.func_vals).tolist()
    said = "stopped by the callback" if stop is True else f"stopped by the callback, which returned {stop!r}"
    assert (result.nfev, result.message) == (4, said)


def test_the_same_call_again_evaluates_nothing_more_after_a_callback_or_a_rule_ended_it(quick, tmp_path):
    for words in ({"callback": lambda result: result.nfev >= 4}, {"stop": lambda opt: len(opt.trials) >= 4}):
        storage = str(tmp_path / f"{next(iter(words))}.db")
        first, again = (minimize(bowl, SQUARE, 20, storage=storage, **words, **quick) for _ in range(2))
        assert (first.nfev, again.nfev) == (4, 4)
        assert again.message == first.message
        assert minimize(bowl, SQUARE, 6, storage=storage, **quick).nfev == 6


def test_a_callback_is_not_called_before_the_first_evaluation_of_a_new_study(quick):
    seen = []
    minimize(bowl, SQUARE, 2, x0=[[0.1, 0.2]], y0=[1.0], callback=lambda result: seen.append(result.nfev), **quick)
    assert seen == [2, 3]


def test_stop_iteration_in_the_callback_stops_the_run(quick):
    def callback(result):
        if result.nfev == 3:
            raise StopIteration

    assert minimize(bowl, SQUARE, 20, callback=callback, **quick).nfev == 3


def test_an_error_in_the_callback_comes_out_with_the_trials(quick):
    def callback(result):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        minimize(bowl, SQUARE, 20, callback=callback, **quick)
    assert [trial.state for trial in caught.value.trials] == ["done"]


def test_no_evaluation_starts_after_the_timeout_and_the_one_under_way_counts(quick, monkeypatch):
    now = [1000.0]

    def slow(x):
        now[0] += 6.0
        return bowl(x)

    clocks = SimpleNamespace(monotonic=lambda: now[0], perf_counter=time.perf_counter)
    monkeypatch.setattr(sys.modules["suffice.run.loop"], "time", clocks)
    result = minimize(slow, SQUARE, 50, timeout=10, **quick)
    assert (result.nfev, result.message) == (2, "the time is up")
    assert all(trial.state == "done" for trial in result.trials)


def test_no_time_at_all_evaluates_nothing(quick):
    result = minimize(refuse, SQUARE, 5, timeout=0, **quick)
    assert (result.nfev, result.success, result.message) == (0, False, "the time is up")


CLOCK = """
import sys, time
import suffice as sf
from suffice.run import loop

begun = []

class Clock:
    def __getattr__(self, name):
        return getattr(time, name)

    def monotonic(self):
        begun.append(set(sys.modules))
        return time.monotonic()

def f(x):
    print(sorted(name for name in set(sys.modules) - begun[0] if name.startswith("scipy")))
    return 0.0

loop.time = Clock()
sf.minimize(f, [(0.0, 1.0)], 1, timeout=60)
"""


def test_the_clock_of_the_timeout_starts_after_scipy_is_loaded():
    found = subprocess.run([sys.executable, "-c", CLOCK], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@pytest.mark.parametrize("timeout", [float("inf"), 1e300])
def test_a_timeout_beyond_all_clocks_is_none(quick, timeout):
    assert minimize(bowl, SQUARE, 3, timeout=timeout, **quick).nfev == 3


def rising(values):
    """An objective that gives these values in order."""
    iterator = iter(values)
    return lambda x: next(iterator)


VALUES = [5.0, 3.0, 4.0, 3.0, 2.0, 9.0, 9.0, 2.0, 9.0, 9.0]


@pytest.mark.parametrize("direction", [1, -1], ids=["minimize", "maximize"])
def test_a_target_stops_the_run_when_it_is_reached(quick, direction):
    search = minimize if direction == 1 else maximize
    result = search(rising([direction * v for v in VALUES]), LINE, 10, stop=Target(direction * 3.0), **quick)
    assert (result.nfev, result.fun, result.message) == (
        2,
        direction * 3.0,
        f"the target {direction * 3:g} was reached",
    )
    never = search(rising([direction * v for v in VALUES]), LINE, 10, stop=Target(direction * 1.9), **quick)
    assert never.nfev == 10


@pytest.mark.parametrize("direction", [1, -1], ids=["minimize", "maximize"])
@pytest.mark.parametrize(("n", "nfev"), [(1, 3), (2, 4), (3, 8), (5, 10)])
def test_no_improvement_counts_values_in_a_row_that_are_not_better(quick, direction, n, nfev):
    search = minimize if direction == 1 else maximize
    result = search(rising([direction * v for v in VALUES]), LINE, 10, stop=NoImprovement(n), **quick)
    assert result.nfev == nfev
    assert result.message == f"no improvement in the last {n} trials"


def test_no_improvement_counts_values_in_the_order_they_were_told(quick):
    opt = Optimizer(LINE, n_initial=9, **quick)
    first, second, third = opt.ask(3)
    for trial, value in ((third, 1.0), (first, 2.0), (second, 3.0)):
        assert NoImprovement(2)(opt) is None
        opt.tell(trial, value)
    assert NoImprovement(2)(opt) is not None


@pytest.mark.parametrize("n", [0, 1, 4])
def test_exhausted_waits_for_so_many_explorations_in_vain(n):
    whole = minimize(bowl, SQUARE, 40, seed=0)
    result = minimize(bowl, SQUARE, 40, seed=0, stop=Exhausted(n))
    assert np.array_equal(result.func_vals, whole.func_vals[: result.nfev])
    found = result.exhausted
    assert found.in_vain == max(n, 1)  # the first step of an exhausted search explores
    assert result.trials[-1].solve.kind == "explore"
    assert result.message == f"no improvement above {found.resolution:.2g} is expected" + {
        0: f" since trial {found.since}",
        1: ", and the last exploration found none",
        4: ", and the last 4 explorations found none",
    }.get(n)


def test_exhausted_goes_on_after_an_improvement_until_the_model_is_asked_again():
    optimizer = Optimizer(SQUARE, seed=0)
    while (trial := optimizer.ask()).solve is None or trial.solve.kind == "improve":
        assert Exhausted(0)(optimizer) is None
        optimizer.tell(trial, bowl(trial.point))
    optimizer.tell(trial, optimizer.best.value - 5.0)
    assert Exhausted(0)(optimizer) is None


@pytest.mark.parametrize("acquisition", [LogEI(), UCB(), LookAround(improve=UCB())])
def test_exhausted_needs_to_know_what_is_expected(acquisition, quick):
    with pytest.raises(ValueError, match="Exhausted needs an acquisition that records"):
        minimize(bowl, SQUARE, 9, acquisition=acquisition, stop=Exhausted(), **quick)


def test_failures_count_neither_for_nor_against_improvement(quick):
    nan = float("nan")
    result = minimize(rising([1.0, nan, nan, nan, 2.0, 3.0]), LINE, 6, stop=NoImprovement(2), **quick)
    assert (result.nfev, result.message) == (6, "no improvement in the last 2 trials")


def test_the_first_of_several_rules_that_is_met_ends_the_run(quick):
    rules = [Target(-1.0), NoImprovement(2)]
    assert minimize(rising(VALUES), LINE, 10, stop=rules, **quick).message == "no improvement in the last 2 trials"
    assert minimize(rising(VALUES), LINE, 10, stop=[*rules, Target(9.0)], **quick).nfev == 1


def test_a_rule_that_says_true_instead_of_why_ends_the_run_with_a_result_that_can_be_loaded(quick, tmp_path):
    result = minimize(bowl, LINE, 10, stop=lambda optimizer: len(optimizer.trials) == 3, **quick)
    assert (result.nfev, result.message[:20]) == (3, "stopped by the rule ")
    result.save(tmp_path / "run.json")
    assert load(tmp_path / "run.json").message == result.message


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: Target(float("nan")), "finite"),
        (lambda: NoImprovement(0), "≥ 1"),
        (lambda: Exhausted(-1), "≥ 0"),
    ],
)
def test_rules_that_make_no_sense_are_refused(make, fault):
    with pytest.raises(ValueError, match=fault):
        make()


def test_a_cancelled_trial_is_no_evaluation(quick):
    optimizer = Optimizer(SQUARE, **quick)
    optimizer.cancel(optimizer.ask())
    result = run(optimizer, bowl, 5)
    assert [trial.state for trial in result.trials] == ["cancelled"] + ["done"] * 5


def test_ctrl_c_inside_the_objective_returns_the_result_so_far(quick):
    def interrupted(x):
        if f.points[5:]:
            raise KeyboardInterrupt
        return bowl(x)

    f = Counted(interrupted)
    result = minimize(f, SQUARE, 20, **quick)
    assert (result.nfev, result.message, result.success, result.status) == (5, "interrupted", False, 2)
    assert [trial.state for trial in result.trials] == ["done"] * 5 + ["cancelled"]


def test_ctrl_c_between_evaluations_returns_the_result_so_far(quick):
    def callback(result):
        if result.nfev == 3:
            raise KeyboardInterrupt

    result = minimize(bowl, SQUARE, 20, callback=callback, **quick)
    assert (result.nfev, result.message) == (3, "interrupted")


def test_ctrl_c_inside_an_ask_leaves_no_trial_that_nobody_holds(quick, monkeypatch):
    ask = Optimizer.ask

    def interrupted(optimizer):
        trial = ask(optimizer)
        if trial.number == 3:
            raise KeyboardInterrupt
        return trial

    monkeypatch.setattr(Optimizer, "ask", interrupted)
    result = minimize(bowl, SQUARE, 20, **quick)
    assert (result.nfev, result.message) == (3, "interrupted")
    assert [(trial.state, trial.reason) for trial in result.trials[3:]] == [("cancelled", "interrupted")]


def test_ctrl_c_inside_a_tell_loses_no_value(quick, monkeypatch):
    tell, came = Optimizer.tell, []

    def interrupted(optimizer, trial, value, **words):
        if trial.number == 3 and not came:
            came.append(trial)
            raise KeyboardInterrupt
        return tell(optimizer, trial, value, **words)

    monkeypatch.setattr(Optimizer, "tell", interrupted)
    result = minimize(bowl, SQUARE, 20, **quick)
    assert (result.nfev, result.message) == (4, "interrupted")
    assert {trial.state for trial in result.trials} == {"done"}


def test_ctrl_c_right_after_a_start_keeps_the_value_that_is_there(quick, monkeypatch):
    start = Attempts.start

    def interrupted(attempts, trial):
        start(attempts, trial)
        if trial.number == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Attempts, "start", interrupted)
    result = minimize(bowl, SQUARE, 20, **quick)
    assert (result.nfev, result.message) == (4, "interrupted")
    assert result.trials[3].value == bowl(result.trials[3].point)


def test_ctrl_c_right_after_a_failure_was_recorded_does_not_record_it_twice(quick, monkeypatch):
    fail = Optimizer.fail

    def interrupted(optimizer, trial, *words, **more):
        fail(optimizer, trial, *words, **more)
        if not came:
            came.append(trial)
            raise KeyboardInterrupt

    def raising(x):
        if f.points[3:]:
            raise ZeroDivisionError
        return bowl(x)

    f, came = Counted(raising), []
    monkeypatch.setattr(Optimizer, "fail", interrupted)
    result = minimize(f, SQUARE, 20, **quick)
    assert [trial.state for trial in result.trials] == ["done"] * 3 + ["failed"]
    assert [event.number for event in result.history.events if isinstance(event, Failed)] == [3]


@pytest.mark.parametrize(
    ("words", "error", "text"),
    [
        ({"on_error": "ignore"}, ValueError, "on_error must be 'record' or 'raise': got 'ignore'"),
        ({"on_error": None}, ValueError, "on_error must be 'record' or 'raise': got None"),
        ({"on_error": ["raise"]}, ValueError, "on_error must be 'record' or 'raise'"),
        ({"timeout": 0}, ValueError, "timeout must be seconds > 0 or None: got 0"),
        ({"timeout": -1}, ValueError, "timeout must be seconds > 0 or None: got -1"),
        ({"timeout": "5"}, TypeError, "timeout must be seconds > 0 or None: got '5'"),
        ({"retries": -1}, ValueError, "retries must be a whole number ≥ 0: got -1"),
        ({"retries": None}, ValueError, "retries must be a whole number ≥ 0: got None"),
    ],
)
def test_a_wrong_treatment_of_evaluations_is_refused_by_name(words, error, text):
    with pytest.raises(error, match=f"Evaluation: {text}"):
        sf.Evaluation(**words)


@pytest.mark.parametrize(
    ("words", "error", "fault"),
    [
        ({"n_trials": 0}, ValueError, "n_trials must be a whole number ≥ 1: got 0"),
        ({"n_trials": 2.5}, ValueError, "n_trials"),
        ({"n_trials": True}, ValueError, "n_trials"),
        ({"n_initial": -1}, ValueError, "n_initial"),
        ({"space": [(0, 1), (2, 1)]}, ValueError, r"parameter 'x\[1\]': low must not exceed high"),
        ({"space": {"rate": (0, float("nan"))}}, ValueError, "parameter 'rate': high must be finite"),
        ({"space": []}, ValueError, "the space is empty"),
        ({"space": 3}, TypeError, "3 was taken for the space"),
        ({"space": abs, "f": [(0, 1)]}, TypeError, r"first and the space second, m.*mize\(f, space\)"),
        ({"x0": [[2.0, 0.0]]}, ValueError, r"parameter 'x\[0\]': 2.0 is outside the bounds"),
        ({"f": 3}, TypeError, "the objective must be callable: got int"),
        ({"evaluation": "raise"}, TypeError, r"evaluation must be a value such as sf.Evaluation\(timeout=60\): got"),
        ({"evaluation": sf.Evaluation}, TypeError, "evaluation must be a value such as"),
        ({"timeout": -1}, ValueError, "timeout must be seconds ≥ 0"),
        ({"timeout": float("nan")}, ValueError, "timeout must be seconds ≥ 0"),
        ({"timeout": "abc"}, TypeError, "timeout must be seconds ≥ 0 or None: got 'abc'"),
        ({"timeout": True}, TypeError, "timeout must be seconds ≥ 0 or None: got True"),
        ({"stop": None}, TypeError, "stop takes rules"),
        ({"stop": Target}, TypeError, "stop takes rules: got the class Target; create an instance"),
        ({"stop": [Target(1.0), 7]}, TypeError, "stop takes rules .*: got 7"),
        ({"callback": "me"}, TypeError, "callback takes a function, or a list of them: got 'me'"),
        ({"callback": dict}, TypeError, "callback takes a function, or a list of them: got <class 'dict'>"),
        (
            {"n_parallel": 2, "f": Unsent()},
            TypeError,
            "without an executor, .* use processes; the objective cannot be sent to a worker",
        ),
        (
            {"evaluation": sf.Evaluation(timeout=5), "f": Unsent()},
            TypeError,
            "the objective cannot be sent to a worker process",
        ),
        ({"n_parallel": "two"}, ValueError, "n_parallel must be a whole number ≥ 1, or -1 for one"),
        (
            {"executor": ThreadPoolExecutor},
            TypeError,
            r"executor must have .* like ThreadPoolExecutor\(4\), .* or None; .*: got <class",
        ),
        ({"seed": "zero"}, ValueError, "seed must be a whole number"),
    ],
)
@pytest.mark.parametrize("search", [minimize, maximize])
def test_bad_arguments_are_refused_before_anything_is_evaluated(search, words, error, fault):
    with pytest.raises(error, match=fault):
        search(**({"f": refuse, "space": SQUARE} | words))


def test_a_budget_may_be_a_numpy_integer(quick):
    assert minimize(bowl, SQUARE, np.int64(3), **quick).nfev == 3
