"""Hyper-parameter search with scikit-learn's convention: its cross-validation evaluates, a study proposes.

scikit-learn's BaseSearchCV has everything but the candidates: folds, scorers, processes, refit, metadata routing. A
subclass with other words for the same things overrides `_options` and `_spaces`.
"""

import math
import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.model_selection._search import BaseSearchCV  # the public module has its heirs alone

from suffice.checks import as_count
from suffice.integrations.sklearn.evaluation import Callbacks, Evaluation, folds
from suffice.integrations.sklearn.ledger import Ledger
from suffice.integrations.sklearn.race import check_version
from suffice.integrations.sklearn.rounds import as_searches, check_names, check_store, run_searches
from suffice.integrations.sklearn.words import answering
from suffice.study.early.rule import as_rule


class SufficeSearchCV(BaseSearchCV):  # type: ignore[misc]  # untyped
    """Search for the hyper-parameters with the best cross-validated score, as scikit-learn's searches do.

    What is maximized is the mean test score; with several scorers that of `refit`, and where refit is a function or
    False, that of the first. A candidate whose fit fails is a failed trial: the search learns to keep away from it.

    Parameters
    ----------
    estimator : estimator
        What is tuned: any of scikit-learn's convention, pipelines included.
    search_spaces : dict, Space, pair or list
        What is searched: a dict by the names of `estimator.get_params()`, such as "svc__C" in a pipeline, an sf.Space,
        a pair (space, n) with n trials, or a list of these, searched one after the other. A tuple of two numbers is a
        range, (1e-6, 1e6, "log-uniform") one on a log scale, a list has options (estimators too); SciPy's uniform,
        loguniform and randint are read as ranges.
    n_trials : int, default: 50
        How many candidates are cross-validated, for each space.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch : object
        As scikit-learn's RandomizedSearchCV has them.
    random_state, error_score, return_train_score : object
        As scikit-learn's RandomizedSearchCV has them.
    n_parallel : int or None, default: None
        How many candidates are evaluated at once. None takes as many as it needs to give each of `n_jobs` processes a
        fold, so that it depends on the machine if n_jobs is -1. The same random_state and n_parallel give the same
        search, whatever n_jobs is.
    n_initial : int or None, default: None
        How many candidates are spread over the space before the model chooses.
    early_stop : rule or None, default: None
        With sf.Race() the folds are evaluated one after the other, and candidates that are clearly worse are stopped
        after a few of them. Their missing folds have nan in `cv_results_`, and so has their mean; they are never the
        best. None evaluates every candidate on every fold.
    model, acquisition, solver, stop, callback, timeout, store : object
        As `sf.minimize` has them. The callback gets the result so far. Of a store, the study is made anew: a file that
        has one is refused.

    Attributes
    ----------
    best_params_, best_score_, best_estimator_, best_index_, cv_results_ : object
        As in scikit-learn, like all the others of its searches.
    result_ : Result
        The sf.Result of the search: `result_.plot()`, `result_.importance()`, …; of several spaces, the one with the
        best score. Options that are objects go by their names there.
    results_ : list of Result
        The results of all spaces.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from suffice.integrations.sklearn import SufficeSearchCV
    >>> space = {"C": (1e-3, 1e3, "log-uniform")}
    >>> search = SufficeSearchCV(SVC(), space, n_trials=8, random_state=0)
    >>> bool(search.fit(*load_iris(return_X_y=True)).best_score_ > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSearchCV._parameter_constraints,
        "n_trials": [Integral],
        "random_state": ["random_state"],
    }

    @answering
    def __init__(
        self,
        estimator: Any,
        search_spaces: Any,
        *,
        n_trials: int = 50,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        n_parallel: int | None = None,
        n_initial: int | None = None,
        early_stop: Any = None,
        model: Any = None,
        acquisition: Any = None,
        solver: Any = None,
        stop: Any = (),
        callback: Any = None,
        timeout: float | None = None,
        store: Any = None,
    ) -> None:
        self.search_spaces = search_spaces
        self.n_trials = n_trials
        self.random_state = random_state
        self.n_parallel = n_parallel
        self.n_initial = n_initial
        self.early_stop = early_stop
        self.model = model
        self.acquisition = acquisition
        self.solver = solver
        self.stop = stop
        self.callback = callback
        self.timeout = timeout
        self.store = store
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def _options(self) -> dict[str, Any]:
        """How to search, in the words of this class: what a subclass with other words has to say."""
        words = ("n_trials", "n_parallel", "n_initial", "early_stop", "model", "acquisition", "solver")
        return {word: getattr(self, word) for word in (*words, "stop", "callback", "timeout", "store")}

    def _spaces(self) -> Any:
        """What to search, as `as_parameter` reads it: what a subclass that reads spaces otherwise has to say."""
        return self.search_spaces

    def _run_search(self, evaluate_candidates: Callable[..., Any], *, callback_ctx: Any = None) -> None:
        """Called by `fit`: search every space, and fill in what scikit-learn will call cv_results_."""
        options = self._options()
        searches = as_searches(self._spaces(), options["n_trials"], self.random_state)
        check_names(self.estimator, searches)
        if options["store"] is not None:
            check_store(options["store"], len(searches))
        given, jobs = options["n_parallel"], effective_n_jobs(self.n_jobs)
        racing = as_rule(options.get("early_stop")) is not None
        if racing:
            check_version(self)
        width = math.ceil(jobs / (1 if racing else folds(self))) if given is None else as_count(given, "n_parallel", 1)
        self._ledger = Ledger(math.nan if self.error_score == "raise" else float(self.error_score))
        try:
            with Callbacks(self, callback_ctx) as callbacks:
                evaluate = Evaluation(self, evaluate_candidates, self._ledger, callbacks)
                self.results_ = run_searches(searches, evaluate, width, options)
            ledger, rows = self._ledger, self._ledger.completed()
            with warnings.catch_warnings():
                if racing:  # what was stopped has nan by intention
                    warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite", UserWarning)
                ledger.results |= super()._format_results(ledger.params, ledger.splits, rows)
        finally:
            del self._ledger
        ledger.warn_of_failures()
        self.result_ = max(self.results_, key=lambda result: -math.inf if math.isnan(result.fun) else result.fun)

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> dict[str, Any]:
        """Called by scikit-learn after each round with all rows: they are kept, and put into form once at the end."""
        ledger: Ledger | None = self.__dict__.get("_ledger")
        if ledger is None:
            formatted: dict[str, Any] = super()._format_results(candidate_params, n_splits, out, more_results)
            return formatted
        ledger.take(out, n_splits)
        return ledger.results
