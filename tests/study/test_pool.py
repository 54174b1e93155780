"""A study that chooses rows of a library."""

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition import ACQUISITIONS
from suffice.ask.models import fit_outputs
from suffice.candidates import CANDIDATES
from suffice.solvers import SOLVERS

ROWS = np.random.default_rng(0).standard_normal((400, 3))
POOL = sf.Pool(ROWS)


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def best_of(rows):
    return min(map(bowl, rows))


def test_the_best_row_of_a_library_is_found_in_a_few_evaluations():
    result = sf.minimize(bowl, POOL, n_trials=25, seed=0)
    assert result.fun == best_of(ROWS)
    assert POOL.index(result.x) == np.argmin([bowl(row) for row in ROWS])
    assert all(trial.solve.upper_kind == "enumerated" for trial in result.trials if trial.solve)
    assert "The best point lies on" not in str(result)


def test_no_row_is_proposed_twice_until_none_is_left():
    few = sf.Pool(ROWS[:12])
    optimizer = sf.Optimizer(few, seed=1)
    while len(optimizer.trials) < 12:
        for trial in optimizer.ask(5):
            optimizer.tell(trial, bowl(trial.point))
    with pytest.raises(sf.errors.SpaceExhausted, match="all 12 points"):
        optimizer.ask()
    assert sorted(few.index(trial.point) for trial in optimizer.trials) == list(range(12))
    assert optimizer.best.value == best_of(ROWS[:12])


def test_with_repeat_a_row_may_come_again():
    optimizer = sf.Optimizer(sf.Pool(ROWS[:3]), seed=1, repeat=True)
    for _ in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))
    assert len(optimizer.trials) == 8


def test_the_best_new_row_follows_where_the_best_one_is_taken():
    optimizer = sf.Optimizer(POOL, seed=0, n_initial=0, acquisition=sf.UCB(beta=0.0))
    for row in ROWS[:40]:
        optimizer.tell(row, bowl(row))
    trial = optimizer.ask()
    mean = fit_outputs(optimizer.settings, optimizer.history, optimizer._fitted)["value"].posterior.mean(
        POOL.enumerate()
    )
    seen = [POOL.index(t.point) for t in optimizer.trials[:-1]]
    mean[seen] = -np.inf
    assert POOL.index(trial.point) == np.argmax(mean)


def test_dicts_objects_and_row_numbers_are_points():
    table = [{"kind": "ab"[i % 2], "size": float(i), "name": f"row {i}"} for i in range(30)]
    result = sf.maximize(
        lambda p: p["size"] - 10 * (p["kind"] == "a"), sf.Pool(table, features=["kind", "size"]), n_trials=15, seed=0
    )
    assert result.x == table[29]
    words = ["ab", "abc", "b", "cab", "bab", "a"]
    optimizer = sf.Optimizer(sf.Pool(words, features=[[len(w), w.count("a")] for w in words]), seed=0, x0=["cab"])
    assert optimizer.ask().point == "cab"
    optimizer.tell("b", 1.0)
    optimizer.tell(1, 2.0)  # the number of a row
    assert [trial.point for trial in optimizer.trials] == ["cab", "b", "abc"]
    assert optimizer.ask().point not in ("cab", "b", "abc")
    with pytest.raises(ValueError, match="'bb' is not a row of the pool"):
        optimizer.tell("bb", 0.0)


def test_an_object_that_is_an_array_stays_as_it_is():
    images = [np.full((2, 2), float(i)) for i in range(6)]
    optimizer = sf.Optimizer(sf.Pool(images, features=[[float(i)] for i in range(6)]), seed=0, x0=[images[4]])
    trial = optimizer.ask()
    assert np.array_equal(trial.point, images[4])
    images[4][0, 0] = 7.0  # still the caller's to change
    optimizer.tell(trial, 1.0)


def test_a_row_is_chosen_as_a_whole():
    optimizer = sf.Optimizer(sf.Pool([{"a": 1, "b": 2}, {"a": 2, "b": 1}]))
    with pytest.raises(TypeError, match="fixed= needs a space made of parameters: got <Pool of 2 rows"):
        optimizer.ask(fixed={"a": 1})


def test_foreign_rows_count_towards_the_design():
    optimizer = sf.Optimizer(POOL, seed=0)
    for row in ROWS[:10]:
        optimizer.tell(row, bowl(row))
    assert optimizer.ask().solve is not None


def test_the_same_seed_gives_the_same_rows():
    first, again = (sf.minimize(bowl, sf.Pool(ROWS), n_trials=15, seed=3) for _ in range(2))
    assert np.array_equal(first.x_iters, again.x_iters)


def test_the_design_is_spread_over_the_rows_and_not_over_the_empty_space():
    crowd = np.concatenate([0.02 * np.random.default_rng(1).random((990, 2)), np.ones((10, 2)) + np.eye(10)[:, :2]])
    asked = [trial.point for trial in sf.Optimizer(sf.Pool(crowd), seed=0, n_initial=16).ask(16)]
    assert sum(point.max() < 0.5 for point in asked) >= 13


@pytest.mark.parametrize("name", ACQUISITIONS)
def test_every_acquisition_chooses_rows_and_can_be_audited(name):
    result = sf.minimize(
        bowl,
        POOL,
        n_trials=12,
        seed=0,
        acquisition=ACQUISITIONS[name](),
        diagnostics=sf.solvers.Diagnostics(proof_seconds=0.05, audit=0.5),
    )
    assert all(POOL.index(trial.point) >= 0 for trial in result.trials)
    assert sum(trial.solve is not None for trial in result.trials) == 12 - 4
    for step in sf.audit(result, every=4).steps:
        assert step.reason is None
        assert step.relative_gap is None or step.relative_gap < 0.5


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_chooses_rows(name):
    pool = sf.Pool(np.random.default_rng(2).standard_normal((3000, 3)))
    optimizer = sf.Optimizer(pool, seed=0, solver=SOLVERS[name](), n_initial=6)
    for _ in range(9):
        trial = optimizer.ask()
        assert pool.index(trial.point) >= 0
        optimizer.tell(trial, bowl(trial.point))


@pytest.mark.parametrize("name", CANDIDATES)
def test_every_candidate_set_proposes_rows(name):
    design = POOL.sample(6, np.random.default_rng(1))
    X = CANDIDATES[name](50, POOL, design=design, rng=np.random.default_rng(0))
    assert X.shape == (50, 3)
    assert POOL.contains(X).all()


def test_a_run_stops_once_no_row_can_be_much_better():
    result = sf.minimize(bowl, POOL, n_trials=120, seed=0, stop=sf.RegretBelow(0.05))
    assert "regret of result.x is at most" in result.message
    assert result.fun <= best_of(ROWS) + 0.05
