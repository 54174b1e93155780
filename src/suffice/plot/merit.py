"""Trials by what they are worth, whatever a study has: one objective, several of them, limits.

Within all limits come first: by value, or of several objectives those of the front. Behind them are the others.
"""

import numpy as np

from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.reading.feasibility import least_violated
from suffice.study.trial import Trial


def best_first(history: History) -> list[Trial]:
    """The trials with values, the best first; of equals, the first asked for.

    Of several objectives those of the front, by the first one. Where nothing is feasible the least violated is first.
    """
    settings = history.settings
    name, sign = settings.objective, settings.sign()
    front = {trial.number for trial in Front(history).trials} if settings.several else set()
    least = least_violated(history) if settings.constraints and not history.feasible else None

    def demerit(trial: Trial) -> tuple[bool, bool, bool, float, int]:
        worth = sign * trial.values.get(name, -sign * np.inf)
        first = least is not None and trial.number == least.number
        return not first, not trial.feasible, trial.number not in front, -worth, trial.number

    return sorted(history.done, key=demerit)


def chosen(history: History) -> Trial | None:
    """The trial to look at: the best one, of several objectives the knee; None where nothing is feasible."""
    if not history.settings.several:
        return history.best
    front = Front(history)
    return front.knee() if front.trials else None
