"""`make test` takes pairwise combinations of the cases of a contract; the others wait for `make test-all`.

A case is a test of one part (a solver, an acquisition, …) in one situation, domain, design and size. So many are kept
that every pair of values occurs in one of them: every part with every test, every test in every situation.
"""

import random
from itertools import combinations
from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    cases = [item for item in here if item.cls is not None and hasattr(item, "callspec")]
    for item in set(cases) - set(pairwise(cases)):
        item.add_marker("slow")


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
