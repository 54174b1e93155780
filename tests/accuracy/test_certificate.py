"""The certificate is never below a value that the score attains, and it closes the gap where it can."""

import itertools
import math
from dataclasses import dataclass
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.accuracy import certificate
from suffice.accuracy.certificate import Boxes, certify
from suffice.acquisition import UCB, Constant, Thompson
from suffice.acquisition.ucb import UCBScore
from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior
from suffice.solvers import Fixed, Grid, Polished
from suffice.space import Choice, Float, Int, PointSet, Space, UnitCube, domain
from suffice.testing.acquisitions import bind
from suffice.types import Score, Step


@dataclass(frozen=True)
class Bowl(Score):
    """−|x − peak|², with the exact bound over boxes, plus `excess`."""

    peak: tuple[float, ...]
    excess: float = 0.0
    bounded = True

    def __call__(self, X):
        return -np.sum((X - self.peak) ** 2, axis=1)

    def bound(self, lower, upper):
        return self(np.clip(self.peak, lower, upper)) + self.excess


@dataclass(frozen=True)
class Erratic(Bowl):
    """A valid bound that a part may have larger than the whole."""

    def bound(self, lower, upper):
        phase = 1e4 * (lower + 3 * upper + self.peak[0]).sum(axis=1)
        return super().bound(lower, upper) + 0.2 * (1 + np.sin(phase))


def score(seed, d, kernel=Matern(2.5), beta=2.0, n=None, tau=1e-5, domain=None):
    """A UCB score after n evaluations, half of them near the best."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 30)) if n is None else n
    domain = UnitCube(d) if domain is None else domain
    X = rng.random((n, domain.dim))
    X[n // 2 :] = 0.3 + 0.1 * rng.standard_normal((n - n // 2, domain.dim))
    X = domain.snap(X)
    z = np.sin(7 * X.sum(axis=1)) - 2 * np.sum((X - 0.3) ** 2, axis=1)
    kernel = kernel.with_lengthscale(10 ** rng.uniform(-1, 0.3, domain.dim))
    return UCBScore(Posterior.condition(kernel, X, z, tau), beta)


def heavy(alpha, domain):
    """What a thorough search finds."""
    solver = Polished(Grid(size=Fixed(3000)))
    return solver(alpha, domain, step=Step(1, np.zeros((0, domain.dim))), rng=np.random.default_rng(1)).value


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(1, 3),
    beta=st.floats(0, 5),
    kernel=st.sampled_from([RBF(), Matern(0.5), Matern(1.5), Matern(2.5)]),
    nodes=st.sampled_from([1, 10, 100, 2000]),
)
def test_no_search_finds_more_than_is_certified(seed, d, beta, kernel, nodes):
    alpha, domain = score(seed, d, kernel, beta), UnitCube(d)
    found = certify(alpha, domain, nodes=nodes)
    assert found.upper >= max(heavy(alpha, domain), found.value)
    assert found.value == alpha(found.x[None])[0]
    assert found.nodes <= nodes


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kernel", [RBF(), Matern(2.5)])
def test_a_smooth_surface_is_certified_to_the_last_digits(d, kernel):
    for seed in range(4):
        alpha, domain = score(seed, d, kernel, n=12, tau=1e-3), UnitCube(d)
        value = heavy(alpha, domain)
        found = certify(alpha, domain, value=value, nodes=100_000, tolerance=1e-6)
        assert found.finished
        assert value <= found.upper <= found.value + 1e-6  # the search may have missed the maximum, the boxes not


def test_even_a_rough_surface_is_certified_in_one_dimension():
    alpha = score(0, 1, Matern(0.5), n=10, tau=1e-3)
    value = heavy(alpha, UnitCube(1))
    assert value <= certify(alpha, UnitCube(1), value=value, nodes=20_000).upper <= value + 0.02


def test_more_work_never_makes_the_certificate_worse():
    alpha = score(3, 3, n=25)
    found = [certify(alpha, UnitCube(3), nodes=nodes) for nodes in (1, 2, 3, 10, 99, 100, 500, 1001, 5000, 20_000)]
    assert all(a.upper >= b.upper for a, b in itertools.pairwise(found))
    assert all(a.value <= b.value for a, b in itertools.pairwise(found))
    assert found[-1].upper - found[-1].value < 0.1 * (found[0].upper - found[0].value)


@pytest.mark.parametrize("peak", np.linspace(0.1, 0.9, 9).tolist())
def test_not_even_where_the_bound_of_a_part_is_worse_than_that_of_the_whole(peak):
    uppers = [certify(Erratic((peak, 0.6)), UnitCube(2), nodes=nodes, tolerance=0.0).upper for nodes in range(1, 60, 2)]
    assert all(a >= b for a, b in itertools.pairwise(uppers))
    assert uppers[-1] > 0


@pytest.mark.parametrize("peak", np.linspace(0.1, 0.9, 9).tolist())
def test_a_point_that_was_never_scored_counts_with_its_bound(monkeypatch, peak):
    monkeypatch.setattr(certificate, "ENUMERATED", 0)
    monkeypatch.setattr(certificate, "CENTRES", 1)
    space = Space(i=Int(1, 30), j=Int(1, 30))
    alpha = Erratic((peak, 0.6))
    assert certify(alpha, space).upper >= alpha(space.enumerate()).max()


@pytest.mark.parametrize("peak", [(0.3,), (0.0, 1.0), (0.123, 0.456, 0.789), (0.2, 1.0, 0.7, 0.4)])
def test_a_bowl_is_certified_and_its_top_is_found(peak):
    found = certify(Bowl(peak), UnitCube(len(peak)))
    assert found.finished
    assert found.upper == pytest.approx(0.0, abs=1e-12)
    assert found.x == pytest.approx(peak, abs=1e-6)


def test_a_bound_that_is_never_tight_ends_at_its_excess():
    found = certify(Bowl((0.3, 0.6), excess=0.01), UnitCube(2))
    assert found.finished
    assert found.nodes < 5000  # it does not split for ever what cannot get better
    assert 0.01 <= found.upper <= 0.02


def test_a_score_without_data_is_flat_and_certified_at_once():
    p = Posterior.condition(Matern(2.5, 0.3), np.zeros((0, 4)), np.zeros(0), 1e-4)
    found = certify(UCBScore(p, 2.0), UnitCube(4))
    assert found.finished
    assert found.nodes == 1
    assert found.upper == pytest.approx(2.0, abs=1e-8)


def test_the_tolerance_is_met_and_saves_work():
    alpha = score(1, 2, n=20)
    exact, rough = certify(alpha, UnitCube(2)), certify(alpha, UnitCube(2), tolerance=0.1)
    assert rough.finished
    assert 0 < rough.upper - rough.value <= 0.1
    assert rough.nodes < exact.nodes


def test_a_known_value_saves_work_and_is_kept():
    alpha, domain = score(2, 3, n=20), UnitCube(3)
    value = heavy(alpha, domain)
    alone, helped = (certify(alpha, domain, value=v, tolerance=1e-3) for v in (-math.inf, value))
    assert helped.nodes <= alone.nodes
    assert helped.value >= value
    assert alone.x is not None
    claimed = certify(alpha, domain, value=value + 1.0)  # above all that any box may hold
    assert (claimed.value, claimed.upper, claimed.x) == (value + 1.0, value + 1.0, None)


def test_the_answer_is_the_same_each_time_unless_a_clock_is_asked_for():
    alpha = score(5, 3, n=25)
    first, second = (certify(alpha, UnitCube(3), nodes=3000) for _ in range(2))
    assert (first.upper, first.value, first.nodes) == (second.upper, second.value, second.nodes)
    assert np.array_equal(first.x, second.x)


@dataclass(frozen=True)
class Clocked(Score):
    """A score whose bound takes a tenth of a second for each box, by a clock of its own."""

    inner: Score
    now: list[float]
    bounded = True

    def __call__(self, X):
        return self.inner(X)

    def bound(self, lower, upper):
        self.now[0] += 0.1 * np.count_nonzero(np.any(upper > lower, axis=1))  # points are free
        return self.inner.bound(lower, upper)


def test_seconds_are_kept_and_the_answer_is_valid_at_any_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(certificate, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    alpha, domain = Clocked(score(6, 5, n=29), now), UnitCube(5)
    value = heavy(alpha.inner, domain)
    for seconds, fewest, most in ((0.0, 1, 1), (10.0, 99, 101), (200.0, 1999, 2001)):
        found = certify(alpha, domain, value=value, seconds=seconds)
        assert fewest <= found.nodes <= most  # as many boxes as there is time for, at the pace of the first
        assert found.seconds == pytest.approx(0.1 * found.nodes)
        assert found.upper >= value
        assert not found.finished


MIXED = Space(
    lr=Float(1e-4, 1.0, log=True),
    depth=Int(1, 9),
    width=Int(1, 1000, log=True),
    kind=Choice("a", "b", "c"),
    on=Choice(0, 1),
)
DISCRETE = Space(depth=Int(1, 9), width=Int(1, 30, log=True), kind=Choice("a", "b", "c", "d", "e"), on=Choice(0, 1))
SEQUENCES = Space(order=Choice(*permutations("abcd")), layers=Choice(*product((16, 32, 64), ("relu", "tanh"))))


@pytest.mark.parametrize("space", [DISCRETE, SEQUENCES], ids=["discrete", "sequences"])
@pytest.mark.parametrize("seed", range(6))
def test_a_discrete_space_is_certified_at_its_enumerated_maximum(monkeypatch, space, seed):
    alpha = score(seed, None, n=20, tau=1e-3, domain=space)
    best = alpha(space.enumerate()).max()
    counted = certify(alpha, space)
    assert counted.nodes == space.size
    monkeypatch.setattr(domain, "HELD", 50 * space.dim)
    in_pieces = certify(alpha, space)
    monkeypatch.undo()
    monkeypatch.setattr(certificate, "ENUMERATED", 0)
    boxed = certify(alpha, space)
    for found in (counted, in_pieces, boxed):
        assert found.finished
        assert best <= found.upper <= best + 1e-7
        assert found.value == pytest.approx(best, abs=1e-12)
        assert np.array_equal(space.snap(found.x[None])[0], found.x)


@pytest.mark.parametrize("seed", range(3))
def test_a_mixed_space_is_certified_above_all_its_points(seed):
    alpha = score(seed, None, n=25, domain=MIXED)
    draws = MIXED.sample(20_000, np.random.default_rng(seed))
    first, later = (certify(alpha, MIXED, nodes=nodes) for nodes in (100, 10_000))
    assert alpha(draws).max() <= later.upper < first.upper
    assert np.array_equal(MIXED.snap(later.x[None])[0], later.x)


def test_a_finite_set_of_points_is_certified(monkeypatch):
    alpha, points = score(4, 2, n=15), np.random.default_rng(0).random((300, 2))
    best = alpha(points).max()
    assert best <= certify(alpha, PointSet(points)).upper <= best + 1e-7
    monkeypatch.setattr(certificate, "ENUMERATED", 0)
    relaxed = certify(alpha, PointSet(points))  # the cube around the points is all that boxes see of them
    assert best <= relaxed.upper
    assert relaxed.value == pytest.approx(best, abs=1e-12)


@settings(deadline=None, max_examples=100)
@given(
    seed=st.integers(0, 2**32),
    levels=st.integers(2, 40),
    log=st.booleans(),
    options=st.integers(2, 7),
    depth=st.integers(0, 12),
    sequences=st.booleans(),
)
def test_the_parts_of_a_box_hold_every_member_once(seed, levels, log, options, depth, sequences):
    choice = Choice(*sorted(set(permutations("aabc")))[: options + 1]) if sequences else Choice(*range(options))
    space = Space(i=Int(1, levels, log=log), c=choice)
    members, rng = space.enumerate(), np.random.default_rng(seed)
    boxes = certificate._root(space)
    for _ in range(depth):
        wide = np.flatnonzero(np.max(boxes.upper - boxes.lower, axis=1) > 0)
        if not len(wide):
            break
        row = rng.choice(wide)
        rest = np.delete(np.arange(len(boxes.bound)), row)
        parts = certificate._split(space, boxes.take(np.array([row])), rng.random(space.dim) + 0.1)
        assert np.all(np.max(parts.lower - parts.upper, axis=1) <= 0)
        boxes = boxes.take(rest).join(parts)
        inside = np.all((boxes.lower[:, None] <= members) & (members <= boxes.upper[:, None]), axis=2)
        assert np.all(inside.sum(axis=0) == 1)
        assert np.all(inside.any(axis=1))


@pytest.mark.parametrize("high", [2**41, 10**300], ids=["2**41", "10**300"])
def test_no_member_is_lost_where_a_lattice_becomes_smooth(high):
    space = Space(i=Int(1, high, log=True))
    members = space.sample(2000, np.random.default_rng(0))
    boxes = certificate._root(space)
    for _ in range(10):
        wide = (boxes.upper > boxes.lower)[:, 0]
        boxes = boxes.take(~wide).join(certificate._split(space, boxes.take(wide), np.ones(1)))
        assert np.any((boxes.lower[:, None] <= members) & (members <= boxes.upper[:, None]), axis=(0, 2)).all()


def test_a_smooth_box_is_halved_where_it_is_widest_for_the_score():
    whole = Boxes(np.zeros((1, 2)), np.array([[1.0, 0.5]]), np.full(1, 7.0))
    for scales, upper in (((1.0, 1.0), [[0.5, 0.5], [1.0, 0.5]]), ((1.0, 0.1), [[1.0, 0.25], [1.0, 0.5]])):
        parts = certificate._split(UnitCube(2), whole, np.array(scales))
        assert np.array_equal(parts.upper, upper)
        assert np.array_equal(parts.bound, [7.0, 7.0])


def test_scores_say_whether_they_can_be_certified():
    p = score(0, 2, n=5).posterior
    rng = np.random.default_rng(0)
    assert bind(UCB(Constant(2.0)), p, rng=rng).bounded
    path = bind(Thompson(), p, rng=rng)
    assert not path.bounded
    with pytest.raises(TypeError, match="`bound`"):
        certify(path, UnitCube(2))


@pytest.mark.parametrize("wrong", [{"nodes": 0}, {"tolerance": -1.0}, {"tolerance": math.nan}])
def test_a_budget_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="certify needs"):
        certify(Bowl((0.5,)), UnitCube(1), **wrong)


def test_parts_of_a_conditional_space_in_which_a_parameter_is_inactive_are_cut_off():
    space = Space(
        kind=Choice("a", "b"), x=Float(0, 1), y=Float(0, 1, when={"kind": "b"}), n=Int(1, 5, when={"kind": "b"})
    )
    peak = (1.0, 0.0, 0.4, 0.9, 0.9)  # of kind a with an y and an n, which no point has
    proof = certify(Bowl(peak), space, tolerance=1e-6, nodes=5000)
    best = -(0.4**2) * 2  # y and n at rest, in the middle
    assert proof.finished
    assert best <= proof.upper <= best + 1e-5
    assert certify(Bowl(peak), space, nodes=1).upper > best + 0.1  # the box around them all


def test_a_proof_holds_for_the_points_that_satisfy_a_constraint():
    space = Space(x=Float(0, 1), y=Float(0, 1), where=lambda p: p["x"] + p["y"] <= 1)
    proof = certify(Bowl((0.9, 0.9)), space, nodes=2000)
    assert proof.x is not None
    assert space.contains(proof.x[None])[0]
    assert proof.value <= -0.32 + 1e-3  # the largest of the members is −2 · 0.4²
    assert proof.upper >= -0.32
