"""From trials to what a model knows: shared by the optimizer, which asks, and the audit, which looks back.

Failed points count as bad as the worst value seen, pending ones as the model's own mean.
"""

import math
from collections.abc import Sequence

import numpy as np

from suffice.gp.model import Observations
from suffice.gp.outcome import standardised
from suffice.gp.posterior import Posterior
from suffice.trial import Trial

FAR = 1e6  # robust deviations from the median: so far out, a value is an error more often than a fact


def observations(done: Sequence[Trial], dim: int, sign: float) -> Observations:
    """The data of done trials, in the order given."""
    return Observations(
        X=np.array([trial.x for trial in done]).reshape(len(done), dim),
        y=np.array([trial.value for trial in done], dtype=float),
        noise_var=np.array([math.nan if trial.noise_var is None else trial.noise_var for trial in done]),
        sign=sign,
    )


def believed(posterior: Posterior, failed: Sequence[Trial], pending: Sequence[Trial]) -> Posterior:
    """The posterior with failed points at the worst value and pending ones at the mean."""
    if failed:
        worst = np.full(len(failed), posterior.z.min())
        posterior = posterior.append(np.array([trial.x for trial in failed]), worst)
    if pending:
        posterior = posterior.believe(np.array([trial.x for trial in pending]))
    return posterior


def outlier_notes(data: Observations) -> tuple[str, ...]:
    """A word about a value so far off that it may be a mistake."""
    farthest = np.abs(standardised(data.y, data.sign).standard(data.y)).max()
    if farthest <= FAR:
        return ()
    return (f"a value lies more than {FAR:g} robust deviations from the median; if it is an error, tell nan instead",)
