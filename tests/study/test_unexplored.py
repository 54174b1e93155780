"""Options of which a run knows too little."""

import pytest

from suffice import Choice, Float, Int, Optimizer, Space
from suffice.result.coverage import unexplored

OPTIONS = ("a", "b", "c")


def told(space, points, failing=()):
    optimizer = Optimizer(space, seed=0, x0=points)
    for k in range(len(points)):
        trial = optimizer.ask()
        if k in failing:
            optimizer.fail(trial)
        else:
            optimizer.tell(trial, float(k))
    return unexplored(optimizer.history)


def test_without_choices_there_is_nothing_to_explore():
    assert told(Space(x=Float(0, 1), n=Int(1, 9)), [{"x": 0.5, "n": 3}]) == ()


@pytest.mark.parametrize(("times", "missing"), [(1, 3), (2, 3), (3, 2), (4, 2)])
def test_beside_two_numbers_an_option_is_explored_once_it_was_tried_three_times(times, missing):
    space = Space(kind=Choice(*OPTIONS), x=Float(0, 1), n=Int(1, 9))
    (found,) = told(space, [{"kind": "b", "x": 0.1 * k, "n": k + 1} for k in range(times)])
    assert (found.name, found.options, found.missing) == ("kind", 3, missing)
    assert str(found) == f"{missing} of 3 options of kind"


@pytest.mark.parametrize("numbers", [{}, {"x": Float(0, 1)}], ids=["no numbers", "one number"])
def test_beside_at_most_one_number_once_is_enough(numbers):
    space = Space(kind=Choice(*OPTIONS), **numbers)
    points = [{"kind": kind, **dict.fromkeys(numbers, 0.5)} for kind in OPTIONS]
    assert told(space, points) == ()
    assert told(space, points[:2])[0].missing == 1


def test_failed_trials_were_made_too():
    space = Space(kind=Choice(*OPTIONS), x=Float(0, 1))
    points = [{"kind": kind, "x": 0.5} for kind in OPTIONS]
    assert told(space, points, failing=(1,)) == ()


def test_options_that_share_something_are_told_apart_from_those_that_do_not():
    space = Space(kind=Choice(*OPTIONS), layers=Choice((1, 1), (1, 2), (2, 1)))
    kind, layers = told(space, [{"kind": "a", "layers": (1, 1)}])
    assert (kind.related, layers.related) == (False, True)
