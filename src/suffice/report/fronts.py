"""What was found of several objectives, in words: the front, what it is worth, and a compromise to begin with."""

from collections.abc import Iterator

from suffice.page.formats import digits
from suffice.report.progress import Growth
from suffice.report.values import name, number
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.settings import Settings
from suffice.study.trial import Trial


def front_found(history: History, growth: Growth, point: str) -> Iterator[str]:
    """The sentences about a front that has trials.

    point    that of the knee, in words
    """
    front, settings = Front(history), history.settings
    n, knee = len(front.trials), front.knee()
    of = f"of {growth.evaluated} evaluations" if growth.evaluated > 1 else "of the only evaluation"
    trials = "1 trial, which no other one beats" if n == 1 else f"{n} trials, none of which another one beats"
    yield f"The front {of} has {trials}: {_aims(settings)}."
    yield f"Its knee, a compromise to begin with, is trial {knee.number}: {in_words(knee, settings)}, at {point}."
    if n > 1:
        yield f"It reaches from {_ends(front)}."
    if front.reference is not None:
        worst = ", ".join(f"{name(output)} {number(value)}" for output, value in front.reference.items())
        yield f"Its hypervolume is {number(growth.volume)}, measured from the reference point {worst}."
    if growth.improving is None:
        yield "These are too few evaluations to say whether it is still growing."
    elif growth.improving:
        yield f"It was still growing: the last fifth of the evaluations added {100 * growth.late:.0f} % of it."
    else:
        yield f"It has levelled off: the last fifth of the evaluations added {digits(100 * growth.late)} % of it."


def in_words(trial: Trial, settings: Settings) -> str:
    """The objectives of a trial."""
    return ", ".join(f"{name(output)} {number(trial.values.get(output))}" for output in settings.objectives)


def _aims(settings: Settings) -> str:
    return ", ".join(f"{sense} {name(output)}" for output, sense in settings.objectives.items())


def _ends(front: Front) -> str:
    """The range of each objective on the front, its best end first."""
    said = []
    for output in front.settings.objectives:
        values = sorted((trial.values[output] for trial in front.trials), reverse=front.settings.sign(output) > 0)
        said.append(f"{name(output)} {number(values[0])} to {number(values[-1])}")
    return ", and from ".join(said) if len(said) == 2 else ", ".join(said)
