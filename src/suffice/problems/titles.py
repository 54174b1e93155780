"""The names of problems as a reader wants them."""

import re

from suffice.problems.seeded import DIMENSIONS, SEEDED

SPELLED = {  # names that a capital does not turn into a title
    "automl": "AutoML",
    "six_hump_camel": "Six-hump camel",
    "goldstein_price": "Goldstein–Price",
    "styblinski_tang": "Styblinski–Tang",
    "dixon_price": "Dixon–Price",
    "cosine_mixture": "Cosine mixture",
    "hartmann4_rescaled": "Hartmann 4d, rescaled",
    **{f"basins{dim}d": f"Basins {dim}d" for dim in DIMENSIONS},
}
NUMBERED = ("shekel", "bukin")  # families whose number is not the dimension


def title(problem: str) -> str:
    """A problem's name as a title: "Hartmann 6d" for hartmann6."""
    family, number = family_and_number(problem)
    if family in SEEDED:
        return f"{_spelled(family)}, seed {number}"
    unit = "" if family in NUMBERED else "d"
    return _spelled(family) + (f" {number}{unit}" if number else "")


def family_and_number(problem: str) -> tuple[str, str]:
    """A problem's family and the digits at its end, "" if there are none."""
    digits = re.search(r"[0-9]*\Z", problem)
    number = digits.group() if digits else ""
    return problem.removesuffix(number) if number else problem, number


def _spelled(family: str) -> str:
    return SPELLED.get(family, family.capitalize().replace("_", " "))
