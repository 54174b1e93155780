"""One round of candidates, cross-validated by scikit-learn: all folds at once, or as a race fold by fold.

row      what scikit-learn keeps of one fit on one split: scores, times, and the traceback if it failed
splits   rows of one candidate, one after the other

`evaluate_candidates` is the function that scikit-learn's `fit` hands to `_run_search`. It evaluates candidates on all
splits of a splitter. In a race each call has one split, on which all candidates that are left are fitted side by side.
Candidates that are clearly worse stop before the last split; the splits that they lack have nan in `cv_results_`.
"""

import math
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import FitFailedWarning

Row: TypeAlias = dict[str, Any]
Judge: TypeAlias = Callable[[int, int, float], bool]  # candidate, fold and score: whether the candidate is to stop


@dataclass(frozen=True)
class Outcome:
    """What one candidate came to: the mean of its test scores over the splits, or why there is none."""

    value: float
    seconds: float  # of all its fits and scores together, whichever ran side by side
    error: str = ""  # the traceback of the first fit that failed
    stopped: bool = False  # before its last fold; the value is the mean of those that it has


@dataclass
class Ledger:
    """Every candidate with its rows, in order: scikit-learn's `cv_results_` is made of it.

    scikit-learn raises where every fit of one call has failed, since it expects all candidates in one call. Here a call
    may be a single candidate, whose failure is an observation: `lose` keeps what is known of it.
    """

    error_score: float
    splits: int = 1  # of a candidate; known with the first rows
    params: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)  # what scikit-learn holds meanwhile; filled in at the end
    fault: ValueError | None = None  # the first time that all fits of a call failed
    heard: int = 0  # rows that scikit-learn has, too

    def take(self, out: Sequence[Row], splits: int) -> None:
        """Add the rows that scikit-learn has kept since the last call; `out` has those of earlier calls, too."""
        self.splits = splits
        self.rows += out[self.heard :]
        self.heard = len(out)

    def lose(self, candidates: Sequence[dict[str, Any]], error: ValueError, seconds: float) -> None:
        """Keep candidates of which every fit has failed; how long each took is not known, only all together."""
        found = re.search(r"All the (\d+) fits failed", str(error))  # how scikit-learn's error begins
        if found is None:
            raise error
        self.fault, fits = self.fault or error, int(found[1])
        self.splits = fits // len(candidates)
        text = str(error).rpartition("failed with the following error:\n")[2]
        empty = {"fit_error": text, "test_scores": None, "fit_time": seconds / fits, "score_time": 0.0}
        self.rows += [dict(empty) for _ in range(fits)]

    @property
    def known(self) -> Row | None:
        """The row of any fit that has scores."""
        return next((row for row in self.rows if row["test_scores"] is not None), None)

    @property
    def nothing_else(self) -> bool:
        """Whether every fit so far has failed."""
        return all(row["fit_error"] for row in self.rows)

    def completed(self) -> list[Row]:
        """All rows, with the error score under the names of the scores where fits were lost; ValueError if all were."""
        known = self.known
        if known is None:
            raise self.fault or ValueError("no candidate was evaluated before the timeout: increase it")
        scores = {word: self._errors(known[word]) for word in ("test_scores", "train_scores") if word in known}
        return [row if row["test_scores"] is not None else known | row | scores for row in self.rows]

    def _errors(self, scores: Any) -> Any:
        return dict.fromkeys(scores, self.error_score) if isinstance(scores, Mapping) else self.error_score

    def warn_of_failures(self) -> None:
        """Say once, at the end, how many fits failed and what the most frequent error was."""
        errors = Counter(row["fit_error"] for row in self.rows if row["fit_error"])
        if errors:
            text, _ = errors.most_common(1)[0]
            warnings.warn(
                f"{errors.total()} fits failed out of a total of {len(self.rows)}, so their score is "
                f"{self.error_score}. The search avoids such candidates; error_score='raise' shows the "
                f"first one. The most frequent error was:\n{text}",
                FitFailedWarning,
                stacklevel=5,  # where fit was called
            )

    def outcomes(self, first: int, metric: str | None) -> Iterator[Outcome]:
        """What the candidates from this one on came to, by the score of this name; None: the first, or the only one."""
        for start in range(first * self.splits, len(self.rows), self.splits):
            rows = self.rows[start : start + self.splits]
            done = [row for row in rows if not math.isnan(row["fit_time"])]
            error = next((row["fit_error"] for row in done if row["fit_error"]), "")
            seconds = math.fsum(row["fit_time"] + row["score_time"] for row in done)
            mean = float(np.average([self.score(row["test_scores"], metric) for row in done]))
            yield Outcome(mean, seconds, error, stopped=len(done) < len(rows))

    def score(self, scores: Any, metric: str | None) -> float:
        """That which is maximized: the one of this name; None: the first, or the only one."""
        if scores is None:
            return self.error_score
        if isinstance(scores, Mapping):
            return float(scores[next(iter(scores)) if metric is None else metric])
        return float(scores)


@dataclass
class SameSplits:
    """The splits of the first round, for all rounds: else a splitter that shuffles would judge each by other data."""

    splitter: Any
    found: list[Any] = field(default_factory=list)

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterable[Any]:
        if not self.found:
            self.found = list(self.splitter.split(X, y, **params))
        return self.found


@dataclass(frozen=True)
class Only:
    """One of the splits of a splitter."""

    splits: Any
    fold: int

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterable[Any]:
        return [list(self.splits.split(X, y, **params))[self.fold]]


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
        # A user's cv is a splitter, or a number of folds or a list of splits, which are the same in every round.
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
            self._race(candidates, judge)
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

    def _race(self, candidates: list[dict[str, Any]], judge: Judge) -> None:
        """Evaluate candidates fold by fold; the ledger then has a row for every fold, an empty one after a stop."""
        splits, folds = self.splits or self.search._checked_cv_orig, int(self.search.n_splits_)
        first, rows = len(self.ledger.rows), self.ledger.rows
        grid: list[list[Row]] = [[] for _ in candidates]
        racing = list(range(len(candidates)))
        for fold in range(folds):
            with _one_split(self.search):
                self._evaluate([candidates[i] for i in racing], Only(splits, fold))
            for i, row in zip(racing, rows[first:], strict=True):
                grid[i].append(row)
            del rows[first:]
            racing = [i for i in racing if fold + 1 == folds or not self._stops(grid[i][-1], judge, i, fold)]
            if not racing:
                break
        self.ledger.splits = folds
        missing = {"fit_error": "", "test_scores": None, "fit_time": math.nan, "score_time": math.nan}
        for done in grid:
            rows += done + [dict(missing) for _ in range(folds - len(done))]

    def _stops(self, row: Row, judge: Judge, candidate: int, fold: int) -> bool:
        """Whether a candidate ends here; one whose fit failed continues, as without a race."""
        score = self.ledger.score(row["test_scores"], self._named())
        return not row["fit_error"] and math.isfinite(score) and judge(candidate, fold, score)

    def _metric(self) -> str | None:
        """The name of the score that is maximized, where there are several; None: the first of them."""
        known = self.ledger.known
        if known is None or not isinstance(known["test_scores"], dict):
            return None
        # The names that a scoring function returns are known only now; scikit-learn itself checks them at the end.
        self.search._check_refit_for_multimetric(known["test_scores"])
        return self._named()

    def _named(self) -> str | None:
        return self.search.refit if isinstance(self.search.refit, str) else None


@contextmanager
def _one_split(search: Any) -> Iterator[None]:
    """scikit-learn compares the number of splits with what a splitter gives."""
    folds, search.n_splits_ = search.n_splits_, 1
    try:
        yield
    finally:
        search.n_splits_ = folds


def check_version(search: Any) -> None:
    """Raise for a scikit-learn that cannot evaluate one split by itself."""
    if not _has_counted(search):
        import sklearn

        raise ValueError(
            f"pruner needs a scikit-learn that evaluates splits one by one, such as 1.9: got {sklearn.__version__}"
        )


def folds(search: Any) -> int:
    """How many splits a candidate has, so far as that is known before the first; 1 where it is not."""
    if _has_counted(search):
        return max(1, int(search.n_splits_))  # without any, scikit-learn says so when it evaluates
    if search.cv is None:
        return 5  # what scikit-learn takes then
    if isinstance(search.cv, Integral):
        return int(search.cv)
    try:
        return int(search.cv.get_n_splits())
    except (AttributeError, TypeError, ValueError):  # a list of splits, or a splitter that counts groups
        return 1


def _has_counted(search: Any) -> bool:
    """Whether scikit-learn has made its splitter and counted `n_splits_` before the search, as newer versions do.

    The docstring of its `_run_search` promises the attribute `_checked_cv_orig` to subclasses.
    """
    return "_checked_cv_orig" in vars(search)
