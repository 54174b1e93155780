"""Runs in which every constant of the theorems is known, so that their right-hand sides are numbers beside the regret.

f     Σ c_j k(·, z_j), z_j uniform, c_j normal, scaled to the norm sqrt(c'Kc) = B: a function of known norm
B, R  float  its norm, and the deviation of the normal noise, which is R-sub-Gaussian
δ     float  the bounds hold with probability 1 − δ at least

The kernel is Matérn 5/2 and given to the model, as is the noise: nothing is fitted, outputs are taken as they are.
β_t is the theory's and the solver the paper's grid of 100 t uniform points; a proof limits what each step missed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize

from suffice.acquisition import UCB, Theory
from suffice.gp import GP, Prior
from suffice.gp.kernels import Matern
from suffice.paper.quantities import quantities
from suffice.paper.theorems import bounds
from suffice.solvers import Grid
from suffice.study.optimizer import Optimizer
from suffice.types import Array

B, R, DELTA = 1.5, 0.1, 0.1
LENGTHSCALE = 0.3  # in one dimension, growing with d: functions that 30 steps can learn something about
STEPS, INITIAL, CENTRES = 30, 3, 8
SECONDS = 0.05  # for the proof of a step
DIMENSIONS = (1, 2, 3)
SCAN, STARTS = 20_000, 20  # points that the maximum of f is looked for among, and the best of them, to climb from


@dataclass(frozen=True)
class Known:
    """The theorems beside the truth: one run."""

    dimension: int
    steps: int
    regret: float  # R_T, of f without its noise
    observed: float  # Theorem 1 before its last relaxations
    theorem1: float
    theorem3: float
    trivial: float  # 2BT
    gain: float  # of the steps
    deviations: float  # Σσ
    deviation_limit: float  # what the gain says about it
    first_fill: float
    last_fill: float

    @property
    def holds(self) -> bool:
        """Whether the regret is below all bounds."""
        return self.regret <= min(self.observed, self.theorem1, self.theorem3)

    def __str__(self) -> str:
        bounds = f"{self.observed:.3g} observed, {self.theorem1:.3g}; Theorem 3: {self.theorem3:.3g}"
        made_of = f"gain {self.gain:.3g}, Σσ {self.deviations:.3g}, holes {self.first_fill:.2g} … {self.last_fill:.2g}"
        return f"d = {self.dimension}: R_T = {self.regret:.3g}; Theorem 1: {bounds}; 2BT = {self.trivial:g}; {made_of}"


def told(runs: Sequence[Known]) -> str:
    """The runs on a terminal, a line each."""
    about = (
        f"The theorems as numbers, on functions of known norm B = {B:g}: regret of {runs[0].steps} steps, and bounds"
    )
    return "\n".join([about, *(f"  {run}" for run in runs)])


def known_runs(dimensions: Sequence[int] = DIMENSIONS, steps: int = STEPS, seed: int = 0) -> list[Known]:
    """A run in each dimension: about a second each."""
    return [_run(d, steps, seed) for d in dimensions]


def known_norm(kernel: Matern, d: int, rng: Generator) -> tuple[Callable[[Array], Array], float]:
    """f, X (m, d) -> (m,), of norm B on the unit cube, and its maximum as far as a long search finds it."""
    Z, c = rng.random((CENTRES, d)), rng.standard_normal(CENTRES)
    c *= B / math.sqrt(c @ kernel(Z, Z) @ c)

    def f(X: Array) -> Array:
        values: Array = kernel(X, Z) @ c
        return values

    X = np.concatenate([rng.random((SCAN, d)), Z])
    starts = X[np.argsort(-f(X))[:STARTS]]

    def negative(x: Array) -> float:
        return -float(f(x[None])[0])

    return f, max(-float(minimize(negative, x, bounds=[(0.0, 1.0)] * d).fun) for x in starts)


def _run(d: int, steps: int, seed: int) -> Known:
    ell = LENGTHSCALE * d
    f, best = known_norm(Matern(2.5, ell), d, np.random.default_rng([seed, d]))
    optimizer = Optimizer(
        [(0.0, 1.0)] * d,
        sense="maximize",
        seed=seed,
        n_initial=INITIAL,
        model=GP(
            Matern(2.5),
            ard=False,
            noise=R**2,
            warp=False,
            standardize=False,
            prior=Prior(lengthscale_bounds=(ell, ell), scale_bounds=(1.0, 1.0)),
        ),
        acquisition=UCB(Theory(B, R, DELTA)),
        solver=Grid(near=False),
        certify=SECONDS,
    )
    noise, regret = np.random.default_rng([seed, d, 1]), 0.0
    for t in range(INITIAL + steps):
        trial = optimizer.ask()
        value = float(f(np.asarray(trial.point)[None])[0])
        optimizer.tell(trial, value + R * noise.standard_normal())
        regret += best - value if t >= INITIAL else 0.0
    result = optimizer.result()
    run = quantities(result)
    stated = {name: math.nan if bound.value is None else bound.value for name, bound in bounds(result, run).items()}
    fills = [math.nan] if run.grids is None else run.grids.fills
    return Known(
        dimension=d,
        steps=run.steps,
        regret=regret,
        observed=stated["Theorem 1, observed"],
        theorem1=stated["Theorem 1"],
        theorem3=stated["Theorem 3"],
        trivial=2 * B * run.steps,
        gain=run.gain_of_steps or 0.0,
        deviations=math.fsum(run.deviations or ()),
        deviation_limit=run.deviation_limit or 0.0,
        first_fill=float(fills[0]),
        last_fill=float(fills[-1]),
    )
