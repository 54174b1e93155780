"""The loop of one search: ask for some candidates, let scikit-learn evaluate them all, tell what each came to."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from suffice.errors import SpaceExhausted
from suffice.integrations.sklearn.labels import Labelled, labelled
from suffice.integrations.sklearn.ledger import Outcome
from suffice.integrations.sklearn.race import Judge
from suffice.integrations.sklearn.spaces import as_spaces
from suffice.integrations.sklearn.words import nearest_parameter
from suffice.run.limits import Limits, as_budget, as_limits
from suffice.run.rescue import Rescued
from suffice.study.given import as_seed
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result
from suffice.study.settings import initial_points
from suffice.study.trial import Trial

Evaluate: TypeAlias = Callable[[list[dict[str, Any]], int, Judge | None], Sequence[Outcome]]


@dataclass(frozen=True)
class Search:
    """A space to be searched, how long, and its randomness."""

    labelled: Labelled
    n_trials: int
    seed: int


def as_searches(given: Any, n_trials: Any, random_state: Any) -> tuple[Search, ...]:
    """What the user wants searched, in order; everything is checked before anything is evaluated."""
    spaces = as_spaces(given)
    whole = isinstance(random_state, Integral)  # else NumPy's own state is drawn from once, as in scikit-learn
    seed = as_seed(None, random_state if whole else check_random_state(random_state))
    assert seed is not None
    first = [seed]  # the others are drawn from it
    seeds = first + [
        int(np.random.SeedSequence(seed, spawn_key=(j,)).generate_state(1)[0]) for j in range(1, len(spaces))
    ]
    counts = [as_budget(n_trials if count is None else count) for _, count in spaces]
    return tuple(Search(labelled(space), n, s) for (space, _), n, s in zip(spaces, counts, seeds, strict=True))


def check_names(estimator: Any, searches: Sequence[Search]) -> None:
    """Refuse what is no parameter of the estimator, also where a condition keeps it out of the first candidates."""
    known = list(estimator.get_params())
    for search in searches:
        names = search.labelled.space.names
        for name in names:
            of_an_option = any(name.startswith(f"{other}__") for other in names)  # only the option knows its parameters
            if name not in known and not of_an_option:
                owner = type(estimator).__name__
                raise ValueError(f"{owner} has no parameter {name!r}: {nearest_parameter(name, known)}")


def check_store(store: Any, spaces: int) -> None:
    """Refuse a file that cannot have this search."""
    from suffice.study.opening import is_begun  # sqlite3 is loaded where there is a file

    if spaces > 1:
        raise ValueError(
            f"a store is the file of one search: got {spaces} spaces; search them one by one, or in one "
            "space with when="
        )
    if is_begun(store):
        raise ValueError(
            f"{store} has a study already, perhaps of other data, and a search begins anew: give another file, or "
            "remove this one"
        )


def run_searches(
    searches: Sequence[Search], evaluate: Evaluate, width: int, options: Mapping[str, Any]
) -> list[Result]:
    """Search one space after the other; the timeout is for all together."""
    limits = as_limits(1, {word: options[word] for word in ("stop", "callback", "timeout")})  # type: ignore[arg-type]
    words = ("model", "acquisition", "solver", "store")
    results = []
    for search in searches:
        initial = options["n_initial"]
        if initial is None:
            initial = initial_points(search.labelled.space, search.n_trials)
        study = {word: options[word] for word in words} | {"early_stop": options.get("early_stop")}
        made = Optimizer(search.labelled.space, sense="maximize", seed=search.seed, n_initial=initial, **study)
        with Rescued(made) as optimizer:
            message = Rounds(
                optimizer, search.labelled, evaluate, replace(limits, n_trials=search.n_trials), width
            ).run()
            results.append(optimizer.result(message))
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

    @property
    def _patience(self) -> int:
        """Candidates that may all fail before the search is given up, as scikit-learn gives up where all failed."""
        return max(3, self.optimizer.settings.n_initial)

    def _left(self) -> int:
        return self.limits.n_trials - len(self.optimizer.trials)

    def _ended(self) -> str | None:
        if self._left() <= 0:
            return f"all {self.limits.n_trials} trials are done"
        if self._seen() >= self.optimizer.space.size:  # what failed would be tried again, and fits fail for a reason
            raise SpaceExhausted("every point of the space has been evaluated")
        return "the time is up" if self.limits.seconds_left() == 0.0 else None

    def _seen(self) -> int:
        return len({trial.unit.tobytes() for trial in self.optimizer.trials})

    def _round(self, trials: Sequence[Trial]) -> str | None:
        """Evaluate some trials together; why to stop after them, or None."""
        reason = None
        judge = None if self.optimizer.settings.early_stop is None else self._judge(trials)
        outcomes = self.evaluate([self.labelled.params(trial.point) for trial in trials], self._patience, judge)
        for trial, outcome in zip(trials, outcomes, strict=True):
            if outcome.stopped:
                self.optimizer.stop(trial, seconds=outcome.seconds)
            elif outcome.error and not math.isfinite(outcome.value):
                self.optimizer.fail(trial, outcome.error, cause="raised", seconds=outcome.seconds)
            else:
                self.optimizer.tell(trial, outcome.value, seconds=outcome.seconds)
            reason = reason or self.limits.reached(self.optimizer)  # the others of the round have been paid for
        return reason

    def _judge(self, trials: Sequence[Trial]) -> Judge:
        """Whether the candidate at a place of the round is stopped after a fold, whose score is reported."""

        def judge(place: int, fold: int, score: float) -> bool:
            self.optimizer.report(trials[place], score, fold)
            return self.optimizer.should_stop(trials[place])

        return judge
