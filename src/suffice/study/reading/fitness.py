"""What the model of all values says about itself: whether it predicts them, whether they are noise, what has no effect.

n        int    values that the model knows            D     int    parameters that are not constant
noise    float  s√τ, the deviation of the noise, model units
signal   float  the deviation of the posterior mean over the evaluated points
T, ℓ     (D,)   total Sobol' indices and length-scales (importance.py)
"""

import math
from collections.abc import Collection, Iterator

import numpy as np

from suffice.accuracy.calibration import FEWEST as JUDGED
from suffice.accuracy.calibration import calibration
from suffice.errors import SufficeError
from suffice.gp.leaveout import leave_one_out
from suffice.markup import visible
from suffice.study.coverage import listed
from suffice.study.finding import Finding
from suffice.study.history import History
from suffice.study.reading.importance import importance
from suffice.study.reading.predict import Surface, surface
from suffice.study.settings import points_to_fit

FEWEST = 10  # values: of fewer a fit cannot tell noise from what the parameters do
# Of the variance of the values: what leave-one-out has to explain. On problems without noise it explains 0.7 and more;
# of values that are all noise, 0.3 and less. A fit may take noise for a function that changes from point to point.
EXPLAINED = 0.3
# A parameter that nothing depends on had T of at most 0.004 after 25 values, and below 0.0001 after 50, with ℓ of 2 to
# 30; the least important parameters of the test problems have T above 0.004 (docs/howto/reading.md).
NO_EFFECT, FLAT = 1e-3, 2.0


def judged(history: History, known: Collection[str] = ()) -> Iterator[Finding]:
    """What is wrong with the model or with what it is told; `known`: kinds of findings that were said already."""
    try:
        found = surface(history)
    except SufficeError as error:
        if history.done:
            yield Finding("model", "The model was not looked at.", f"{str(error)[:1].upper()}{str(error)[1:]}.")
        return
    n = found.fitted.posterior.n
    if n < max(FEWEST, points_to_fit(history.settings.space)) or np.ptp(found.fitted.posterior.z) == 0.0:
        return
    noise = list(_noise(found, n))
    yield from noise
    yield from _left_out(found, history, bool(noise) or "predictions" in known)
    if not noise:
        yield from _without_effect(history)


def _noise(found: Surface, n: int) -> Iterator[Finding]:
    """More noise than effect of the parameters."""
    posterior, outcome = found.fitted.posterior, found.fitted.outcome
    noise = posterior.scale * math.sqrt(float(np.median(posterior.factor.tau)))
    signal = float(posterior.mean(posterior.X).std())
    if noise <= signal:
        return
    middle = outcome.inverse(np.array([np.median(posterior.z)]))
    units = 1.0 / float(outcome.derivative(middle)[0])
    yield Finding(
        "noise",
        f"To the model most of what changes is noise: its standard deviation is about {noise * units:.2g}, and what "
        f"the parameters explain over the {n} evaluated points is {signal * units:.2g}.",
        "If the objective is random, use x_recommended and not x, and measure again where it matters: average several "
        "measurements in the objective, or repeat=True. If it is not, it changes faster than so few points can show: "
        "more of them, narrower bounds, or log=True for a parameter that spans orders of magnitude.",
        "warning",
    )


def _left_out(found: Surface, history: History, said: bool) -> Iterator[Finding]:
    """A model that does not predict the values it is not told; `said`: that was explained already."""
    posterior = found.fitted.posterior
    left = leave_one_out(posterior)
    z = calibration(left.z)
    if said or z is None:
        return
    if left.explained < EXPLAINED:
        yield Finding(
            "model",
            f"The model does not predict what it has not seen: of the differences between {posterior.n} values, each "
            f"predicted from the others, it explains {max(0.0, 100 * left.explained):.0f} %.",
            "Its suggestions were little better than random points. Evaluate one point twice: if the values differ by "
            "as much, it is noise, and several measurements have to be averaged. Else the objective changes faster "
            "than so few points can show: more of them, or narrower bounds.",
            "warning",
        )
    elif posterior.n >= JUDGED and z.judgement == "too sure":
        row = int(np.argmax(np.abs(left.z)))
        which = f", trial {history.done[row].number}," if posterior.n == len(history.done) else ""
        yield Finding(
            "model",
            f"The model is too sure: of {z.n} values, each predicted from the others, {z.n - round(z.within * z.n)} "
            f"lay outside limits that 10 % should miss; the worst{which} by {z.worst:.1f} deviations.",
            "If that value is a mistake, tell nan instead. Otherwise do not rely on the deviations; a model of rougher "
            "functions, sf.GP(kernel=sf.Matern(1.5)), is less sure.",
            "warning",
        )


def _without_effect(history: History) -> Iterator[Finding]:
    """Parameters that change nothing, as far as the model can see."""
    try:
        found = importance(history)
    except SufficeError:  # nothing can be changed by itself
        return
    if len(found) < 2 or found.deviation == 0.0:
        return
    idle = (found.total + 2.0 * found.total_error < NO_EFFECT) & (found.lengthscales > FLAT)
    names = [visible(name) for name, none in zip(found.names, idle.tolist(), strict=True) if none]
    if names:
        one = len(names) == 1
        yield Finding(
            "effect",
            f"The model sees no effect of {listed(names)}: {'it accounts' if one else 'each accounts'} for less than "
            f"{100 * NO_EFFECT:g} % of what changes over the space.",
            f"If {'that is' if one else 'these are'} not what you expect, look whether the objective uses "
            f"{'it' if one else 'them'}; else fix {'it' if one else 'them'}: fewer parameters need fewer evaluations.",
        )
