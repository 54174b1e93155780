"""One round of candidates, cross-validated by scikit-learn."""

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

#| -- integrations.sklearn.ledger: What every fit of a search came to, in the order of the candidates: scikit-learn's
#| `cv_results_` is made of it.
#|
#| row      what scikit-learn keeps of one fit on one split: scores, times, and the traceback if it failed
#| splits   rows of one candidate, one after the other

Row: TypeAlias = dict[str, Any]

ALL_FAILED = re.compile(
    r"All the (\d+) fits failed"
)  # how scikit-learn's error begins where no fit of a call succeeded


@dataclass(frozen=True)
class Outcome:
    """What one candidate came to: the mean of its test scores over the splits, or why there is none."""

    value: float
    seconds: float  # of all its fits and scores together, whichever ran side by side
    error: str = ""  # the traceback of the first fit that failed
    stopped: bool = False  # before its last fold; the value is the mean of those that it has


@dataclass
class Ledger:
    """Every candidate with its rows.

    scikit-learn refuses to go on where every fit of one call has failed, since it expects all candidates in one call.
    Here a call may be a single candidate, whose failure is something to learn from: `lose` keeps what is known of it.
    """

    error_score: float
    splits: int = 1  # of a candidate; known with the first rows
    params: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)  # what scikit-learn holds meanwhile; filled in at the end
    fault: ValueError | None = None  # the first time that all fits of a call failed
    heard: int = 0  # rows that scikit-learn has, too

    def take(self, out: Sequence[Row], splits: int) -> None:
        """Learn the rows that scikit-learn has kept, those of earlier calls first."""
        self.splits = splits
        self.rows += out[self.heard :]
        self.heard = len(out)

    def lose(self, candidates: Sequence[dict[str, Any]], error: ValueError, seconds: float) -> None:
        """Keep candidates of which every fit has failed; how long each took is not known, only all together."""
        found = ALL_FAILED.search(str(error))
        if found is None:
            raise error
        self.fault, fits = self.fault or error, int(found[1])
        self.splits = fits // len(candidates)
        text = str(error).rpartition("failed with the following error:\n")[2]
        empty = {"fit_error": text, "test_scores": None, "fit_time": seconds / fits, "score_time": 0.0}
        self.rows += [dict(empty) for _ in range(fits)]

    @property
    def known_scores(self) -> Any:
        """The test scores of any fit that scikit-learn has kept: a number, or a dict by name; None if there is none."""
        return next((row["test_scores"] for row in self.rows if row["test_scores"] is not None), None)

    @property
    def nothing_else(self) -> bool:
        """Whether every fit so far has failed."""
        return all(row["fit_error"] for row in self.rows)

    def completed(self) -> list[Row]:
        """All rows, with the error score under the names of the scores where fits were lost; ValueError if all were."""
        known = next((row for row in self.rows if row["test_scores"] is not None), None)
        if known is None:
            raise self.fault or ValueError("no candidate was evaluated: the timeout left no time for any; give more")
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
                f"{errors.total()} fits failed out of a total of {len(self.rows)}, so that their score is "
                f"{self.error_score}. The search has learned to keep away from them; error_score='raise' shows the "
                f"first one. The most frequent error was:\n{text}",
                FitFailedWarning,
                stacklevel=5,  # where fit was called
            )

    def outcomes(self, first: int, metric: str | None) -> Iterator[Outcome]:
        """What the candidates from this one on came to, by the score of this name; None: the first, or the only one."""
        for start in range(first * self.splits, len(self.rows), self.splits):
            rows = self.rows[start : start + self.splits]
            error = next((row["fit_error"] for row in rows if row["fit_error"]), "")
            seconds = math.fsum(row["fit_time"] + row["score_time"] for row in rows)
            values = [self.score(row["test_scores"], metric) for row in rows]
            done = sum(not math.isnan(row["fit_time"]) for row in rows)
            if done < len(rows):
                seconds = math.fsum(row["fit_time"] + row["score_time"] for row in rows[:done])
                yield Outcome(float(np.average(values[:done])), seconds, error, stopped=True)
                continue
            yield Outcome(float(np.average(np.array(values, dtype=np.float64))), seconds, error)

    def score(self, scores: Any, metric: str | None) -> float:
        """That which is maximized: the one of this name; None: the first, or the only one."""
        if scores is None:
            return self.error_score
        if isinstance(scores, Mapping):
            return float(scores[next(iter(scores)) if metric is None else metric])
        return float(scores)


#| -- integrations.sklearn.race: A round of candidates fold by fold, so that those that are clearly worse are stopped
#| before the last fold.
#|
#| scikit-learn evaluates candidates on all splits in one call. Here each call is one split, on which all candidates
#| that
#| are still in the race are fitted side by side; what a candidate lacks in the end has nan in `cv_results_`.

Judge: TypeAlias = Callable[[int, int, float], bool]  # candidate, fold and score: whether the candidate is to stop
OneFold: TypeAlias = Callable[[list[dict[str, Any]], Any], None]  # evaluates candidates by a splitter

MISSING: Row = {"fit_error": "", "test_scores": None, "fit_time": math.nan, "score_time": math.nan}


@dataclass(frozen=True)
class Only:
    """One of the splits of a splitter."""

    splits: Any
    fold: int

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterable[Any]:
        return [list(self.splits.split(X, y, **params))[self.fold]]


def check_version(search: Any) -> None:
    """Refuse a scikit-learn that does not let one split be evaluated by itself."""
    if "_checked_cv_orig" not in vars(search):
        import sklearn

        raise ValueError(
            f"early_stop needs a scikit-learn that evaluates splits one by one, such as 1.9: got {sklearn.__version__}"
        )


def raced(
    search: Any, splits: Any, ledger: Ledger, candidates: list[dict[str, Any]], evaluate: OneFold, judge: Judge
) -> None:
    """Evaluate candidates fold by fold; the ledger then has a row for every fold, an empty one after a stop."""
    folds, first = int(search.n_splits_), len(ledger.rows)
    grid: list[list[Row]] = [[] for _ in candidates]
    racing = list(range(len(candidates)))
    for fold in range(folds):
        with _one_split(search):
            evaluate([candidates[i] for i in racing], Only(splits, fold))
        new = ledger.rows[first:]
        del ledger.rows[first:]
        for i, row in zip(racing, new, strict=True):
            grid[i].append(row)
        racing = [i for i in racing if fold + 1 == folds or not _stops(ledger, grid[i][-1], search, judge, i, fold)]
        if not racing:
            break
    ledger.splits = folds
    for rows in grid:
        ledger.rows += rows + [dict(MISSING) for _ in range(folds - len(rows))]


def _stops(ledger: Ledger, row: Row, search: Any, judge: Judge, candidate: int, fold: int) -> bool:
    """Whether a candidate ends here; one whose fit failed goes on, as it does without a race."""
    metric = search.refit if isinstance(search.refit, str) else None
    score = ledger.score(row["test_scores"], metric)
    return not row["fit_error"] and math.isfinite(score) and judge(candidate, fold, score)


@contextmanager
def _one_split(search: Any) -> Iterator[None]:
    """scikit-learn compares the number of splits with what a splitter gives."""
    folds, search.n_splits_ = search.n_splits_, 1
    try:
        yield
    finally:
        search.n_splits_ = folds


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
