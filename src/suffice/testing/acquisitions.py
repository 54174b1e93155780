"""What every acquisition promises to solvers, reports and audits.

X      (m, d)   points where the score is to be solved        alpha   Score   the frozen acquisition function
"""

import pickle
from collections.abc import Hashable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.random import Generator

from suffice.acquisition import Acquisition, Weighted
from suffice.belief import Beliefs
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.gp.transform import Outcome
from suffice.space import UnitCube
from suffice.testing.fakes import MIXED, Ramp, assert_frozen, assert_travels
from suffice.types import Array, Domain, Score, Solved, Step, as_score, smooth_columns

# Little and much data, noise and none, other units: where the contract of an acquisition is tested.
SITUATIONS: dict[str, tuple[Domain, int, float, float, float]] = {
    # domain, observations, noise-to-signal ratio, scale and mean of the prior
    "no data": (UnitCube(2), 0, 1e-2, 1.0, 0.0),
    "one point": (UnitCube(2), 1, 1e-2, 1.0, 0.0),
    "one column, other units": (UnitCube(1), 9, 1e-2, 40.0, -300.0),
    "almost no noise": (UnitCube(3), 25, 1e-8, 1.0, 0.0),
    "mostly noise": (UnitCube(2), 25, 2.0, 1.0, 0.0),
    "a mixed space": (MIXED, 25, 1e-3, 1.0, 0.0),
}


def posterior_in(situation: str) -> Posterior:
    """What is known in one of the situations."""
    domain, n, tau, scale, mean = SITUATIONS[situation]
    rng = np.random.default_rng(0)
    X = domain.sample(n, rng)
    z = mean + scale * (np.cos(4 * X).sum(axis=1) - 0.5 + np.sqrt(min(tau, 0.1)) * rng.standard_normal(n))
    return Posterior.condition(Matern(2.5, 0.5), X, z, tau, scale=scale, constant=mean)


def front_in(situation: str, objectives: int) -> Beliefs:
    """What is known of several objectives in one of the situations: every one has other values, and another scale."""
    first = posterior_in(situation)
    posteriors = {"a": first}
    for k in range(1, objectives):
        z = 2.0**k * (first.constant - first.z + 0.5 * first.scale * np.sin((k + 2) * first.X).sum(axis=1))
        tau, scale = first.factor.tau, 2.0**k * first.scale
        posteriors["abcdef"[k]] = Posterior.condition(Matern(2.5, 0.5 + 0.1 * k), first.X, z, tau, scale=scale)
    beliefs = Beliefs.of(posteriors)
    return replace(beliefs, outcomes={name: Outcome() for name in posteriors})


def bind(
    acquisition: Acquisition,
    posterior: Posterior | Beliefs,
    domain: Domain | None = None,
    *,
    t: int = 1,
    rng: Generator | None = None,
    last: Solved | None = None,
) -> Score:
    """alpha_t of an acquisition that knows one posterior, or more; without a domain of a cube, without a stream of
    seed 0."""
    beliefs = posterior if isinstance(posterior, Beliefs) else Beliefs.of(posterior)
    domain = UnitCube(beliefs.known.shape[1]) if domain is None else domain
    rng = np.random.default_rng(0) if rng is None else rng
    return as_score(acquisition(beliefs, domain, step=Step(t, beliefs.known, last=last), rng=rng))


@cache  # an exact draw takes a third of a second
def bound(acquisition: Acquisition, situation: str, objectives: int = 1) -> tuple[Beliefs, Score]:
    """Beliefs and the score that was bound to them; no other binding has seen these beliefs."""
    beliefs = known_in(situation, objectives)
    return beliefs, bind(acquisition, beliefs, SITUATIONS[situation][0], t=3, rng=np.random.default_rng(1))


def known_in(situation: str, objectives: int) -> Beliefs:
    """Beliefs about one objective or about several."""
    return Beliefs.of(posterior_in(situation)) if objectives == 1 else front_in(situation, objectives)


class AcquisitionContract:
    """The contract of an acquisition: it binds to a pure, deterministic score of one value for each row.

    A subclass has the fixture `acquisition`.
    """

    @pytest.fixture
    def acquisition(self) -> Acquisition:
        raise NotImplementedError("override the fixture `acquisition` with one that returns the acquisition to test")

    @pytest.fixture(params=SITUATIONS)
    def situation(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def objectives(self) -> int:
        """How many there are."""
        return 1

    @pytest.fixture
    def binding(self, acquisition: Acquisition, situation: str, objectives: int) -> tuple[Beliefs, Score]:
        assert isinstance(acquisition, Hashable), f"{acquisition!r} is no value: make it a frozen dataclass"
        return bound(acquisition, situation, objectives)

    @pytest.fixture
    def beliefs(self, binding: tuple[Beliefs, Score]) -> Beliefs:
        return binding[0]

    @pytest.fixture
    def posterior(self, beliefs: Beliefs) -> Posterior:
        """Of the only objective, or of the first one: all were observed at the same points."""
        return next(iter(beliefs.posteriors.values()))

    @pytest.fixture
    def alpha(self, binding: tuple[Beliefs, Score]) -> Score:
        return binding[1]

    @pytest.fixture
    def domain(self, situation: str) -> Domain:
        return SITUATIONS[situation][0]

    @pytest.fixture
    def X(self, alpha: Score, domain: Domain) -> Array:  # noqa: N802
        """Points where the score is to be solved; a score with a domain of its own is solved there."""
        return (alpha.domain or domain).sample(40, np.random.default_rng(2))

    def test_there_is_one_finite_number_for_each_row(self, alpha: Score, X: Array) -> None:
        for rows in (X, X[:1], X[:0]):
            values = alpha(rows)
            assert values.shape == (len(rows),)
            assert values.dtype == np.float64
            assert np.all(np.isfinite(values))

    def test_observed_points_are_no_exception(self, alpha: Score, posterior: Posterior) -> None:
        values = alpha(posterior.X)
        assert not np.any(np.isnan(values))
        assert alpha.domain is not None or np.all(np.isfinite(values))

    def test_a_row_does_not_depend_on_its_company(self, alpha: Score, X: Array) -> None:
        # A matrix product rounds differently for another number of columns; next to an observed point, where the
        # variance is a small difference, the deviation keeps about half of its digits.
        one_by_one = np.array([alpha(x[None])[0] for x in X])
        assert one_by_one == pytest.approx(alpha(X), rel=1e-6, abs=1e-9)
        order = np.random.default_rng(3).permutation(len(X))
        assert alpha(X[order]) == pytest.approx(alpha(X)[order], rel=1e-6, abs=1e-9)

    def test_a_score_is_pure(self, alpha: Score, X: Array) -> None:
        kept, first = X.copy(), alpha(X)
        if alpha.smooth:
            alpha.value_and_grad(X)
        assert np.array_equal(alpha(X), first)
        assert np.array_equal(X, kept)

    def test_the_stream_decides_everything(
        self, acquisition: Acquisition, alpha: Score, beliefs: Beliefs, domain: Domain, X: Array
    ) -> None:
        again = bind(acquisition, beliefs, domain, t=3, rng=np.random.default_rng(1))
        assert np.array_equal(again(X), alpha(X))

    def test_binding_leaves_the_posterior_as_it_was(
        self, beliefs: Beliefs, domain: Domain, situation: str, objectives: int
    ) -> None:
        points = domain.sample(10, np.random.default_rng(4))
        for name, untouched in known_in(situation, objectives).posteriors.items():
            posterior = beliefs.posteriors[name]
            assert np.array_equal(posterior.X, untouched.X)
            assert np.array_equal(posterior.z, untouched.z)
            assert np.array_equal(posterior.predict(points), untouched.predict(points))

    def test_the_gradient_is_that_of_the_value(self, alpha: Score, domain: Domain, X: Array) -> None:
        if not alpha.smooth:
            pytest.skip("value only")
        smooth = smooth_columns(domain)
        X = np.where(smooth, np.clip(X, 0.01, 0.99), X)
        value, gradient = alpha.value_and_grad(X)
        assert value == pytest.approx(alpha(X), rel=1e-6, abs=1e-9)
        assert gradient.shape == X.shape
        assert np.all(np.isfinite(gradient))
        step = 1e-5
        for j in np.flatnonzero(smooth):
            e = step * np.eye(X.shape[1])[j]
            difference = (alpha(X + e) - alpha(X - e)) / (2 * step)
            # The curvature of a steep logarithm and the rounding of the values, each over one step.
            tolerance = 1e-3 * np.abs(gradient[:, j]) + 1e-5 * (1 + np.abs(value))
            assert np.all(np.abs(gradient[:, j] - difference) <= tolerance)

    def test_the_hessian_is_that_of_the_gradient(self, alpha: Score, domain: Domain, X: Array) -> None:
        columns = np.flatnonzero(smooth_columns(domain))
        if not alpha.curved or not len(columns):
            pytest.skip("no second derivatives")
        X = np.where(smooth_columns(domain), np.clip(X, 0.01, 0.99), X)
        value, gradient, hessian = alpha.with_hessian(X, columns)
        reference = alpha.value_and_grad(X)
        assert value == pytest.approx(reference[0], rel=1e-6, abs=1e-9)
        assert gradient == pytest.approx(reference[1][:, columns], rel=1e-6, abs=1e-6 * np.abs(reference[1]).max())
        assert alpha.scales is not None
        step = 1e-5
        for i, j in enumerate(columns):
            e = step * np.eye(X.shape[1])[j]
            difference = (alpha.value_and_grad(X + e)[1] - alpha.value_and_grad(X - e)[1])[:, columns] / (2 * step)
            # The third derivative of a steep logarithm over one step, and the rounding of the gradients.
            size = np.abs(hessian).max(axis=(1, 2)) + np.abs(gradient).max(axis=1)
            assert np.all(np.abs(hessian[:, i] - difference) <= (2e-3 * size + 1e-4)[:, None])

    def test_no_point_that_reaches_a_value_is_sieved_out(self, alpha: Score, X: Array) -> None:
        values = alpha(X)
        for floor in np.quantile(values[np.isfinite(values)], [0.1, 0.9, 1.0]):
            assert np.isin(np.flatnonzero(values >= floor), alpha.reach(X, float(floor))).all()

    def test_the_top_is_the_head_of_the_sorted_values(self, alpha: Score, X: Array) -> None:
        for k in (1, 5, len(X) + 1):
            rows, values = alpha.top(X, k)
            assert np.array_equal(np.sort(rows), np.unique(rows))
            assert values == pytest.approx(np.sort(alpha(X))[::-1][:k], rel=1e-9, abs=1e-12)
            assert values == pytest.approx(alpha(X[rows]), rel=1e-9, abs=1e-12)
        assert len(alpha.top(X[:0], 3)[0]) == 0

    def test_the_width_is_a_length(self, alpha: Score, X: Array) -> None:
        width = alpha.width(X)
        if width is None:
            pytest.skip("no width")
        assert width.shape == (len(X),)
        assert np.all(width >= 0)

    def test_the_shifted_score_is_not_negative(self, alpha: Score, posterior: Posterior, domain: Domain) -> None:
        """A shift that holds with a probability only must hold for the streams of this contract."""
        points = np.concatenate([domain.sample(500, np.random.default_rng(5)), posterior.X])
        shift = alpha.shift(len(points))
        if shift is None:
            pytest.skip("no shift")
        values = alpha(points)
        assert np.all(values + shift >= -1e-9 * np.ptp(values))

    def test_no_value_in_a_box_is_above_its_bound(self, alpha: Score, posterior: Posterior, domain: Domain) -> None:
        if not alpha.bounded:
            pytest.skip("no bound")
        rng = np.random.default_rng(6)
        ends = rng.random((2, 30, domain.dim))
        centres = domain.sample(30, rng)  # of boxes of all sizes, and some that are a point
        halves = rng.random((30, 1)) * rng.choice([0.0, 1e-3, 0.1], (30, 1))
        boxes = [(ends.min(axis=0), ends.max(axis=0)), (centres - halves, centres + halves), (posterior.X, posterior.X)]
        for lower, upper in boxes:
            limits = alpha.bound(lower, upper)
            assert limits.shape == (len(lower),)
            for share in rng.random((40, *lower.shape)):
                X = lower + share * (upper - lower)
                above = np.flatnonzero(~(alpha(X) <= limits))  # by the rounding of a matrix product, if at all
                assert all(alpha(X[[i]])[0] <= limits[i] for i in above)

    def test_the_seeds_are_a_few_members(self, alpha: Score, domain: Domain) -> None:
        seeds = alpha.seeds
        if seeds is None:
            pytest.skip("no seeds")
        assert seeds.ndim == 2
        assert len(seeds) <= 32  # each costs a solver a local run
        assert np.all((alpha.domain or domain).contains(seeds))
        assert np.all(np.isfinite(alpha(seeds)))

    def test_a_weight_of_one_changes_nothing(self, alpha: Score, domain: Domain, X: Array) -> None:
        if alpha.logarithmic:
            pytest.skip("a logarithm is not weighted")
        same = Weighted(alpha, Ramp(), floor=0.0)
        assert np.array_equal(same(X), alpha(X))
        assert (same.smooth, same.bounded) == (alpha.smooth, alpha.bounded)
        assert (same.domain, same.beta, same.eta_asked) == (alpha.domain, alpha.beta, alpha.eta_asked)
        assert same.top(X, 3)[1] == pytest.approx(alpha.top(X, 3)[1])
        shift = alpha.shift(10)
        assert np.array_equal(np.array(same.width(X)), np.array(alpha.width(X)))  # both may be None
        assert same.shift(10) == (None if shift is None else max(shift, 0.0))
        if alpha.smooth:
            assert all(map(np.array_equal, same.value_and_grad(X), alpha.value_and_grad(X)))
        if alpha.bounded:
            root = np.zeros((1, domain.dim)), np.ones((1, domain.dim))
            assert same.bound(*root) == pytest.approx(np.maximum(alpha.bound(*root), 0.0))

    def test_a_domain_of_its_own_is_all_of_the_score(self, alpha: Score, domain: Domain) -> None:
        if alpha.domain is None:
            pytest.skip("defined everywhere")
        members = alpha.domain.enumerate()
        assert np.all(np.isfinite(alpha(members)))
        assert np.array_equal(domain.snap(members), members)
        assert alpha(np.full((1, domain.dim), 0.123456789)) == -np.inf

    def test_a_score_prints_and_travels(self, alpha: Score, X: Array) -> None:
        assert type(alpha).__name__ in repr(alpha)
        assert np.array_equal(pickle.loads(pickle.dumps(alpha))(X), alpha(X))

    def test_an_acquisition_is_a_value(self, acquisition: Acquisition) -> None:
        assert_travels(acquisition)

    def test_nothing_can_be_reassigned(self, acquisition: Acquisition, alpha: Score) -> None:
        assert_frozen(acquisition)
        assert_frozen(alpha)


class FrontAcquisitionContract(AcquisitionContract):
    """The contract of an acquisition for several objectives, with two of them and with three.

    A subclass has the fixture `acquisition`. A study does not use it before the first values, when there is no front.
    """

    @pytest.fixture(params=[situation for situation in SITUATIONS if situation != "no data"])
    def situation(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture(params=[2, 3])
    def objectives(self, request: pytest.FixtureRequest) -> int:
        return int(request.param)

    def test_the_order_of_the_objectives_does_not_matter(
        self, acquisition: Acquisition, alpha: Score, beliefs: Beliefs, domain: Domain, X: Array
    ) -> None:
        if not alpha.bounded:
            pytest.skip("what is drawn for one objective after the other depends on their order")
        posteriors = dict(reversed(list(beliefs.posteriors.items())))
        again = bind(acquisition, replace(beliefs, posteriors=posteriors), domain, t=3, rng=np.random.default_rng(1))
        assert again(X) == pytest.approx(alpha(X), rel=1e-6, abs=1e-6)
