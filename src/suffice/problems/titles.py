"""The names of problems as a reader wants them."""

import re

from suffice.problems.seeded import DIMENSIONS, SEEDED, WIDE

SPELLED = {  # names that a capital does not turn into a title
    "automl": "AutoML",
    "six_hump_camel": "Six-hump camel",
    "goldstein_price": "Goldstein–Price",
    "styblinski_tang": "Styblinski–Tang",
    "dixon_price": "Dixon–Price",
    "cosine_mixture": "Cosine mixture",
    "hartmann4_rescaled": "Hartmann 4d, rescaled",
    "hartmann6_in100d": "Hartmann 6d among 100",
    "ellipsoid40d": "Ellipsoid 40d",
    "lasso180d": "Lasso 180d",
    **{f"basins{dim}d": f"Basins {dim}d" for dim in DIMENSIONS},
}
DRAWN = SEEDED | WIDE  # families whose number is a seed
NUMBERED = ("shekel", "bukin")  # families whose number is not the dimension


def title(problem: str) -> str:
    """The name of a problem, or of a family that seeds draw from, as a title: "Hartmann 6d" for hartmann6."""
    if problem in DRAWN:
        return _spelled(problem)
    name, number = family_and_number(problem)
    if name in DRAWN:
        return f"{_spelled(name)}, seed {number}"
    unit = "" if name in NUMBERED else "d"
    return _spelled(name) + (f" {number}{unit}" if number else "")


def family(problem: str) -> str:
    """What a problem is one of: "reaction" for reaction3; a problem that no seed draws is one of itself."""
    name, _ = family_and_number(problem)
    return name if name in DRAWN else problem


def family_and_number(problem: str) -> tuple[str, str]:
    """A problem's family and the digits at its end, "" if there are none."""
    digits = re.search(r"[0-9]*\Z", problem)
    number = digits.group() if digits else ""
    return problem.removesuffix(number) if number else problem, number


def _spelled(family: str) -> str:
    return SPELLED.get(family, family.capitalize().replace("_", " "))
