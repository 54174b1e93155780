"""Problems by name, and their names as titles.

A name is that of one of the paper's problems, or of a family followed by the dimension or the seed. `register` adds
others. What runs in another process finds them there if it imports who registers them.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping

from suffice.problems.functions import FAMILIES, PROBLEMS
from suffice.problems.learning import automl
from suffice.problems.problem import Problem

Family = Callable[[int], Problem]

# What is registered beside them: problems, families by dimension, and families by seed.
MORE: dict[str, Problem] = {}
SCALABLE: dict[str, Family] = dict(FAMILIES)
SEEDED: dict[str, Family] = {}
SPELLED = {"automl": "AutoML"}  # what a capital does not turn into a title; who registers problems adds theirs


def register(problems: Iterable[Problem], scalable: Mapping[str, Family], seeded: Mapping[str, Family]) -> None:
    """Let `find` find these, too: problems, and families that make the problem of a dimension or of a seed."""
    MORE.update({problem.name: problem for problem in problems})
    SCALABLE.update(scalable)
    SEEDED.update(seeded)


def find(name: str) -> Problem:
    """The problem of this name: "branin", "levy7", "automl" (which needs scikit-learn).

    The names are those in `PROBLEMS` and, for a family that exists in any dimension or is drawn with a seed, its own
    followed by the dimension or the seed.
    """
    fixed = MORE | PROBLEMS
    if name in fixed:
        return fixed[name]
    if name == "automl":
        return automl()
    base, number = family_and_number(name)
    numbered = SCALABLE | SEEDED
    if base in numbered and number:
        return numbered[base](int(number))
    known = [*fixed, "automl"]
    near = difflib.get_close_matches(name, {*known, *(other + (number or "4") for other in numbered)})
    drawn = f"; drawn with a seed, {', '.join(SEEDED)}" if SEEDED else ""
    raise ValueError(
        f"there is no problem {name!r}; the {'nearest ' if near else ''}names are {', '.join(near or known)}; "
        f"in any dimension, with the digits at the end as in levy7, there are {', '.join(SCALABLE)}{drawn}"
    )


def title(problem: str) -> str:
    """The name of a problem, or of a family that seeds draw from, as a title: "Hartmann 6d" for hartmann6."""
    if problem in SPELLED or problem in SEEDED:
        return _spelled(problem)
    name, number = family_and_number(problem)
    if name in SEEDED:
        return f"{_spelled(name)}, seed {number}"
    return _spelled(name) + (f" {number}d" if number else "")


def _spelled(family: str) -> str:
    return SPELLED.get(family, family.capitalize().replace("_", " "))


def family(problem: str) -> str:
    """What a problem is one of: "reaction" for reaction3; a problem that no seed draws is one of itself."""
    name, _ = family_and_number(problem)
    return name if name in SEEDED else problem


def family_and_number(problem: str) -> tuple[str, str]:
    """A name and the number at its end, "" if there is none; a number does not begin with 0 unless it is 0."""
    number = re.search(r"(0|[1-9][0-9]*)\Z", problem)
    return (problem[: number.start()], number.group()) if number else (problem, "")
