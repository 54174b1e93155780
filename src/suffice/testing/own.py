"""What a space and a kernel of one's own promise."""

import pickle

import numpy as np
import pytest

from suffice.gp.own import OwnKernel
from suffice.space import OwnSpace
from suffice.testing.domains import DomainContract, members
from suffice.types import Domain

ROUNDING = 1e-8  # of an eigenvalue, of a kernel matrix with ones on its diagonal


class OwnSpaceContract(DomainContract):
    """Draws, neighbours, codes and points of a space of one's own fit together, and it is a domain.

    A subclass has the fixture `space`.
    """

    @pytest.fixture
    def space(self) -> OwnSpace:
        raise NotImplementedError("override the fixture `space` with one that returns the space to test")

    @pytest.fixture
    def domain(self, space: OwnSpace) -> Domain:
        return space

    def test_the_numbers_of_a_point_say_which_point_it_is(self, space: OwnSpace) -> None:
        for seed in range(30):
            row = space.to_unit(space.draw(np.random.default_rng(seed)))  # ValueError if decode does not undo encode
            assert np.array_equal(space.to_unit(space.from_unit(row)), row)

    def test_any_numbers_are_those_of_a_point(self, space: OwnSpace) -> None:
        for row in np.random.default_rng(0).random((30, space.dim)):
            assert space.contains(space.to_unit(space.from_unit(row))[None])[0]

    def test_a_neighbour_is_another_point_now_and_then(self, space: OwnSpace) -> None:
        rng = np.random.default_rng(1)
        for row in members(space, 5):
            others = [space.to_unit(space.neighbour(space.from_unit(row), rng)) for _ in range(30)]
            assert any(not np.array_equal(other, row) for other in others)

    def test_a_neighbour_leaves_the_point_as_it_was(self, space: OwnSpace) -> None:
        rng = np.random.default_rng(2)
        point = space.draw(rng)
        row = space.to_unit(point)
        for _ in range(10):
            space.neighbour(point, rng)
        assert np.array_equal(space.to_unit(point), row)

    def test_the_stream_decides_which_point_is_drawn_and_which_neighbour(self, space: OwnSpace) -> None:
        first, again = (np.random.default_rng(3) for _ in range(2))
        a, b = space.draw(first), space.draw(again)
        assert np.array_equal(space.to_unit(a), space.to_unit(b))
        a, b = space.neighbour(a, first), space.neighbour(b, again)
        assert np.array_equal(space.to_unit(a), space.to_unit(b))

    def test_what_a_file_shows_of_a_point_is_that_point(self, space: OwnSpace) -> None:
        for row in members(space, 10):
            plain = space.to_plain(space.from_unit(row))
            assert np.array_equal(space.to_unit(space.from_plain(plain)), row)

    def test_it_can_go_to_another_process(self, space: OwnSpace) -> None:
        copy = pickle.loads(pickle.dumps(space))
        assert np.array_equal(members(copy), members(space))


class OwnKernelContract:
    """A distance of one's own is one, and the kernel made of it is a kernel.

    A subclass has the fixtures `kernel` and `space`.
    """

    @pytest.fixture
    def kernel(self) -> OwnKernel:
        raise NotImplementedError("override the fixture `kernel` with one that returns the kernel to test")

    @pytest.fixture
    def space(self) -> Domain:
        raise NotImplementedError("override the fixture `space` with one that returns a space the kernel is for")

    def test_a_point_is_at_no_distance_from_itself_and_two_are_equally_far_from_each_other(
        self, kernel: OwnKernel, space: Domain
    ) -> None:
        X = members(space, 30)
        D = np.asarray(kernel.distance(X, X))
        assert D.shape == (30, 30)
        assert np.allclose(np.diagonal(D), 0.0, atol=1e-12)
        assert np.allclose(D, D.T)
        assert D.min() >= -1e-12

    def test_a_pair_has_one_distance_whatever_the_other_rows_are(self, kernel: OwnKernel, space: Domain) -> None:
        X = members(space, 12)
        D = np.asarray(kernel.distance(X, X))
        assert np.allclose(kernel.distance(X[2:5], X[7:8]), D[2:5, 7:8])
        assert np.asarray(kernel.distance(X[:0], X)).shape == (0, 12)

    @pytest.mark.parametrize("lengthscale", [0.1, 1.0, 10.0])
    def test_the_kernel_is_positive_definite(self, kernel: OwnKernel, space: Domain, lengthscale: float) -> None:
        X = members(space, 60)
        K = kernel.with_lengthscale(np.full(space.dim, lengthscale))(X, X)
        assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() > -ROUNDING * len(X)

    def test_points_are_left_alone_and_the_kernel_is_a_value(self, kernel: OwnKernel, space: Domain) -> None:
        X = members(space, 10)
        kept = X.copy()
        kernel(X, X)
        assert np.array_equal(X, kept)
        assert pickle.loads(pickle.dumps(kernel)) == kernel
