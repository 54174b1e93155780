"""The normal run takes pairwise combinations of the cases of a contract; the others have the marker `full`.

A case is a test of one part (a solver, an acquisition, …) in one situation, domain, design and size. So many are kept
that every pair of values occurs in one of them: every part with every test, every test in every situation. All cases
run with SUFFICE_TEST_ALL=full in the environment, and `-m full` runs the others alone.
"""

import os
import random
from itertools import combinations
from pathlib import Path

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "full: one of the many combinations that the normal run leaves out")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    cases = [item for item in here if item.cls is not None and hasattr(item, "callspec")]
    others = set(cases) - set(pairwise(cases))
    for item in others:
        item.add_marker("full")
    if os.environ.get("SUFFICE_TEST_ALL") != "full" and "full" not in config.option.markexpr:
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]


def pairwise(cases):
    """Cases in which every pair of values occurs, few but not as few as possible."""
    seen = set()
    shuffled = random.Random(0).sample(cases, len(cases))  # in order, the first part would get all of its cases
    for case in shuffled:
        values = {"class": case.cls, "test": case.originalname, **case.callspec.params}
        keys = sorted((name, value if isinstance(value, str) else id(value)) for name, value in values.items())
        pairs = set(combinations(keys, 2))
        if not pairs <= seen:
            seen |= pairs
            yield case
