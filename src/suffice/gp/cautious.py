"""A model that is not too sure of what it has not seen.

ℓ, s², τ   length-scales, signal variance, noise-to-signal ratio
w   (n,)   R (z − m), so that |w|² = (z − m)'(K + diag(τ))^-1 (z − m); given ℓ and τ, s² = |w|²/n is the likeliest

The points of a run pile up at its best point. A fit that maximizes the likelihood of such data is right there and too
sure elsewhere: the pile is smooth, and its values differ little. Three things are done about it.
1.  No warp. A warp that spreads the values near the best one leaves no room above it.
2.  s² is at least the variance of the values: less would say that the objective varies less than it was seen to.
3.  The length-scales are shorter than the fitted ones by the factor SHORTER, with the s² that is the likeliest then.
"""

from dataclasses import replace

import numpy as np

from suffice.gp.model import GP, Fitted, Observations
from suffice.types import Domain

# Chosen together with the β of the stopping rule, for few false stops and many right ones (docs/stopping.md). The
# shortest that a likelihood-ratio test would not refute did worse: too short with noise, too long without.
SHORTER = 0.75


def cautious(model: GP, data: Observations, domain: Domain) -> Fitted:
    """The model fitted to the data from scratch: unwarped, not too quiet, and with shorter length-scales."""
    low, high = model.prior.scale_bounds
    seen = 1.0 if model.standardize else float(np.var(data.y))  # standardised values have the variance 1
    floor = min(max(low, seen), high)  # bounds that fix the variance are knowledge
    unwarped = replace(model, warp=False, prior=replace(model.prior, scale_bounds=(floor, high)))
    fitted = unwarped(data, domain)
    constant, n = fitted.posterior.constant, fitted.n_refit
    ends = model.prior.lengthscale_bounds
    shorter = tuple(float(np.clip(SHORTER * ell, *ends)) for ell in fitted.hyper.lengthscale)
    hyper = replace(fitted.hyper, lengthscale=shorter)
    w = unwarped.rebuild(data, domain, hyper, fitted.outcome, constant, n).w
    hyper = replace(hyper, variance=float(np.clip(w @ w / max(1, len(w)), floor, high)))
    return replace(fitted, hyper=hyper, posterior=unwarped.rebuild(data, domain, hyper, fitted.outcome, constant, n))
