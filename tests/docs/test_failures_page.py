"""The page about failures: its example runs, and what it says about it is true."""

import re
from typing import get_args

import pytest

import suffice as sf
from suffice.record.trial import Cause

from .pages import Page

PAGE = Page("docs/howto/failures.md")


def test_every_kind_of_failure_in_it_happens_and_is_told_apart(ran):
    causes = {trial.cause: trial for trial in ran["failed"]}
    assert set(causes) <= {"raised", "infeasible", "nan"}
    assert causes["raised"].reason == "MemoryError: no more memory"
    assert "in train" in causes["raised"].traceback
    assert f"{len(ran['failed'])} of 30 evaluations failed" in ran["result"].message
    assert ran["result"].success
    with pytest.raises(sf.Infeasible, match="wider than the table"):
        ran["train"]({"batch": 1, "width": 500, "lr": 0.0})


def test_every_cause_is_explained():
    explained = set(re.findall(r'`"([a-z ]+)"`', PAGE.text))
    assert set(get_args(Cause)) == explained - {"raise", "best", "regret"}
