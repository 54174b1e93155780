"""What every rule that proposes points promises, whatever the design.

n      int      points wanted        design   (k, d)   observed points, best first
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suffice.space import PointSet, UnitCube
from suffice.testing.fakes import MIXED, assert_travels
from suffice.types import Array, Candidates, Domain

every_size = pytest.mark.parametrize("n", [0, 1, 5, 1000])
every_design = pytest.mark.parametrize(
    "kind", ["empty", "one point", "two points", "duplicates", "all equal", "a line", "corners", "a cloud"]
)

every_domain = pytest.mark.parametrize(
    "domain",
    [*map(UnitCube, (1, 2, 7)), MIXED, PointSet(np.random.default_rng(1).random((60, 3)))],
    ids=["one column", "two columns", "seven columns", "mixed", "set of points"],
)


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
