"""Whether a search is exhausted: since when its models have expected no further improvement, and what it found since.

The default acquisition improves the best point as long as the models expect that to raise the best value by the
resolution. Once they do not, a step explores, in case the models are wrong, or refines the best point, and its report
says which (`trial.solve.kind`). Everything here follows from these reports and from the values; no model is fitted.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from suffice.accuracy.report import IN_WORDS
from suffice.acquisition.exploration import NOTHING
from suffice.record.history import History
from suffice.record.trial import EVALUATED, Trial
from suffice.text import counted

MANY = 3  # explorations that found nothing: as many as the stopping rule waits for by default


@dataclass(frozen=True)
class Exhaustion:
    """What a run has found since no further improvement was expected: `result.exhausted`. Print it.

    Attributes
    ----------
    since : int
        The first trial for which, as for all later ones, the models expected no improvement above the resolution.
    resolution : float
        The smallest improvement that counts, in the objective's units.
    trials : int
        The number of points of the model evaluated since.
    explored : tuple of int
        The numbers of those that explored.
    improved : tuple of int
        The trials that nevertheless improved the best value by more than the resolution: their numbers.
    gain : float
        The improvement of the best value since, in the objective's units.
    in_vain : int
        Explorations since then, or since the last of these improvements, that found nothing better.
    """

    since: int
    resolution: float
    trials: int
    explored: tuple[int, ...]
    improved: tuple[int, ...]
    gain: float
    in_vain: int

    def __str__(self) -> str:
        begin = f"Since trial {self.since} the model has expected no improvement above {self.resolution:.2g}"
        if self.improved:
            which = f"trial{'s' * (len(self.improved) > 1)} {', '.join(map(str, self.improved))}"
            found = f"{which} nevertheless improved the best value by {self.gain:.2g}"
            return f"{begin}; {found}; {counted(self.in_vain, 'exploration')} later found nothing better."
        if not self.explored:
            return f"{begin}."
        return f"{begin}, and {counted(len(self.explored), 'exploration')} found nothing better."


def exhausted(history: History) -> Exhaustion | None:
    """Since when the current search is exhausted; None where an improvement is expected, or where nothing says so."""
    first, best = since(history.trials), history.best
    if first is None or best is None or first.solve is None or first.solve.binding is None:
        return None
    sign, start = history.settings.sign(), first.solve.binding.n_told
    ordered, raised = history.raised
    later = [history.trials[row] for row in ordered[raised].tolist() if (history.trials[row].order or 0) >= start]
    before = [sign * (t.value or 0.0) for t in history.feasible if (t.order or 0) < start]
    steps = [t for t in history.trials[first.number :] if t.state in EVALUATED and t.solve is not None]
    explored = [t for t in steps if t.solve is not None and t.solve.kind == "explore"]
    last = max((t.order or 0 for t in later), default=-1)
    return Exhaustion(
        since=first.number,
        resolution=threshold(history, first),
        trials=len(steps),
        explored=tuple(t.number for t in explored),
        improved=tuple(t.number for t in later),
        gain=sign * (best.value or 0.0) - max(before) if later and before else 0.0,
        in_vain=sum((t.order or 0) > last for t in explored),
    )


def since(trials: Iterable[Trial]) -> Trial | None:
    """The first of the last suggestions in a row that expected no improvement; None: the last one expected one."""
    first = None
    for trial in reversed(tuple(trials)):
        if trial.solve is None or trial.state == "cancelled":
            continue
        if trial.solve.kind not in IN_WORDS or trial.solve.expected_improvement is None:
            break
        first = trial
    return first


def threshold(history: History, trial: Trial) -> float:
    """What counts as an improvement, in the objective's units: the resolution, or what rounding leaves."""
    resolution, best = history.resolution or 0.0, history.best
    if trial.solve is None or trial.solve.binding is None or best is None or best.value is None:
        return resolution
    slope = trial.solve.binding.outcome.derivative(np.array([history.settings.sign() * best.value]))
    return max(resolution, NOTHING / float(slope[0]))


def purpose(trial: Trial, history: History) -> str:
    """What a step of an exhausted search is for, in words; "" of any other trial."""
    solve = trial.solve
    if solve is None or solve.kind not in IN_WORDS:
        return ""
    first = since(history.trials[: trial.number + 1])
    if first is None:
        return IN_WORDS[solve.kind]
    expected = f"no further improvement above {threshold(history, trial):.2g} expected since trial {first.number}"
    return f"{IN_WORDS[solve.kind]}: {expected}"
