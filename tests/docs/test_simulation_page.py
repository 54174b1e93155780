"""The page about simulations: its study survives crashes and hangs, and goes on from its file."""

from .pages import Page

PAGE = Page("docs/howto/simulation.md")


def test_evaluations_that_crash_and_hang_are_survived_and_not_repeated(ran):
    first, again = ran.printed
    assert "20 trials are done" in first
    assert "raised" in first
    assert "timed out" in first
    assert again.splitlines()[:3] == first.splitlines()[:3]
