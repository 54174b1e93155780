"""One round of candidates, cross-validated by scikit-learn."""

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import FitFailedWarning  # type: ignore  # untyped where installed, unknown elsewhere

from suffice.integrations.sklearn.ledger import Ledger, Outcome


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

    def around(self, evaluate: Callable[..., Any], fits: int) -> None:
        """Evaluate a round of so many fits."""
        if self.context is None:
            evaluate()
            return
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
    splits: SameSplits = field(init=False)

    def __post_init__(self) -> None:
        self.splits = SameSplits(self.search._checked_cv_orig)

    def __call__(self, candidates: list[dict[str, Any]], patience: int) -> Sequence[Outcome]:
        """What each came to; ValueError, as scikit-learn's, if all of the first `patience` candidates failed."""
        first, began, ledger = len(self.ledger.params), time.perf_counter(), self.ledger
        ledger.params += candidates
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FitFailedWarning)  # one at the end says it all
                self.callbacks.around(
                    lambda **more: self.evaluate_candidates(candidates, cv=self.splits, **more),
                    len(candidates) * ledger.splits,
                )
        except ValueError as error:
            if self.search.error_score == "raise" or "fits failed" not in str(error):
                raise
            ledger.lose(candidates, error, time.perf_counter() - began)
            if len(ledger.params) >= patience and ledger.nothing_else:
                raise
        return list(ledger.outcomes(first, self._metric()))

    def _metric(self) -> str | None:
        """The name of the score that is maximized, where there are several; None: the first of them."""
        scores = self.ledger.known_scores
        if not isinstance(scores, dict):
            return None
        self.search._check_refit_for_multimetric(scores)  # of a function that scores, the names are known only now
        return self.search.refit if isinstance(self.search.refit, str) else None
