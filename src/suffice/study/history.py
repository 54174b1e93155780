"""The history of a study: what a model, a solver and a rule may know of it. Its events tell it (fold.py)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy
from suffice.gp.model import Observations
from suffice.study.events import Asked, Event
from suffice.study.settings import Settings
from suffice.study.tally import Tally
from suffice.study.trial import EVALUATED, State, Trial
from suffice.types import Array, Indices, Ledger

FINE = 1e-3  # of the spread of the values: the finest difference that matters, if the user does not say
TRIES = 3  # of a point of a finite space that fails: a failure by chance in five is one in a hundred then


@dataclass(frozen=True, eq=False)
class History:
    """What is known at one moment: `grown` by an event it is another one, and `before` an ask it was an earlier one."""

    settings: Settings
    events: tuple[Event, ...] = field(repr=False)
    trials: tuple[Trial, ...] = ()  # every trial in order, pending ones too
    done: tuple[Trial, ...] = ()  # those with values, in the order they were told
    pending: tuple[Trial, ...] = ()  # asked, neither told nor failed nor cancelled
    settled: int = 0  # tellings so far: values, failures and cancellations
    notes: tuple[str, ...] = ()  # what was done about trouble, each note once
    counted: Tally | None = field(default=None, repr=False)  # the trials as columns, where they are known already

    def __repr__(self) -> str:
        counts = Counter(trial.state for trial in self.trials)
        said = ", ".join(f"{n} {state}" for state, n in counts.items())
        return f"<History of {len(self.trials)} trials{f': {said}' if said else ''}>"

    @classmethod
    def of(cls, events: Iterable[Event]) -> "History":
        """The history that the events tell; the first of them is the start."""
        from suffice.study.fold import Fold  # which makes histories

        fold = Fold()
        fold.extend(events)
        return fold.history()

    def grown(self, event: Event) -> "History":
        """The history after one more event."""
        return History.of((*self.events, event))

    def before(self, number: int) -> "History":
        """What was known when trial `number` was asked for."""
        end = next(i for i, event in enumerate(self.events) if isinstance(event, Asked) and event.number == number)
        return History.of(self.events[:end])

    @cached_property
    def tally(self) -> Tally:
        """The trials as columns, from which everything below is read."""
        return Tally.of(self.trials, self.done, self.settings) if self.counted is None else self.counted

    def _at(self, rows: Indices) -> tuple[Trial, ...]:
        return tuple(map(self.trials.__getitem__, rows.tolist()))

    @cached_property
    def failed(self) -> tuple[Trial, ...]:
        """The failed trials, in the order they were asked for."""
        return self._at(self._rows("failed"))

    @cached_property
    def stopped(self) -> tuple[Trial, ...]:
        """The trials that were stopped early, in the order they were asked for."""
        return self._at(self._rows("stopped"))

    @cached_property
    def _solved(self) -> Indices:
        """The rows of suggestions with a report, without those that were cancelled."""
        return np.flatnonzero(self.tally.table["solved"] & ~self.tally.states("cancelled"))

    @cached_property
    def reports(self) -> tuple[SolveReport, ...]:
        """How the suggestions were found, without those that were cancelled."""
        return tuple(trial.solve for trial in self._at(self._solved) if trial.solve is not None)

    @property
    def outputs(self) -> tuple[float | None, ...]:
        """What came of these suggestions, one value for each report, larger being better; None where none did.

        Of several outputs, the values of the first objective.
        """
        return self._outputs(self.settings.objective)

    def _outputs(self, name: str) -> tuple[float | None, ...]:
        sign = self.settings.sign(name)
        kept = (trial.values for trial in self._at(self._solved))
        return tuple(None if values is None or name not in values else sign * values[name] for values in kept)

    @property
    def accuracy(self) -> Accuracy:
        """How good the suggestions were, as far as the record alone tells: the regret bound needs the last model."""
        first, *others = self.settings.outputs
        return Accuracy(
            self.reports,
            outputs=self.outputs,
            evaluation_seconds=self.seconds_evaluating,
            objective=first,
            others={name: self._outputs(name) for name in others},
        )

    @property
    def last(self) -> SolveReport | None:
        """The report of the last suggestion."""
        return self.trials[self._solved[-1]].solve if len(self._solved) else None

    @property
    def ledger(self) -> Ledger:
        """The two sums of the regret bound over the suggestions so far; a step without an estimate adds its width."""
        missed, width = (math.fsum(self.tally.table[word][self._solved].tolist()) for word in ("missed", "width"))
        return Ledger(inaccuracies=missed, widths=width)

    @cached_property
    def t(self) -> int:
        """1 + the number of model-based asks so far: the step that the next one is."""
        return 1 + int(np.count_nonzero(self.tally.origins("model")))

    @cached_property
    def best(self) -> Trial | None:
        """The feasible trial with the best value, the first of equals in the order of asking; None without any.

        None where there are several objectives: their trials have a front.
        """
        inside = self.tally.feasible
        if self.settings.several or not len(inside):
            return None
        return self.trials[int(inside[np.argmax(self._level[inside])])]

    @cached_property
    def feasible(self) -> tuple[Trial, ...]:
        """The done trials that satisfy every constraint, in the order of asking; all done ones if there is none."""
        return self._at(self.tally.feasible)

    @property
    def _level(self) -> Array:
        """The only objective of each trial, (n,), larger is better; 0 where it is not known."""
        value = self.tally.value(self.settings.objective)
        return self.settings.sign() * np.where(np.isnan(value), 0.0, value)

    @cached_property
    def resolution(self) -> float | None:
        """Differences of the objective that do not matter, in its units; None before there is a value."""
        if self.settings.resolution is not None or not self.done:
            return self.settings.resolution
        y = self.observations(measured=True).y
        if not len(y):
            return None
        best = y.max() if self.best is None else self.settings.sign() * (self.best.value or 0.0)
        # Initial values are those of a spread design, whose median is about a random point's. Of halves, since the
        # largest of floats have no mean.
        return 2.0 * FINE * abs(float(best / 2 - np.median(y[: max(2, self.settings.n_initial)] / 2)))

    @cached_property
    def trail(self) -> tuple[bool, ...]:
        """Whether each value told raised the best one by the resolution; without those that no model proposed and that
        did not, and with the suggestions that failed. Empty where there are several objectives."""
        if self.settings.several:
            return ()  # a front has no single best value
        told, without = self.tally.done, np.flatnonzero(self.tally.states("failed", "stopped"))
        told = self._told(np.concatenate([told, without])) if len(without) else told
        counts = self.tally.states("done")[told] & self.tally.table["feasible"][told]
        value = np.where(counts, self._level[told], -math.inf)
        before = np.maximum.accumulate(np.concatenate([[-math.inf], value[:-1]]))
        level, raised = -math.inf, np.zeros(len(told), dtype=np.bool_)
        for place in np.flatnonzero(value > before).tolist():  # only a new best value can raise the level
            if value[place] > level + (self.resolution or 0.0):
                level, raised[place] = float(value[place]), True
        return tuple(raised[raised | self.tally.origins("model")[told]].tolist())

    @property
    def idle(self) -> int:
        """Suggestions of the model in a row that failed or did not raise the best value by the resolution."""
        return next((i for i, raised in enumerate(reversed(self.trail)) if raised), len(self.trail))

    @property
    def evaluated(self) -> int:
        """How many evaluations were made: told, failed or stopped early."""
        return int(np.count_nonzero(self.tally.states(*EVALUATED)))

    @property
    def model_rows(self) -> int:
        """The rows of the largest matrix in a model of what is known, about: `one_thread` asks for them."""
        n = len(self.done)
        return min(n, getattr(self.settings.model, "max_points", n))

    @property
    def evaluation_seconds(self) -> float | None:
        """The median time of an evaluation, where times are known."""
        seconds = self.tally.table["seconds"][self.tally.states("done")]
        seconds = seconds[~np.isnan(seconds)]
        return float(np.median(seconds)) if len(seconds) else None

    @property
    def seconds_evaluating(self) -> float | None:
        """What all evaluations of this run took; None if the time of one that has a value is not known."""
        evaluated = self.tally.states(*EVALUATED) & ~self.tally.origins("foreign")
        unknown = np.isnan(self.tally.table["seconds"])
        if not evaluated.any() or np.any(evaluated & unknown & self.tally.states("done")):
            return None
        return math.fsum(self.tally.table["seconds"][evaluated & ~unknown].tolist())

    @cached_property
    def seen(self) -> frozenset[bytes]:
        """The rows that were proposed or told; a cancelled one may be proposed again."""
        return frozenset(self.tally.keys_of(~self.tally.states("cancelled")))

    @cached_property
    def again(self) -> frozenset[bytes]:
        """The rows where every evaluation failed, fewer than TRIES times; not the last one, where there are others.

        A failure may be transient. Where points are few, one that fails by chance must not be lost for good.
        """
        failed = self.tally.states("failed")
        tries, others = Counter(self.tally.keys_of(failed)), ~failed & ~self.tally.states("cancelled")
        left = {row for row, n in tries.items() if n < TRIES}.difference(self.tally.keys_of(others) if tries else ())
        if len(left) > 1 or (left and len(self.seen) < self.settings.space.size):
            left -= {self.trials[-1].unit.tobytes()}
        return frozenset(left)

    def known(self, name: str | None = None, *, measured: bool = False) -> tuple[Trial, ...]:
        """The trials that say something about one output, by default the only objective, in the order they were told.

        measured    without those that were stopped early, whose value is only expected
        """
        return self._at(self._known(self.settings.objective if name is None else name, measured))

    def _known(self, name: str, measured: bool) -> Indices:
        """The rows of these trials."""
        done, value = self.tally.done, self.tally.value(name)
        if self.settings.constraints:  # where one is violated, others may be missing
            done = done[~np.isnan(value[done])]
        if measured or name != self.settings.objective:
            return done
        stopped = self._rows("stopped")
        estimated = stopped[~np.isnan(value[stopped])]
        return self._told(np.concatenate([done, estimated])) if len(estimated) else done

    def _rows(self, state: State) -> Indices:
        return np.flatnonzero(self.tally.states(state))

    def _told(self, rows: Indices) -> Indices:
        """Rows in the order they were told."""
        return rows[np.argsort(self.tally.table["told"][rows], kind="stable")]

    def observations(self, name: str | None = None, *, measured: bool = False) -> Observations:
        """The data of one output, larger being better, of the trials that `known` has: here the user's sense ends."""
        name = self.settings.objective if name is None else name
        known = self._known(name, measured)
        y = self.settings.sign(name) * self.tally.value(name)[known]
        return Observations(self.tally.unit[known], y, self.tally.noise(name)[known])


def rows(trials: Sequence[Trial], dim: int) -> Array:
    """The places of trials in the cube, (n, d)."""
    return np.array([trial.unit for trial in trials], dtype=float).reshape(len(trials), dim)
