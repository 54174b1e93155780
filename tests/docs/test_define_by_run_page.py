"""The page about objectives that declare the space: its example runs, and finds the conditions."""

from .pages import Page

PAGE = Page("docs/howto/define-by-run.md")


def test_the_conditions_of_the_objective_that_asks_are_found(ran):
    space = ran["asked"].settings.space.params
    assert dict(space["gamma"].when) == {"kernel": ("rbf", "poly")}
    assert dict(space["degree"].when) == {"kernel": ("poly",)}
    assert ran["asked"].fun < 0.05
