"""Runs in which all constants of the theorems are known."""

import math
from dataclasses import replace

import numpy as np
import pytest

from suffice.gp.kernels import Matern
from suffice.paper import report as sections
from suffice.paper.known import (
    B,
    known_norm,
    known_runs,
    told,
)
from suffice.paper.presets import UNIFORM


@pytest.fixture(scope="module")
def runs():
    return known_runs((1, 2), steps=8)


def test_the_regret_is_below_every_bound_and_every_bound_below_what_any_run_keeps(runs):
    for run in runs:
        assert run.holds
        assert run.observed <= run.theorem1 <= run.trivial == 2 * B * 8
        assert run.regret > 0.0
        assert run.deviations <= run.deviation_limit
        assert run.last_fill < run.first_fill < math.sqrt(run.dimension)


def test_a_run_is_the_same_again(runs):
    again = known_runs((1,), steps=8)[0]
    # All but what rests on proofs, which have so many seconds and not so many boxes: it depends on the machine's load.
    assert replace(again, observed=runs[0].observed) == runs[0]


def test_the_function_has_its_norm_and_its_maximum():
    # |f(x) − f(y)| ≤ B d_k(x, y), and |f| ≤ B since k(x, x) = 1
    kernel = Matern(2.5, 0.5)
    f, best = known_norm(kernel, 2, np.random.default_rng(0))
    X = np.random.default_rng(1).random((2000, 2))
    values = f(X)
    assert best - 0.02 < values.max() <= best <= B
    metric = np.sqrt(np.maximum(2 - 2 * kernel(X[:200], X[200:400]), 0.0))
    assert np.all(np.abs(values[:200, None] - values[None, 200:400]) <= B * metric + 1e-9)


def test_they_are_shown_on_the_page_and_on_a_terminal(runs, make_plan):
    text = sections.theorems(make_plan({"branin": 6}, UNIFORM), [], runs)
    assert "The theorems where all constants are known" in text
    assert f"{runs[1].observed:.3g}" in text
    assert len(told(runs).splitlines()) == 3
    assert sections.theorems(make_plan({"branin": 6}, UNIFORM), [], []) == ""
