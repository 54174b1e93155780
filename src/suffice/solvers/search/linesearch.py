"""The trial steps of many line searches, one for each run.

t         (m,)    the trial step
lo, hi    (3, m)  step, value and slope at the two ends of the bracket: lo is too short, hi too long, inf at first
failures  (m,)    trials that did not pass, in this direction

The next trial is the maximum of the cubic through both ends, or, as long as no step was too long, where the secant of
the slopes is zero (Nocedal and Wright 2006, Sec. 3.5); it keeps away from the ends.
"""

import numpy as np

from suffice.solvers.search.surface import Mask
from suffice.types import Array

LONGER = 2.0, 5.0  # without a bracket the next step is so many times as long, at least and at most
INSIDE = 0.1, 0.9  # with one it lies in this part of it


class LineSearch:
    """One bracket for each of m runs; every direction is scaled so that t = 1 is the first guess."""

    def __init__(self, v: Array, slope: Array) -> None:
        m = len(slope)
        self.t, self.failures = np.ones(m), np.zeros(m)
        self.lo = np.stack((np.zeros(m), v, slope))
        self.hi = np.full((3, m), np.inf)

    def reset(self, runs: Mask, v: Array, slope: Array) -> None:
        """These runs have a new direction: value and slope at t = 0."""
        self.t[runs] = 1.0
        self.failures[runs] = 0.0
        self.lo[0, runs] = 0.0
        np.copyto(self.lo[1], v, where=runs)
        np.copyto(self.lo[2], slope, where=runs)
        self.hi[0, runs] = np.inf

    def keep(self, runs: Mask) -> None:
        """Only these runs go on."""
        self.t, self.failures = self.t[runs], self.failures[runs]
        self.lo, self.hi = self.lo[:, runs], self.hi[:, runs]

    def retry(self, runs: Mask, far: Mask, v: Array, slope: Array) -> None:
        """The trials of these runs did not pass: too long (`far`) or too short, with this value and slope there."""
        trial = np.stack((self.t, v, slope))
        open_ended = runs & ~far & np.isinf(self.hi[0])
        if open_ended.any():
            np.copyto(self.t, _longer(self.lo, trial), where=open_ended)
        np.copyto(self.lo, trial, where=runs & ~far)
        np.copyto(self.hi, trial, where=runs & far)
        bracketed = runs & ~open_ended
        if bracketed.any():
            np.copyto(self.t, _between(self.lo, self.hi), where=bracketed)
        self.failures[runs] += 1.0


def _longer(lo: Array, trial: Array) -> Array:
    """Where the secant of the slopes is zero, beyond the trial."""
    (t, _, slope), drop = trial, lo[2] - trial[2]
    concave = drop > 0.0
    with np.errstate(over="ignore"):  # almost a straight line: far away
        secant = t + (t - lo[0]) * slope / np.where(concave, drop, 1.0)
    return np.clip(np.where(concave, secant, np.inf), LONGER[0] * t, LONGER[1] * t)


def _between(lo: Array, hi: Array) -> Array:
    """The maximum of the cubic with the values and slopes of lo and hi, or the middle if there is none."""
    with np.errstate(all="ignore"):  # hi may be inf, or its value −inf: then there is no cubic
        width = hi[0] - lo[0]
        bend = lo[2] + hi[2] - 3.0 * (hi[1] - lo[1]) / width
        root = np.sqrt(bend**2 - lo[2] * hi[2])
        share = (lo[2] + root - bend) / (lo[2] - hi[2] + 2.0 * root)
        share = np.where(np.isfinite(share), np.clip(share, *INSIDE), 0.5)
        between: Array = lo[0] + share * width
    return between
