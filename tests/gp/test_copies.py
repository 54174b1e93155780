"""A copy of a posterior, pickled or deep, is small, equal, its own, and grows to the same bits as the original."""

import copy
import pickle

import numpy as np
import pytest

from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior

RNG = np.random.default_rng(0)
X, Z = RNG.random((400, 3)), RNG.standard_normal(400)
T = RNG.random((40, 3))


def pickled(value):
    return pickle.loads(pickle.dumps(value))


def grown(n, stop):
    """Conditioned on n points and appended to one at a time."""
    p = Posterior.condition(Matern(2.5, 0.4), X[:n], Z[:n], 1e-3, scale=1.3, constant=0.2)
    for i in range(n, stop):
        p = p.append(X[i : i + 1], Z[i : i + 1])
    return p


def same_bits(p, q):
    assert p.factor.R.tobytes() == q.factor.R.tobytes()
    for name in ("X", "tau"):
        assert getattr(p.factor, name).tobytes() == getattr(q.factor, name).tobytes()
    assert (p.factor.log_det, p.factor.jitter) == (q.factor.log_det, q.factor.jitter)
    assert np.array_equal(p.predict(T), q.predict(T))


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
@pytest.mark.parametrize(("n", "stop"), [(0, 0), (0, 3), (20, 40), (100, 131), (100, 132), (250, 250)])
def test_a_copy_grows_to_the_same_bits_as_the_original(copied, n, stop):
    p = grown(n, stop)
    q = copied(p)
    same_bits(p, q)
    assert len(q.factor.buffer.rows) == len(p.factor.buffer.rows)
    for i in range(stop, stop + 60, 3):  # through the end of the buffer
        p, q = (r.append(X[i : i + 1], Z[i : i + 1]).append(X[i + 1 : i + 3], Z[i + 1 : i + 3]) for r in (p, q))
        same_bits(p, q)
        assert len(q.factor.buffer.rows) == len(p.factor.buffer.rows)


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
def test_copies_and_original_grow_without_disturbing_each_other(copied):
    p = grown(50, 60)
    copies = [copied(p) for _ in range(2)]
    ends = [r.append(X[k : k + 5], Z[k : k + 5]) for r, k in zip([p, *copies], (100, 200, 300), strict=True)]
    for end, k in zip(ends, (100, 200, 300), strict=True):
        same_bits(end, grown(50, 60).append(X[k : k + 5], Z[k : k + 5]))
    assert not np.shares_memory(copies[0].factor.R, p.factor.R)


def test_a_copy_of_what_has_branched_may_still_grow():
    p = grown(50, 60)
    p.believe(T[:2])  # takes the rows behind p
    same_bits(pickled(p).append(X[60:61], Z[60:61]), p.append(X[60:61], Z[60:61]))


def test_a_pickle_holds_the_triangle_and_not_the_room_for_more():
    p = grown(300, 300)
    assert len(pickle.dumps(p)) < 1.1 * 8 * 300 * 301 / 2 + 8 * 300 * 6
