"""From trials to what a model knows: shared by the optimizer, which asks, and the audit, which looks back.

Failed points count as bad as the worst value seen, pending ones as the model's own mean.
"""

import math
import statistics
from collections.abc import Sequence

import numpy as np

from suffice.gp.model import Observations
from suffice.gp.outcome import FARTHEST, Outcome
from suffice.gp.posterior import Posterior
from suffice.study.trial import Trial
from suffice.types import Ledger, Step

FAR = 1e3  # times the range of the others
FEWEST = 5  # values that can have an outlier


def observations(done: Sequence[Trial], dim: int, sign: float) -> Observations:
    """The data of done trials, in the order given, turned so that larger is better: `sign` is −1 if smaller is."""
    return Observations(
        X=np.array([trial.x for trial in done]).reshape(len(done), dim),
        y=sign * np.array([trial.value for trial in done], dtype=float),
        noise_var=np.array([math.nan if trial.noise_var is None else trial.noise_var for trial in done]),
    )


def believed(posterior: Posterior, failed: Sequence[Trial], pending: Sequence[Trial]) -> Posterior:
    """The posterior with failed points at the worst value and pending ones at the mean."""
    if failed:
        worst = np.full(len(failed), posterior.z.min())
        posterior = posterior.append(np.array([trial.x for trial in failed]), worst)
    if pending:
        posterior = posterior.believe(np.array([trial.x for trial in pending]))
    return posterior


def make_step(
    t: int, posterior: Posterior, trials: Sequence[Trial], ledger: Ledger, deadline: float | None = None
) -> Step:
    """What a solver may know: the design, best first, the ledger, and how long evaluations take."""
    seconds = [trial.seconds for trial in trials if trial.state == "done" and trial.seconds is not None]
    return Step(
        t,
        design=posterior.X[np.argsort(-posterior.z, kind="stable")],
        ledger=ledger,
        deadline=deadline,
        evaluation_seconds=statistics.median(seconds) if seconds else None,
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
