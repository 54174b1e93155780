"""Many threads, and many observations."""

import threading
import time

import numpy as np

from suffice import GP, Fixed, Grid, Optimizer

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
    assert len({trial.told for trial in opt.trials if trial.state == "done"}) == 24


def test_ten_thousand_foreign_observations_with_duplicates_load_in_seconds_and_one_ask_works():
    rng = np.random.default_rng(0)
    X = np.round(rng.random((10_000, 2)), 2)  # a lattice of 10 201 places: thousands of duplicates
    # The cost of a fit grows with the cube of max_points: 300 keep this test short.
    opt = Optimizer(SQUARE, seed=0, model=GP(warp=False, max_points=300), solver=Grid(size=Fixed(64)))
    start = time.perf_counter()
    for x in X:
        opt.tell(x, float(((x - 0.3) ** 2).sum()))
    trial = opt.ask()
    seconds = time.perf_counter() - start
    assert len(np.unique(X, axis=0)) < 7_000
    assert trial.origin == "model"
    assert trial.solve.notes == ("the model uses 300 of 10000 observations (max_points)",)
    assert opt.result().notes == trial.solve.notes
    assert np.abs(trial.unit - 0.3).max() < 0.2  # the subset keeps the best half of what it can hold
    # About one second here; ten is the promise.
    assert seconds < 10


def test_a_suggestion_does_not_keep_the_model_alive(make, drive):
    """A report stores what rebuilds the acquisition function: memory grows with the trials, not with their squares."""
    import pickle

    opt = make(SQUARE)
    drive(opt, 40)
    sizes = [len(pickle.dumps(trial.solve)) for trial in opt.trials if trial.solve]
    assert max(sizes) < 1.2 * min(sizes) + 200
