"""The history is a fold over the events: at any moment it is what the events up to then tell."""

import statistics
from collections import Counter

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.series import ledger
from suffice.record.history import History
from suffice.record.table import TrialTable
from suffice.record.trial import (
    Asked,
    Failed,
    Started,
    Told,
)

SPACE = sf.Space(a=sf.Float(0, 1), b=sf.Choice("x", "y", "z"))


def f(point):
    return point["a"] + "xyz".index(point["b"])


@pytest.fixture
def lived(make):
    """An optimizer with a life of everything that can happen, and its histories as they were at each ask."""
    opt = make(SPACE, n_initial=3)
    seen, late = {}, None
    for i in range(10):
        seen[len(opt.trials)] = opt.history
        trial = opt.ask()
        match i % 5:
            case 1:
                late = opt.fail(trial, "first")
            case 2:
                opt.cancel(trial)
            case 3:
                opt.tell(late, f(late.point))  # a second settlement, while `trial` stays pending
            case _:
                opt.tell(trial, f(trial.point), seconds=0.1, noise_var=0.01)
    opt.tell({"a": 0.123, "b": "y"}, 4.0)
    opt.tell({"a": 0.124, "b": "y"}, float("inf"))
    return opt, seen


def facts(history):
    """What can be compared of a history."""
    trials = [(t.number, t.point, t.state, t.values, t.reason, t.seconds, t.noise_var, t.order) for t in history.trials]
    order = [t.number for t in history.done], [t.number for t in history.pending], [t.number for t in history.failed]
    return trials, order, history.settled, history.notes, history.t, len(history.reports)


def test_the_events_alone_tell_the_history(lived):
    opt, _ = lived
    assert facts(History.of(opt.history.events)) == facts(opt.history)


def test_event_by_event_it_grows_to_the_same(lived):
    first, *others = lived[0].history.events
    history = History.of([first])
    for event in others:
        history = History.of((*history.events, event))
    assert facts(history) == facts(lived[0].history)


def test_before_an_ask_it_was_what_it_was(lived):
    opt, seen = lived
    for number, then in seen.items():
        assert facts(opt.history.before(number)) == facts(then)


def test_a_second_settlement_loses_nothing(lived):
    events = lived[0].history.events
    failed = next(event for event in events if isinstance(event, Failed))
    assert failed.reason == "first"
    assert lived[0].trials[failed.number].state == "done"


def test_every_trial_is_in_one_place(lived):
    history = lived[0].history
    cancelled = [trial for trial in history.trials if trial.state == "cancelled"]
    parts = [*history.done, *history.pending, *history.failed, *cancelled]
    assert sorted(trial.number for trial in parts) == list(range(len(history.trials)))


def test_observations_are_larger_is_better_whatever_the_sense(make):
    data = {}
    for direction in ("minimize", "maximize"):
        opt = make([(0, 1)], direction=direction)
        for x, y in ((0.1, 3.0), (0.5, 1.0), (0.9, 2.0)):
            opt.tell([x], y)
        data[direction] = opt.history.observations().y
    assert data["maximize"].tolist() == [3.0, 1.0, 2.0]
    assert data["minimize"].tolist() == [-3.0, -1.0, -2.0]


def test_the_time_of_an_evaluation_is_the_median_of_those_that_gave_a_value(make):
    opt = make([(0, 1)])
    assert opt.history.evaluation_seconds is None
    for x, seconds in ((0.1, 4.0), (0.2, None), (0.3, 1.0)):
        opt.tell([x], x, seconds=seconds)
    opt.fail(opt.ask(), seconds=100.0)
    assert opt.history.evaluation_seconds == 2.5
    opt.tell([0.4], 0.4, seconds=9.0)
    assert opt.history.evaluation_seconds == 4.0


def test_a_noise_that_was_not_told_is_unknown_and_not_zero(make):
    opt = make([(0, 1)])
    for x, noise_var in ((0.1, None), (0.2, 0.0), (0.3, 0.5)):
        opt.tell([x], x, noise_var=noise_var)
    assert np.array_equal(opt.history.observations().noise_var, [np.nan, 0.0, 0.5], equal_nan=True)


def test_a_trial_keeps_its_values_whatever_becomes_of_the_dict(make):
    opt, values = make([(0, 1)]), {"value": 1.0}
    trial = opt.ask()
    history = History.of((*opt.history.events, Told(trial.number, values, None, None)))
    values["value"] = 9.0
    assert history.trials[trial.number].value == 1.0


def test_an_infinite_value_is_noted_once(make, caplog):
    opt = make([(0, 1)])
    for x in (0.1, 0.2):
        opt.tell([x], float("-inf"))
    assert len(opt.history.notes) == 1
    assert "infinite" in opt.history.notes[0]
    assert len(caplog.records) == 1


def test_a_history_without_a_start_is_refused(lived):
    with pytest.raises(ValueError, match="begins with the event Started"):
        History.of(lived[0].history.events[1:])


def test_the_start_holds_everything_that_it_takes_to_run_again(make):
    opt = make(
        [(0, 1)], x0=[[0.25]], diagnostics=sf.solvers.Diagnostics(proof_seconds=0.01), repeat=True, direction="maximize"
    )
    start = opt.history.events[0]
    assert isinstance(start, Started)
    settings = start.settings
    assert (settings.x0, settings.repeat, settings.direction) == (((0.25,),), True, "maximize")
    assert settings.diagnostics.proof_seconds == 0.01
    assert settings == opt.settings


def test_a_proposal_keeps_the_users_point_and_its_place(make):
    opt = make([(0, 10)])
    trial = opt.ask()
    asked = opt.history.events[-1]
    assert isinstance(asked, Asked)
    assert np.array_equal(asked.unit, opt.space.to_unit(trial.point))
    with pytest.raises(ValueError, match="read-only"):
        asked.unit[0] = 0.0


def by_hand(history):
    """The same, trial by trial."""
    settings = history.settings
    sign, kept = settings.sign(), [t for t in history.trials if t.state != "cancelled"]
    reports = [t.solve for t in kept if t.solve is not None]
    seconds = sorted(t.seconds for t in history.done if t.seconds is not None)
    level, idle = -np.inf, 0
    for trial in sorted((t for t in kept if t.order is not None), key=lambda t: t.order):
        if trial.state == "done" and trial.feasible and sign * trial.value > level + (history.resolution or 0.0):
            level, idle = sign * trial.value, 0
        else:
            idle += trial.origin == "model"
    tries = Counter()
    for trial in kept:
        tries[trial.unit.tobytes()] += 1 if trial.state == "failed" else 3
    best = [t.number for t in history.trials if t.state == "done" and t.feasible and sign * t.value == level]
    return {
        "ledger": ledger(reports),
        "last": reports[-1] if reports else None,
        "t": 1 + sum(t.origin == "model" for t in history.trials),
        "idle": idle,
        "median": statistics.median(seconds) if seconds else None,
        "seen": frozenset(t.unit.tobytes() for t in kept),
        "again": frozenset(row for row, n in tries.items() if n < 3),
        "failed": [t.number for t in history.trials if t.state == "failed"],
        "feasible": [t.number for t in history.trials if t.state == "done" and t.feasible],
        "best": best[0] if best else None,
    }


def test_what_columns_tell_is_what_the_trials_tell(lived):
    for history in (lived[0].history, *lived[1].values()):
        hand = by_hand(history)
        assert history.ledger == hand["ledger"]
        assert history.last is hand["last"]
        assert (history.t, history.idle, history.evaluation_seconds) == (hand["t"], hand["idle"], hand["median"])
        assert history.seen == hand["seen"]
        assert history.again <= hand["again"]
        assert [t.number for t in history.failed] == hand["failed"]
        assert [t.number for t in history.feasible] == hand["feasible"]
        assert (None if history.best is None else history.best.number) == hand["best"]
        data, known = history.observations(), history.known()
        assert data.X.tolist() == [t.unit.tolist() for t in known]
        assert data.y.tolist() == [-t.value for t in known]
        assert [t.number for t in known] == [t.number for t in history.done]


def test_columns_that_grew_are_those_of_the_trials(lived):
    for history in (lived[0].history, *lived[1].values()):
        grown, whole = history.table, TrialTable.of(history.trials, history.done, history.settings)
        for word in grown.columns.dtype.names:
            assert np.array_equal(grown[word], whole[word], equal_nan=grown[word].dtype.kind == "f")
        assert np.array_equal(grown.unit, whole.unit)
        assert np.array_equal(grown.done, whole.done)
        assert list(grown.keys)[: len(grown)] == list(whole.keys)


def test_what_happens_later_does_not_change_a_history(make, drive):
    opt = make([(0, 1)])
    drive(opt, 70)  # more than there is room for at first
    trial = opt.ask()
    then = opt.history
    facts_then = [then.table.columns.tobytes(), then.table.unit.tobytes(), then.table.done.tobytes(), then.seen]
    again = opt.history.before(len(then.trials) - 1)
    opt.tell(trial, -100.0, seconds=5.0)
    drive(opt, 70)
    assert [then.table.columns.tobytes(), then.table.unit.tobytes(), then.table.done.tobytes(), then.seen] == facts_then
    assert then.evaluation_seconds is None
    assert then.best.value > -100.0
    assert len(again.seen) == len(then.seen) - 1
    with pytest.raises(ValueError, match="read-only"):
        then.table.unit[0, 0] = 0.5


def test_a_history_is_the_same_value_until_there_is_another_event(make):
    opt = make([(0, 1)])
    assert opt.history is opt.history
    before = opt.history
    opt.ask()
    assert opt.history is not before
