"""The meter: what it says of hills with known tops, of proven maxima, and of acquisitions that cannot be measured."""

import numpy as np
import pytest

import suffice as sf
from suffice.accuracy.certificate import certify
from suffice.acquisition import EI, UCB, Constant, LogEI
from suffice.exactness.foreign import Foreign, Units
from suffice.exactness.meter import heavy
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.space import Space, UnitCube
from suffice.testing.acquisitions import bind
from suffice.types import Score

BOX = [(-1.0, 3.0), (10.0, 20.0)]


def hills(V):
    """Two hills, the narrow one higher: 1 at (0, 12) and 2 at (2, 18)."""
    U = (V - [-1.0, 10.0]) / [4.0, 10.0]
    broad = np.exp(-((U - [0.25, 0.2]) ** 2).sum(axis=1) / 0.05)
    return broad + 2.0 * np.exp(-((U - [0.75, 0.8]) ** 2).sum(axis=1) / 1e-3)


def as_foreign(alpha, d):
    """A score as another library would have it: values of rows, and nothing else."""
    return Foreign(alpha, Units(Space.positional(*[(0.0, 1.0)] * d)), logarithmic=alpha.logarithmic)


def test_the_ratio_the_gap_and_the_better_point_of_a_known_hill():
    found = sf.solve_quality(hills, [0.0, 12.0], BOX)
    assert found.eta == pytest.approx(0.5, abs=1e-3)
    assert found.gap == pytest.approx(1.0, abs=1e-3)
    assert found.point == pytest.approx([2.0, 18.0], abs=1e-2)
    assert found.shift == 0.0
    assert found.distance == pytest.approx(np.hypot(0.5, 0.6), abs=1e-2)
    assert not found.proven
    assert 0.0 < found.chance < 0.01
    assert str(found).startswith("eta = 0.49999")
    assert "differences" in str(found)


def test_the_best_point_itself_is_exact():
    best = sf.solve_quality(hills, [0.0, 12.0], BOX).point
    assert sf.solve_quality(hills, best, BOX).eta == pytest.approx(1.0, abs=1e-9)


def test_of_a_logarithm_the_ratio_is_that_of_what_it_is_the_logarithm_of():
    plain = sf.solve_quality(hills, [1.5, 13.0], BOX)
    log = sf.solve_quality(lambda V: np.log(hills(V)), [1.5, 13.0], BOX, logarithmic=True)
    assert log.eta == pytest.approx(plain.eta, rel=1e-6)
    assert log.shift is None


def test_an_acquisition_below_zero_is_shifted_to_its_lowest_value():
    found = sf.solve_quality(lambda V: hills(V) - 3.0, [0.0, 12.0], BOX)
    assert found.shift == pytest.approx(3.0, abs=1e-2)
    assert found.eta == pytest.approx(0.5, abs=1e-2)


def test_units_do_not_matter():
    plain, large = (
        sf.solve_quality(lambda V, c=c: c * hills(V), [1.0, 15.0], BOX, seed=1).relative_gap for c in (1.0, 1e6)
    )
    assert plain == pytest.approx(large, abs=1e-6)


def test_a_gradient_gives_the_same_maximum():
    def f(V):
        return -((V[:, 0] - 1.0) ** 2) - np.exp(0.1 * V[:, 1])

    def grad(V):
        return np.stack([-2.0 * (V[:, 0] - 1.0), -0.1 * np.exp(0.1 * V[:, 1])], axis=1)

    with_grad = sf.solve_quality(f, [0.0, 12.0], BOX, grad=grad)
    assert with_grad.notes == ()
    assert with_grad.point == pytest.approx([1.0, 10.0], abs=1e-6)
    assert sf.solve_quality(f, [0.0, 12.0], BOX).best == pytest.approx(with_grad.best, abs=1e-8)


def test_a_narrow_peak_beside_a_known_point_is_found():
    top = np.full(6, 0.412)

    def f(V):
        return 0.1 * V[:, 0] + np.exp(-((V - top) ** 2).sum(axis=1) / 2e-4)

    beside = top + 0.008
    assert sf.solve_quality(f, [1.0] * 6, [(0, 1)] * 6, starts=[beside]).best == pytest.approx(1.04, abs=0.01)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("acquisition", [UCB(Constant(2.0)), EI(), LogEI()], ids=["ucb", "ei", "logei"])
def test_in_few_dimensions_the_reference_is_the_certified_maximum(d, acquisition):
    X = np.random.default_rng(d).random((6 * d, d))
    posterior = Posterior.condition(Matern(2.5, 0.4), X, np.sin(5 * X).sum(axis=1), 1e-4)
    alpha = bind(acquisition, posterior)
    found, _ = heavy(as_foreign(alpha, d), UnitCube(d), X, np.random.default_rng(0), 5000)
    proof = certify(alpha, UnitCube(d), value=found.value, nodes=20_000, tolerance=1e-6)
    assert proof.value <= found.value + 1e-6  # no box has a better point
    assert proof.upper <= found.value + (1e-6 if proof.finished else 0.02)


def test_integers_and_options_by_a_space_with_names():
    space = sf.Space(x=(0.0, 1.0), n=sf.Int(1, 9), kind=sf.Choice("a", "b"))

    def f(points):
        return np.array([-((p["x"] - 0.3) ** 2) - (p["n"] - 4) ** 2 - (p["kind"] == "a") for p in points])

    found = sf.solve_quality(f, {"x": 0.3, "n": 4, "kind": "a"}, space, draws=2000)
    assert found.point["n"] == 4
    assert found.point["kind"] == "b"
    assert found.gap == pytest.approx(1.0, abs=1e-6)


def test_of_a_finite_space_the_maximum_is_known_for_certain():
    space = sf.Space.positional(sf.Int(0, 9), sf.Int(0, 9))
    found = sf.solve_quality(lambda V: V[:, 0] * V[:, 1], [3, 9], space)
    assert found.best == 81.0
    assert found.proven
    assert found.chance == 0.0


def test_the_same_seed_gives_the_same_numbers():
    first, again = (sf.solve_quality(hills, [0.5, 13.0], BOX, seed=3) for _ in range(2))
    assert (first.best, first.chance, first.n_evals) == (again.best, again.chance, again.n_evals)


# ---------------------------------------------------------------------- what cannot be measured


def test_an_acquisition_that_is_never_a_number_is_refused():
    with pytest.raises(ValueError, match="nan at all"):
        sf.solve_quality(lambda V: np.full(len(V), np.nan), [0.0, 12.0], BOX)


def test_an_acquisition_that_is_infinite_is_refused():
    with pytest.raises(ValueError, match="infinite at"):
        sf.solve_quality(lambda V: np.where(V[:, 0] > 0.0, np.inf, hills(V)), [-0.5, 12.0], BOX)
    with pytest.raises(ValueError, match="no maximum to compare"):
        sf.solve_quality(lambda V: np.where(V[:, 0] > 2.999, np.inf, hills(V)), [0.0, 12.0], BOX)


def test_an_acquisition_that_is_minus_infinity_everywhere_has_no_maximum():
    with pytest.raises(ValueError, match=r"-inf at all .* it has no maximum"):
        sf.solve_quality(lambda V: np.full(len(V), -np.inf), [0.0, 12.0], BOX, draws=2000)


def test_a_point_of_minus_infinity_is_as_bad_as_can_be():
    found = sf.solve_quality(lambda V: np.where(V[:, 0] > 2.5, -np.inf, hills(V)), [2.9, 12.0], BOX, draws=2000)
    assert found.eta == 0.0
    assert found.best == pytest.approx(2.0, abs=1e-2)
    assert np.isfinite(found.shift)


def test_one_that_is_nan_in_places_is_searched_elsewhere():
    found = sf.solve_quality(lambda V: np.where(V[:, 0] > 2.5, np.nan, hills(V)), [0.0, 12.0], BOX)
    assert found.best == pytest.approx(2.0, abs=1e-2)


def test_a_point_where_it_is_nan_has_no_quality():
    with pytest.raises(ValueError, match="nan at x"):
        sf.solve_quality(lambda V: np.where(V[:, 0] > 2.5, np.nan, hills(V)), [2.9, 12.0], BOX)


@pytest.mark.parametrize("f", [lambda V: hills(V)[:, None], lambda V: hills(V)[:1], lambda V: 1.0])
def test_the_wrong_shape_is_refused(f):
    with pytest.raises(ValueError, match="one value for each row"):
        sf.solve_quality(f, [0.0, 12.0], BOX)


def test_one_that_raises_is_named_with_what_it_was_given():
    def f(V):
        raise KeyError("model")

    with pytest.raises(ValueError, match=r"raised KeyError when it was called with rows of shape \(16, 2\)"):
        sf.solve_quality(f, [0.0, 12.0], BOX)


def test_one_that_is_random_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="random: two calls"):
        sf.solve_quality(lambda V: hills(V) + 0.1 * rng.random(len(V)), [0.0, 12.0], BOX)


def test_one_that_depends_on_the_other_rows_is_refused():
    with pytest.raises(ValueError, match="among others"):
        sf.solve_quality(lambda V: V[:, 0] - V[:, 0].mean(), [0.0, 12.0], BOX)


def test_a_constant_is_solved_by_any_point_and_says_so():
    found = sf.solve_quality(lambda V: np.full(len(V), 3.0), [0.0, 12.0], BOX, draws=2000)
    assert found.eta == 1.0
    assert "constant" in str(found)


def test_single_precision_is_said():
    found = sf.solve_quality(lambda V: hills(V).astype(np.float32), [0.0, 12.0], BOX)
    assert found.eta == pytest.approx(0.5, abs=1e-2)
    assert "single precision" in str(found)


@pytest.mark.parametrize("x", [[0.0], [0.0, 99.0], [0.0, np.nan]])
def test_a_point_outside_the_bounds_is_refused(x):
    with pytest.raises(ValueError, match="x is not a point of the space"):
        sf.solve_quality(hills, x, BOX)


@pytest.mark.parametrize("start", [[0.0, 99.0], [np.nan, 0.0]])
def test_a_start_outside_the_bounds_is_refused(start):
    with pytest.raises(ValueError, match=r"starts\[1\] is not a point of the space"):
        sf.solve_quality(hills, [0.0, 12.0], BOX, starts=[[0.0, 12.0], start])
    with pytest.raises(TypeError, match="starts must be a list of points: got 5"):
        sf.solve_quality(hills, [0.0, 12.0], BOX, starts=5)


def test_complex_values_and_a_negative_seed_are_refused():
    with pytest.raises(TypeError, match="must return real numbers: got complex ones"):
        sf.solve_quality(lambda V: hills(V) + 1j, [0.0, 12.0], BOX)
    with pytest.raises(TypeError, match="must return real numbers: got complex ones"):
        sf.solve_quality(hills, [0.0, 12.0], BOX, grad=lambda V: V + 1j, draws=2000)
    with pytest.raises(ValueError, match="seed must be a whole number ≥ 0: got -1"):
        sf.solve_quality(hills, [0.0, 12.0], BOX, seed=-1)


def test_a_function_may_write_into_its_rows_and_a_score_is_refused():
    def grad(V):
        return 2.0 * (0.3 - V)

    def f(V):
        values = 1.0 - ((V - 0.3) ** 2).sum(axis=1)
        V[:] = 0.4
        return values

    class Writing(Score):
        smooth = False

        def __call__(self, X):
            return f(X)

    assert sf.solve_quality(f, [0.9], [(0, 1)], draws=2000).best == pytest.approx(1.0)
    assert sf.solve_quality(f, [0.9], [(0, 1)], grad=grad, draws=2000).point == pytest.approx([0.3])
    with pytest.raises(ValueError, match="the score Writing writes into its rows: let it work on a copy"):
        sf.solve_quality(Writing(), [0.9], [(0, 1)], draws=2000)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="a callable of rows"):
        sf.solve_quality("ei", [0.0, 12.0], BOX)
    with pytest.raises(ValueError, match="draws"):
        sf.solve_quality(hills, [0.0, 12.0], BOX, draws=10)
