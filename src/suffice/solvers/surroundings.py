"""Where a score may have peaks that are too narrow for draws: around the best observed points and its own seeds.

Expected improvement and the like are large beside the best observations and nearly flat elsewhere. The more is known,
the narrower such a peak is, and in many columns, or among many cells of integers and options, no draw ever meets it.
"""

import numpy as np
from numpy.random import Generator

from suffice.candidates import local
from suffice.solvers.record import Work
from suffice.types import Array, Domain, Score, Step, largest

CENTRES, NEAR = 4, 32  # best observed points, and draws around each
SEEDS = 5  # of the score's own: draws around each as well
SCANNED, APART = 50, 0.05  # of the best observed points, how far the centres are from each other


def surroundings(alpha: Score, domain: Domain, step: Step, rng: Generator) -> tuple[Array, Work]:
    """The centres, the seeds and the best draws around them, (k, d); no rows before anything was observed."""
    centres = apart(step.design, CENTRES)
    seeds = np.empty((0, domain.dim)) if alpha.seeds is None else alpha.seeds
    if len(seeds):
        seeds = seeds[largest(alpha(seeds), SEEDS)]
    around = [local(NEAR, domain, design=x[None], rng=rng) for x in (*centres, *seeds)]
    if not around:
        return np.empty((0, domain.dim)), Work()
    near = np.concatenate(around)
    best = near[largest(alpha(near), len(around))]
    return np.concatenate([centres, seeds, best]), Work(values=len(near) + len(seeds))


def apart(design: Array, k: int) -> Array:
    """The best observed points, at most k, that are APART from each other in some column."""
    head = design[:SCANNED]
    open_rows = np.ones(len(head), dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < k and open_rows.any():
        chosen.append(int(open_rows.argmax()))
        open_rows &= np.abs(head - head[chosen[-1]]).max(axis=1) > APART
    return head[chosen]
