"""The names of problems as a reader wants them."""

import re

from suffice.problems.lookup import SEEDED

SPELLED = {"automl": "AutoML"}  # what a capital does not turn into a title; who registers problems adds theirs


def title(problem: str) -> str:
    """The name of a problem, or of a family that seeds draw from, as a title: "Hartmann 6d" for hartmann6."""
    if problem in SPELLED or problem in SEEDED:
        return _spelled(problem)
    name, number = family_and_number(problem)
    if name in SEEDED:
        return f"{_spelled(name)}, seed {number}"
    return _spelled(name) + (f" {number}d" if number else "")


def family(problem: str) -> str:
    """What a problem is one of: "reaction" for reaction3; a problem that no seed draws is one of itself."""
    name, _ = family_and_number(problem)
    return name if name in SEEDED else problem


def family_and_number(problem: str) -> tuple[str, str]:
    """A problem's family and the digits at its end, "" if there are none."""
    digits = re.search(r"[0-9]*\Z", problem)
    number = digits.group() if digits else ""
    return problem.removesuffix(number) if number else problem, number


def _spelled(family: str) -> str:
    return SPELLED.get(family, family.capitalize().replace("_", " "))
