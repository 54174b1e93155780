"""A study in a file whose space has constraints: functions, which no file can hold."""

import pytest

import suffice as sf
from suffice.errors import SpaceAbsent


def space():
    return sf.Space(x=sf.Float(0, 1), y=sf.Float(0, 1), where=lambda p: p["x"] + p["y"] <= 1)


def points(result):
    return [trial.point for trial in result.trials]


def test_a_constrained_run_goes_on_where_it_was_left_if_its_space_is_given_again(tmp_path):
    def f(p):
        return (p["x"] - 0.7) ** 2 + (p["y"] - 0.6) ** 2

    words = {"seed": 0, "n_initial": 4, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(30))}
    whole = sf.minimize(f, space(), n_trials=9, **words)
    for n in (3, 6, 9):
        parts = sf.minimize(f, space(), n_trials=n, storage=tmp_path / "run.db", **words)
    assert points(parts) == points(whole)
    with sf.Optimizer.resume(tmp_path / "run.db", space=space()) as opt:
        assert sum(opt.ask().point.values()) <= 1


def test_the_trials_of_a_finite_space_with_constraints_can_be_read_and_told_without_the_constraint(tmp_path):
    def finite():
        return sf.Space(a=sf.Int(1, 6), b=sf.Int(1, 6), where=lambda p: p["a"] + p["b"] <= 8)

    path, table = tmp_path / "run.db", tmp_path / "batch.csv"
    opt, whole = (sf.Optimizer(finite(), seed=0, n_initial=2, storage=storage) for storage in (path, None))
    for _ in range(4):
        for study in (opt, whole):
            trial = study.ask()
            study.tell(trial, trial.point["a"] + 0.1 * trial.point["b"])
    opt.ask(), whole.ask()
    opt.result().save(tmp_path / "run.json")
    opt.close()
    for file in (path, tmp_path / "run.json"):
        assert points(sf.load(file)) == points(whole)
        assert "best seen" in str(sf.load(file))
    with sf.Optimizer.resume(path) as resumed:
        sf.exchange.write(resumed, table, pending=True)
        sf.exchange.read(table, resumed)
        with pytest.raises(SpaceAbsent, match="pass the space again"):
            resumed.ask()
        resumed.tell(resumed.pending[0], 5.0)
    whole.tell(whole.pending[0], 5.0)
    with sf.Optimizer.resume(path, space=finite()) as resumed:
        assert resumed.ask().point == whole.ask().point
