"""The page about the regret bound: its examples run, and what it says about them is true."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ideas" / "bounds.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names():
    """What the names of the page stand for at its end."""
    names = {}
    for example in EXAMPLES:
        exec(example, names)
    return names


def test_a_default_run_breaks_what_the_page_says(names):
    bound = names["result"].accuracy.bound
    assert bound.value is not None
    shown = re.sub(r"\s+", " ", PAGE)
    assert all(sentence in shown for sentence in bound.broken)
    assert len(bound.broken) == len(re.findall(r"^  - ", PAGE, re.MULTILINE))


def test_the_run_of_the_theory_breaks_nothing_and_stays_below_its_bounds(names):
    known, g = names["known"], names["g"]
    best = max(g(x) for x in np.linspace(0, 1, 10_001))
    regret = sum(best - g(trial.point) for trial in known.trials if trial.solve is not None)
    found = names["bounds"](known)
    assert found["Theorem 1, observed"].broken == found["Theorem 3"].broken == ()
    assert regret < found["Theorem 1, observed"].value < found["Theorem 1"].value < 2 * 1.3 * 30
    assert regret < found["Theorem 3"].value
    assert names["norm"] < 1.3
