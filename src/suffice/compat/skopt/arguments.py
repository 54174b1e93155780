"""What the arguments of scikit-optimize's functions mean here: each is described once, and every docstring has it."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from suffice.study.keywords import entry, with_parameters

Taker = TypeVar("Taker", bound=Callable[..., Any])

# The kind and the meaning of each.
ARGUMENTS = {
    "func": ("callable", "The objective: it takes a list with a value for each dimension, and returns a number."),
    "dimensions": ("list", "The search space: Real, Integer, Categorical, or what stands for them."),
    "base_estimator": (
        "str, model or None",
        '"GP", or a model of this library such as sf.GP(kernel=sf.RBF()). None is a Gaussian process for gp_minimize '
        'and, as "dummy", random points for an Optimizer.',
    ),
    "n_calls": ("int", "Evaluations, those of x0 and of the initial points included."),
    "n_random_starts": ("int or None", "An older name of n_initial_points; it warns."),
    "n_initial_points": (
        "int",
        "Points before the first of the model's: for gp_minimize beside those of x0, for an Optimizer those that are "
        "told included.",
    ),
    "initial_point_generator": ("str or object", '"random", "sobol", "halton", "hammersly", "lhs" or "grid".'),
    "acq_func": ("str", '"gp_hedge" (this library\'s default rule), "EI", "LCB", "PI" or "MES".'),
    "acq_func_kwargs": ("mapping or None", "The xi and kappa of these rules."),
    "acq_optimizer": ("str", "It is checked and has no effect: the search ends when it is exact enough."),
    "acq_optimizer_kwargs": ("mapping or None", "It has no effect."),
    "x0": ("list or None", "A point or a list of points to begin with."),
    "y0": (
        "list, float or None",
        "Their values where they are known, which are not evaluated then and do not count among n_calls.",
    ),
    "random_state": ("int, RandomState or None", "It makes the run repeatable."),
    "verbose": ("bool", "Whether to print what happens."),
    "callback": (
        "callable or list",
        "A function of the result so far, or several; one that returns True ends it.",
    ),
    "n_points": ("int", "It has no effect."),
    "n_restarts_optimizer": ("int", "It has no effect."),
    "xi": ("float", 'The least improvement that counts for "EI" and "PI", in deviations of the values.'),
    "kappa": ("float", 'How many deviations "LCB" looks below the prediction.'),
    "noise": ("str or float", '"gaussian": fitted; or the variance of the noise, in the objective\'s units.'),
    "n_jobs": ("int", "It has no effect."),
    "model_queue_size": ("int or None", "How many of the result's models are kept; None: all."),
    "init_point_gen_kwargs": ("object", "It has no effect, in scikit-optimize neither."),
    "space_constraint": ("callable or None", "A function of a point that says whether it may be evaluated."),
    "avoid_duplicates": ("bool", "Whether no point is proposed twice."),
}


def explained(taker: Taker) -> Taker:
    """Give a function, or a class, the meaning of each of its arguments as the Parameters of its docstring."""
    lines = [
        line
        for name, parameter in inspect.signature(taker).parameters.items()
        for line in entry(name, ARGUMENTS[name][0], parameter.default, ARGUMENTS[name][1])
    ]
    taker.__doc__ = with_parameters(inspect.cleandoc(taker.__doc__ or ""), lines)
    return taker
