"""A study in a file whose space has constraints: functions, which no file can hold."""

import suffice as sf


def space():
    return sf.Space(x=sf.Float(0, 1), y=sf.Float(0, 1), where=lambda p: p["x"] + p["y"] <= 1)


def points(result):
    return [trial.point for trial in result.trials]


def test_a_constrained_run_goes_on_where_it_was_left_if_its_space_is_given_again(tmp_path):
    def f(p):
        return (p["x"] - 0.7) ** 2 + (p["y"] - 0.6) ** 2

    words = {"seed": 0, "n_initial": 4, "solver": sf.Grid(size=sf.Fixed(30))}
    whole = sf.minimize(f, space(), n_trials=9, **words)
    for n in (3, 6, 9):
        parts = sf.minimize(f, space(), n_trials=n, store=tmp_path / "run.db", **words)
    assert points(parts) == points(whole)
    with sf.Optimizer.resume(tmp_path / "run.db", space=space()) as opt:
        assert sum(opt.ask().point.values()) <= 1
