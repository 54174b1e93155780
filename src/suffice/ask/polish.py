"""The last digits: a local search around the best point, by a model of its neighbourhood alone.

A model of a whole space, which may have many scales, is wrong about the last thousandth of it. At the end of a run the
best basin is found, and what is left is to get to its bottom.

x*   (d,)   the best point, in the columns that are real and active there: the others stay as they are at x*
r    float  the radius, in ranges of the parameters: the next point is within r of x* in every column
μ    (m,)   the mean of a Gaussian process through the points near x*, fitted in units of r

    x = argmax μ over |x − x*| ≤ r

unless the values show noise, which has no last digits; then the step is one as any other. Where μ expects nothing,
or something was evaluated beside x, the neighbours do not show which way is up, and x is on a smaller radius, in the
direction in which they differ least.

r begins with the distance to the neighbours. It doubles after a step of the whole radius that was better, and shrinks
after one that was not. It follows from the record, so a resumed run continues with the same points.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.acquisition.ucb import UCBScore
from suffice.candidates import sobol
from suffice.gp import GP, RBF, LogNormal, Prior
from suffice.gp.model import Fitted, Observations
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.solvers.search.mixed import ascend
from suffice.space import SearchSpace, Shaped, Space, UnitCube, free_columns, is_constrained, is_unknown
from suffice.types import Array, smooth_columns

# Near an optimum everything is smooth and nearly quadratic: length-scales of some radii. Noise is what rounding leaves,
# unless the neighbours say otherwise.
LOCAL = GP(
    RBF(),
    warp=False,
    members=1,
    prior=Prior(
        lengthscale=LogNormal(1.0, 2.0),
        tau=LogNormal(1e-6, 5.0),
        lengthscale_bounds=(0.1, 100.0),
        tau_bounds=(1e-9, 1.0),
    ),
)
WIDEST, FIRST, NARROWEST = 0.3, (1e-4, 0.1), 1e-9  # r at most, at first, and at least
GROWTH, SHRINKAGE = 2.0, 0.4
WHOLE = 0.9  # of the radius: a step this long was limited by it
BESIDE = 0.03  # of the radius: a point so near another one shows nothing new
CLOSER = 0.3  # of the radius: of a step that looks for a direction
NOTHING = 1e-14  # of the spread of the neighbours: less is rounding
REACH = 8.0  # radii: neighbours further away say nothing about the bottom
# Of the variance of the objective, and of the neighbours: where so much is noise there are no last digits. The fits of
# seven functions found at most 2.4e-4 without noise, and at least 2e-3 with 30 % of the spread of the better half.
NOISE = 1e-3
STARTS = 8  # of the search for the best μ, beside x*


def why_not(settings: Settings) -> str:
    """Why a study cannot be polished; "" if it can."""
    if settings.several:
        return "there are several objectives"
    if settings.constraints:
        return "there are constraints on outputs, and the best point may lie on their boundary"
    if settings.repeat:
        return "repeat=True means that the objective is noisy"
    if is_unknown(settings.space):
        return ""  # it may have one
    if not isinstance(settings.space, Space) or not smooth_columns(settings.space).any():
        return "the space has no real parameter"
    return ""


def check_polish(settings: Settings, fixed: Mapping[str, Any] | None = None) -> None:
    """ValueError, with the reason, where a study cannot be polished."""
    reason = "values are fixed" if fixed else why_not(settings)
    if reason:
        raise ValueError(f"polish=True refines the best point of one objective without noise: {reason}; leave it out")


@dataclass(frozen=True)
class Around:
    """What is known around the best point, in its free columns."""

    space: SearchSpace
    x: Array  # (D,): the best point, all columns
    free: NDArray[np.bool_]  # (D,)
    X: Array  # (n, d): observed points that agree with it in all other columns
    y: Array  # (n,): their values, larger is better
    r: float

    @property
    def best(self) -> Array:
        """x*, (d,)."""
        return self.x[self.free]

    @classmethod
    def of(cls, history: History) -> "Around | None":
        """None where too little is known, or nothing can be moved."""
        data, settings = history.observations(history.settings.objective), history.settings
        if not len(data) or np.isfinite(data.noise_var).any():
            return None
        x = data.X[int(np.argmax(data.y))]
        free = free_columns(settings.space, x[None])[0]
        same = (data.X[:, ~free] == x[~free]).all(axis=1)
        if not free.any() or np.count_nonzero(same) < np.count_nonzero(free) + 2:
            return None
        X, y = data.X[same][:, free], data.y[same]
        return cls(settings.space, x, free, X, y, radius(history, free))

    def near(self) -> NDArray[np.intp]:
        """The neighbours that the model is made of: three times as many as a quadratic has coefficients, at most."""
        d = self.X.shape[1]
        away = np.abs(self.X - self.best).max(axis=1)
        order = np.argsort(away, kind="stable")[: 3 * (d + 1) * (d + 2) // 2]
        least = away[order[min(len(order) - 1, d + 2)]]
        near: NDArray[np.intp] = order[away[order] <= max(REACH * self.r, least)]
        return near

    def proposed(self) -> tuple[Array, float] | None:
        """The best point by the local model, (d,), and by how much it is better, in its units; None if it is noise."""
        low, high = np.maximum(self.best - self.r, 0.0), np.minimum(self.best + self.r, 1.0)
        side, near = np.maximum(high - low, np.finfo(float).tiny), self.near()
        cube = UnitCube(len(low))
        data = Observations((self.X[near] - low) / side, self.y[near], np.full(len(near), np.nan))
        posterior = LOCAL(data, cube).posterior
        if posterior.tau > NOISE:
            return None
        alpha = UCBScore(posterior, 0.0)
        here = ((self.best - low) / side)[None]
        starts = np.vstack([here, sobol(STARTS, cube, design=here, rng=np.random.default_rng(0))])
        found = ascend(alpha, cube, starts, tol=1e-9)
        top = int(np.argmax(found.values))
        return low + found.points[top] * side, float(found.values[top] - alpha(here)[0])

    def sideways(self) -> Array:
        """A point on a smaller radius in the direction in which the neighbours differ least, (d,)."""
        r = CLOSER * self.r
        away = (self.X - self.best) / r
        inside = away[np.abs(away).max(axis=1) <= 2.0]
        direction = np.linalg.eigh(inside.T @ inside)[1][:, 0]
        direction = direction / np.abs(direction).max()
        there: Array = np.clip(self.best + r * direction, 0.0, 1.0)
        return there if np.abs(there - self.best).max() > 0.5 * r else np.clip(self.best - r * direction, 0.0, 1.0)

    def whole(self, z: Array) -> Array:
        """The member of the space with these free columns, (D,)."""
        x = self.x.copy()
        x[self.free] = z
        x = self.space.snap(x[None])
        if is_constrained(self.space) and isinstance(self.space, Shaped):
            x = self.space.towards(x, self.x[None])
        return np.asarray(x[0])


def polish_point(history: History, model: Any = None) -> Array | None:
    """The next point of the local search, (D,); None without enough values or without a direction.

    model    that of the whole space, as it was fitted last; where it found noise there are no last digits
    """
    if isinstance(model, Fitted) and model.hyper.tau > NOISE:
        return None
    around = Around.of(history)
    if around is None or around.r < NARROWEST:
        return None
    known = history.table.unit[~history.table.states("cancelled")][:, around.free]  # pending and failed ones too
    proposed = around.proposed()
    if proposed is None:
        return None
    z, promise = proposed
    if promise <= NOTHING or np.abs(known - z).max(axis=1).min() < BESIDE * around.r:
        z = around.sideways()
    x = around.whole(z)
    return None if around.space.canonical(x)[1].tobytes() in history.seen else x


def radius(history: History, free: NDArray[np.bool_]) -> float:
    """r, from the trials that were polished so far, one after the other."""
    table, name = history.table, history.settings.objective
    Z, y = table.unit[:, free], history.settings.sign(name) * table.value(name)
    y = np.where(table.states("done"), y, -np.inf)
    polished = np.flatnonzero(table.origins("polish") & table.states("done", "failed"))
    first = polished[0] if len(polished) else len(table)
    best = int(np.argmax(y[:first])) if first else 0
    away = np.sort(np.abs(Z[:first][y[:first] > -np.inf] - Z[best]).max(axis=1))
    r = float(np.clip(away[min(len(away) - 1, int(free.sum()) + 1)], *FIRST)) if len(away) else FIRST[1]
    for row in polished:
        best = int(np.argmax(y[:row]))
        step = float(np.abs(Z[row] - Z[best]).max())
        if y[row] <= y[best]:
            r = SHRINKAGE * min(r, max(step, 0.1 * r))
        elif step >= WHOLE * r:
            r = min(GROWTH * r, WIDEST)
    return r
