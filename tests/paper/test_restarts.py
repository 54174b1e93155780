"""Restarts is SciPy with the authors' settings: the same end points, however the runs are batched."""

import numpy as np
import pytest
from scipy.optimize import Bounds, minimize, rosen

from suffice.acquisition import UCB
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.paper.solvers import Restarts, downhill
from suffice.space import UnitCube
from suffice.testing.acquisitions import bind
from suffice.types import Status, Step

METHODS = ("L-BFGS-B", "Nelder-Mead", "CG")


def score(d, seed=0):
    rng = np.random.default_rng(seed)
    X, z = rng.random((20, d)), rng.standard_normal(20)
    posterior = Posterior.condition(Matern(1.5, (0.4,) * d), X, z, 1e-4)
    return bind(UCB(1.5), posterior, t=3, rng=rng)


def by_hand(alpha, method, low, high, starts):
    """One call of SciPy after the other, its own finite differences; failed runs are dropped."""
    d, inside = len(low), method == "L-BFGS-B"

    def objective(u):
        z = (np.clip(u, low, high) - low) / (high - low)
        return -float(alpha(z[None])[0])

    options = {"xatol": 0.01, "fatol": 0.01} if method == "Nelder-Mead" else {"gtol": 0.01, "maxiter": 200 * d}
    runs = [
        minimize(objective, u, method=method, bounds=Bounds(low, high) if inside else None, options=options)
        for u in low + (high - low) * starts
    ]
    return min((run for run in runs if run.success), key=lambda run: run.fun)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_it_finds_what_scipy_finds_in_the_units_of_the_box(method, d):
    low, high = np.linspace(-5.0, -3.0, d), np.linspace(10.0, 4.0, d)
    solver = Restarts(method, tuple(zip(low, high, strict=True)))
    for seed in range(4):
        alpha = score(d, seed)
        starts = np.random.default_rng(seed).random((10, d))
        initial = alpha(starts)
        expected = by_hand(alpha, method, low, high, starts)
        found = solver(alpha, UnitCube(d), step=Step(1, np.empty((0, d))), rng=np.random.default_rng(seed))
        # Both stop where the slope is 0.01, led there by differences that round differently: as good, not the same.
        gained = -expected.fun - initial.min()
        assert found.value == pytest.approx(-expected.fun, abs=1e-2 * gained)
        assert found.value > initial.max() or np.array_equal(found.x, starts[initial.argmax()])
        assert alpha(found.x[None])[0] == found.value
        assert found.status is Status.DONE


@pytest.mark.parametrize("p", [1, 2, 5])
def test_the_batched_simplex_is_scipys(p):
    f = rosen if p > 1 else lambda x: np.cosh(x).sum(axis=0)
    starts = np.random.default_rng(p).normal(size=(6, p))
    starts[0, 0] = 0.0  # the rule for the first simplex has a case of its own
    for limit in (200 * p, 40):
        ends, converged = downhill(lambda Z, runs: f(Z.T), starts, xatol=1e-3, fatol=1e-3, limit=limit)
        for start, end, ok in zip(starts, ends, converged, strict=True):
            options = {"xatol": 1e-3, "fatol": 1e-3, "maxiter": limit, "maxfev": limit}
            expected = minimize(f, start, method="Nelder-Mead", options=options)
            assert ok == expected.success
            if ok:
                assert end == pytest.approx(expected.x, abs=1e-6)
    assert not converged.all() or p == 1  # the short limit was one


def test_only_runs_that_converged_count():
    alpha = score(2)
    solution = Restarts("Nelder-Mead", iterations=1)(
        alpha, UnitCube(2), step=Step(1, np.empty((0, 2))), rng=np.random.default_rng(0)
    )
    assert solution.status is Status.NO_DESCENT  # none did, so the best end of all is better than nothing
    assert np.isfinite(solution.value)


def test_wrong_words_are_refused():
    with pytest.raises(ValueError, match="supports the methods"):
        Restarts("BFGS")
    with pytest.raises(ValueError, match="starts ≥ 1"):
        Restarts(starts=0)
    with pytest.raises(ValueError, match="each of the 2 columns"):
        Restarts(box=((0.0, 1.0),))(score(2), UnitCube(2), step=Step(1, np.empty((0, 2))), rng=np.random.default_rng(0))
