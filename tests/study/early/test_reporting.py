"""Reports, stops and what is learned of them: by ask and tell, in memory, in files and after a resume."""

import math

import numpy as np
import pytest

import suffice as sf
from suffice.errors import DifferentStudy, UnreadableFile
from suffice.record.history import History

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def made(**words):
    return sf.Optimizer(SPACE, seed=3, pruner=sf.pruning.Median(), **words)


def drive(optimizer, n, steps=12, sign=1.0):
    """n trials of a curve that falls, each stopped where the rule says so."""
    for _ in range(n):
        trial = optimizer.ask()
        level = (trial.point["x"] - 0.3) ** 2 + (trial.point["y"] - 0.6) ** 2
        for step in range(1, steps + 1):
            value = sign * (level * (1 + 0.1 / step) + 1 / step)
            optimizer.report(trial, value, step)
            if optimizer.should_prune(trial):
                optimizer.prune(trial, seconds=0.5)
                break
        else:
            optimizer.tell(trial, value)
    return optimizer


def test_stopped_trials_count_have_no_value_and_are_never_the_best():
    optimizer = drive(made(), 25)
    history, result = optimizer.history, optimizer.result()
    assert history.stopped
    assert len(history.stopped) + len(history.done) == 25 == result.nfev
    for trial in history.stopped:
        assert (trial.state, trial.value, trial.values, trial.seconds) == ("pruned", None, None, 0.5)
        assert 1 <= len(trial.reports) < 12
        assert trial.reports[0][0] == 1
    assert history.best.state == result.history.best.state == "done"
    assert result.success
    assert result.x == optimizer.best.point
    assert {trial.number for trial in history.stopped}.isdisjoint(t.number for t in history.known(measured=True))


def test_the_sense_makes_no_difference():
    down, up = drive(made(), 18), drive(made(direction="maximize"), 18, sign=-1.0)
    assert [t.point for t in down.trials] == [t.point for t in up.trials]
    assert [t.state for t in down.trials] == [t.state for t in up.trials]
    assert [t.expected for t in down.history.stopped] == [-t.expected for t in up.history.stopped]


def test_the_model_learns_what_finished_trials_gained_from_there_on():
    optimizer = drive(made(), 25)
    trial = optimizer.history.stopped[-1]
    before = [t for t in optimizer.history.done if t.order < trial.order]
    step = trial.reports[-1][0]
    level = min(value for _, value in trial.reports)
    gains = np.array([t.value - min(v for s, v in t.reports if s <= step) for t in before])
    m = len(gains)
    assert trial.expected == pytest.approx(level + gains.mean())
    assert trial.noise_var == pytest.approx(gains.var(ddof=1) * (1 + 1 / m) * (m - 1) / (m - 3))
    data = optimizer.history.observations()
    assert len(data) == 25
    assert len(optimizer.history.observations(measured=True)) == len(optimizer.history.done)
    row = [t.number for t in optimizer.history.known()].index(trial.number)
    assert data.y[row] == -trial.expected
    assert data.noise_var[row] == trial.noise_var


def test_too_few_finished_trials_teach_nothing_about_a_stopped_one():
    optimizer = sf.Optimizer(SPACE, seed=0)
    for value in (1.0, 2.0, 3.0):
        trial = optimizer.ask()
        optimizer.report(trial, value, 1)
        optimizer.tell(trial, value)
    trial = optimizer.ask()
    assert not optimizer.should_prune(optimizer.report(trial, 9.0, 1))  # there is no rule
    stopped = optimizer.prune(trial)
    assert (stopped.state, stopped.expected, stopped.noise_var) == ("pruned", None, None)
    assert len(optimizer.history.observations()) == 3
    assert optimizer.prune(trial) is stopped
    never = optimizer.prune(optimizer.ask())
    assert never.state == "pruned"
    assert never.reports == ()


def test_a_resumed_study_goes_on_bit_for_bit(tmp_path):
    whole = drive(made(), 24)
    with drive(made(storage=tmp_path / "run.db"), 15) as first:
        pass
    assert first.history.stopped
    resumed = drive(sf.Optimizer.resume(tmp_path / "run.db"), 9)
    assert resumed.settings.pruner == sf.pruning.Median()
    for one, other in zip(whole.trials, resumed.trials, strict=True):
        assert one.point == other.point
        assert one.reports == other.reports
        assert (one.state, one.value, one.expected, one.noise_var) == (
            other.state,
            other.value,
            other.expected,
            other.noise_var,
        )
    resumed.result().save(tmp_path / "run.json")
    for path in ("run.db", "run.json"):
        read = sf.load(tmp_path / path)
        assert [t.reports for t in read.trials] == [t.reports for t in whole.trials]
        assert read.settings.pruner == sf.pruning.Median()
    with pytest.raises(DifferentStudy, match="pruner"):
        sf.Optimizer(SPACE, storage=tmp_path / "run.db", pruner=sf.pruning.Race())


def test_reports_that_are_no_numbers_are_kept_and_a_stop_after_one_is_a_failure(tmp_path):
    with sf.Optimizer(SPACE, seed=0, pruner=sf.pruning.Median(), storage=tmp_path / "run.db") as optimizer:
        trial = optimizer.ask()
        optimizer.report(trial, 1.0, 0)
        optimizer.report(trial, math.nan, 1)
        assert optimizer.should_prune(trial)
        assert (optimizer.prune(trial).state, optimizer.trials[0].cause) == ("failed", "nan")
    steps = sf.load(tmp_path / "run.db").trials[0].reports
    assert steps[0] == (0, 1.0)
    assert math.isnan(steps[1][1])


def test_a_trial_that_is_evaluated_again_starts_its_reports_anew():
    optimizer = sf.Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    for step in range(5):
        optimizer.report(trial, 1.0, step)
    assert optimizer.report(trial, 2.0, 0).reports == ((0, 2.0),)
    optimizer.report(trial, 3.0, 1)
    assert optimizer.tell(trial, 3.0).reports == ((0, 2.0), (1, 3.0))
    assert optimizer.report(trial, 9.0, 2).reports == ((0, 2.0), (1, 3.0))  # it comes late
    assert History.of(optimizer.history.events).trials[0].reports == ((0, 2.0), (1, 3.0))


def test_what_was_stopped_cannot_be_told_and_what_was_told_cannot_be_stopped():
    optimizer = drive(made(), 20)
    stopped, done = optimizer.history.stopped[0], optimizer.history.done[0]
    with pytest.raises(ValueError, match="was pruned"):
        optimizer.tell(stopped, 1.0)
    with pytest.raises(ValueError, match="already has the value"):
        optimizer.prune(done)
    assert optimizer.fail(stopped).state == optimizer.cancel(stopped).state == "pruned"
    assert optimizer.tell(stopped.point, 1.0).state == "done"  # a whole evaluation of the same point


def test_a_stop_after_a_failure_or_a_cancellation_takes_its_reason_away():
    optimizer = made()
    failed, cancelled = optimizer.ask(2)
    optimizer.fail(failed, "lost", traceback="where")
    optimizer.cancel(cancelled)
    for trial in (optimizer.prune(failed), optimizer.prune(cancelled)):
        assert (trial.state, trial.cause, trial.reason, trial.traceback) == ("pruned", None, None, None)


@pytest.mark.parametrize(("value", "step"), [("low", 1), (1.0, -1), (1.0, 0.5), (None, 1), (1.0, True)])
def test_reports_that_make_no_sense_are_refused(value, step):
    optimizer = sf.Optimizer(SPACE, seed=0)
    trial = optimizer.ask()
    with pytest.raises((TypeError, ValueError)):
        optimizer.report(trial, value, step)
    assert optimizer.trials[0].reports == ()


def test_stopped_trials_are_in_tables_reports_and_summaries(tmp_path):
    pd = pytest.importorskip("pandas")
    result = drive(made(), 20).result()
    frame = result.to_dataframe()
    assert (frame["state"] == "pruned").sum() == len(result.history.stopped)
    assert pd.isna(frame.loc[frame["state"] == "pruned", "value"]).all()
    assert "pruned" in repr(result.history)
    assert "pruned" in result.history.stopped[0]._repr_html_()
    sf.exchange.write(result, tmp_path / "trials.csv")
    sf.exchange.write(result, tmp_path / "trials.jsonl")
    assert (tmp_path / "trials.csv").read_text().count("pruned") == len(result.history.stopped)
    assert '"reports": [[1, ' in (tmp_path / "trials.jsonl").read_text()
    table = (tmp_path / "trials.csv").read_text().splitlines()
    place, cells = next((i, line.split(",")) for i, line in enumerate(table) if ",pruned," in line)
    cells[table[0].split(",").index("value")] = "0.5"
    (tmp_path / "changed.csv").write_text("\n".join([*table[:place], ",".join(cells), *table[place + 1 :]]))
    with pytest.raises(UnreadableFile, match="was pruned"):
        sf.exchange.read(tmp_path / "changed.csv", drive(made(), 20))
    assert sf.exchange.read(tmp_path / "trials.csv", drive(made(), 20)).known == 20
    result.diagnose()


def test_a_thousand_trials_with_a_hundred_reports_take_little_memory():
    import tracemalloc

    optimizer = sf.Optimizer([(0, 1)], seed=0, n_initial=10_000, pruner=sf.pruning.Median())
    tracemalloc.start()
    for _ in range(100):
        trial = optimizer.ask()
        for step in range(100):
            optimizer.report(trial, float(step), step)
        optimizer.tell(trial, 99.0)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used < 100 * 100 * 600  # bytes for each report: 60 MB for ten times as many
