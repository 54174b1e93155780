"""The families that are drawn with a seed: name -> factory of the problem of a seed, `find("reaction3")`.

FIXED has the small mixed problems of the same suite that have nothing to draw.
"""

from collections.abc import Callable
from functools import partial

from suffice.problems.conditional import boosting, svm
from suffice.problems.effects import many_options, permutation, reaction, reaction_large, reaction_small, two_way
from suffice.problems.lasso import lasso
from suffice.problems.problem import Problem
from suffice.problems.traps import basins, staircase, which_model
from suffice.problems.wide import ellipsoid, hartmann6_in

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
