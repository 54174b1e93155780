"""A round of candidates fold by fold, so that those that are clearly worse are stopped before the last fold.

scikit-learn evaluates candidates on all splits in one call. Here each call is one split, on which all candidates that
are still in the race are fitted side by side; what a candidate lacks in the end has nan in `cv_results_`.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from suffice.integrations.sklearn.ledger import Ledger, Row

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
