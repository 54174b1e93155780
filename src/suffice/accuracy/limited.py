"""What limits on other outputs change in the bound that a run states about itself (CONFIG, Xu et al. 2022).

c     a limited output, larger-is-better, with the limit l_c             x*   the best point within all limits
κ     max(1, β_t): |f_c − μ_c| ≤ κ σ_c of every limited output, as |f − μ| ≤ β_t σ of the objective
S_t   the points with μ_c + κ σ_c ≥ l_c for all c, which the models hold possible
α_t   the confined score: inner = μ + β_t σ on S_t, and nowhere above it (acquisition/confined.py)

While all bands hold, x* is in every S_t, because l_c ≤ f_c(x*) ≤ μ_c(x*) + κ σ_c(x*). So

    f(x*) ≤ inner(x*) = α_t(x*) ≤ α*_t            f(x_t) ≥ inner(x_t) − w_t ≥ α_t(x_t) − w_t

and a step costs at most g_t + w_t against x*, wherever x_t is: as without limits, with g_t = α*_t − α_t(x_t) of the
confined score, which is what the search left of it. Nothing of g_t enters the violations, of which the model knows

    l_c − f_c(x_t) ≤ l_c − μ_c(x_t) + κ σ_c(x_t),    at most 2 κ σ_c(x_t) where x_t is in S_t

and their sums over the steps are observed as Σ g_t + Σ w_t is. Each output has its band with probability 1 − δ, all of
them together with 1 − (1 + number of limits) δ.
"""

import math
from collections.abc import Sequence

from suffice.accuracy.bounds import Check, Premises, said_if
from suffice.accuracy.report import FINDING, SolveReport


def violations(premises: Premises, reports: Sequence[SolveReport]) -> dict[str, float] | None:
    """What the violations of each limit add up to at most, in its own units; None where a step does not tell."""
    if not premises.limited or any(report.violations is None for report in reports):
        return None
    known = [report.violations or {} for report in reports]
    return {name: math.fsum(each.get(name, math.inf) for each in known) for name in premises.limited}


def limited_checks(premises: Premises, reports: Sequence[SolveReport]) -> tuple[Check, ...]:
    """What the bound rests on besides, where outputs are limited."""
    if not premises.limited:
        return ()
    T, lacking = len(reports), premises.lacking
    finding = sum(report.kind == FINDING for report in reports)
    weighing = sum(report.violations is None for report in reports) - finding
    unknown = "no evaluated point is within all limits: whether there is one is not known"
    sought = f"{finding} of {T} steps looked for a first point within all limits, where the objective does not count"
    weighed = (
        f"{weighing} of {T} steps weighed points by the probability that they are within all limits: nothing bounds "
        "how far beyond them they are"
    )
    missing = (
        f"{lacking} {'trial lacks' if lacking == 1 else 'trials lack'} an output: κ is made of what is known of the "
        "objective, and need not be enough for an output that is known at other points"
    )
    return (
        ("some point is within all limits", said_if(premises.within == 0, unknown)),
        ("B and R hold for the limited outputs, too", ()),
        ("every output is known wherever one of them is", said_if(lacking > 0, missing)),
        (
            "every step looked for the best point among those that may be within all limits",
            (*said_if(finding > 0, sought), *said_if(weighing > 0, weighed)),
        ),
    )
