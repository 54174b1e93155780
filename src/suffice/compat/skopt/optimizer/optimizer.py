"""Ask for points and tell their values, as with scikit-optimize's Optimizer, around a study of this library."""

import copy
import warnings
from collections.abc import Callable, Mapping
from numbers import Number
from typing import Any

import numpy as np

import suffice.study.optimizer as native
from suffice.compat.skopt.arguments import explained, model_of, rule_of
from suffice.compat.skopt.points import Border
from suffice.compat.skopt.result import OptimizeResult, Surrogate, create_result
from suffice.compat.skopt.sampler import cook_initial_point_generator
from suffice.compat.skopt.space import Space
from suffice.compat.skopt.space.dimensions import as_random_state, drawn_seed
from suffice.errors import SpaceExhausted
from suffice.record.trial import Trial

#| -- compat.skopt.optimizer.telling: What a program may tell: one point with its value, or lists of both.


def is_listlike(x: Any) -> bool:
    """Whether it is a list or a tuple, as points are."""
    return isinstance(x, list | tuple)


def is_2d_listlike(x: Any) -> bool:
    """Whether all of its items are lists or tuples, as the items of a list of points are."""
    return all(is_listlike(one) for one in x)


def check_x_in_space(x: Any, space: Space) -> None:
    """ValueError if a point, or one of a list of points, is none of the space."""
    several = is_listlike(x) and is_2d_listlike(x) and not _is_point(x, space)
    for point in x if several else [x]:
        if not _is_point(point, space):
            raise ValueError(f"{point!r} is no point of the space, whose bounds are {space.bounds}")


def _is_point(x: Any, space: Space) -> bool:
    return is_listlike(x) and len(x) == space.n_dims and x in space


def as_told(x: Any, y: Any, space: Space) -> tuple[list[Any], list[Any]]:
    """The points and the values, of the same number."""
    check_x_in_space(x, space)
    if isinstance(y, np.ndarray) and y.ndim == 1:
        y = y.tolist()
    if isinstance(y, Number) and _is_point(x, space):
        return [x], [y]
    if not (is_listlike(y) and is_2d_listlike(x)):
        raise ValueError(
            f"the value of a point must be one number: got {y!r} of type {type(y).__name__}; several points are told "
            "as a list of points and a list of their values"
        )
    if len(x) != len(y):
        raise ValueError(f"every point needs its value: got {len(x)} points and {len(y)} values")
    for value in y:
        if not isinstance(value, Number):
            raise ValueError(f"the values must be numbers: got {value!r} of type {type(value).__name__}")
    return list(x), list(y)


STRATEGIES = ("cl_min", "cl_mean", "cl_max")
SEARCHES = ("auto", "sampling", "lbfgs")


@explained
class Optimizer:
    """Propose points and learn from their values, while the program does the evaluations.

    Its attributes `Xi` and `yi` are the points and values told so far, `models` predict the objective, and `suffice` is
    the study within.
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
        if n_random_starts is not None:
            warnings.warn("n_random_starts is called n_initial_points now", DeprecationWarning, stacklevel=2)
            n_initial_points = n_random_starts
        if n_initial_points < 0:
            raise ValueError(f"n_initial_points must be 0 or more: got {n_initial_points}")
        if acq_optimizer not in SEARCHES:
            raise ValueError(f"acq_optimizer must be 'auto', 'lbfgs' or 'sampling': got {acq_optimizer!r}")
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
        study = native.Optimizer(
            self._border.inside,
            seed=self._seed,
            n_initial=0,  # the points to begin with are told from here
            model=self.base_estimator_,
            acquisition=rule_of(self.acq_func, self.acq_func_kwargs),
            repeat=not self.avoid_duplicates,
        )
        with study.together():
            for point, value in zip(self.Xi, self.yi, strict=True):
                study.tell(self._border.inward(point), value)
        return study

    def copy(self, random_state: Any = None) -> "Optimizer":
        """Make an optimizer that knows the same and goes on by itself.

        Parameters
        ----------
        random_state : int, RandomState or None, default: None
            Where its random choices come from.

        Returns
        -------
        Optimizer
            The copy.
        """
        other = copy.copy(self)
        for name in ("models", "Xi", "yi", "_asked", "_open"):
            setattr(other, name, list(getattr(self, name)))
        other.suffice, other.rng = copy.deepcopy(self.suffice), as_random_state(random_state)
        return other

    # ------------------------------------------------------------------ ask

    def ask(self, n_points: int | None = None, strategy: str = "cl_min") -> list[Any]:
        """The next point, or a list of n_points different ones for parallel evaluation.

        After the initial points, to ask again before anything is told gives the same points again.

        Parameters
        ----------
        n_points : int or None, default: None
            How many points; None returns one, without a list.
        strategy : str, default: 'cl_min'
            It is checked and has no effect: of points that are under way the model's own prediction is believed.

        Returns
        -------
        list
            The point, or the points.
        """
        if n_points is None:
            return self._next(1)[0]
        if not (isinstance(n_points, int) and n_points > 0):
            raise ValueError(f"n_points must be a whole number above 0, or None: got {n_points!r}")
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy must be one of {', '.join(map(repr, STRATEGIES))}: got {strategy!r}")
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
            raise RuntimeError("there is nothing to learn from yet: tell a point, or give n_initial_points above 0")
        try:
            trial = self.suffice.ask()
        except SpaceExhausted:
            point = self.space.rvs(random_state=self.rng)[0]
            warnings.warn(
                f"every point of the space has been proposed before: {point} is a random one", UserWarning, stacklevel=4
            )
            return point
        point = self._border.outward(trial.point)
        self._open.append((point, trial))
        return point

    # ------------------------------------------------------------------ tell

    def tell(self, x: Any, y: Any, fit: bool = True) -> OptimizeResult:
        """Say what the value at a point is, or at several: a list of points and a list of values.

        Parameters
        ----------
        x : list
            A point, or a list of them.
        y : float or list of float
            Its value, or theirs; nan and the infinities say that an evaluation failed.
        fit : bool, default: True
            False adds nothing to `models`; the next point takes account of the value in any case.

        Returns
        -------
        OptimizeResult
            What is known so far.
        """
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

    def run(self, func: Callable[[list[Any]], Any], n_iter: int = 1) -> OptimizeResult:
        """Ask, evaluate and tell, n_iter times.

        Parameters
        ----------
        func : callable
            The objective: it takes a list with a value for each dimension, and returns a number.
        n_iter : int, default: 1
            How many evaluations to make.

        Returns
        -------
        OptimizeResult
            What is known then.
        """
        for _ in range(n_iter):
            x = self.ask()
            self.tell(x, func(x))
        return self.get_result()

    def update_next(self) -> None:
        """Propose anew, after a change of acq_func or acq_func_kwargs."""
        self._asked, self._open = [], []
        self.suffice = self._new_study()

    def get_result(self) -> OptimizeResult:
        """What is known so far.

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
