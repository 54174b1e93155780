"""Hyper-parameter search with scikit-learn's conventions: its cross-validation evaluates, a study proposes.

scikit-learn's BaseSearchCV has everything but the candidates: folds, scorers, processes, refit, metadata routing. Its
method `_run_search` is for subclasses to override. Here it asks a study for a round of candidates, lets scikit-learn
evaluate them (evaluation.py) and records their scores. A subclass with other words for the same things
overrides `_options` and `_spaces`.
"""

import functools
import inspect
import math
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, ParamSpec, TypeAlias

import numpy as np
from joblib import effective_n_jobs
from sklearn.model_selection._search import BaseSearchCV  # the public module has its heirs alone
from sklearn.utils import check_random_state

from suffice.aliases import meaning
from suffice.checks import as_count
from suffice.errors import SpaceExhausted
from suffice.integrations.sklearn.evaluation import Callbacks, Evaluation, Judge, Ledger, Outcome, check_version, folds
from suffice.integrations.sklearn.space import Labelled, as_spaces, labelled
from suffice.pruning import as_rule
from suffice.record.arguments import as_seed
from suffice.record.settings import initial_points
from suffice.record.trial import Trial
from suffice.result.result import Result
from suffice.run.interrupts import Rescued
from suffice.run.loop import Limits, as_limits
from suffice.space.parameters import nearest_name
from suffice.study.optimizer import Optimizer

P = ParamSpec("P")
Evaluate: TypeAlias = Callable[[list[dict[str, Any]], int, Judge | None], Sequence[Outcome]]

ALIASES = {  # arguments of `sf.minimize` and of other searches, and what they are called here
    **{"n_trials": "n_iter", "space": "search_spaces", "seed": "random_state", "progress": "verbose"},
    **{"n_points": "n_parallel", "score": "scoring", "scorer": "scoring", "metric": "scoring"},
}


def answering(init: Callable[P, None]) -> Callable[P, None]:
    """Make an `__init__` answer an unknown argument with the one to write instead.

    A wrapper, since scikit-learn reads the arguments off the signature and takes a `**others` for one of them.
    """
    known = list(inspect.signature(init).parameters)[1:]

    @functools.wraps(init)
    def answered(*args: P.args, **kwargs: P.kwargs) -> None:
        for word in kwargs:
            if word not in known:
                ours = meaning(word) or word
                here = ALIASES.get(ours, ours)
                instead = f"it is called {here!r} here" if here in known else nearest_name(word, known)
                raise TypeError(f"{type(args[0]).__name__} has no argument {word!r}: {instead}")
        init(*args, **kwargs)

    return answered


class SufficeSearchCV(BaseSearchCV):  # type: ignore[misc]  # untyped
    """Search for the hyper-parameters with the best cross-validated score, as scikit-learn's searches do.

    The search maximizes the mean test score; with several scorers that of `refit`, and where refit is a function or
    False, that of the first. A candidate whose fit fails is a failed trial: the search learns to avoid it.

    Parameters
    ----------
    estimator : estimator
        The estimator to tune: any scikit-learn estimator, including pipelines.
    search_spaces : dict, Space, pair or list
        The search space: a dict by the names of `estimator.get_params()`, such as "svc__C" in a pipeline, an sf.Space,
        a pair (space, n) with n candidates, or a list of these, searched one after the other. A tuple of two numbers is
        a range, (1e-6, 1e6, "log-uniform") one on a log scale, a list has options (estimators too); SciPy's uniform,
        loguniform and randint are read as ranges.
    n_iter : int, default: 50
        The number of candidates to cross-validate, for each space.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch : object
        As scikit-learn's RandomizedSearchCV has them.
    random_state, error_score, return_train_score : object
        As scikit-learn's RandomizedSearchCV has them.
    n_parallel : int or None, default: None
        The number of candidates evaluated at a time. None takes enough to give each of the `n_jobs` processes a fold,
        which depends on the machine if n_jobs is -1. The same random_state and n_parallel give the same search,
        whatever n_jobs is.
    n_initial : int or None, default: None
        The number of candidates in the initial design.
    pruner : rule or None, default: None
        With sf.pruning.Race() the folds are evaluated one after the other, and clearly worse candidates are pruned
        after a few of them. Their missing folds have nan in `cv_results_`, and so has their mean; they are never the
        best. None evaluates every candidate on every fold.
    model, acquisition, solver, stop, callback, timeout, storage : object
        As in `sf.minimize`. The callback gets the result so far. `storage` must be a new file: one that already holds a
        study raises ValueError.

    Attributes
    ----------
    best_params_, best_score_, best_estimator_, best_index_, cv_results_ : object
        As in scikit-learn, like all the others of its searches.
    result_ : Result
        The sf.Result of the search: `result_.plot()`, `result_.importance()`, …; with several spaces, the one with the
        best score. Options that are objects appear by their names.
    results_ : list of Result
        The results of all spaces.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from suffice.integrations.sklearn import SufficeSearchCV
    >>> space = {"C": (1e-3, 1e3, "log-uniform")}
    >>> search = SufficeSearchCV(SVC(), space, n_iter=8, random_state=0)
    >>> bool(search.fit(*load_iris(return_X_y=True)).best_score_ > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSearchCV._parameter_constraints,
        "n_iter": [Integral],
        "random_state": ["random_state"],
    }

    @answering
    def __init__(
        self,
        estimator: Any,
        search_spaces: Any,
        *,
        n_iter: int = 50,
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
        pruner: Any = None,
        model: Any = None,
        acquisition: Any = None,
        solver: Any = None,
        stop: Any = (),
        callback: Any = None,
        timeout: float | None = None,
        storage: Any = None,
    ) -> None:
        self.search_spaces = search_spaces
        self.n_iter = n_iter
        self.random_state = random_state
        self.n_parallel = n_parallel
        self.n_initial = n_initial
        self.pruner = pruner
        self.model = model
        self.acquisition = acquisition
        self.solver = solver
        self.stop = stop
        self.callback = callback
        self.timeout = timeout
        self.storage = storage
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
        """How to search, by the arguments of this class; a subclass with other arguments translates them here."""
        words = ("n_iter", "n_parallel", "n_initial", "pruner", "model", "acquisition", "solver")
        return {word: getattr(self, word) for word in (*words, "stop", "callback", "timeout", "storage")}

    def _spaces(self) -> Any:
        """What to search, as `as_parameter` reads it; a subclass that reads spaces otherwise translates them here."""
        return self.search_spaces

    def _run_search(self, evaluate_candidates: Callable[..., Any], *, callback_ctx: Any = None) -> None:
        """Called by `fit`: search every space, and fill in what scikit-learn will call cv_results_."""
        options = self._options()
        searches = as_searches(self._spaces(), options["n_iter"], self.random_state)
        check_names(self.estimator, searches)
        if options["storage"] is not None:
            check_store(options["storage"], len(searches))
        given, jobs = options["n_parallel"], effective_n_jobs(self.n_jobs)
        racing = as_rule(options.get("pruner")) is not None
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
                if racing:  # stopped candidates have nan on purpose
                    warnings.filterwarnings("ignore", "One or more of the .* scores are non-finite", UserWarning)
                ledger.results |= super()._format_results(ledger.params, ledger.splits, rows)
        finally:
            del self._ledger
        ledger.warn_of_failures()
        self.result_ = max(self.results_, key=lambda result: -math.inf if math.isnan(result.fun) else result.fun)

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> dict[str, Any]:
        """Called by scikit-learn after each round with all rows: the ledger keeps them, and they are formatted once."""
        ledger: Ledger | None = self.__dict__.get("_ledger")
        if ledger is None:
            formatted: dict[str, Any] = super()._format_results(candidate_params, n_splits, out, more_results)
            return formatted
        ledger.take(out, n_splits)
        return ledger.results


@dataclass(frozen=True)
class Search:
    """One space to be searched, with how many candidates, and its seed."""

    labelled: Labelled
    n_iter: int
    seed: int


def as_searches(given: Any, n_iter: Any, random_state: Any) -> tuple[Search, ...]:
    """What the user wants searched, in order; everything is checked before anything is evaluated."""
    spaces = as_spaces(given)
    whole = isinstance(random_state, Integral)  # else NumPy's own state is drawn from once, as in scikit-learn
    seed = as_seed(random_state if whole else check_random_state(random_state))
    assert seed is not None
    children = (np.random.SeedSequence(seed, spawn_key=(j,)) for j in range(1, len(spaces)))
    seeds = [seed, *(int(child.generate_state(1)[0]) for child in children)]
    counts = [as_count(n_iter if count is None else count, "n_iter", 1) for _, count in spaces]
    return tuple(Search(labelled(space), n, s) for (space, _), n, s in zip(spaces, counts, seeds, strict=True))


def check_names(estimator: Any, searches: Sequence[Search]) -> None:
    """Raise for a name that is no parameter of the estimator, also where a condition hides it from first candidates."""
    known = list(estimator.get_params())
    for search in searches:
        names = search.labelled.space.names
        for name in names:
            of_an_option = any(name.startswith(f"{other}__") for other in names)  # only the option knows its parameters
            if name not in known and not of_an_option:
                owner = type(estimator).__name__
                raise ValueError(f"{owner} has no parameter {name!r}: {nearest_parameter(name, known)}")


def nearest_parameter(name: str, known: Collection[str]) -> str:
    """What may have been meant by a name that is no parameter of an estimator: one of another depth comes first."""
    deeper = [full for full in known if full.endswith(f"__{name}")]
    meant = deeper or [full for full in known if "__" in name and full == name.rpartition("__")[2]]
    said = " or ".join(map(repr, meant[:3]))
    return f"did you mean {said}?" if meant else nearest_name(name, known)


def check_store(storage: Any, spaces: int) -> None:
    """Raise for a file that cannot hold this search."""
    from suffice.record.study_file import is_begun  # sqlite3 is loaded where there is a file

    if spaces > 1:
        raise ValueError(
            f"storage is for a single search space: got {spaces} spaces; search them one by one, or combine them in "
            "one space with when="
        )
    if is_begun(storage):
        raise ValueError(
            f"{storage} already contains a study, perhaps of other data, but a search starts a new one: name another "
            "file, or remove this one; to continue from its trials, cross-validate in an objective: "
            f"sf.maximize(f, earlier.settings.space, x0=earlier), where earlier = sf.load({str(storage)!r})"
        )


def run_searches(
    searches: Sequence[Search], evaluate: Evaluate, width: int, options: Mapping[str, Any]
) -> list[Result]:
    """Search one space after the other; the timeout is for all together."""
    limits = as_limits(1, {word: options[word] for word in ("stop", "callback", "timeout")})  # type: ignore[arg-type]
    study = {word: options[word] for word in ("model", "acquisition", "solver", "storage", "pruner")}
    results = []
    for search in searches:
        space, n, initial = search.labelled.space, search.n_iter, options["n_initial"]
        initial = initial_points(space, n) if initial is None else initial
        made = Optimizer(space, direction="maximize", seed=search.seed, n_initial=initial, **study)
        with Rescued(made) as optimizer:
            rounds = Rounds(optimizer, search.labelled, evaluate, replace(limits, n_trials=n), width)
            results.append(optimizer.result(rounds.run()))
    return results


@dataclass(frozen=True)
class Rounds:
    """Candidates in rounds of `width`, until a limit is reached."""

    optimizer: Optimizer
    labelled: Labelled
    evaluate: Evaluate
    limits: Limits
    width: int

    def run(self) -> str:
        """Why it ended, as a sentence; whatever ends it, no trial is left pending."""
        try:
            ended = self._ended()
            while ended is None:
                trials = self.optimizer.ask(min(self.width, self._left()))
                ended = self._round(trials) or self._ended()
        except SpaceExhausted as error:
            done, wanted, ended = len(self.optimizer.trials), self.limits.n_trials, str(error)
            text = f"the search ended after {done} of {wanted} candidates: {ended}"
            warnings.warn(text, UserWarning, stacklevel=6)  # where fit was called
        except BaseException as error:
            for trial in self.optimizer.pending:
                self.optimizer.cancel(trial, f"no value: {type(error).__name__}")
            raise
        return ended

    def _left(self) -> int:
        return self.limits.n_trials - len(self.optimizer.trials)

    def _ended(self) -> str | None:
        if self._left() <= 0:
            return f"all {self.limits.n_trials} trials are done"
        seen = {trial.unit.tobytes() for trial in self.optimizer.trials}
        if len(seen) >= self.optimizer.space.size:  # what failed would fail again
            raise SpaceExhausted("every point of the space has been evaluated")
        return "the time is up" if self.limits.seconds_left() == 0.0 else None

    def _round(self, trials: Sequence[Trial]) -> str | None:
        """Evaluate some trials together; why to stop after them, or None."""
        reason, settings = None, self.optimizer.settings
        patience = max(3, settings.n_initial)  # candidates that may all fail before the search is given up
        judge = None if settings.pruner is None else self._judge(trials)
        outcomes = self.evaluate([self.labelled.params(trial.point) for trial in trials], patience, judge)
        for trial, outcome in zip(trials, outcomes, strict=True):
            if outcome.stopped:
                self.optimizer.prune(trial, seconds=outcome.seconds)
            elif outcome.error and not math.isfinite(outcome.value):
                self.optimizer.fail(trial, outcome.error, cause="raised", seconds=outcome.seconds)
            else:
                self.optimizer.tell(trial, outcome.value, seconds=outcome.seconds)
            reason = reason or self.limits.reached(self.optimizer)  # the others of the round have been paid for
        return reason

    def _judge(self, trials: Sequence[Trial]) -> Judge:
        """Whether a candidate of the round is stopped after a fold, whose score is reported."""

        def judge(place: int, fold: int, score: float) -> bool:
            self.optimizer.report(trials[place], score, fold)
            return self.optimizer.should_prune(trials[place])

        return judge
