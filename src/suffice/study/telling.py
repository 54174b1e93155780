"""What a user says about an evaluation, checked before anything changes, and which trial it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.space import SearchSpace
from suffice.study.border import as_point, as_seconds, check_telling
from suffice.study.events import Asked, Failed, Told, asked, told
from suffice.study.fold import Fold
from suffice.study.outputs import as_variances
from suffice.study.settings import Settings
from suffice.study.trial import Trial, as_told, read_only


@dataclass(frozen=True)
class Telling:
    """The outputs of an evaluation, nan where one is missing; they become an event once their trial is known."""

    values: Mapping[str, float]
    noise_var: Any
    seconds: float | None
    settings: Settings

    @classmethod
    def of(cls, trial: Any, value: Any, noise_var: Any, seconds: Any, settings: Settings) -> "Telling":
        """From what `tell` is given; TypeError or ValueError, by name, where it is none."""
        check_telling(trial, value)
        aims, took = settings.objectives, as_seconds(seconds)
        values = settings.as_values(value)
        return cls(values, as_variances(noise_var, aims, settings.outputs), took, settings)

    def event(self, number: int) -> Told | Failed:
        """What it says about the trial with this number."""
        return told(number, self.values, self.noise_var, self.seconds, self.settings.constraints)

    def repeats(self, known: Trial, value: Any) -> bool:
        """Whether a done trial was told just this; ValueError if it was told something else, or stopped early."""
        if known.state == "stopped":
            raise ValueError(
                f"trial {known.number} was stopped early: got {value!r}; a whole evaluation of its point is told "
                "as tell(trial.point, value)"
            )
        event = self.event(known.number)
        if isinstance(event, Told) and event.values == known.values:
            return True
        raise ValueError(
            f"trial {known.number} was told {as_told(known)!r} already: got {value!r}; "
            "a second measurement of a point is told as tell(trial.point, value)"
        )


def present(trial: Any, trials: Sequence[Trial]) -> Trial:
    """The present state of a trial that an optimizer made, which has these trials."""
    if not isinstance(trial, Trial):
        raise TypeError(f"wanted a trial, as ask() returns it: got {trial!r} of type {type(trial).__name__}")
    if 0 <= trial.number < len(trials) and np.array_equal(trials[trial.number].unit, trial.unit):
        return trials[trial.number]
    raise ValueError(
        f"trial {trial.number} is not one of this optimizer's {len(trials)} trials; "
        "a point evaluated elsewhere is told as tell(point, value)"
    )


def pending_at(point: Any, fold: Fold, space: SearchSpace) -> Trial | Asked:
    """The pending trial at a point, or the event that it came from outside."""
    given = as_point(point, space)
    unit = space.to_unit(given)
    for number in fold.pending:
        if np.array_equal(fold.trials[number].unit, unit):
            return fold.trials[number]
    return asked(len(fold.trials), read_only(given), "foreign", space, at=unit)
