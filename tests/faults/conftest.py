"""Objectives that worker processes can import."""

import importlib
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def faulty():
    """The module `faulty` under a name that another process finds too."""
    sys.path.insert(0, str(Path(__file__).parent))
    yield importlib.import_module("faulty")
    sys.path.remove(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def fast(faulty):
    """A way to start processes that has imported everything before."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["numpy", "suffice.run.processes"])
    return context
