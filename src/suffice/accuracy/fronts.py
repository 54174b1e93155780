"""Why a run with several objectives has no bound of its regret, in sentences.

HV(Y)  the volume that a set of values dominates above the reference point        Y*  the front, Y_t  what t steps found

The hypervolume regret of a run is Σ_t HV(Y*) − HV(Y_t). It is sublinear, Õ(√T) for a fixed number of objectives, where
every step draws a weight λ uniformly from the directions of the positive orthant and maximizes the upper confidence
bounds scalarised by it, min_j max(0, y_j/λ_j)^m (Zhang and Golovin 2020, arXiv 2006.04655): the hypervolume is the mean
of the scalarised maximum over λ, so that one proof of one objective per weight is enough. `sf.Hypervolume` improves the
whole front at once. No such proof is known for it, so there is no number: only what a proof would have to mend.
"""

from collections.abc import Sequence

from suffice.accuracy.bounds import Bound, Premises, make_bound, model_checks, said_if
from suffice.accuracy.regret import run_checks
from suffice.accuracy.report import SolveReport

RATE = "Õ(√T), by the scalarisations of Zhang and Golovin (2020)"
ABOUT = "the hypervolume regret of the points that the model proposed"
WHOLE = (
    "every step improves the volume of the whole front; a proof exists for steps that each improve one compromise, of "
    "weights drawn at random (Zhang and Golovin 2020)"
)
FOUND = "the volume to be improved is that of the predictions at the points found so far, not of their true values"
MOVED = "the reference point was chosen from the data, anew at every step; reference={...} fixes it"


def front_bound(premises: Premises, reports: Sequence[SolveReport]) -> Bound:
    """No number, and the assumptions that keep it from having one."""
    moved = len({tuple((report.reference or {}).items()) for report in reports}) > 1
    checks = (
        *model_checks(premises),
        *run_checks(premises, reports),
        ("x_t maximizes a scalarisation of the upper confidence bounds, its weights drawn at random", (WHOLE,)),
        ("what is improved is the volume of true values", (FOUND,)),
        ("the reference point is the same at all steps", said_if(moved, MOVED)),
    )
    return make_bound(None, RATE, checks, premises).of(ABOUT)
