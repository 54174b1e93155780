"""The arguments of scikit-optimize: what each means here, described once for all docstrings, and how they are read.

Points are lists there, and have names in a study: `Border` leads from one to the other.
"""

import inspect
import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

import suffice.space as native
from suffice.integrations.sklearn.space import as_parameter
from suffice.record.options import entry, in_words, with_parameters

Taker = TypeVar("Taker", bound=Callable[..., Any])

# The meaning of each argument; with its kind, where the annotation does not say it.
ARGUMENTS: dict[str, str | tuple[str, str]] = {
    "func": "The objective: a function of a list with a value for each dimension that returns a number.",
    "dimensions": ("list", "The search space: Real, Integer, Categorical, or their abbreviations."),
    "low": ("float", "The lower bound."),
    "high": ("float", "The upper bound."),
    "prior": ("{'uniform', 'log-uniform'}", '"log-uniform" where the order of magnitude matters.'),
    "base": "The base of the logarithm in the transformed space; it changes no point.",
    "transform": '"identity" or "normalize".',
    "name": "The name of the argument, for `use_named_args`.",
    "base_estimator": (
        "str, model or None",
        '"GP", or a model of this library such as sf.GP(kernel=sf.gp.RBF()). None is a Gaussian process for '
        'gp_minimize and, as "dummy", random points for an Optimizer.',
    ),
    "n_calls": "The number of evaluations, including x0 and the initial points.",
    "n_random_starts": "A deprecated name of n_initial_points.",
    "n_initial_points": "Points before the first of the model's: for gp_minimize in addition to x0, for an Optimizer "
    "including recorded points.",
    "initial_point_generator": ("str or object", '"random", "sobol", "halton", "hammersly", "lhs" or "grid".'),
    "acq_func": '"gp_hedge" (this library\'s default rule), "EI", "LCB", "PI" or "MES".',
    "acq_func_kwargs": "The xi and kappa of these acquisition functions.",
    "acq_optimizer": "It is checked but has no effect: acquisition maximization ends when it is accurate enough.",
    "x0": ("list or None", "A point or a list of points to evaluate first."),
    "y0": (
        "list, float or None",
        "Their values, if known; these points are not evaluated and do not count as n_calls.",
    ),
    "random_state": ("int, RandomState or None", "A seed that makes the run reproducible."),
    "verbose": "Whether to print progress.",
    "callback": (
        "callable or list",
        "A function of the result so far, or a list of them; if one returns True, the run ends.",
    ),
    "xi": 'The least improvement that counts for "EI" and "PI", in standard deviations of the values.',
    "kappa": 'How many standard deviations "LCB" looks below the prediction.',
    "noise": ("str or float", '"gaussian": fitted; or the variance of the noise, in the objective\'s units.'),
    "model_queue_size": "The number of models to keep; None keeps all.",
    "init_point_gen_kwargs": "It has no effect, as in scikit-optimize.",
    "args": (
        "OptimizeResult or pair",
        "Results, pairs (label, result), or pairs (label, list of results), whose mean is plotted.",
    ),
    "result": "The run.",
    "res": "A result, whose last model is used.",
    "true_minimum": "The true minimum, drawn as a line.",
    "yscale": '"log" for a logarithmic axis.',
    "plot_dims": "Which dimensions to draw, by name or number; None takes all with more than one value.",
    "dimension_identifier": "The dimension, by name or number.",
    "dimension_identifier1": "The dimension along the horizontal axis, by name or number.",
    "dimension_identifier2": "The dimension along the vertical axis, by name or number.",
    "ax": ("matplotlib.axes.Axes or None", "Axes to draw into; None takes the current ones."),
    "settings": "Accepted as in scikit-optimize, without effect.",
    "search_space": "Dimensions by name.",
    "point_as_list": "Values in the order of the names.",
    "point_as_dict": "Values by name.",
    "n_samples": "The number of points.",
    "n_iter": "The number of evaluations.",
    "space_constraint": "A function of a point that returns whether it is allowed.",
    "avoid_duplicates": "Whether to propose every point at most once.",
    **dict.fromkeys(
        (
            *("acq_optimizer_kwargs", "bins", "cmap", "hspace", "levels", "minimum", "n_jobs", "n_minimum_search"),
            *("n_points", "n_restarts_optimizer", "rotate_labels", "sample_source", "show_points", "size", "wspace"),
            "zscale",
        ),
        "It has no effect.",
    ),
}


def explained(*, returns: tuple[str, str] | None = None, **special: str | tuple[str, str]) -> Callable[[Taker], Taker]:
    """Complete the docstring of a function or class by its Parameters and what it returns.

    special    the arguments that mean something else, or occur only here
    returns    the kind and the meaning of the result, where it is not the usual one
    """

    def with_meanings(taker: Taker) -> Taker:
        signature, lines = inspect.signature(taker), list[str]()
        for name, parameter in signature.parameters.items():
            if name != "self":
                said = (ARGUMENTS | special)[name]
                kind, meaning = (in_words(parameter.annotation), said) if isinstance(said, str) else said
                default = parameter.empty if "default:" in kind else parameter.default
                lines += entry(str(parameter).partition(":")[0], kind, default, meaning)
        usual = ("OptimizeResult", "The best point, its value and every evaluation.")
        result = usual if in_words(signature.return_annotation) == usual[0] else returns
        if result is not None:
            lines += ["", "Returns", "-------", result[0], f"    {result[1]}"]
        taker.__doc__ = with_parameters(inspect.cleandoc(taker.__doc__ or ""), lines)
        return taker

    return with_meanings


def one_of(word: Any, known: Iterable[str], what: str) -> Any:
    """The word, which must be one of those that are known."""
    if word not in (words := list(known)):
        raise ValueError(f"{what} must be one of {', '.join(map(repr, words))}: got {word!r}")
    return word


def as_random_state(given: Any) -> np.random.RandomState:
    """The generator that is meant; None, or `numpy.random` itself, is NumPy's global one, which np.random.seed sets."""
    if given is None or given is np.random:
        return np.random.RandomState(np.random.get_bit_generator())  # type: ignore[attr-defined]
    if isinstance(given, numbers.Integral):
        return np.random.RandomState(int(given))
    if isinstance(given, np.random.RandomState):
        return given
    raise ValueError(
        f"random_state must be None, a whole number or a numpy.random.RandomState: got {given!r} of type "
        f"{type(given).__name__}"
    )


def drawn_seed(rng: np.random.RandomState) -> int:
    """The seed of a study, drawn once: every random choice of the study follows from it."""
    return int(rng.randint(0, np.iinfo(np.int32).max))  # which every machine has


def is_listlike(x: Any) -> bool:
    """Whether it is a list or a tuple, as points are."""
    return isinstance(x, list | tuple)


def is_2d_listlike(x: Any) -> bool:
    """Whether all of its items are lists or tuples, as the items of a list of points are."""
    return all(is_listlike(one) for one in x)


def check_x_in_space(x: Any, space: Any) -> None:
    """ValueError if a point, or one of a list of points, is none of the space."""
    several = is_listlike(x) and is_2d_listlike(x) and not is_point(x, space)
    for point in x if several else [x]:
        if not is_point(point, space):
            raise ValueError(f"{point!r} is not a point of the space, whose bounds are {space.bounds}")


def is_point(x: Any, space: Any) -> bool:
    return is_listlike(x) and len(x) == space.n_dims and not any(isinstance(v, list) for v in x) and x in space


@dataclass(frozen=True, eq=False)
class Border:
    """Points on both sides: lists in the order of the dimensions, and a study's dicts by their names."""

    inside: native.Space
    dimensions: tuple[Any, ...]

    @classmethod
    def of(cls, space: Any) -> "Border":
        """The border of a space; dimensions that share a name are told apart by their places."""
        names, dimensions = space.dimension_names, tuple(space.dimensions)
        distinct = [f"{name}[{j}]" if names.count(name) > 1 else name for j, name in enumerate(names)]
        parameters = dict(zip(distinct, map(as_parameter, dimensions), strict=True))
        where = None if space.constraint is None else Where(space.constraint, dimensions)
        return cls(native.Space(parameters, where=where), dimensions)

    def inward(self, point: Sequence[Any]) -> dict[str, Any]:
        """A point of the study."""
        parts = zip(self.inside.names, point, self.dimensions, strict=True)
        return {name: dimension.inward(value) for name, value, dimension in parts}

    def outward(self, point: dict[str, Any]) -> list[Any]:
        """A point of the program."""
        return _typed(point, self.dimensions)


@dataclass(frozen=True)
class Where:
    """A constraint of the program, as a function of points of the study."""

    constraint: Callable[[Any], Any]
    dimensions: tuple[Any, ...]

    def __call__(self, point: dict[str, Any]) -> bool:
        return bool(self.constraint(_typed(point, self.dimensions)))


def _typed(point: dict[str, Any], dimensions: Sequence[Any]) -> list[Any]:
    """The values in the types of their dimensions."""
    return [dimension.typed(value) for value, dimension in zip(point.values(), dimensions, strict=True)]
