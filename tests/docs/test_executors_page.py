"""The page about executors: its program makes all trials."""

from .pages import Page

PAGE = Page("docs/howto/executors.md")


def test_its_program_makes_all_trials(ran):
    assert [printed.split() for printed in ran.printed] == [["12"]]
