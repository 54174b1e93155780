"""Whether a feasible point exists: by what was measured, and by the models of all values.

slack(x)  (m,)  min_c (μ_c(x) + κ σ_c(x) − l_c)/s_c: the margin of x to its constraints, in standard deviations

If the largest slack is negative, no point is feasible as long as every output is within κ standard deviations of its
prediction: branch and bound proves it (accuracy/certificate.py). The proof holds under the models, and a measurement
overrules it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from suffice.accuracy.certificate import certify
from suffice.acquisition.constraints import Slack
from suffice.ask.models import beliefs_of, fit_outputs
from suffice.record.history import History
from suffice.record.settings import points_to_fit
from suffice.record.trial import Trial
from suffice.solvers import Adaptive
from suffice.streams import Streams
from suffice.text import short_point, visible
from suffice.threads import one_thread
from suffice.types import Step

KAPPA = 3.0  # standard deviations: one output in 700 is further from its prediction than that, if the model is right
MARGIN = 0.1  # of the largest slack that was found: once nothing is above that, a proof ends, since its sign is all


@dataclass(frozen=True)
class Feasibility:
    """What is known about feasible points, those that satisfy every constraint: print it.

    Attributes
    ----------
    feasible : int
        Trials whose measured values satisfy all constraints.
    evaluated : int
        Trials with values.
    satisfied : dict
        For each constraint, the number of trials that satisfy it.
    slack : float
        The largest margin found to the tightest constraint, by optimistic predictions, in standard deviations; negative
        if no known point may be feasible.
    slack_proven : float or None
        A proven upper bound of the slack over the space, under the models; None if the kernel allows no proof, or an
        output has fewer than 2 (parameters + 1) values.
    kappa : float
        How many standard deviations an output may be from its prediction.
    """

    feasible: int
    evaluated: int
    satisfied: dict[str, int]
    slack: float
    slack_proven: float | None
    kappa: float

    @property
    def impossible(self) -> bool:
        """Whether it is proven, under the models, that no point is feasible; a measured one overrules it."""
        return not self.feasible and self.slack_proven is not None and self.slack_proven < 0.0

    def __str__(self) -> str:
        said = f"{_feasible(self.feasible, self.evaluated)} ({_each(self.satisfied)})."
        if self.feasible:
            return said
        if self.impossible:
            return (
                f"{said} Under the models no point of the space is. This is proven, provided that every output is "
                f"within {self.kappa:g} standard deviations of its prediction."
            )
        if self.slack >= 0.0:
            return f"{said} According to the models, there may still be feasible points."
        return f"{said} The models know no point that may be feasible, but it is not proven that there is none."


def feasibility(history: History, kappa: float = KAPPA) -> Feasibility:
    """What the values and the models of all outputs imply; ValueError without constraints."""
    settings, limits = history.settings, history.settings.constraints
    if not limits:
        raise ValueError("this study has no constraints, constraints={...}: every evaluated point is allowed")
    with one_thread(history.model_rows):
        beliefs = beliefs_of(history, fit_outputs(settings, history, None))
        slack = Slack.of(replace(beliefs, pending=beliefs.pending[:0]), kappa)  # what nobody measured proves nothing
        step = Step(max(1, history.t), slack.outputs[0].posterior.X)
        rng = Streams(settings.seed)("stop", len(history.trials))
        found = Adaptive()(slack, settings.space, step=step, rng=rng).value
        known = min(len(history.known(name)) for name in limits) >= points_to_fit(settings.space)
        wanted = known and slack.bounded and found < 0.0
        enough = (1.0 - MARGIN) * -found
        proof = certify(slack, settings.space, value=found, tolerance=enough).upper if wanted else None
    return Feasibility(len(history.feasible), len(history.done), satisfied(history), found, proof, kappa)


def satisfied(history: History) -> dict[str, int]:
    """How many of the trials that have its value satisfy each limit."""
    return {
        name: sum(limit.violation(trial.values[name]) == 0.0 for trial in history.done if name in trial.values)
        for name, limit in history.settings.constraints.items()
    }


def feasible_in_words(history: History) -> str:
    """How many of the evaluated points are feasible, in words."""
    return _feasible(len(history.feasible), len(history.done))


def _feasible(n: int, evaluated: int) -> str:
    return f"{n} of {evaluated} evaluated points {'is' if n == 1 else 'are'} feasible"


def counts(history: History) -> str:
    """How many satisfy each limit, in words."""
    return ", ".join(
        f"{visible(name)} {f'satisfied by {n}' if history.known(name) else 'not measured yet'}"
        for name, n in satisfied(history).items()
    )


def _each(satisfied: Mapping[str, int]) -> str:
    return ", ".join(f"{visible(name)} satisfied by {n}" for name, n in satisfied.items())


def least_violated(history: History) -> Trial | None:
    """The evaluated trial with the smallest violation, in interquartile ranges of the outputs; None without any.

    A trial that lacks a constrained output counts as violating its constraint by one range.
    """
    limits = history.settings.constraints
    spreads = {name: _spread(history, name) for name in limits}

    def violation(trial: Trial) -> float:
        values = trial.values
        return sum(
            limit.violation(values[name]) / spreads[name] if name in values else 1.0 for name, limit in limits.items()
        )

    return min((trial for trial in history.trials if trial.state == "done"), key=violation, default=None)


def _spread(history: History, name: str) -> float:
    y = history.observations(name).y
    if not len(y):
        return 1.0
    low, high = np.percentile(y, (25, 75))
    return float(high - low) or float(np.ptp(y)) or 1.0


def infeasible_in_words(history: History) -> str:
    """A sentence where no trial is feasible; "" elsewhere."""
    limits = history.settings.constraints
    if not limits or history.feasible or not history.done:
        return ""
    trial = least_violated(history)
    assert trial is not None  # there are done ones
    values = trial.values
    broken = [
        f"{visible(name)} is {values[name]:g} and must be {limit}"
        if name in values
        else f"{visible(name)} is not known"
        for name, limit in limits.items()
        if name not in values or limit.violation(values[name]) > 0.0
    ]
    return (
        f"none of the {len(history.done)} evaluated points is feasible; the one closest to feasible is trial "
        f"{trial.number}, {short_point(trial.point)}: {', '.join(broken)}"
    )
