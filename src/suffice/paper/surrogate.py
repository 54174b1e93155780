"""The authors' Gaussian process, faithful to their code where it differs from their text.

Matérn 3/2, one length-scale in the problem's own units, fitted from 1 at every step; prior mean 0, which is the optimum
since outputs are shifted by it; variance 1, noise 1e-4.
"""

from suffice.gp import GP, Matern, Prior, Refit
from suffice.problems import Problem

FLAT = Prior(
    lengthscale=None,
    scale=None,
    tau=None,
    warp=None,
    lengthscale_bounds=(1e-5, 1e5),
    scale_bounds=(1.0, 1.0),
)


def surrogate(problem: Problem) -> GP:
    """The authors' Gaussian process."""
    return GP(
        kernel=Matern(1.5),
        ard=False,
        noise=1e-4,
        warp=False,
        standardize=False,
        sides=tuple(high - low for low, high in problem.bounds),
        prior=FLAT,
        refit=Refit(growth=0.0, memory=False),
    )
