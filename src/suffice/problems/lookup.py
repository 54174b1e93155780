"""A problem by its name: one of the paper's, or of a family in the dimension, or with the seed, that its name ends in.

`register` adds others. What runs in another process finds them there if it imports who registers them.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping

from suffice.problems.functions import (
    FAMILIES,
    ackley,
    branin,
    griewank,
    hartmann3,
    hartmann4,
    hartmann6,
    levy,
    michalewicz,
    rastrigin,
)
from suffice.problems.learning import automl
from suffice.problems.problem import Problem

Family = Callable[[int], Problem]

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        *(branin, hartmann3, hartmann4, hartmann6),
        *(rastrigin(3), levy(5), michalewicz(10), ackley(2), griewank(5)),
    )
}
# What is registered beside them: problems, families by dimension, and families by seed.
MORE: dict[str, Problem] = {}
SCALABLE: dict[str, Family] = dict(FAMILIES)
SEEDED: dict[str, Family] = {}


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
    family, number = _parts(name)
    numbered = SCALABLE | SEEDED
    if family in numbered and number:
        return numbered[family](int(number))
    known = [*fixed, "automl"]
    near = difflib.get_close_matches(name, {*known, *(other + (number or "4") for other in numbered)})
    drawn = f"; drawn with a seed, {', '.join(SEEDED)}" if SEEDED else ""
    raise ValueError(
        f"no problem is called {name!r}; the {'nearest ' if near else ''}names are {', '.join(near or known)}; "
        f"in any dimension, with the digits at the end as in levy7, there are {', '.join(SCALABLE)}{drawn}"
    )


def _parts(name: str) -> tuple[str, str]:
    """A name and the number at its end, "" if there is none; a number does not begin with 0 unless it is 0."""
    number = re.search(r"(0|[1-9][0-9]*)\Z", name)
    return (name[: number.start()], number.group()) if number else (name, "")
