"""The trials of an Optuna study as the history of one of ours.

Each of the numbers before the trial that is asked for has its place in the history, so that the streams of randomness
and the initial design go on by trial number, whoever asks: a trial that says nothing about the present space is there
as a cancelled one at a random place, of which nothing is learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from optuna.trial import TrialState

from suffice.integrations.optuna.attributes import Fit, proposed_params
from suffice.integrations.optuna.lessons import Lesson, Read
from suffice.integrations.optuna.spaces import Mapped
from suffice.streams import Streams
from suffice.study.history import History
from suffice.study.limit import AtMost, Limit
from suffice.study.settings import Settings
from suffice.study.trial import Trial
from suffice.types import Array


@dataclass
class Rows:
    """The places of finished trials in one space, each converted once: this saves time and decides nothing."""

    mapped: Mapped
    known: dict[int, tuple[Read, Array | None]] = field(default_factory=dict)
    trials: dict[int, tuple[Read, Lesson, Trial]] = field(default_factory=dict)

    def fill(self, reads: Sequence[Read]) -> None:
        """Convert those that are not known, all at once."""
        new = [read for read in reads if not self._knows(read)]
        X, inside = self.mapped.rows([whole_point(read, self.mapped) for read in new])
        X.flags.writeable = False
        for read, row, has_a_place in zip(new, X, inside.tolist(), strict=True):
            self.known[read.number] = read, row if has_a_place else None

    def _knows(self, read: Read) -> bool:
        found = self.known.get(read.number)
        return found is not None and found[0] is read

    def at(self, read: Read) -> Array | None:
        """The place of a trial, (d,); None if it has none."""
        if not self._knows(read):
            self.fill([read])
        return self.known[read.number][1]

    def trial(self, read: Read, lesson: Lesson, objectives: tuple[str, ...]) -> Trial | None:
        """The trial as one of ours; None if it has no place in this space."""
        found = self.trials.get(read.number)
        if found is not None and found[0] is read and found[1] == lesson:
            return found[2]
        row = self.at(read)
        if row is None:
            return None
        made = Trial(
            read.number,
            point=read.trial.params,
            state=lesson.state,
            values=None if lesson.values is None else dict(lesson.values),
            cause=lesson.cause,
            expected=lesson.expected,
            noise_var=lesson.variance,
            solve=read.report,
            origin=read.origin,
            told=None if lesson.state == "pending" else read.number,
            unit=row,
            feasible=lesson.feasible,
            objectives=objectives,
        )
        if not read.under_way:
            self.trials[read.number] = read, lesson, made
        return made


def whole_point(read: Read, mapped: Mapped) -> Mapping[str, Any]:
    """The values of a trial; of one that has not asked for all of them yet, the proposed ones too."""
    trial = read.trial
    if trial.state == TrialState.COMPLETE:
        return trial.params
    fixed = trial.system_attrs.get("fixed_params", {})
    return {**proposed_params(trial.system_attrs, mapped.distributions), **fixed, **trial.params}


def history_of(
    settings: Settings,
    reads: Sequence[Read],
    told: Sequence[Lesson],
    rows: Rows,
    number: int,
    fits: Mapping[str, Fit],
) -> tuple[History, Mapping[str, Fit]]:
    """The history that the trial with this number is proposed for, and those of the fits whose trials come first in it.

    A model can be extended if the observations of its fit come before all others, in one order for all outputs. What
    is known only grows, so that the trials of an earlier fit are among those of a later one, unless two workers have
    read the storage while it changed; then the later of the two is left out.
    """
    found: dict[int, Trial] = {}
    for read, lesson in zip(reads, told, strict=True):
        trial = rows.trial(read, lesson, tuple(settings.objectives))
        if trial is not None:
            found[read.number] = trial
    trials = [found.get(i) or _nothing(settings, i) for i in range(number)]
    trials += [trial for i, trial in sorted(found.items()) if i > number]
    known = {trial.number: trial for trial in trials if trial.state == "done" or trial.expected is not None}
    first, kept = dict[int, Trial](), dict[str, Fit]()
    for name, fit in sorted(fits.items(), key=lambda fitted: len(fitted[1].numbers)):
        if first.keys() <= fit.numbers <= known.keys():
            first |= {i: known[i] for i in sorted(fit.numbers - first.keys())}
            kept[name] = fit
    known = {**first, **known}
    if first and any(trial.state == "stopped" for trial in known.values()):  # their place among the others is by `told`
        known = {i: replace(trial, told=place) for place, (i, trial) in enumerate(known.items())}
        trials = [known.get(trial.number, trial) for trial in trials]
    done = {i: trial for i, trial in known.items() if trial.state == "done"}
    pending = tuple(trial for trial in trials if trial.state == "pending")
    return History(settings, (), tuple(trials), tuple(done.values()), pending, len(trials) - len(pending)), kept


def limits_in(reads: Sequence[Read], told: Sequence[Lesson], rows: Rows) -> dict[str, Limit]:
    """What the constraints are that trials in this space have values of, by name; 0 is allowed."""
    found = {
        name
        for read, lesson in zip(reads, told, strict=True)
        if read.limited and lesson.state == "done" and rows.at(read) is not None
        for name in read.limited
    }
    return {name: AtMost(0.0) for name in sorted(found)}


def _nothing(settings: Settings, number: int) -> Trial:
    row = settings.space.sample(1, Streams(settings.seed)("independent", number))[0]
    return Trial(number, {}, state="cancelled", origin="design", told=number, unit=np.array(row))
