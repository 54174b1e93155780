"""What every set of points promises to those who sample, search and bound it; so do custom spaces and candidates.

X      (m, d)   members, one a row        x   (d,)   one of them
n      int      points wanted of a rule        design   (k, d)   observed points, best first
"""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suffice.gp.kernels import CustomKernel
from suffice.solvers.record import SCORED
from suffice.space import CustomSpace, PointSet, Shaped, UnitCube, free_columns, is_constrained
from suffice.testing.fakes import MIXED, assert_travels
from suffice.types import Array, Candidates, Domain


def members(domain: Domain, n: int = 20) -> Array:
    """A few members, by a stream of their own."""
    return domain.sample(n, np.random.default_rng(7))


def neighbours(domain: Domain, x: Array, n: int, seed: int) -> Array:
    """Members near a member, far and close."""
    return domain.near(x, n, np.random.default_rng(seed), scales=(1e-1, 1e-4))


class DomainContract:
    """The contract of a domain: `snap`, `contains`, `place`, `near` and `enumerate` agree about the same set.

    A subclass has the fixture `domain`.
    """

    @pytest.fixture
    def domain(self) -> Domain:
        raise NotImplementedError("override the fixture `domain` with one that returns the domain to test")

    def test_the_coordinates_cover_the_columns_in_order(self, domain: Domain) -> None:
        stops = [0, *(coordinate.stop for coordinate in domain.coordinates)]
        assert [coordinate.start for coordinate in domain.coordinates] == stops[:-1]
        assert stops[-1] == domain.dim

    def test_samples_are_members_of_the_cube(self, domain: Domain) -> None:
        X = members(domain)
        assert X.shape == (20, domain.dim)
        assert X.dtype == np.float64
        assert np.all((X >= 0.0) & (X <= 1.0))
        assert domain.contains(X).all()
        assert domain.sample(0, np.random.default_rng(0)).shape == (0, domain.dim)

    def test_snapping_gives_members_and_leaves_members_alone(self, domain: Domain) -> None:
        around = np.random.default_rng(1).uniform(-0.5, 1.5, (50, domain.dim))
        kept = around.copy()
        snapped = domain.snap(around)
        assert domain.contains(snapped).all()
        assert np.array_equal(domain.snap(snapped), snapped)
        assert np.array_equal(domain.snap(members(domain)), members(domain))
        assert np.array_equal(around, kept)

    def test_what_is_outside_the_cube_or_no_number_is_no_member(self, domain: Domain) -> None:
        for value in (-0.5, 1.5, math.nan):
            X = members(domain)
            for row in range(domain.dim and len(X)):
                X[row, row % domain.dim] = value
            assert domain.contains(X).sum() == (0 if domain.dim else len(X))

    def test_the_ends_of_a_coordinate_hold_its_members(self, domain: Domain) -> None:
        X = domain.snap(np.random.default_rng(2).integers(-1, 3, (50, domain.dim)).astype(np.float64))
        for coordinate in domain.coordinates:
            low, high = coordinate.ends
            assert np.all((X[:, coordinate.columns] >= low) & (X[:, coordinate.columns] <= high))

    def test_the_levels_of_a_coordinate_are_its_values(self, domain: Domain) -> None:
        for coordinate in domain.coordinates:
            if coordinate.levels is None:
                continue
            assert coordinate.stop - coordinate.start == 1
            u = members(domain, 200)[:, coordinate.start]
            k, count = coordinate.levels.index(u), coordinate.levels.count
            assert np.all((k >= 0) & (k <= count))
            assert np.array_equal(coordinate.levels.at(k[k < count]), u[k < count])
            first = coordinate.levels.at(np.arange(min(count, 1000)))
            assert np.all(np.diff(first) > 0)
            assert np.array_equal(coordinate.levels.index(first), np.arange(len(first)))

    def test_a_product_has_every_combination_of_its_members(self, domain: Domain) -> None:
        if not domain.product:
            pytest.skip("no product")
        rng = np.random.default_rng(3)
        X, others = members(domain, 100), domain.sample(100, rng)
        for coordinate in domain.coordinates:
            rows = rng.random(100) < 0.5
            X[rows, coordinate.columns] = others[rows, coordinate.columns]
        assert domain.contains(X).all()

    def test_numbers_are_placed_on_members_and_reach_every_option_and_level(self, domain: Domain) -> None:
        D, n = len(domain.coordinates), 1000
        strata = np.tile(np.arange(float(n))[:, None], D)
        X = domain.place(np.random.default_rng(4).permuted(strata, axis=0) / n)
        assert X.shape == (n, domain.dim)
        assert domain.contains(X).all()
        assert domain.contains(domain.place(np.ones((1, D)))).all()  # as rounding may have it
        if is_constrained(domain):
            return  # what no member has is not reached
        for coordinate in domain.coordinates:
            if coordinate.kind == "choice" and coordinate.stop - coordinate.start <= n:
                assert X[:, coordinate.columns].any(axis=0).all()
            if coordinate.levels is not None and coordinate.levels.count <= 20:
                assert len(np.unique(X[:, coordinate.start])) == coordinate.levels.count

    @pytest.mark.parametrize("n", [0, 1, 300])
    def test_near_a_member_are_other_members(self, domain: Domain, n: int) -> None:
        for x in members(domain, 5):
            X = neighbours(domain, x, n, seed=5)
            assert X.shape == (n, domain.dim)
            assert domain.contains(X).all()
            if domain.size > 1:
                assert np.any(X != x, axis=1).all()

    def test_the_stream_decides_everything(self, domain: Domain) -> None:
        x = members(domain)[0]
        first, again = (domain.sample(30, np.random.default_rng(6)) for _ in range(2))
        assert np.array_equal(first, again)
        first, again = (neighbours(domain, x, 30, seed=6) for _ in range(2))
        assert np.array_equal(first, again)

    def test_free_columns_may_move_alone_unless_the_domain_is_constrained(self, domain: Domain) -> None:
        X = members(domain, 100)
        free = free_columns(domain, X)
        assert free.shape == X.shape
        moved = np.where(free, np.random.default_rng(8).random(X.shape), X)
        if not is_constrained(domain):
            assert domain.contains(moved).all()
        if isinstance(domain, Shaped):
            back = domain.towards(moved, X)
            assert domain.contains(back).all()
            assert np.array_equal(back[domain.contains(moved)], moved[domain.contains(moved)])
            assert np.array_equal(domain.towards(X, X[::-1]), X)

    def test_what_is_cut_off_a_box_holds_no_member(self, domain: Domain) -> None:
        if not isinstance(domain, Shaped):
            pytest.skip("knows nothing of boxes")
        X = members(domain, 200)
        a, b = np.random.default_rng(9).integers(len(X), size=(2, 50))
        lower, upper = np.minimum(X[a], X[b]), np.maximum(X[a], X[b])
        lower[:25], upper[:25] = np.floor(lower[:25]), np.ceil(upper[:25])
        below, above, holds = domain.cut(lower.copy(), upper.copy())
        assert holds.all()  # two members each
        assert np.all((below >= lower) & (above <= upper))
        for i in range(len(lower)):
            inside = X[np.all((X >= lower[i]) & (X <= upper[i]), axis=1)]
            assert np.all((inside >= below[i]) & (inside <= above[i]))
        lower[:, 1:], upper[:, 1:] = X[a][:, 1:], X[a][:, 1:]
        lower[:, :1], upper[:, :1] = X[b][:, :1], X[b][:, :1]
        holds = domain.cut(lower, upper)[2]
        assert np.all(holds | ~domain.contains(lower))  # a point that is left out is no member

    def test_a_finite_domain_lists_its_points_once_each(self, domain: Domain) -> None:
        if math.isinf(domain.size):
            with pytest.raises(ValueError, match="sample it instead"):
                domain.enumerate()
        elif domain.size <= SCORED:
            X = domain.enumerate()
            assert len(X) == domain.size == len({tuple(x) for x in X.tolist()})
            assert domain.contains(X).all()
            half = len(X) // 2
            assert np.array_equal(np.concatenate((domain.enumerate(0, half), domain.enumerate(half))), X)


class OwnSpaceContract(DomainContract):
    """The contract of a custom space: draws, neighbours, codes and points are consistent, and it is a domain.

    A subclass has the fixture `space`.
    """

    @pytest.fixture
    def space(self) -> CustomSpace:
        raise NotImplementedError("override the fixture `space` with one that returns the space to test")

    @pytest.fixture
    def domain(self, space: CustomSpace) -> Domain:
        return space

    def test_the_numbers_of_a_point_say_which_point_it_is(self, space: CustomSpace) -> None:
        for seed in range(30):
            row = space.to_unit(space.draw(np.random.default_rng(seed)))  # ValueError if decode does not undo encode
            assert np.array_equal(space.to_unit(space.from_unit(row)), row)

    def test_any_numbers_are_those_of_a_point(self, space: CustomSpace) -> None:
        for row in np.random.default_rng(0).random((30, space.dim)):
            assert space.contains(space.to_unit(space.from_unit(row))[None])[0]

    def test_a_neighbour_is_another_point_now_and_then(self, space: CustomSpace) -> None:
        rng = np.random.default_rng(1)
        for row in members(space, 5):
            others = [space.to_unit(space.neighbour(space.from_unit(row), rng)) for _ in range(30)]
            assert any(not np.array_equal(other, row) for other in others)

    def test_a_neighbour_leaves_the_point_as_it_was(self, space: CustomSpace) -> None:
        rng = np.random.default_rng(2)
        point = space.draw(rng)
        row = space.to_unit(point)
        for _ in range(10):
            space.neighbour(point, rng)
        assert np.array_equal(space.to_unit(point), row)

    def test_the_stream_decides_which_point_is_drawn_and_which_neighbour(self, space: CustomSpace) -> None:
        first, again = (np.random.default_rng(3) for _ in range(2))
        a, b = space.draw(first), space.draw(again)
        assert np.array_equal(space.to_unit(a), space.to_unit(b))
        a, b = space.neighbour(a, first), space.neighbour(b, again)
        assert np.array_equal(space.to_unit(a), space.to_unit(b))

    def test_what_a_file_shows_of_a_point_is_that_point(self, space: CustomSpace) -> None:
        for row in members(space, 10):
            plain = space.to_plain(space.from_unit(row))
            assert np.array_equal(space.to_unit(space.from_plain(plain)), row)

    def test_it_can_go_to_another_process(self, space: CustomSpace) -> None:
        copy = pickle.loads(pickle.dumps(space))
        assert np.array_equal(members(copy), members(space))


class OwnKernelContract:
    """The contract of a custom kernel: its distance is a distance, and the kernel is positive definite.

    A subclass has the fixtures `kernel` and `space`.
    """

    @pytest.fixture
    def kernel(self) -> CustomKernel:
        raise NotImplementedError("override the fixture `kernel` with one that returns the kernel to test")

    @pytest.fixture
    def space(self) -> Domain:
        raise NotImplementedError("override the fixture `space` with one that returns a space the kernel is for")

    def test_a_point_is_at_no_distance_from_itself_and_two_are_equally_far_from_each_other(
        self, kernel: CustomKernel, space: Domain
    ) -> None:
        X = members(space, 30)
        D = np.asarray(kernel.distance(X, X))
        assert D.shape == (30, 30)
        assert np.allclose(np.diagonal(D), 0.0, atol=1e-12)
        assert np.allclose(D, D.T)
        assert D.min() >= -1e-12

    def test_a_pair_has_one_distance_whatever_the_other_rows_are(self, kernel: CustomKernel, space: Domain) -> None:
        X = members(space, 12)
        D = np.asarray(kernel.distance(X, X))
        assert np.allclose(kernel.distance(X[2:5], X[7:8]), D[2:5, 7:8])
        assert np.asarray(kernel.distance(X[:0], X)).shape == (0, 12)

    @pytest.mark.parametrize("lengthscale", [0.1, 1.0, 10.0])
    def test_the_kernel_is_positive_definite(self, kernel: CustomKernel, space: Domain, lengthscale: float) -> None:
        X = members(space, 60)
        K = kernel.with_lengthscale(np.full(space.dim, lengthscale))(X, X)
        rounding = np.sqrt(np.finfo(float).eps)  # of an eigenvalue, for each row with a one on the diagonal
        assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() > -rounding * len(X)

    def test_points_are_left_alone_and_the_kernel_is_a_value(self, kernel: CustomKernel, space: Domain) -> None:
        X = members(space, 10)
        kept = X.copy()
        kernel(X, X)
        assert np.array_equal(X, kept)
        assert pickle.loads(pickle.dumps(kernel)) == kernel


every_size = pytest.mark.parametrize("n", [0, 1, 5, 1000])
every_design = pytest.mark.parametrize(
    "kind", ["empty", "one point", "two points", "duplicates", "all equal", "a line", "corners", "a cloud"]
)

every_domain = pytest.mark.parametrize(
    "domain",
    [*map(UnitCube, (1, 2, 7)), MIXED, PointSet(np.random.default_rng(1).random((60, 3)))],
    ids=["one column", "two columns", "seven columns", "mixed", "set of points"],
)


# ---------------------------------------------------------------------- candidates


def design_of(kind: str, d: int) -> Array:
    """Observed points of the cube, (k, d), of the named kind."""
    cloud = np.random.default_rng(d).random((30, d))
    along = np.linspace(0.0, 1.0, 12)[:, None]
    kinds: dict[str, Array] = {
        "empty": cloud[:0],
        "one point": cloud[:1],
        "two points": cloud[:2],
        "duplicates": np.repeat(cloud[:5], 6, axis=0),
        "all equal": np.repeat(cloud[:1], 9, axis=0),
        "a line": cloud[0] + along * (cloud[1] - cloud[0]),
        "corners": np.round(cloud),
        "a cloud": cloud,
    }
    return kinds[kind]


def odd_designs(d: int) -> st.SearchStrategy[Array]:
    """Up to twelve points of the cube, (k, d), often on its faces, next to them, or next to each other."""
    odd = st.sampled_from([0.0, 1e-310, 1e-12, 0.5, 0.5 + 1e-12, 1.0 - 1e-16, 1.0])
    shapes = st.tuples(st.integers(0, 12), st.just(d))
    return arrays(np.float64, shapes, elements=st.one_of(odd, st.floats(0.0, 1.0)))


def propose(rule: Candidates, n: int, domain: Domain, design: Array, seed: int = 0) -> Array:
    """One call with a stream of its own."""
    return rule(n, domain, design=design, rng=np.random.default_rng(seed))


class CandidatesContract:
    """The contract of a candidate set: n members of the domain, determined by the design and the stream alone.

    A subclass has the fixture `candidates`; of a rule that stays near the best point the fixture `everywhere` is False.
    """

    @pytest.fixture
    def candidates(self) -> Candidates:
        raise NotImplementedError("override the fixture `candidates` with one that returns the rule to test")

    @pytest.fixture
    def everywhere(self) -> bool:
        """Whether a thousand points reach every level and every option: not if the rule stays near the incumbent."""
        return True

    @every_design
    @every_domain
    @every_size
    def test_n_members_are_proposed(self, candidates: Candidates, kind: str, domain: Domain, n: int) -> None:
        design = domain.snap(design_of(kind, domain.dim))
        kept = design.copy()
        X = propose(candidates, n, domain, design)
        assert X.shape == (n, domain.dim)
        assert X.dtype == np.float64
        assert domain.contains(X).all()
        assert np.array_equal(design, kept)

    @every_design
    def test_the_stream_decides_everything(self, candidates: Candidates, kind: str) -> None:
        design = design_of(kind, 3)
        first, again, other = (propose(candidates, 20, UnitCube(3), design, seed) for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)

    def test_every_level_and_every_option_is_reachable(self, candidates: Candidates, everywhere: bool) -> None:
        if not everywhere:
            pytest.skip("stays near the incumbent")
        X = propose(candidates, 1000, MIXED, MIXED.sample(10, np.random.default_rng(0)))
        depth, loss = (X[:, coordinate.columns] for coordinate in MIXED.coordinates if not coordinate.smooth)
        assert len(np.unique(depth)) == 5
        assert np.all(loss.sum(axis=0) > 0)

    def test_a_domain_without_columns_has_one_empty_point(self, candidates: Candidates) -> None:
        assert propose(candidates, 4, UnitCube(0), np.empty((3, 0))).shape == (4, 0)

    def test_a_rule_survives_the_way_to_another_process(self, candidates: Candidates) -> None:
        assert_travels(candidates)

    def test_no_design_however_odd_breaks_a_rule(self, candidates: Candidates) -> None:
        @settings(deadline=None, max_examples=40)
        @given(design=st.integers(1, 4).flatmap(odd_designs), n=st.integers(0, 30))
        def check(design: Array, n: int) -> None:
            X = propose(candidates, n, UnitCube(design.shape[1]), design)
            assert X.shape == (n, design.shape[1])
            assert np.all((X >= 0.0) & (X <= 1.0))

        check()  # a property made here belongs to one rule; hypothesis refuses methods that several classes inherit
