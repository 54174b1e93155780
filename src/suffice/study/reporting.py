"""What an evaluation reports on its way, whether it should stop, and the telling that it was stopped."""

import math
from typing import Any

from suffice.checks import as_count
from suffice.study.border import as_seconds, as_value
from suffice.study.early.curves import best
from suffice.study.early.outlook import Outlook
from suffice.study.early.rule import EarlyStop, wants_stop
from suffice.study.events import Event, Reported, Stopped, failed
from suffice.study.settings import Opaque
from suffice.study.study import Study
from suffice.study.telling import present
from suffice.study.trial import Trial


class Reporting(Study):
    """The part of an optimizer that hears from evaluations which are under way."""

    def report(self, trial: Trial, value: Any, step: int) -> Trial:
        """Say what an evaluation under way has come to: a loss after an epoch, the score of a fold.

        A step that was reported before begins anew from there, as where an evaluation is made again. A report about a
        trial that is not pending changes nothing: it comes late.

        Parameters
        ----------
        trial : Trial
            The trial that is being evaluated.
        value : float
            Its value at that step, in the units and the sense of the objective.
        step : int
            How far it is: a whole number ≥ 0, such as the epoch or the number of the fold. Steps of different trials
            are compared with each other.

        Returns
        -------
        Trial
            The trial with its reports.
        """
        if self.settings.several:
            raise ValueError("report is for one objective: this study has several, and stops none of its evaluations")
        number, place = as_value(value, "a report"), as_count(step, "step", 0)
        with self._lock:
            known = self._known(trial)
            if known.state != "pending":
                return known
            return self._settle(Reported(known.number, place, number))

    def should_stop(self, trial: Trial) -> bool:
        """Whether the rule `early_stop` would stop an evaluation under way, after what it has reported.

        Parameters
        ----------
        trial : Trial
            The trial that is being evaluated.

        Returns
        -------
        bool
            True: end the evaluation, and say so by `stop`. Without a rule it is always False.
        """
        with self._lock:
            known = self._known(trial)
            return known.state == "pending" and wants_stop(self._rule, known.number, self._record.fold.field)

    def stop(self, trial: Trial, *, seconds: float | None = None) -> Trial:
        """Say that an evaluation was ended early, because of what it had reported.

        The trial has no value and is never the best one; the model learns the value that it is expected to have had,
        with its variance, if at least four finished trials had come as far. A last report that is no number says that
        the evaluation failed.

        Parameters
        ----------
        trial : Trial
            The trial that was stopped.
        seconds : float or None, default: None
            How long the evaluation took, if you know it.

        Returns
        -------
        Trial
            The stopped trial. To stop one again changes nothing.
        """
        took = as_seconds(seconds)
        with self._lock:
            known = self._known(trial)
            if known.state == "stopped":
                return known
            if known.state == "done":
                raise ValueError(
                    f"trial {known.number} was told {known.value!r} already; it cannot be stopped any more"
                )
            return self._settle(self._stopped(known, took))

    def _stopped(self, trial: Trial, seconds: float | None) -> Event:
        """The event, with what finished trials say about the value that would have come."""
        if trial.reports and not math.isfinite(said := trial.reports[-1][1]):
            cause = "nan" if math.isnan(said) else "inf"
            return failed(trial.number, f"its last report was {said}, and it was stopped", cause, seconds)  # type: ignore[arg-type]
        fold = self._record.fold
        curve, level = fold.field.curves.get(trial.number), best if self._rule is None else self._rule.level
        if curve is None or not curve.steps:
            return Stopped(trial.number, seconds=seconds)
        outlook = Outlook.of(level(curve.values), *fold.field.column(level, curve.steps[-1]))
        if outlook is None or not math.isfinite(outlook.variance):
            return Stopped(trial.number, seconds=seconds)
        return Stopped(trial.number, self.settings.sign() * outlook.mean, outlook.variance, seconds)

    @property
    def _rule(self) -> EarlyStop | None:
        """The rule; None where there is none, or where a file could only describe it."""
        rule = self.settings.early_stop
        return None if isinstance(rule, Opaque) else rule

    def _known(self, trial: Any) -> Trial:
        """The present state of a trial that this optimizer made."""
        return present(trial, self._record.fold.trials)

    def _settle(self, *events: Any) -> Trial:
        self._record.append(*events)
        found: Trial = self._record.fold.trials[events[-1].number]
        return found
