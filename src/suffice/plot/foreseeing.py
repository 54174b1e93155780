"""The front that the models of a run predict, of two objectives.

X        (n, d)   rows of the cube: draws of the space, and more around those that are on a front already
μ, σ     (n,)     posterior mean and deviation of an output, larger is better, model units

    front(z)   of the outcomes h(μ + zσ) at the rows where every constrained output is within its limit at μ + zσ

z = 0 is the predicted front, as medians. Those at z = ±2 are the ends of the band. That is no band of confidence for
the front: outputs that differ by two deviations in the same direction everywhere are one way to differ among many, and
each of the three fronts may consist of other points.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.errors import SufficeError
from suffice.figures.fronts import Foreseen
from suffice.pareto.front import nondominated
from suffice.streams import Streams
from suffice.study.history import rows
from suffice.study.reading.predict import Surface, surface
from suffice.study.result import Result
from suffice.threads import one_thread
from suffice.types import Array, Domain

DEVIATIONS = (0.0, -2.0, 2.0)  # of the three fronts
DRAWS = 2048  # of the space
ROUNDS, AROUND, EACH = 3, 40, 24  # rounds of looking around so many points of the fronts, at so many rows each
SCALES = (0.1, 0.03, 0.01, 0.003)  # how far around, in units of the cube


@dataclass(frozen=True)
class _Outputs:
    """The two objectives, and limits of others in model units."""

    objectives: tuple[Surface, Surface]
    limited: tuple[tuple[Surface, float], ...]

    def at(self, X: Array) -> Array:
        """Outcomes at the deviations of each front, larger is better, (3, n, 2); nan beyond a limit."""
        said = np.empty((len(DEVIATIONS), len(X), 2))
        for j, found in enumerate(self.objectives):
            mean, std = found.fitted.posterior.predict(X)
            with np.errstate(over="ignore"):  # the far end of a band after a warp may be beyond float64
                said[:, :, j] = [found.fitted.outcome.inverse(mean + z * std) for z in DEVIATIONS]
        for found, level in self.limited:
            mean, std = found.fitted.posterior.predict(X)
            for k, z in enumerate(DEVIATIONS):
                said[k, mean + z * std < level] = np.nan
        said[~np.isfinite(said).all(axis=2)] = np.nan
        return said


def foreseen(result: Result, names: tuple[str, str]) -> Foreseen | None:
    """The predicted front of two objectives, in the user's units; None where there is no model to ask."""
    try:
        outputs = _outputs(result, names)
    except SufficeError:
        return None
    space, history = result.settings.space, result.history
    rng = Streams(result.seed)("dependence", 2)
    with one_thread(history.model_rows):
        X = np.concatenate([space.sample(DRAWS, rng), rows(history.done, space.dim)])
        S = outputs.at(X)
        for _ in range(ROUNDS):
            more = _around(space, X, S, rng)
            X, S = np.concatenate([X, more]), np.concatenate([S, outputs.at(more)], axis=1)
    signs = np.array([result.settings.sign(name) for name in names])
    median, worse, better = (signs * outcomes[nondominated(outcomes)] for outcomes in S)
    return Foreseen(median, worse, better)


def _outputs(result: Result, names: tuple[str, str]) -> _Outputs:
    history = result.history
    first, second = (surface(history, name=name) for name in names)
    limited = []
    for name, limit in result.settings.constraints.items():
        found = surface(history, name=name)
        limited.append((found, float(found.fitted.outcome(np.array([limit.sign * limit.limit]))[0])))
    return _Outputs((first, second), tuple(limited))


def _around(space: Domain, X: Array, S: Array, rng: Generator) -> Array:
    """Members near points of the three fronts, evenly chosen along them."""
    chosen: list[int] = []
    for outcomes in S:
        front = np.flatnonzero(nondominated(outcomes, distinct=True))
        front = front[np.argsort(outcomes[front, 0])]
        chosen += front[np.linspace(0, len(front) - 1, min(AROUND, len(front))).round().astype(np.intp)].tolist()
    near = [space.near(X[row], EACH, rng, SCALES) for row in dict.fromkeys(chosen)]
    return np.concatenate([np.empty((0, X.shape[1])), *near])
