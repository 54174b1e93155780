"""The families that are drawn with a seed: name -> factory of the problem of a seed, `find("reaction3")`.

FIXED has the small mixed problems of the same suite that have nothing to draw. All of them, and the functions that are
not the paper's, are registered here: `suffice.problems.find` finds them from then on, and titles are spelled.
"""

from collections.abc import Callable
from functools import partial

from research.problems.conditional import boosting, svm
from research.problems.drawn import (
    basins,
    many_options,
    permutation,
    reaction,
    reaction_large,
    reaction_small,
    staircase,
    two_way,
    which_model,
)
from research.problems.functions import FAMILIES, PROBLEMS
from research.problems.wide import ellipsoid, hartmann6_in, lasso
from suffice.problems import Problem, register
from suffice.problems.functions import SPELLED

DIMENSIONS = range(2, 7)  # in which basins are found by name
SEEDED: dict[str, Callable[[int], Problem]] = {
    "reaction_small": reaction_small,
    "reaction": reaction,
    "reaction_large": reaction_large,
    "which_model": which_model,
    "many_options": many_options,
    "permutation": permutation,
    "staircase": staircase,
    **{f"basins{dim}d": partial(basins, dim=dim) for dim in DIMENSIONS},
}
# Parameters that are not always there: apart, because the adapters of other optimizers have no words for them.
CONDITIONAL: dict[str, Callable[[int], Problem]] = {"svm": svm, "boosting": boosting}
# Many inputs: apart, because a comparison of 50 trials is not made for them.
WIDE: dict[str, Callable[[int], Problem]] = {
    "hartmann6_in100d": partial(hartmann6_in, dim=100),
    "ellipsoid40d": partial(ellipsoid, dim=40),
    "lasso180d": partial(lasso, dim=180),
}
FIXED: dict[str, Problem] = {problem.name: problem for problem in (two_way(1.0), two_way(0.05))}

register([*PROBLEMS.values(), *FIXED.values()], scalable=FAMILIES, seeded={**SEEDED, **CONDITIONAL, **WIDE})
SPELLED.update(
    {
        "six_hump_camel": "Six-hump camel",
        "goldstein_price": "Goldstein–Price",
        "styblinski_tang": "Styblinski–Tang",
        "dixon_price": "Dixon–Price",
        "cosine_mixture": "Cosine mixture",
        "hartmann4_rescaled": "Hartmann 4d, rescaled",
        "bukin6": "Bukin 6",  # their numbers are not dimensions
        "shekel5": "Shekel 5",
        "shekel7": "Shekel 7",
        "shekel10": "Shekel 10",
        "svm": "SVM",
        "hartmann6_in100d": "Hartmann 6d among 100",
        "ellipsoid40d": "Ellipsoid 40d",
        "lasso180d": "Lasso 180d",
        **{f"basins{dim}d": f"Basins {dim}d" for dim in DIMENSIONS},
    }
)
