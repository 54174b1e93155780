"""A problem by its name: in the registry, of a family in the dimension or with the seed its name ends in, or AutoML."""

import difflib
import re

from suffice.problems.learning import automl
from suffice.problems.problem import Problem
from suffice.problems.scalable import FAMILIES
from suffice.problems.seeded import CONDITIONAL, FIXED, SEEDED, WIDE
from suffice.problems.synthetic import PROBLEMS


def find(name: str) -> Problem:
    """The problem of this name: "branin", "levy7", "reaction3", "two_way", "automl" (which needs scikit-learn).

    The names are those in `PROBLEMS` and, for a family that exists in any dimension or is drawn with a seed, its own
    followed by the dimension or the seed.
    """
    if name in PROBLEMS:
        return PROBLEMS[name]
    if name in FIXED:
        return FIXED[name]
    if name == "automl":
        return automl()
    family, number = _parts(name)
    numbered = {**FAMILIES, **SEEDED, **CONDITIONAL, **WIDE}
    if family in numbered and number:
        return numbered[family](int(number))
    known = [*PROBLEMS, *FIXED, "automl"]
    near = difflib.get_close_matches(name, {*known, *(other + (number or "4") for other in numbered)})
    raise ValueError(
        f"no problem is called {name!r}; the {'nearest ' if near else ''}names are {', '.join(near or known)}; "
        f"in any dimension, with the digits at the end as in levy7, there are {', '.join(FAMILIES)}; "
        f"drawn with a seed, as in reaction3, {', '.join([*SEEDED, *CONDITIONAL, *WIDE])}"
    )


def _parts(name: str) -> tuple[str, str]:
    """A name and the number at its end, "" if there is none; a number does not begin with 0 unless it is 0."""
    number = re.search(r"(0|[1-9][0-9]*)\Z", name)
    return (name[: number.start()], number.group()) if number else (name, "")
