"""The authors' surrogate as a model: what it fits, what it forgets, and that it can be saved, rebuilt and refused."""

from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.gp.model import Observations
from suffice.paper.solvers import BOUNDS, Surrogate, surrogate
from suffice.problems import find
from suffice.record.encoding import from_spec, to_spec
from suffice.space import UnitCube

CUBE = UnitCube(3)
FLAT = sf.gp.Prior(None, None, None, None, lengthscale_bounds=BOUNDS, scale_bounds=(1.0, 1.0))
UNIT = Surrogate((1.0, 1.0, 1.0))


def observed(n=15, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return Observations(X, -(np.sin(3.0 * X.sum(axis=1)) ** 2), np.full(n, np.nan))


def test_sides_are_the_units_of_the_length_scale():
    data = observed()
    plain, wide = UNIT(data, CUBE), Surrogate((7.0, 7.0, 7.0))(data, CUBE)
    # Both fits go to the same maximum; one starts at 1, the other at 1/7 of the cube, and SciPy stops within 1e-4.
    assert wide.hyper.lengthscale[0] == pytest.approx(7.0 * plain.hyper.lengthscale[0], rel=1e-3)
    assert wide.posterior.kernel.lengthscale == pytest.approx(plain.posterior.kernel.lengthscale, rel=1e-3)
    uneven = Surrogate((1.0, 2.0, 4.0))(data, CUBE)
    assert np.multiply(uneven.posterior.kernel.lengthscale, (1.0, 2.0, 4.0)) == pytest.approx(
        np.full(3, uneven.hyper.lengthscale[0])
    )


def test_a_fit_forgets_the_last_one():
    data = observed(25)
    first = UNIT(data.take(slice(20)), CUBE)
    second = UNIT(data, CUBE, first)
    assert second.hyper == UNIT(data, CUBE).hyper != first.hyper
    assert UNIT(data, CUBE, second) is second


def test_the_short_way_ends_where_the_general_one_does():
    settings = {"kernel": sf.gp.Matern(1.5), "ard": False, "noise": 1e-4, "warp": False, "standardize": False}
    expected = sf.GP(**settings, prior=FLAT, refit=sf.gp.Refit(growth=0.0))(observed(), CUBE)
    found = UNIT(observed(), CUBE)
    assert found.hyper.lengthscale == pytest.approx(expected.hyper.lengthscale, rel=1e-3)
    assert expected.hyper.variance == found.hyper.variance == 1.0
    T = np.random.default_rng(1).random((20, 3))
    # the mean's slope in log ell is below ten times the outputs' range, 1
    assert found.posterior.mean(T) == pytest.approx(expected.posterior.mean(T), abs=1e-2)


def test_in_a_hurry_and_rebuilt_it_is_the_posterior_of_all_data_with_the_old_length_scale():
    data = observed(25)
    first = UNIT(data.take(slice(20)), CUBE)
    hurried = UNIT(data, CUBE, first, hurry=True)
    assert (hurried.hyper, hurried.n_refit, hurried.n_seen) == (first.hyper, 20, 25)
    rebuilt = UNIT.rebuild(data, CUBE, hurried.hyper, hurried.outcome, hurried.posterior.constant, hurried.n_refit)
    T = np.random.default_rng(1).random((20, 3))
    for mine, other in zip(hurried.posterior.predict(T), rebuilt.predict(T), strict=True):
        assert mine == pytest.approx(other, rel=1e-9, abs=1e-9)


def test_a_noise_that_is_told_is_taken():
    data = replace(observed(), noise_var=np.where(np.arange(15) == 4, 0.3, np.nan))
    tau = UNIT(data, CUBE).posterior.factor.tau
    assert tau[4] == 0.3
    assert np.all(np.delete(tau, 4) == 1e-4)


def test_it_is_a_part_that_a_spec_and_a_file_keep(tmp_path):
    problem = find("branin")
    model = surrogate(problem)
    assert from_spec(to_spec(model)) == model
    result = sf.minimize(problem, problem.bounds, 8, seed=0, model=model, solver=sf.solvers.Grid(), repeat=True)
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    assert loaded.settings.model == model
    assert [step.reason for step in sf.audit(loaded).steps if step.reason] == []


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"sides": ()}, ValueError, "positive lengths"),
        ({"sides": (1.0, -1.0)}, ValueError, "positive lengths"),
        ({"sides": (1.0, np.inf)}, ValueError, "a side must be finite"),
        ({"sides": ("1",)}, TypeError, "a side must be a number"),
        ({"kernel": "rbf"}, TypeError, "kernel must be an object"),
        ({"noise": -1.0}, ValueError, "a variance ≥ 0"),
        ({"noise": None}, TypeError, "noise must be a number"),
    ],
)
def test_wrong_settings_are_refused(wrong, error, words):
    with pytest.raises(error, match=words):
        Surrogate(**({"sides": (1.0, 1.0)} | wrong))


def test_sides_of_another_space_are_refused():
    with pytest.raises(ValueError, match="each of the 3 columns"):
        Surrogate((1.0, 1.0))(observed(), CUBE)
