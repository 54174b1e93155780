"""Every observation predicted from all others, in closed form from the factor: leave-one-out.

Kt    (n, n)  K + diag(tau), Kt^-1 = R'R            a     (n,)   Kt^-1 (z − m)
q     (n,)    diag(Kt^-1), the squared columns of R

    mean_i = z_i − a_i/q_i        var_i = s²/q_i, noise included        Rasmussen and Williams (2006), eqs. 5.12

The length-scales, s, m and the noise are those of all data, so that the predictions are a little too good.
"""

from dataclasses import dataclass

import numpy as np

from suffice.gp.posterior import Posterior
from suffice.types import Array


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What the others say about each observation, model units, (n,) each."""

    mean: Array
    deviation: Array  # of the observation about it, its noise included
    z: Array  # (observed − mean) / deviation: standard normal where the model is right
    explained: float  # 1 − Σ(observed − mean)² / Σ(observed − mean of the others)²: 1 is perfect, 0 no better than that


def leave_one_out(posterior: Posterior) -> LeftOut:
    """The predictions of all n observations, n ≥ 2, O(n²)."""
    R, n = posterior.factor.R, posterior.n
    q = np.einsum("ij,ij->j", R, R)
    missed = posterior.a / q
    deviation = posterior.scale / np.sqrt(q)
    about = (posterior.z - posterior.z.mean()) * (n / (n - 1.0))
    whole = float(about @ about)
    explained = 1.0 - float(missed @ missed) / whole if whole > 0.0 else 0.0
    return LeftOut(posterior.z - missed, deviation, missed / deviation, explained)
