"""The page about outliers: its example runs, and what it says about it is true."""

import pytest

from .pages import Page

PAGE = Page("docs/howto/outliers.md")


def test_gross_errors_are_set_aside(ran):
    robust = ran["robust"]
    assert robust.fun < -6
    assert robust.x_recommended == pytest.approx([0.3, 0.6], abs=0.05)
    assert [found.name for found in robust.diagnose()].count("set aside") == 1
