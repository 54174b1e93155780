"""All findings about a run in one list, and those that take a fit of the model.

What the record alone shows is printed with a result (`stated`). What the model of all values shows about itself is in
`check`, which has everything: whether it predicts the values, whether they are noise, which parameters have no effect.

n        int    values that the model has            D     int    parameters that are not constant
noise    float  s√τ, the standard deviation of the noise, model units
signal   float  the standard deviation of the posterior mean over the evaluated points
T, ℓ     (D,)   total Sobol' indices and length-scales (importance.py)
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from suffice.accuracy.calibration import FEWEST as JUDGED
from suffice.accuracy.calibration import calibration
from suffice.accuracy.series import Accuracy
from suffice.errors import SufficeError
from suffice.gp.posterior import leave_one_out
from suffice.record.history import History
from suffice.record.settings import points_to_fit
from suffice.record.trial import Trial
from suffice.result.coverage import coverage, listed
from suffice.result.findings import (
    FEWEST,
    Finding,
    Findings,
    budget,
    constant,
    ended,
    failed,
    far_off,
    idle,
    infeasible,
    no_volume,
    of_output,
    remedies,
    set_aside,
    surprised,
    where_it_fails,
)
from suffice.result.importance import importance
from suffice.result.predict import Surface, surface
from suffice.text import visible

# Of the variance of the values: what leave-one-out has to explain. On problems without noise it explains 0.7 and more;
# of values that are all noise, 0.3 and less. A fit may take noise for a function that changes from point to point.
EXPLAINED = 0.3
# A parameter that nothing depends on had T of at most 0.004 after 25 values, and below 0.0001 after 50, with ℓ of 2 to
# 30; the least important parameters of the test problems have T above 0.004 (docs/howto/diagnostics.md).
NO_EFFECT, FLAT = 1e-3, 2.0


def stated(history: History, accuracy: Accuracy) -> Findings:
    """What the record alone shows, in the order in which it is printed."""
    return Findings((*infeasible(history), *_recorded(history, accuracy)))


def check(history: History, accuracy: Accuracy) -> Findings:
    """All findings, warnings first."""
    found: tuple[Finding, ...] = (
        *failed(history),
        *infeasible(history, prove=True),
        *_recorded(history, accuracy),
        *idle(history),
        *far_off(history),
        *judged(history, surprised(accuracy)),
        *budget(history),
    )
    return Findings(sorted(found, key=lambda finding: finding.severity != "warning"))


def _recorded(history: History, accuracy: Accuracy) -> tuple[Finding, ...]:
    search = remedies(history.settings, accuracy) if accuracy.verdict else ()
    return (
        *search,
        *set_aside(history),
        *ended(history),
        *constant(history),
        *no_volume(history),
        *where_it_fails(history),
        *coverage(history),
    )


def judged(history: History, surprised: Collection[str] = ()) -> Iterator[Finding]:
    """What is wrong with the models or with their data.

    surprised    the outputs about which it was said already that their values surprise the model
    """
    settings, unread = history.settings, dict[Finding, None]()
    for name in settings.outputs:
        try:
            found = surface(history, name=name)
        except SufficeError as error:
            said = f"{str(error)[:1].upper()}{str(error)[1:]}."
            unread |= {Finding("model", "The model was not looked at.", said): None} if history.done else {}
            continue
        n, of = found.fitted.posterior.n, of_output(name, settings)
        if n < max(FEWEST, points_to_fit(settings.space)) or _constant(found):
            continue
        yield from _subset(found, of)
        noise = list(_noise(found, n, of, settings.several))
        yield from noise
        yield from _left_out(found, history.known(name), of, bool(noise) or name in surprised)
    yield from unread
    yield from _without_effect(without_effect(history))


def _constant(found: Surface) -> bool:
    """Whether all values are the same, which `constant` reports."""
    return bool(np.ptp(found.fitted.posterior.z) == 0.0)


def _subset(found: Surface, of: str) -> Iterator[Finding]:
    """More values than the model uses."""
    used, seen = found.fitted.posterior.n, found.fitted.n_seen
    if used < seen - len(found.fitted.outcome.aside):
        yield Finding(
            "subset",
            f"The model{of} uses {used} of {seen} values: the best, those around the best places, and some others.",
            "That is enough to find the next point. To use more, give model=sf.GP(max_points=...): an ask takes longer "
            "with the square of it, a fit with the cube.",
        )


def _noise(found: Surface, n: int, of: str, several: bool) -> Iterator[Finding]:
    """More noise than effect of the parameters."""
    posterior, outcome = found.fitted.posterior, found.fitted.outcome
    noise = posterior.noise
    signal = float(posterior.mean(posterior.X).std())
    if noise <= signal:
        return
    middle = outcome.inverse(np.array([np.median(posterior.z)]))
    units = 1.0 / float(outcome.derivative(middle)[0])
    yield Finding(
        "noise",
        f"To the model{of} most of what changes is noise: its standard deviation is about {noise * units:.2g}, and "
        f"what the parameters explain over the {n} evaluated points is {signal * units:.2g}.",
        f"If the objective is random, {'' if several else 'use x_recommended and not x, and '}measure again where it "
        "matters: average several measurements in the objective, or repeat=True. If it is not, it changes faster than "
        "so few points can show: more of them, narrower bounds, or log=True for a parameter that spans orders of "
        "magnitude.",
        "warning",
    )


def _left_out(found: Surface, trials: Sequence[Trial], of: str, said: bool) -> Iterator[Finding]:
    """A model that does not predict values it has not seen; `said`: that was explained already."""
    posterior = found.fitted.posterior
    left = leave_one_out(posterior)
    z = calibration(left.z)
    if said or z is None:
        return
    if left.explained < EXPLAINED:
        yield Finding(
            "model",
            f"The model{of} does not predict what it has not seen: of the differences between {posterior.n} values, "
            f"each predicted from the others, it explains {max(0.0, 100 * left.explained):.0f} %.",
            "Its suggestions were little better than random points. Evaluate one point twice: if the values differ by "
            "as much, it is noise, and several measurements have to be averaged. Else the objective changes faster "
            "than so few points can show: more of them, or narrower bounds.",
            "warning",
        )
    elif posterior.n >= JUDGED and z.judgement == "too sure":
        row = int(np.argmax(np.abs(left.z)))
        which = f", trial {trials[row].number}," if posterior.n == len(trials) else ""
        yield Finding(
            "model",
            f"The model{of} is too sure: of {z.n} values, each predicted from the others, "
            f"{z.n - round(z.within * z.n)} lay outside limits that 10 % should miss; the worst{which} by "
            f"{z.worst:.1f} standard deviations.",
            "If that value is a mistake, tell nan instead. Otherwise do not rely on its standard deviations; a model "
            "of rougher functions, sf.GP(kernel=sf.gp.Matern(1.5)), is less sure.",
            "warning",
        )


def without_effect(history: History) -> list[str]:
    """The parameters that no output depends on, as far as the models see; none where a model sees too little."""
    settings, idle = history.settings, list[set[str]]()
    for name in settings.outputs:
        try:
            found = surface(history, name=name)
        except (SufficeError, TypeError):  # no value, or a model that a file could only describe
            return []
        if _constant(found):
            continue
        few = found.fitted.posterior.n < max(FEWEST, points_to_fit(settings.space))
        noise = any(_noise(found, 0, "", settings.several))
        idle.append(set() if few or noise else _idle(history, name))
    return [name for name in settings.space.names if idle and all(name in none for none in idle)]


def _idle(history: History, name: str) -> set[str]:
    """The parameters that change nothing of an output, as far as its model can see."""
    try:
        found = importance(history, name)
    except SufficeError:  # nothing can be changed by itself
        return set()
    if len(found) < 2 or found.deviation == 0.0:
        return set()
    idle = (found.total + 2.0 * found.total_error < NO_EFFECT) & (found.lengthscales > FLAT)
    return {name for name, none in zip(found.names, idle.tolist(), strict=True) if none}


def _without_effect(idle: Sequence[str]) -> Iterator[Finding]:
    """That these parameters change nothing."""
    names = [visible(name) for name in idle]
    if names:
        one = len(names) == 1
        yield Finding(
            "effect",
            f"The model sees no effect of {listed(names)}: {'it accounts' if one else 'each accounts'} for less than "
            f"{100 * NO_EFFECT:g} % of what changes over the space.",
            f"If {'that is' if one else 'these are'} not what you expect, look whether the objective uses "
            f"{'it' if one else 'them'}; else fix {'it' if one else 'them'}: fewer parameters need fewer evaluations.",
        )
