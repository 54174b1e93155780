"""Many threads, and many observations."""

import pickle
import threading
from collections import Counter

import numpy as np

from suffice import GP, UCB, Optimizer
from suffice.record.history import Chronicle
from suffice.record.trial import Asked, Started, Told
from suffice.solvers import Fixed, Grid

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def test_threads_ask_and_tell_at_the_same_time_and_nothing_is_lost(make):
    opt = make(SQUARE)
    faults, barrier = [], threading.Barrier(6)

    def work(worker):
        try:
            barrier.wait()
            for step in range(6):
                trial = opt.ask()
                if step % 3 == 2:
                    opt.fail(trial, f"{worker} gave up")
                else:
                    opt.tell(trial, float(trial.point.sum()), seconds=worker)
                _ = opt.trials, opt.result()
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert [trial.number for trial in opt.trials] == list(range(36))
    assert len({trial.unit.tobytes() for trial in opt.trials}) == 36
    assert sum(trial.state == "done" for trial in opt.trials) == 24
    assert len({trial.order for trial in opt.trials if trial.state == "done"}) == 24


def test_thousands_of_foreign_observations_with_duplicates_are_taken_in_once_each_and_one_ask_works(monkeypatch):
    applied, rng = Counter(), np.random.default_rng(0)
    whole = Chronicle._apply
    monkeypatch.setattr(Chronicle, "_apply", lambda self, event: applied.update([type(event)]) or whole(self, event))
    X = np.round(50 * rng.random((3000, 2))) / 50  # a lattice of 2601 places
    # The cost of a fit grows with the cube of max_points: 300 keep this test short.
    parts = {"model": GP(warp=False, max_points=300), "acquisition": UCB(), "solver": Grid(size=Fixed(64))}
    opt = Optimizer(SQUARE, seed=0, **parts)
    for x in X:
        opt.tell(x, float(((x - 0.3) ** 2).sum()))
    trial = opt.ask()
    assert len(np.unique(X, axis=0)) < 2000
    assert trial.origin == "model"
    assert trial.solve.notes == ("the model uses 300 of the observations (max_points)",)
    assert opt.result().notes == trial.solve.notes
    assert np.abs(trial.unit - 0.3).max() < 0.2  # the subset keeps the best half of what it can hold
    assert applied == {Started: 1, Asked: 3001, Told: 3000}  # the history is not folded from its start at every tell


def test_a_suggestion_does_not_keep_the_model_alive(make, drive):
    """A report stores what rebuilds the acquisition function: memory grows with the trials, not with their squares."""
    opt = make(SQUARE)
    drive(opt, 40)
    sizes = [len(pickle.dumps(trial.solve)) for trial in opt.trials if trial.solve]
    assert max(sizes) < 1.2 * min(sizes) + 200
