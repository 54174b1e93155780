"""Words that make a run cheap, and objectives that worker processes can import."""

import importlib
import sys
from pathlib import Path

import pytest

from suffice import GP
from suffice.solvers import Fixed, Grid


@pytest.fixture
def quick():
    """A cheap model and solver, seed 0."""
    return {"seed": 0, "model": GP(warp=False), "solver": Grid(size=Fixed(64))}


@pytest.fixture(scope="session")
def objectives():
    """The module `objectives` under a name that a spawned process finds too."""
    sys.path.insert(0, str(Path(__file__).parent))
    yield importlib.import_module("objectives")
    sys.path.remove(str(Path(__file__).parent))
