"""A model that is not too sure of what it has not seen.

ℓ, s², τ   length-scales, signal variance, noise-to-signal ratio
w   (n,)   R (z − m), so that |w|² = (z − m)'(K + diag(τ))^-1 (z − m); given ℓ and τ, s² = |w|²/n is the likeliest

The points of a run pile up at its best point. A fit that maximizes the likelihood of such data is right there and too
sure elsewhere: the pile is smooth, and its values differ little. Three things are done about it.
1.  No warp. A warp that spreads the values near the best one leaves no room above it.
2.  s² is at least the variance of the values: less would say that the objective varies less than it was seen to.
3.  The length-scales are shorter than the fitted ones by one factor, with the s² that is the likeliest then.
"""

from dataclasses import replace

import numpy as np

from suffice.gp.model import GP, Fitted, Observations
from suffice.types import Domain


def unwarped(model: GP, data: Observations, domain: Domain) -> tuple[GP, Fitted]:
    """The model without a warp, its signal variance not below that of the values; and its fit from scratch."""
    low, high = model.prior.scale_bounds
    seen = 1.0 if model.standardize else float(np.var(data.y))  # standardised values have the variance 1
    floor = min(max(low, seen), high)  # bounds that fix the variance are knowledge
    plain = replace(model, warp=False, prior=replace(model.prior, scale_bounds=(floor, high)))
    return plain, plain(data, domain)


def shortened(model: GP, fitted: Fitted, data: Observations, domain: Domain, share: float) -> Fitted:
    """The fit with length-scales of this share of its own, and the signal variance that is the likeliest then."""
    outcome, constant, n = fitted.outcome, fitted.posterior.constant, fitted.n_refit
    ends = model.prior.lengthscale_bounds
    hyper = replace(
        fitted.hyper, lengthscale=tuple(float(np.clip(share * ell, *ends)) for ell in fitted.hyper.lengthscale)
    )
    w = model.rebuild(data, domain, hyper, outcome, constant, n).w
    hyper = replace(hyper, variance=float(np.clip(w @ w / max(1, len(w)), *model.prior.scale_bounds)))
    return replace(fitted, hyper=hyper, posterior=model.rebuild(data, domain, hyper, outcome, constant, n))
