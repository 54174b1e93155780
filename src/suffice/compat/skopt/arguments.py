"""What scikit-optimize's arguments mean here: a text for every docstring, the rule of `acq_func`, the model."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.random import Generator

from suffice.acquisition import MES, PI, UCB, Acquisition, Constant, LogEI, LookAround
from suffice.belief import Beliefs
from suffice.compat.skopt.dimensions import one_of
from suffice.compat.skopt.result import Surrogate
from suffice.gp.model import GP
from suffice.record.options import entry, with_parameters
from suffice.types import Domain, Score, Step

Taker = TypeVar("Taker", bound=Callable[..., Any])

XI, KAPPA = 0.01, 1.96  # scikit-optimize's defaults
TREES = (
    "forests and boosted trees are not here: the one model is a Gaussian process, which takes integers and categories "
    "as well; take base_estimator='GP', or gp_minimize"
)
REGRESSOR = (
    "a regressor of scikit-learn cannot be the model here, because the search needs more of it than predictions; take "
    "'GP', or a model of this library, such as sf.GP(kernel=sf.RBF(), noise=0.01)"
)
# The kind and the meaning of each argument.
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
    "acq_optimizer": ("str", "It is checked and has no effect: the search ends when it is accurate enough."),
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
    "xi": ("float", 'The least improvement that counts for "EI" and "PI", in standard deviations of the values.'),
    "kappa": ("float", 'How many standard deviations "LCB" looks below the prediction.'),
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


FARTHEST = 1e6  # in place of kappa="inf": so many standard deviations that the mean decides nothing


@dataclass(frozen=True)
class InTurn:
    """Several rules, one after the other: every step is taken by the next of them."""

    rules: tuple[Acquisition, ...]

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        rule = self.rules[(step.t - 1) % len(self.rules)]
        return rule(beliefs, domain, step=step, rng=rng)


def rule_of(acq_func: str, settings: Mapping[str, Any] | None) -> Acquisition:
    """The rule that is meant; `settings` may have xi and kappa.

    A negative xi, which asks for no improvement at all, counts as 0.

    "gp_hedge" is the default rule of this library, unless xi or kappa are set: then "EI", "LCB" and "PI" take turns.
    """
    given = {} if settings is None else dict(settings)
    xi, kappa = max(0.0, float(given.get("xi", XI))), given.get("kappa", KAPPA)
    kappa = FARTHEST if kappa == "inf" else float(kappa)
    known: dict[str, Callable[[], Acquisition]] = {
        "EI": lambda: LogEI(xi),
        "LCB": lambda: UCB(Constant(kappa)),
        "PI": lambda: PI(xi),
        "MES": MES,
    }
    if acq_func == "gp_hedge":
        steered = (xi, kappa) != (XI, KAPPA)
        return InTurn((known["EI"](), known["LCB"](), known["PI"]())) if steered else LookAround()
    if acq_func in ("EIps", "PIps"):
        raise NotImplementedError(
            f"acq_func={acq_func!r}: the rules per second, 'EIps' and 'PIps', are not here: they need a second model, "
            "of how long evaluations take; return the value alone, and take acq_func='EI' or 'PI'"
        )
    if acq_func == "PVRS":
        raise NotImplementedError(
            "acq_func='PVRS' is not here; 'MES' has the same aim, to learn more about the minimum with each point"
        )
    one_of(acq_func, ("gp_hedge", *known), "acq_func")
    return known[acq_func]()


def model_of(base_estimator: Any, noise: Any = "gaussian") -> Any:
    """The model, or None for random points.

    noise    "gaussian": its variance is fitted; or the variance itself, in the objective's units
    """
    if isinstance(base_estimator, str):
        word = base_estimator.upper()
        if word in ("RF", "ET", "GBRT"):
            raise NotImplementedError(f"base_estimator={base_estimator!r}: {TREES}")
        if word in ("GP", "DUMMY"):
            return None if word == "DUMMY" else gaussian_process(noise)
    if base_estimator is None:
        return gaussian_process(noise)
    if isinstance(base_estimator, Surrogate):  # of an earlier run: its data come along as x0 and y0
        return base_estimator.model
    # Models, and scikit-learn's regressors, may be classes of users: they are known by their methods.
    if not isinstance(base_estimator, type) and callable(base_estimator) and hasattr(base_estimator, "rebuild"):
        return base_estimator
    if hasattr(base_estimator, "fit") and hasattr(base_estimator, "predict"):
        raise NotImplementedError(f"base_estimator={type(base_estimator).__name__}: {REGRESSOR}")
    raise ValueError(f"base_estimator must be 'GP', 'dummy' or a model such as sf.GP(): got {base_estimator!r}")


def gaussian_process(noise: Any) -> GP:
    """The Gaussian process with noise that is fitted, or known."""
    if noise == "gaussian":
        return GP()
    if isinstance(noise, str) or noise is None:
        raise ValueError(f"noise must be 'gaussian' or a variance in the objective's units: got {noise!r}")
    return GP(noise=float(noise))
