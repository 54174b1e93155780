"""What each argument of scikit-optimize means here, described once for all docstrings that need it."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from suffice.record.options import entry, with_parameters

Taker = TypeVar("Taker", bound=Callable[..., Any])

# The kind and the meaning of each argument.
ARGUMENTS = {
    "func": ("callable", "The objective: it takes a list with a value for each dimension, and returns a number."),
    "dimensions": ("list", "The search space: Real, Integer, Categorical, or what stands for them."),
    "low": ("float", "The lower bound."),
    "high": ("float", "The upper bound."),
    "prior": ("{'uniform', 'log-uniform'}", '"log-uniform" where the order of magnitude matters.'),
    "base": ("float", "Of the logarithm in the transformed space; it changes no point."),
    "transform": ("str or None", '"identity" or "normalize".'),
    "name": ("str or None", "What the objective calls it, for `use_named_args`."),
    "base_estimator": (
        "str, model or None",
        '"GP", or a model of this library such as sf.GP(kernel=sf.gp.RBF()). None is a Gaussian process for '
        'gp_minimize and, as "dummy", random points for an Optimizer.',
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
    "acq_optimizer": ("str", "It is checked and has no effect: the search ends when it is accurate enough."),
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
    "xi": ("float", 'The least improvement that counts for "EI" and "PI", in standard deviations of the values.'),
    "kappa": ("float", 'How many standard deviations "LCB" looks below the prediction.'),
    "noise": ("str or float", '"gaussian": fitted; or the variance of the noise, in the objective\'s units.'),
    "model_queue_size": ("int or None", "How many of the result's models are kept; None: all."),
    "init_point_gen_kwargs": ("object", "It has no effect, in scikit-optimize neither."),
    "args": (
        "OptimizeResult or pair",
        "Results, pairs (label, result), or pairs (label, list of results), of which the mean is drawn.",
    ),
    "result": ("OptimizeResult", "The run."),
    "res": ("OptimizeResult", "A result, whose last model is asked."),
    "true_minimum": ("float or None", "The least value that there can be, drawn as a line."),
    "yscale": ("str or None", '"log" for a logarithmic axis.'),
    "plot_dims": (
        "sequence of str or int, or None",
        "Which dimensions to draw, by name or number; None: all that have more than one value.",
    ),
    "dimension_identifier": ("str or int", "The dimension, by name or number."),
    "dimension_identifier1": ("str or int", "The dimension along the horizontal axis, by name or number."),
    "dimension_identifier2": ("str or int", "The dimension along the vertical axis, by name or number."),
    "ax": ("matplotlib.axes.Axes or None", "Axes to draw into; None takes the present ones."),
    "settings": ("object", "Those of scikit-optimize are kept and have no effect."),
    "search_space": ("mapping", "Dimensions by name."),
    "point_as_list": ("sequence", "Values in the order of the names."),
    "point_as_dict": ("mapping", "Values by name."),
    "n_samples": ("int", "How many points."),
    "n_iter": ("int", "How many evaluations to make."),
    "space_constraint": ("callable or None", "A function of a point that says whether it may be evaluated."),
    "avoid_duplicates": ("bool", "Whether no point is proposed twice."),
    **dict.fromkeys(
        (
            *("acq_optimizer_kwargs", "cmap", "hspace", "levels", "minimum", "n_jobs", "n_minimum_search", "n_points"),
            *("n_restarts_optimizer", "sample_source", "show_points", "size", "wspace", "zscale"),
        ),
        ("object", "It has no effect."),
    ),
}


def explained(**special: tuple[str, str]) -> Callable[[Taker], Taker]:
    """Add the Parameters to the docstring of a function or class; `special` has those that mean something else."""

    def with_meanings(taker: Taker) -> Taker:
        lines: list[str] = []
        for name, parameter in inspect.signature(taker).parameters.items():
            if name != "self":
                kind, meaning = (ARGUMENTS | special)[name]
                default = parameter.empty if "default:" in kind else parameter.default
                lines += entry(str(parameter).partition(":")[0], kind, default, meaning)
        taker.__doc__ = with_parameters(inspect.cleandoc(taker.__doc__ or ""), lines)
        return taker

    return with_meanings
