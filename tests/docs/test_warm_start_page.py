"""The page about warm starts: its examples run, and what it says about them is true."""

from .pages import Page

PAGE = Page("docs/howto/warm-start.md")


def test_known_values_are_not_evaluated_again(ran):
    assert ran["guess"].trials[0].point == ran["start"][0]
    assert ran["guess"].nfev == 10
    assert ran["known"].trials[0].origin == "foreign"
    assert ran["known"].nfev == 11


def test_what_is_fixed_is_in_the_points(ran):
    assert (ran["trial"].point["optimizer"], ran["trial"].point["rate"]) == ("sgd", 0.1)
    assert [trial.point["width"] for trial in ran["batch"]] == [128] * 4
