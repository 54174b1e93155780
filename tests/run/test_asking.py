"""An objective that asks for its parameters: the space is found by running it, and everything else stays as it is."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import suffice as sf
from suffice.errors import DifferentParameter
from suffice.record.history import History
from suffice.record.trial import Defined
from suffice.space import Choice, Float, Int, Ordinal

N = 16


@pytest.fixture(scope="module")
def found(objectives):
    return sf.minimize(objectives.asking, n_trials=N, n_initial=8, seed=1)


def trace(result):
    """What has to be the same to the last bit."""
    events = [(type(e).__name__, getattr(e, "point", None), getattr(e, "values", None)) for e in result.history.events]
    return events, [(t.point, t.value, t.state, t.unit.tobytes()) for t in result.trials], repr(result.settings)


def test_the_tree_of_an_objective_is_found(found):
    space = found.settings.space.params
    assert space["x"] == Float(0.0, 1.0)
    assert space["kind"] == Choice("a", "b")
    assert space["layers"] == Int(1, 2, when={"kind": "a"})
    assert space["size"] == Ordinal("small", "large", when={"kind": "b"})
    assert space["rate 0"] == Float(1e-3, 1.0, log=True, when={"kind": "a"})
    assert space["rate 1"] == Float(1e-3, 1.0, log=True, when={"layers": 2})


def test_a_point_has_what_the_objective_asked_for(found):
    for trial in found.trials:
        rates = {f"rate {i}" for i in range(trial.point.get("layers", 0))}
        more = {"layers", *rates} if trial.point["kind"] == "a" else {"size"}
        assert set(trial.point) == {"x", "kind", *more}
    assert found.x == found.trials[found.trials.index(min(found.trials, key=lambda t: t.value))].point
    assert found.fun < 0.3


def test_with_the_space_given_beforehand_the_same_points_have_the_same_places(found):
    space = sf.Space(found.settings.space.params)
    assert all((space.to_unit(trial.point) == trial.unit).all() for trial in found.trials)


def test_the_model_learns_from_trials_before_the_space_was_whole(found):
    assert found.predict([trial.point for trial in found.trials[:3]]).mean == pytest.approx(
        [trial.value for trial in found.trials[:3]], abs=0.2
    )


def test_each_moment_knows_the_space_as_it_was(found):
    for trial in found.trials:
        names = found.history.before(trial.number).settings.space.names
        asked = {name for earlier in found.trials[: trial.number] for name in earlier.point}
        assert set(names) == asked
    assert History.of(found.history.events[:2]).trials[0].point == {}


def test_every_suggestion_can_be_rebuilt_in_the_space_of_its_time(found):
    audit = sf.audit(found)
    assert len(audit.steps) > 4
    assert [step.reason for step in audit.steps if step.reason] == []


def test_an_event_only_where_something_else_was_asked_for(found):
    events = [event for event in found.history.events if isinstance(event, Defined)]
    assert 2 <= len(events) <= 8
    assert len(events[0].space.names) == len(events[0].point)


@pytest.mark.parametrize("count", [1, 2, 3, 9, 12])
def test_a_file_resumes_bit_for_bit(found, tmp_path, objectives, count):
    words = {"n_initial": 8, "seed": 1, "storage": tmp_path / "run.db", "polish": False}
    sf.minimize(objectives.asking, n_trials=count, **words)
    resumed = sf.minimize(objectives.asking, n_trials=N, **words)
    whole = sf.minimize(objectives.asking, n_trials=N, n_initial=8, seed=1, polish=False)
    assert trace(resumed) == trace(whole)
    assert trace(sf.load(tmp_path / "run.db")) == trace(whole)


def test_a_saved_result_is_the_same(found, tmp_path):
    found.save(tmp_path / "run.json")
    assert trace(sf.load(tmp_path / "run.json")) == trace(found)


def test_a_run_that_is_killed_goes_on_bit_for_bit(found, tmp_path):
    script = textwrap.dedent("""
        import os, signal, sys
        import suffice as sf
        from objectives import asking
        def f(trial):
            value = asking(trial)
            if trial.number == int(sys.argv[2]):
                os.kill(os.getpid(), signal.SIGKILL)
            return value
        sf.minimize(f, n_trials=16, n_initial=8, seed=1, storage=sys.argv[1])
    """)
    (tmp_path / "run.py").write_text(script)
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    for number, code in ((2, -signal.SIGKILL), (11, -signal.SIGKILL), (99, 0)):
        command = [sys.executable, tmp_path / "run.py", tmp_path / "run.db", str(number)]
        assert subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=False).returncode == code
    assert trace(sf.load(tmp_path / "run.db")) == trace(found)


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_workers_bring_back_what_was_asked_for(objectives, kind):
    if kind == "threads":
        with ThreadPoolExecutor(3) as pool:
            result = sf.minimize(objectives.asking, n_trials=12, n_initial=8, seed=1, executor=pool, n_parallel=3)
    else:
        result = sf.minimize(objectives.asking, n_trials=12, n_initial=8, seed=1, n_parallel=3)
    assert {trial.state for trial in result.trials} == {"done"}
    # what is drawn is a matter of seed, trial and name, wherever it is drawn
    alone = sf.minimize(objectives.asking, n_trials=1, seed=1)
    assert result.trials[0].point == alone.trials[0].point


def test_pruned_trials_are_learned_from_and_lack_what_they_did_not_ask_for(objectives):
    pruner = sf.pruning.Median()
    result = sf.minimize(objectives.asking_and_reporting, n_trials=16, n_initial=10, seed=0, pruner=pruner)
    states = [trial.state for trial in result.trials]
    assert states.count("pruned") >= 2
    assert states.count("done") >= 5
    assert all(("y" in trial.point) == (trial.state == "done") for trial in result.trials)
    assert "y" in result.x


def test_a_failed_trial_says_nothing_about_what_is_absent(objectives):
    result = sf.minimize(objectives.asking_and_failing, n_trials=12, n_initial=8, seed=0)
    assert {trial.state for trial in result.trials} == {"done", "failed"}
    assert [p.when for p in result.settings.space.params.values()] == [None, None]


def test_what_nothing_explains_is_always_proposed_and_absent_where_it_was_not_asked_for():
    def f(trial):
        x = trial.float("x", 0.0, 1.0)
        return x + (trial.float("y", 0.0, 1.0) if x > 0.5 else 0.0)

    result = sf.minimize(f, n_trials=14, n_initial=8, seed=0)
    assert result.settings.space.params["y"].when is None
    assert all(("y" in trial.point) == (trial.point["x"] > 0.5) for trial in result.trials)
    assert result.fun < 0.05


def test_several_objectives_and_constraints():
    def f(trial):
        x, y = trial.float("x", 0.0, 1.0), trial.float("y", 0.0, 1.0)
        return {"a": x + y, "b": (x - 1) ** 2, "c": y}

    aims = {"a": "minimize", "b": "minimize"}
    result = sf.optimize(f, n_trials=12, n_initial=6, seed=0, objectives=aims, constraints={"c": sf.AtLeast(0.1)})
    assert len(result.front) > 1
    assert all(trial.values["c"] >= 0.1 for trial in result.front)


def test_the_largest_value_is_found():
    assert sf.maximize(lambda trial: -abs(trial.float("x", 0, 1) - 0.3), n_trials=15, seed=0).fun > -0.05


# ---------------------------------------------------------------------- mistakes


def test_another_range_ends_the_run_with_both_ranges():
    def f(trial):
        return trial.float("x", 0.0, 1.0 + trial.number)

    with pytest.raises(
        DifferentParameter, match=r"'x' as Float\(low=0.0, high=2.0.*it was Float\(low=0.0, high=1.0"
    ) as e:
        sf.minimize(f, n_trials=10, seed=0)
    assert [trial.state for trial in e.value.result.trials] == ["done", "failed"]


def test_another_range_in_the_same_trial():
    def f(trial):
        return trial.float("x", 0.0, 1.0) + trial.float("x", 0.0, 2.0)

    with pytest.raises(DifferentParameter):
        sf.minimize(f, n_trials=10, seed=0)


def test_two_workers_that_ask_for_different_ranges_at_once():
    with ThreadPoolExecutor(2) as pool, pytest.raises(DifferentParameter):
        sf.minimize(lambda trial: trial.float("x", 0.0, 1.0 + trial.number), n_trials=4, executor=pool, n_parallel=2)


def test_an_evaluation_that_began_in_a_smaller_space_is_cancelled_in_the_present_one():
    over = threading.Event()

    def f(trial):
        if trial.number == 1:  # suggested before anything was asked for, and still running at the end
            over.wait(60)
        x = trial.float("x", 0.0, 1.0)
        if trial.number == 2:
            raise RuntimeError("the end of the run")
        return x

    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(RuntimeError, match="the end of the run") as e:
            sf.minimize(f, n_trials=4, executor=pool, n_parallel=2, evaluation=sf.Evaluation(on_error="raise"))
        over.set()
    assert [trial.state for trial in e.value.result.trials] == ["done", "cancelled", "failed"]


def test_the_same_name_asked_again_has_the_same_value():
    result = sf.minimize(lambda trial: trial.float("x", 0, 1) - trial.float("x", 0, 1), n_trials=2, seed=0)
    assert [trial.value for trial in result.trials] == [0.0, 0.0]


def test_an_objective_that_asks_for_nothing():
    with pytest.raises(TypeError, match="asked for none: write"):
        sf.minimize(lambda trial: 1.0, n_trials=10)


@pytest.mark.parametrize("f", [lambda x: x, lambda point, trial: 0.0, lambda: 0.0, max])
def test_without_a_space_the_objective_takes_the_trial_alone(f):
    with pytest.raises(TypeError, match="needs a space to be searched"):
        sf.minimize(f, n_trials=10)


def test_with_a_space_nothing_is_asked_for():
    with pytest.raises(TypeError, match=r"the space of this run was given.*read point\['x'\]"):
        sf.minimize(lambda point, trial: trial.float("x", 0, 1), {"x": (0.0, 1.0)}, n_trials=5)


def test_optunas_words_are_translated():
    with pytest.raises(AttributeError, match=r"write trial.float\(name, low, high\)"):
        sf.minimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)


@pytest.mark.parametrize("words", [{"x0": [{"x": 0.5}]}, {"storage": "postgresql:///no"}])
def test_what_needs_the_space_beforehand(words):
    with pytest.raises(TypeError, match="needs the space"):
        sf.minimize(lambda trial: trial.float("x", 0, 1), n_trials=5, **words)


@pytest.mark.parametrize("name", ["", 3, None])
def test_a_parameter_has_a_name(name):
    with pytest.raises(TypeError, match="has a name"):
        sf.minimize(lambda trial: trial.float(name, 0, 1), n_trials=5)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda trial: trial.float("x", 1, 0), "parameter 'x': low must not exceed high"),
        (lambda trial: trial.int("n", 0.5, 3), "parameter 'n': low must be a whole number"),
        (lambda trial: trial.choice("k", "abc"), r"options are a list, as in trial.choice\('k'"),
        (lambda trial: trial.ordinal("k", 3), "options are a list"),
    ],
)
def test_what_is_wrong_is_named(ask, message):
    with pytest.raises((TypeError, ValueError), match=message):
        sf.minimize(ask, n_trials=5)


def test_options_are_given_in_a_list_or_one_by_one():
    def runs(ask):
        return sf.minimize(lambda trial: "ab".index(ask(trial)), n_trials=4, seed=1).x_iters

    assert runs(lambda trial: trial.choice("k", "a", "b")) == runs(lambda trial: trial.choice("k", ["a", "b"]))
    assert runs(lambda trial: trial.ordinal("k", "a", "b")) == runs(lambda trial: trial.ordinal("k", ["a", "b"]))


def test_an_objective_that_asks_where_the_space_was_given_is_told_so():
    with pytest.raises(AttributeError) as raised:
        sf.minimize(lambda trial: trial.float("x", 0, 1), {"x": (0.0, 1.0)}, n_trials=5)
    assert any("One that asks for its parameters gets no space" in note for note in raised.value.__notes__)


def test_a_custom_space_without_names_is_no_unknown_space():
    from suffice.record.settings import OPEN_DESIGN, initial_points
    from suffice.space import OpenSpace, Pool, is_unknown

    assert is_unknown(OpenSpace())
    assert not is_unknown(Pool([[0.0], [1.0]]))
    assert initial_points(OpenSpace()) == OPEN_DESIGN


def test_a_name_that_is_no_text_is_refused():
    def f(trial):
        with pytest.raises(ValueError, match=r"a parameter cannot be called .*leave out halves of surrogate pairs"):
            trial.float("\ud800", 0, 1)
        return trial.float("x", 0, 1)

    assert sf.minimize(f, n_trials=2, seed=0).nfev == 2
