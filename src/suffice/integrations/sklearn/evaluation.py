"""One round of candidates, cross-validated by scikit-learn."""

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from sklearn.exceptions import FitFailedWarning

from suffice.integrations.sklearn.ledger import Ledger, Outcome
from suffice.integrations.sklearn.race import Judge, raced


@dataclass
class SameSplits:
    """The splits of the first round, for all rounds: else a splitter that shuffles would judge each by other data."""

    splitter: Any
    found: list[Any] = field(default_factory=list)

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterable[Any]:
        if not self.found:
            self.found = list(self.splitter.split(X, y, **params))
        return self.found


@dataclass
class Callbacks:
    """What scikit-learn's own callbacks hear of the rounds, in versions that have them; `context` is None elsewhere."""

    search: Any
    context: Any

    def __enter__(self) -> "Callbacks":
        if self.context is not None:
            self.context = self.context.subcontext(task_name="search", max_subtasks=None)
            self.context.call_on_fit_task_begin(estimator=self.search)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.context is not None and error is None:
            self.context.call_on_fit_task_end(estimator=self.search)

    def around(self, evaluate: Callable[..., Any], candidates: int) -> None:
        """Evaluate a round of so many candidates."""
        if self.context is None:
            evaluate()
            return
        fits = candidates * self.search.n_splits_
        inner = self.context.subcontext(task_name="round", max_subtasks=fits, sequential_subtasks=False)
        inner.call_on_fit_task_begin(estimator=self.search)
        try:
            evaluate(callback_ctx=inner)
        finally:  # a round of which every fit failed is over, too
            inner.call_on_fit_task_end(estimator=self.search)


@dataclass
class Evaluation:
    """Cross-validate candidates, and keep what each fit came to."""

    search: Any  # scikit-learn's object: what it is to do, and its splitter
    evaluate_candidates: Callable[..., Any]
    ledger: Ledger
    callbacks: Callbacks
    splits: SameSplits | None = field(init=False)

    def __post_init__(self) -> None:
        # A number of folds, or a list of splits, is the same in every round.
        self.splits = SameSplits(self.search.cv) if hasattr(self.search.cv, "split") else None

    def __call__(
        self, candidates: list[dict[str, Any]], patience: int, judge: Judge | None = None
    ) -> Sequence[Outcome]:
        """What each came to; ValueError, as scikit-learn's, if all of the first `patience` candidates failed.

        judge    fold by fold, whether a candidate is stopped; None: all folds of all candidates at once
        """
        first, ledger = len(self.ledger.params), self.ledger
        ledger.params += candidates
        if judge is None:
            self._evaluate(candidates, self.splits)
        else:
            splits = self.splits or self.search._checked_cv_orig
            raced(self.search, splits, ledger, candidates, self._evaluate, judge)
        if ledger.fault is not None and len(ledger.params) >= patience and ledger.nothing_else:
            raise ledger.fault
        return list(ledger.outcomes(first, self._metric()))

    def _evaluate(self, candidates: list[dict[str, Any]], splits: Any) -> None:
        """Some candidates on the splits of a splitter, None being scikit-learn's own; the ledger has their rows."""
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FitFailedWarning)  # one at the end says it all
                self.callbacks.around(
                    lambda **more: self.evaluate_candidates(candidates, cv=splits, **more), len(candidates)
                )
        except ValueError as error:
            if self.search.error_score == "raise":
                raise
            self.ledger.lose(candidates, error, time.perf_counter() - began)

    def _metric(self) -> str | None:
        """The name of the score that is maximized, where there are several; None: the first of them."""
        scores = self.ledger.known_scores
        if not isinstance(scores, dict):
            return None
        self.search._check_refit_for_multimetric(scores)  # of a function that scores, the names are known only now
        return self.search.refit if isinstance(self.search.refit, str) else None


def folds(search: Any) -> int:
    """How many splits a candidate has, so far as that is known before the first; 1 where it is not."""
    if "_checked_cv_orig" in vars(search):  # newer versions have counted them by now
        return max(1, int(search.n_splits_))  # without any, scikit-learn says so when it evaluates
    if search.cv is None:
        return 5  # what scikit-learn takes then
    if isinstance(search.cv, Integral):
        return int(search.cv)
    try:
        return int(search.cv.get_n_splits())
    except (AttributeError, TypeError, ValueError):  # a list of splits, or a splitter that counts groups
        return 1
