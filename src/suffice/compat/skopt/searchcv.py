"""BayesSearchCV: scikit-optimize's search over the hyper-parameters of an estimator, around SufficeSearchCV."""

import copy
import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from suffice.checks import as_count
from suffice.compat.skopt.callbacks import check_callback
from suffice.compat.skopt.optimizer import model_of, rule_of
from suffice.compat.skopt.sampler import cook_initial_point_generator
from suffice.compat.skopt.space import Dimension, Space, check_dimension
from suffice.compat.skopt.utils import OptimizeResult, Surrogate, create_result, eval_callbacks
from suffice.integrations.sklearn import SufficeSearchCV
from suffice.integrations.sklearn.space import Labelled, as_spaces, labelled
from suffice.result.result import Result


class BayesSearchCV(SufficeSearchCV):
    """Search for the hyper-parameters with the best cross-validated score, with scikit-optimize's arguments.

    Those that are not explained here are scikit-learn's, and so are `best_params_`, `best_score_`, `best_estimator_`,
    `cv_results_`, …

    Parameters
    ----------
    estimator : estimator
        What is tuned.
    search_spaces : dict, pair or list
        A dict of dimensions by the names of the estimator's parameters, a pair (dict, n_iter), or a list of these,
        searched one after the other.
    optimizer_kwargs : mapping or None, default: None
        As `Optimizer` has them: base_estimator, n_initial_points, acq_func and acq_func_kwargs.
    n_iter : int, default: 50
        How many candidates are cross-validated, for each space.
    scoring : object
        As scikit-learn's RandomizedSearchCV has it.
    fit_params : mapping or None, default: None
        What the estimator's fit takes besides, as if it was given to `fit`.
    n_jobs : int or None, default: 1
        Processes, as scikit-learn has it.
    n_points : int, default: 1
        How many candidates at once.
    iid : object
        It has no effect.
    refit, cv, verbose, pre_dispatch, random_state, error_score, return_train_score : object
        As scikit-learn's RandomizedSearchCV has them.

    Attributes
    ----------
    optimizer_results_ : list of OptimizeResult
        A result for each space; its values are negated scores.
    result_ : Result
        The result as this library has it.
    """

    def __init__(
        self,
        estimator: Any,
        search_spaces: Any,
        optimizer_kwargs: Mapping[str, Any] | None = None,
        n_iter: int = 50,
        scoring: Any = None,
        fit_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = 1,
        n_points: int = 1,
        iid: Any = "deprecated",
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = "raise",
        return_train_score: bool = False,
    ) -> None:
        self.optimizer_kwargs = optimizer_kwargs
        self.fit_params = fit_params
        self.n_points = n_points
        self.iid = iid
        if iid != "deprecated":
            warnings.warn("iid has no effect", UserWarning, stacklevel=2)
        super().__init__(
            estimator,
            search_spaces,
            n_iter=n_iter,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            random_state=random_state,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self._spaces()  # refuses what is none, before any data are there

    def _spaces(self) -> Any:
        """The spaces, with a dimension for each parameter by scikit-optimize's rules."""
        return [
            _dimensions(space) if count is None else (_dimensions(space), count)
            for space, count in as_spaces(self.search_spaces)
        ]

    def _options(self) -> dict[str, Any]:
        """What scikit-optimize's arguments are called here."""
        given = dict(self.optimizer_kwargs or {})
        for idle in ("acq_optimizer", "acq_optimizer_kwargs", "avoid_duplicates", "model_queue_size", "n_jobs"):
            given.pop(idle, None)
        given.pop("random_state", None)  # that of the search counts
        cook_initial_point_generator(given.pop("initial_point_generator", None))
        model, n_initial = model_of(given.pop("base_estimator", None)), given.pop("n_initial_points", None)
        rule = rule_of(given.pop("acq_func", "gp_hedge"), given.pop("acq_func_kwargs", None))
        if given:
            raise TypeError(
                "optimizer_kwargs accepts base_estimator, n_initial_points, acq_func, acq_func_kwargs and "
                f"initial_point_generator: got {next(iter(given))!r}"
            )
        return super()._options() | {
            "n_parallel": as_count(self.n_points, "n_points", 1),
            "n_initial": n_initial if model is not None else max(n for _, n in self._counted()),
            "model": model,
            "acquisition": rule,
            "callback": self.__dict__.get("_callback"),
        }

    def _counted(self) -> Iterator[tuple[Any, int]]:
        """Each space, and how many candidates of it are evaluated."""
        for space, count in as_spaces(self.search_spaces):
            yield space, self.n_iter if count is None else count

    @property
    def total_iterations(self) -> int:
        """How many candidates are evaluated in all."""
        return sum(count for _, count in self._counted())

    @property
    def optimizer_results_(self) -> list[OptimizeResult]:
        """A result for each space, as in scikit-optimize: the values are negated scores."""
        from sklearn.utils.validation import check_is_fitted  # at the top it would hide MissingExtra

        check_is_fitted(self, "results_")
        return [reader(result) for reader, result in zip(self._readers(), self.results_, strict=True)]

    def _readers(self) -> list["Negated"]:
        return [Negated.of(space) for space, _ in as_spaces(self._spaces())]

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, callback: Any = None, **fit_params: Any) -> Any:
        """Search, and fit the estimator with the best parameters to all data.

        callback    a function of the result so far, or a list of them: one that returns True ends the search of the
                    space
        """
        callbacks, readers = check_callback(callback), self._readers()

        def heard(result: Result) -> bool:
            reader = next(one for one in readers if one.labelled.space == result.settings.space)
            return eval_callbacks(callbacks, reader(result))

        given = {**(self.fit_params or {}), **fit_params} | ({} if groups is None else {"groups": groups})
        self._callback = heard if callbacks else None
        try:
            super().fit(X, y, **given)
        finally:
            del self._callback
        if self.return_train_score:
            self._rank_train_scores()
        return self

    def _rank_train_scores(self) -> None:
        """As scikit-optimize has it, and scikit-learn not: the ranks of the train scores beside those of the test."""
        for name in [name for name in self.cv_results_ if name.startswith("mean_train_")]:
            ranks = rankdata(-np.asarray(self.cv_results_[name]), method="min").astype(int)
            self.cv_results_[name.replace("mean", "rank", 1)] = ranks


def _dimensions(space: Any) -> dict[str, Dimension]:
    """The dimensions by name, each a copy that knows its name."""
    if not isinstance(space, Mapping):
        raise TypeError(f"a search space is a dict of dimensions, or a pair (dict, n_iter): got {space!r}")
    found = {}
    for name, given in space.items():
        found[name] = copy.copy(check_dimension(given))
        found[name].name = name
    return found


@dataclass(frozen=True, eq=False)
class Negated:
    """Reads the results of one space as scikit-optimize has them: points in lists, and scores negated."""

    labelled: Labelled
    space: Space  # its dimensions in the order of their names

    @classmethod
    def of(cls, dimensions: Mapping[str, Dimension]) -> "Negated":
        """For the space of these dimensions."""
        ordered = [dimensions[name] for name in sorted(dimensions)]
        return cls(labelled(dimensions), Space(ordered).normalized())

    def __call__(self, result: Result) -> OptimizeResult:
        """The result so far: the least value is that of the best score."""
        done = [trial for trial in result.trials if trial.state in ("done", "failed")]
        points = [self._listed(trial.point) for trial in done]
        values = [math.nan if trial.value is None else -trial.value for trial in done]
        models = [] if self.labelled.objects else [Surrogate(self.space, points, values, result.settings.model)]
        return create_result(points, values, self.space, models=models, history=result.history)

    def _listed(self, point: Mapping[str, Any]) -> list[Any]:
        params = self.labelled.params(point)
        return [params[name] for name in sorted(params)]
