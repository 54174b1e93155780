"""What every fit of a search came to, in the order of the candidates: scikit-learn's `cv_results_` is made of it.

row      what scikit-learn keeps of one fit on one split: scores, times, and the traceback if it failed
splits   rows of one candidate, one after the other
"""

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import FitFailedWarning

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
