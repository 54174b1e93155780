"""From trials to what a model knows: shared by the optimizer, which asks, and the audit, which looks back."""

import math
import statistics
from collections.abc import Sequence

import numpy as np

from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import ledger
from suffice.belief import Beliefs
from suffice.gp.model import Observations
from suffice.gp.outcome import FARTHEST, Outcome
from suffice.gp.posterior import Posterior
from suffice.study.trial import Trial
from suffice.types import Step

FAR = 1e3  # times the range of the others
FEWEST = 5  # values that can have an outlier


def observations(done: Sequence[Trial], dim: int, sign: float) -> Observations:
    """The data of done trials, in the order given, turned so that larger is better: `sign` is −1 if smaller is."""
    return Observations(
        X=np.array([trial.x for trial in done]).reshape(len(done), dim),
        y=sign * np.array([trial.value for trial in done], dtype=float),
        noise_var=np.array([math.nan if trial.noise_var is None else trial.noise_var for trial in done]),
    )


def beliefs(posterior: Posterior, failed: Sequence[Trial], pending: Sequence[Trial]) -> Beliefs:
    """What an acquisition is told."""
    d = posterior.X.shape[1]
    places = (np.array([trial.x for trial in trials]).reshape(len(trials), d) for trials in (failed, pending))
    return Beliefs.of(posterior, **dict(zip(("failed", "pending"), places, strict=True)))


def make_step(
    t: int,
    posterior: Posterior,
    trials: Sequence[Trial],
    reports: Sequence[SolveReport],
    deadline: float | None = None,
) -> Step:
    """What an acquisition and a solver may know: the design, best first, the steps so far, the pace of evaluations."""
    seconds = [trial.seconds for trial in trials if trial.state == "done" and trial.seconds is not None]
    return Step(
        t,
        design=posterior.X[np.argsort(-posterior.z, kind="stable")],
        ledger=ledger(reports),
        deadline=deadline,
        evaluation_seconds=statistics.median(seconds) if seconds else None,
        last=reports[-1] if reports else None,
    )


def outlier_notes(data: Observations, outcome: Outcome) -> tuple[str, ...]:
    """A word about values so far from all others that they may be mistakes; `outcome`: of the last fit."""
    v = np.sort(outcome.standard(data.y))
    if len(v) < FEWEST:
        return ()
    notes: tuple[str, ...] = ()
    if outcome.floor > -FARTHEST:
        notes += ("some values are far worse than all others and count as just bad; if they are errors, tell nan",)
    if v[-1] - v[-2] > FAR * (v[-2] - v[0]) > 0:
        notes += ("one value is far better than all others; if it is an error, tell nan instead",)
    return notes
