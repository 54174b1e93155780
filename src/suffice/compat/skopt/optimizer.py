"""The optimizer of scikit-optimize around a study of this library: by ask and tell, and as functions.

A run evaluates the points that were given, then the initial ones, then those that the model proposes.
"""

import copy
import numbers
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.random import Generator

import suffice.study.optimizer as native
from suffice.acquisition import MES, PI, UCB, Acquisition, Constant, LogEI, LookAround
from suffice.belief import Beliefs
from suffice.checks import NOTHING
from suffice.compat.skopt.arguments import (
    Border,
    as_random_state,
    check_x_in_space,
    drawn_seed,
    explained,
    is_2d_listlike,
    is_listlike,
    is_point,
    one_of,
)
from suffice.compat.skopt.callbacks import VerboseCallback, check_callback
from suffice.compat.skopt.sampler import cook_initial_point_generator
from suffice.compat.skopt.space import Space
from suffice.compat.skopt.utils import REGRESSOR, OptimizeResult, Surrogate, create_result, eval_callbacks, study_of
from suffice.errors import SpaceExhausted
from suffice.gp.model import GP
from suffice.record.trial import Trial
from suffice.types import Domain, Score, Step

__all__ = ["Optimizer", "base_minimize", "dummy_minimize", "forest_minimize", "gbrt_minimize", "gp_minimize"]

XI, KAPPA = 0.01, 1.96  # scikit-optimize's defaults


@explained()
class Optimizer:
    """Ask for points and tell their values, while the program evaluates them.

    Its attributes `Xi` and `yi` are the observed points and values, `models` predict the objective, and `suffice` is
    the underlying study.
    """

    def __init__(
        self,
        dimensions: Any,
        base_estimator: Any = "gp",
        n_random_starts: int | None = None,
        n_initial_points: int = 10,
        initial_point_generator: Any = "random",
        n_jobs: int = 1,
        acq_func: str = "gp_hedge",
        acq_optimizer: str = "auto",
        random_state: Any = None,
        model_queue_size: int | None = None,
        space_constraint: Callable[[Any], Any] | None = None,
        acq_func_kwargs: Mapping[str, Any] | None = None,
        acq_optimizer_kwargs: Mapping[str, Any] | None = None,
        avoid_duplicates: bool = True,
    ) -> None:
        given = {name: value for name, value in locals().items() if name != "self"}
        self.specs: dict[str, Any] = {"args": given, "function": "Optimizer"}
        self.rng = as_random_state(random_state)
        n_initial_points = _renamed(n_random_starts, n_initial_points)
        if n_initial_points < 0:
            raise ValueError(f"n_initial_points must be 0 or more: got {n_initial_points}")
        one_of(acq_optimizer, ("auto", "lbfgs", "sampling"), "acq_optimizer")
        if not (model_queue_size is None or isinstance(model_queue_size, int)):
            raise TypeError(f"model_queue_size must be a whole number or None: got {model_queue_size!r}")
        if not (space_constraint is None or callable(space_constraint)):
            raise ValueError(f"space_constraint must be a function of a point, or None: got {space_constraint!r}")
        self.acq_func, self.acq_func_kwargs = acq_func, acq_func_kwargs
        self.acq_optimizer, self.acq_optimizer_kwargs = acq_optimizer, dict(acq_optimizer_kwargs or {})
        self.avoid_duplicates, self.max_model_queue_size = avoid_duplicates, model_queue_size
        self.n_initial_points_ = self._n_initial_points = n_initial_points
        rule_of(acq_func, acq_func_kwargs)  # refuses what is not here
        self.base_estimator_ = None if base_estimator is None else model_of(base_estimator)
        generator = cook_initial_point_generator(initial_point_generator)
        self.space = Space(dimensions, constraint=space_constraint).normalized()
        self._border, self._seed = Border.of(self.space), drawn_seed(self.rng)
        self._initial_samples: list[list[Any]] | None = None
        if generator is not None:
            where: Any = self.space.dimensions if space_constraint is None else self.space
            self._initial_samples = list(generator.generate(where, n_initial_points, random_state=self._seed))
        self.models: list[Surrogate] = []
        self.Xi: list[Any] = []
        self.yi: list[Any] = []
        self._asked: list[list[Any]] = []  # since the last telling: to ask again gives the same again
        self._open: list[tuple[list[Any], Trial]] = []  # proposed by the model and not told yet
        self.suffice = self._new_study()

    def __repr__(self) -> str:
        least = f", least value {self.get_result().fun:g}" if self.Xi else ""
        return f"<Optimizer of {self.space.n_dims} dimensions, {len(self.Xi)} evaluations{least}>"

    def _new_study(self) -> native.Optimizer:
        """A study of all that was told, with the rule as it is now."""
        options = {"seed": self._seed, "model": self.base_estimator_, "repeat": not self.avoid_duplicates}
        rule = rule_of(self.acq_func, self.acq_func_kwargs)
        return study_of(self._border, self.Xi, self.yi, acquisition=rule, **options)

    @explained(returns=("Optimizer", "The copy."))
    def copy(self, random_state: Any = None) -> "Optimizer":
        """Make an independent copy of the optimizer."""
        other = copy.copy(self)
        for name in ("models", "Xi", "yi", "_asked", "_open"):
            setattr(other, name, list(getattr(self, name)))
        other.suffice, other.rng = copy.deepcopy(self.suffice), as_random_state(random_state)
        return other

    # ------------------------------------------------------------------ ask

    @explained(
        n_points="The number of points; None returns one, without a list.",
        strategy="It is checked but has no effect: pending points count with the model's prediction.",
        returns=("list", "The point, or the points."),
    )
    def ask(self, n_points: int | None = None, strategy: str = "cl_min") -> list[Any]:
        """The next point, or a list of n_points different ones for parallel evaluation.

        After the initial points, asking again without a new observation returns the same points.
        """
        if n_points is None:
            return self._next(1)[0]
        if not (isinstance(n_points, int) and n_points > 0):
            raise ValueError(f"n_points must be a whole number above 0, or None: got {n_points!r}")
        one_of(strategy, ("cl_min", "cl_mean", "cl_max"), "strategy")
        return self._next(n_points)

    def _next(self, n: int) -> list[list[Any]]:
        at_random = self.base_estimator_ is None
        if n == 1 and (self._n_initial_points > 0 or at_random):
            return [self._initial(0)]
        while len(self._asked) < n:
            place = len(self._asked)
            beginning = at_random or place < self._n_initial_points
            self._asked.append(self._initial(place) if beginning else self._modelled())
        return self._asked[:n]

    def _initial(self, place: int) -> list[Any]:
        """One of the points to begin with, so many places after the next."""
        samples = self._initial_samples
        number = self.n_initial_points_ - self._n_initial_points + place
        if samples is None or not 0 <= number < len(samples):
            return self.space.rvs(random_state=self.rng)[0]
        return samples[number]

    def _modelled(self) -> list[Any]:
        if not self.Xi and self.n_initial_points_ == 0:
            raise RuntimeError("there are no observations yet: tell a point, or give n_initial_points above 0")
        try:
            trial = self.suffice.ask()
        except SpaceExhausted:
            point = self.space.rvs(random_state=self.rng)[0]
            warnings.warn(
                f"The objective has been evaluated at point {point} before: all points of the space were proposed, "
                "and this is a random one",
                UserWarning,
                stacklevel=4,
            )
            return point
        point = self._border.outward(trial.point)
        self._open.append((point, trial))
        return point

    # ------------------------------------------------------------------ tell

    @explained(
        x=("list", "A point, or a list of them."),
        y=("float or list of float", "Its value, or their values; nan and infinities mark failed evaluations."),
        fit="False adds nothing to `models`; the next point uses the value in any case.",
    )
    def tell(self, x: Any, y: Any, fit: bool = True) -> OptimizeResult:
        """Record the value at a point, or at several: a list of points and a list of values."""
        points, values = as_told(x, y, self.space)
        with self.suffice.together():
            for point, value in zip(points, values, strict=True):
                known = next((i for i, (asked, _) in enumerate(self._open) if asked == list(point)), None)
                place = self._border.inward(point) if known is None else self._open.pop(known)[1]
                self.suffice.tell(place, value)
        self.Xi.extend(points)
        self.yi.extend(values)
        self._n_initial_points -= len(points)
        self._asked = []
        if fit and self._n_initial_points <= 0 and self.base_estimator_ is not None:
            rule = self.suffice.settings.acquisition
            self.models.append(Surrogate(self.space, self.Xi, self.yi, self.base_estimator_, rule))
            if self.max_model_queue_size is not None:
                self.models = self.models[-self.max_model_queue_size :] if self.max_model_queue_size > 0 else []
        return self.get_result()

    @explained()
    def run(self, func: Callable[[list[Any]], Any], n_iter: int = 1) -> OptimizeResult:
        """Ask, evaluate and tell, n_iter times."""
        for _ in range(n_iter):
            x = self.ask()
            self.tell(x, func(x))
        return self.get_result()

    def update_next(self) -> None:
        """Propose new points, after a change of acq_func or acq_func_kwargs."""
        self._asked, self._open = [], []
        self.suffice = self._new_study()

    def get_result(self) -> OptimizeResult:
        """The result so far.

        Returns
        -------
        OptimizeResult
            The best point, its value and every evaluation.
        """
        return create_result(
            list(self.Xi),
            self.yi,
            self.space,
            self.rng,
            specs=self.specs,
            models=list(self.models),
            history=self.suffice.history,
        )


def _renamed(n_random_starts: int | None, n_initial_points: int) -> int:
    """The number of initial points, by its older name if that is given."""
    if n_random_starts is None:
        return n_initial_points
    warnings.warn("n_random_starts is deprecated: use n_initial_points", DeprecationWarning, stacklevel=3)
    return n_random_starts


def as_told(x: Any, y: Any, space: Space) -> tuple[list[Any], list[Any]]:
    """The points and the values, of the same number."""
    check_x_in_space(x, space)
    if isinstance(y, np.ndarray) and y.ndim == 1:
        y = y.tolist()
    if isinstance(y, numbers.Number) and is_point(x, space):
        return [x], [y]
    if not (is_listlike(y) and is_2d_listlike(x)):
        raise ValueError(
            f"the value of a point must be one number: got {y!r} of type {type(y).__name__}; for several points pass "
            "a list of points and a list of their values"
        )
    if len(x) != len(y):
        raise ValueError(f"every point needs its value: got {len(x)} points and {len(y)} values")
    for value in y:
        if not isinstance(value, numbers.Number):
            raise ValueError(f"the values must be numbers: got {value!r} of type {type(value).__name__}")
    return list(x), list(y)


@explained()
def gp_minimize(
    func: Callable[[list[Any]], Any],
    dimensions: Any,
    base_estimator: Any = None,
    n_calls: int = 100,
    n_random_starts: int | None = None,
    n_initial_points: int = 10,
    initial_point_generator: Any = "random",
    acq_func: str = "gp_hedge",
    acq_optimizer: str = "auto",
    x0: Any = None,
    y0: Any = None,
    random_state: Any = None,
    verbose: bool = False,
    callback: Any = None,
    n_points: int = 10_000,
    n_restarts_optimizer: int = 5,
    xi: float = XI,
    kappa: float = KAPPA,
    noise: Any = "gaussian",
    n_jobs: int = 1,
    model_queue_size: int | None = None,
    space_constraint: Callable[[Any], Any] | None = None,
) -> OptimizeResult:
    """Find the point where func is smallest, in n_calls evaluations.

    Examples
    --------
    >>> from suffice.compat.skopt import gp_minimize
    >>> def f(point):
    ...     return (point[0] - 2) ** 2
    >>> result = gp_minimize(f, [(-5.0, 5.0)], n_calls=15, random_state=0)
    >>> round(result.x[0], 1)
    2.0
    """
    given = dict(locals())
    variance = given.pop("noise")
    if base_estimator is None:
        given["base_estimator"] = model_of(None, variance)
    return base_minimize(**given)


@explained()
def dummy_minimize(
    func: Callable[[list[Any]], Any],
    dimensions: Any,
    n_calls: int = 100,
    initial_point_generator: Any = "random",
    x0: Any = None,
    y0: Any = None,
    random_state: Any = None,
    verbose: bool = False,
    callback: Any = None,
    model_queue_size: int | None = None,
    init_point_gen_kwargs: Any = None,
    space_constraint: Callable[[Any], Any] | None = None,
) -> OptimizeResult:
    """Evaluate func at n_calls random points, those of x0 included, and return the result."""
    given = dict(locals())
    given.pop("init_point_gen_kwargs")
    evaluated = len(_as_points(x0)) if y0 is None else 0
    n_initial_points = n_calls - evaluated
    return base_minimize(base_estimator="dummy", acq_optimizer="sampling", n_initial_points=n_initial_points, **given)


def _without_trees(given: str) -> str:
    return (
        f"{given}: forests and boosted trees are not available: the only model is a Gaussian process, which supports "
        "integers and categories as well; use base_estimator='GP', or gp_minimize"
    )


def forest_minimize(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse, since there are no trees here: take gp_minimize, with the same arguments but for base_estimator.

    Parameters
    ----------
    *args, **kwargs : object
        Whatever it is, NotImplementedError is raised.
    """
    raise NotImplementedError(_without_trees("forest_minimize"))


def gbrt_minimize(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse, since there are no trees here: take gp_minimize, with the same arguments but for base_estimator.

    Parameters
    ----------
    *args, **kwargs : object
        Whatever it is, NotImplementedError is raised.
    """
    raise NotImplementedError(_without_trees("gbrt_minimize"))


def base_minimize(
    func: Callable[[list[Any]], Any],
    dimensions: Any,
    base_estimator: Any,
    n_calls: int = 100,
    n_random_starts: int | None = None,
    n_initial_points: int = 10,
    initial_point_generator: Any = "random",
    acq_func: str = "EI",
    acq_optimizer: str = "lbfgs",
    x0: Any = None,
    y0: Any = None,
    random_state: Any = None,
    verbose: bool = False,
    callback: Any = None,
    n_points: int = 10_000,
    n_restarts_optimizer: int = 5,
    xi: float = XI,
    kappa: float = KAPPA,
    n_jobs: int = 1,
    model_queue_size: int | None = None,
    space_constraint: Callable[[Any], Any] | None = None,
) -> OptimizeResult:
    """Evaluate func n_calls times, at x0 first where y0 is not given, and return the result.

    The arguments are those of `gp_minimize`; the model is `base_estimator`.
    """
    specs = {"args": dict(locals()), "function": "base_minimize"}
    points = _as_points(x0)
    n_initial_points = _renamed(n_random_starts, n_initial_points)
    if n_initial_points <= 0 and not points:
        raise ValueError("there are no points to start with: give n_initial_points above 0, or x0")
    values = None if y0 is None else list(y0) if isinstance(y0, Iterable) else [y0]  # None: they are to be evaluated
    given = 0 if values else len(points)
    if n_calls < (needed := n_initial_points + given):
        raise ValueError(
            f"n_calls must be at least {needed}, for {n_initial_points} initial points and {given} of x0: got {n_calls}"
        )
    optimizer = Optimizer(
        dimensions,
        base_estimator,
        n_initial_points=n_initial_points + len(points),
        initial_point_generator=initial_point_generator,
        n_jobs=n_jobs,
        acq_func=acq_func,
        acq_optimizer=acq_optimizer,
        random_state=random_state,
        model_queue_size=model_queue_size,
        space_constraint=space_constraint,
        acq_optimizer_kwargs={"n_points": n_points, "n_restarts_optimizer": n_restarts_optimizer, "n_jobs": n_jobs},
        acq_func_kwargs={"xi": xi, "kappa": kappa},
    )
    optimizer.specs = specs
    callbacks = check_callback(callback)
    if verbose:
        callbacks = [*callbacks, VerboseCallback(n_calls, n_init=given, n_random=n_initial_points)]
    return _run(optimizer, func, n_calls, points, values, callbacks)


def _run(
    optimizer: Optimizer,
    func: Callable[[list[Any]], Any],
    n_calls: int,
    points: list[Any],
    values: list[Any] | None,
    callbacks: list[Any],
) -> OptimizeResult:
    wrong = [point for point in points if len(point) != optimizer.space.n_dims]
    if wrong:
        raise RuntimeError(f"the points of x0 must have {optimizer.space.n_dims} values: got {wrong[0]!r}")
    enough = False
    if points:
        if values is None:
            check_x_in_space(points, optimizer.space)
            values = [func(point) for point in points]
            n_calls -= len(points)
        enough = eval_callbacks(callbacks, optimizer.tell(points, values))
    while n_calls > 0 and not enough:
        x = optimizer.ask()
        enough = eval_callbacks(callbacks, optimizer.tell(x, func(x)))
        n_calls -= 1
    return optimizer.get_result()


def _as_points(x0: Any) -> list[Any]:
    """A list of points, from one point or a list of them."""
    if x0 is None or (isinstance(x0, list | tuple) and not x0):
        return []
    several = x0 if isinstance(x0[0], list | tuple) else [x0]
    if not isinstance(several, list):
        raise ValueError(f"x0 must be a point or a list of points: got {type(x0).__name__}")
    return several


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
    kappa = 1.0 / NOTHING if kappa == "inf" else float(kappa)  # beside so many deviations the mean decides nothing
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
            f"acq_func={acq_func!r}: 'EIps' and 'PIps' are not available: they need a second model of the evaluation "
            "time; return the value alone, and use acq_func='EI' or 'PI'"
        )
    if acq_func == "PVRS":
        raise NotImplementedError(
            "acq_func='PVRS' is not available; 'MES' has the same aim, information about the minimum"
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
            raise NotImplementedError(_without_trees(f"base_estimator={base_estimator!r}"))
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
