"""A study of a pool in a file: a small pool is in it, a large one is given again."""

import json

import numpy as np
import pytest

import suffice as sf
from suffice.errors import DifferentStudy, SpaceAbsent
from suffice.space import AbsentSpace, Pool

ROWS = np.random.default_rng(0).standard_normal((6000, 2))
TABLE = [{"kind": "ab"[i % 2], "size": i, "name": f"row {i}"} for i in range(40)]
WORDS = ["ab", "abc", "b", "cab", "bab", "a", "bcb", "cc"]
FEATURES = [[len(word), word.count("a"), word.count("b")] for word in WORDS]


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def told(pool, path=None, n=9, seed=4, **words):
    optimizer = sf.Optimizer(pool, seed=seed, storage=path, **words)
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, value_of(trial.point))
    return optimizer


def value_of(point):
    if isinstance(point, dict):
        return point["size"] + 3.0 * (point["kind"] == "a")
    return float(len(point)) if isinstance(point, str) else bowl(np.asarray(point))


def same_points(a, b):
    return all(np.array_equal(x.point, y.point) for x, y in zip(a.trials, b.trials, strict=True))


@pytest.mark.parametrize(
    "pool", [Pool(ROWS[:50]), Pool(TABLE, features=["kind", "size"]), Pool(np.arange(60).reshape(20, 3) % 17)], ids=repr
)
def test_a_small_pool_is_in_the_file(pool, tmp_path):
    result = told(pool).result()
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert again.settings.space == pool
    assert same_points(result, again)
    assert np.array_equal(again.x, result.x)
    assert all(step.reason is None for step in sf.audit(again).steps)
    storage = tmp_path / "run.db"
    told(pool, storage).close()
    following = told(pool, n=10).trials[-1]
    assert np.array_equal(sf.Optimizer.resume(storage).ask().point, following.point)


@pytest.mark.parametrize("pool", [Pool(ROWS), Pool(WORDS, FEATURES)], ids=repr)
def test_of_another_pool_the_file_has_the_trials_and_goes_on_when_it_is_given_again(pool, tmp_path):
    first = told(pool, tmp_path / "run.db", n=6, x0=[pool[3]])
    first.close()
    loaded = sf.load(tmp_path / "run.db")
    assert isinstance(loaded.settings.space, AbsentSpace)
    assert loaded.fun == first.best.value
    if pool.names:  # rows of numbers are in the file
        assert same_points(loaded, first)
    assert np.array_equal([t.unit for t in loaded.trials], [t.unit for t in first.trials])
    assert np.isfinite(loaded.fun_recommended)
    alone = sf.Optimizer.resume(tmp_path / "run.db")
    with pytest.raises(SpaceAbsent, match=r"Optimizer\.resume"):
        alone.ask()
    alone.close()
    whole = told(pool, n=8, x0=[pool[3]])
    resumed = sf.Optimizer.resume(tmp_path / "run.db", space=pool)
    for _ in range(2):
        trial = resumed.ask()
        resumed.tell(trial, value_of(trial.point))
    assert same_points(resumed, whole)
    resumed.close()
    continued = sf.Optimizer(pool, storage=tmp_path / "run.db")
    assert same_points(continued, whole)


def test_another_pool_is_refused(tmp_path):
    told(Pool(ROWS), tmp_path / "run.db", n=2).close()
    with pytest.raises(DifferentStudy, match="space: "):
        sf.Optimizer(Pool(ROWS[::-1]), storage=tmp_path / "run.db")


def test_a_result_that_was_loaded_without_its_pool_can_be_saved_again(tmp_path):
    told(Pool(ROWS), n=7).result().save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    loaded.save(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads((tmp_path / "run.json").read_text())
    with pytest.raises(sf.errors.SufficeError, match="known only by its description"):
        sf.audit(loaded)
