"""The page about failures: its example runs, and what it says about it is true."""

import re
from pathlib import Path
from typing import get_args

import pytest

import suffice as sf
from suffice.study.trial import Cause

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "failures.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names():
    names = {}
    exec(EXAMPLE, names)
    return names


def test_every_kind_of_failure_in_it_happens_and_is_told_apart(names):
    causes = {trial.cause: trial for trial in names["failed"]}
    assert set(causes) <= {"raised", "infeasible", "nan"}
    assert causes["raised"].reason == "MemoryError: no more memory"
    assert "in train" in causes["raised"].traceback
    assert f"{len(names['failed'])} of 30 evaluations failed" in names["result"].message
    assert names["result"].success
    with pytest.raises(sf.Infeasible, match="wider than the table"):
        names["train"]({"batch": 1, "width": 500, "lr": 0.0})


def test_every_cause_is_explained():
    explained = set(re.findall(r'`"([a-z ]+)"`', PAGE))
    assert set(get_args(Cause)) == explained - {"raise", "best", "regret"}


def test_every_name_exists():
    for name in set(re.findall(r"\bsf\.(\w+)", PAGE)):
        assert hasattr(sf, name), name
