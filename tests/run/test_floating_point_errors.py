"""What the user has set by np.seterr is the objective's, and not the library's."""

import numpy as np
import pytest

import suffice as sf

SQUARE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def bowl(point):
    return (point["x"] - 0.3) ** 2 + point["y"]


def test_a_run_and_its_result_do_without_the_setting_of_the_user():
    usual = sf.minimize(bowl, SQUARE, 16, seed=0)
    point = {"x": 0.2, "y": 0.4}
    with np.errstate(all="raise"):
        result = sf.minimize(bowl, SQUARE, 16, seed=0)
        assert [trial.point for trial in result.trials] == [trial.point for trial in usual.trials]
        assert "16 trials" in str(result)
        assert result.diagnose() is not None
        assert result.predict(point) == usual.predict(point)
        assert len(result.importance().total) == 2
        assert sf.audit(result, every=5).steps


def test_figures_do_without_it(tmp_path):
    pytest.importorskip("matplotlib")
    bounded = sf.minimize(
        lambda point: {"value": bowl(point), "room": point["x"]},
        SQUARE,
        14,
        seed=0,
        constraints={"room": sf.AtLeast(0.2)},
    )
    with np.errstate(all="raise"):
        bounded.plot()
        bounded.report(tmp_path / "report.html")


@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
def test_the_objective_keeps_the_setting(inside):
    seen = []

    def f(point):
        if inside:
            np.seterr(under="raise")
        seen.append(np.geterr()["under"])
        return bowl(point)

    with np.errstate(under="ignore" if inside else "raise"):
        sf.minimize(f, SQUARE, 16, seed=0)
    assert seen == ["raise"] * 16
