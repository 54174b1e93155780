"""All findings about a run in one list, and those that take a fit of the model.

What the record shows is printed with a result (`stated`): of the models it takes no more than which parameters matter,
to advise on their bounds, and that only where they are cheap. What the model of all values shows about itself is in
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
    overconfident,
    remedies,
    set_aside,
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
RELEVANT = 0.01  # of the variance: what matters less is not named, and its bounds are no matter
# Values × parameters × outputs up to which a model is fitted to print what matters: a quarter of a second.
CHEAP = 1000


def stated(history: History, accuracy: Accuracy) -> Findings:
    """What the record shows, in the order in which it is printed."""
    known = relevant(history) if is_cheap(history) else None
    return Findings((*infeasible(history), *_recorded(history, accuracy, known)))


def check(history: History, accuracy: Accuracy) -> Findings:
    """All findings, warnings first."""
    found: tuple[Finding, ...] = (
        *failed(history),
        *infeasible(history, prove=True),
        *_recorded(history, accuracy, relevant(history)),
        *idle(history),
        *far_off(history),
        *judged(history, overconfident(accuracy)),
        *budget(history),
    )
    return Findings(sorted(found, key=lambda finding: finding.severity != "warning"))


def _recorded(history: History, accuracy: Accuracy, relevant: Collection[str] | None) -> tuple[Finding, ...]:
    search = remedies(history.settings, accuracy) if accuracy.verdict else ()
    return (
        *search,
        *set_aside(history),
        *ended(history),
        *constant(history),
        *no_volume(history),
        *where_it_fails(history),
        *coverage(history, relevant),
    )


def judged(history: History, reported: Collection[str] = ()) -> Iterator[Finding]:
    """What is wrong with the models or with their data.

    reported    the outputs whose predictions are already reported as overconfident
    """
    settings, unread = history.settings, dict[Finding, None]()
    for name in settings.outputs:
        try:
            found = surface(history, name=name)
        except SufficeError as error:
            said = f"{str(error)[:1].upper()}{str(error)[1:]}."
            unread |= {Finding("model", "The model was not checked.", said): None} if history.done else {}
            continue
        n, of = found.fitted.posterior.n, of_output(name, settings)
        if n < max(FEWEST, points_to_fit(settings.space)) or _constant(found):
            continue
        yield from _subset(found, of)
        noise = list(_noise(found, n, of, settings.several))
        yield from noise
        yield from _left_out(found, history.known(name), of, bool(noise) or name in reported)
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
            f"The model{of} uses {used} of {seen} values: the best, those near the best points, and some others.",
            "That is enough to choose the next point. To use more, set model=sf.GP(max_points=...): the time of an ask "
            "grows with its square, that of a fit with its cube.",
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
        f"The model{of} attributes most of the variation to noise: the standard deviation of the noise is about "
        f"{noise * units:.2g}, that of the model's mean at the {n} evaluated points {signal * units:.2g}.",
        f"If the objective is random, {'' if several else 'use x_recommended instead of x, and '}repeat measurements "
        "where it matters: average them in the objective, or set repeat=True. If it is not, it varies faster than so "
        "few points can resolve: run more trials, narrow the bounds, or set log=True for a parameter that spans orders "
        "of magnitude.",
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
            f"The model{of} predicts poorly: leaving out each of {posterior.n} values in turn, it explains "
            f"{max(0.0, 100 * left.explained):.0f} % of their variance.",
            "Its suggestions were little better than random points. Evaluate one point twice: if the values differ as "
            "much as all others, average several measurements. If not, the objective varies faster than so few points "
            "can resolve: run more trials, or narrow the bounds.",
            "warning",
        )
    elif posterior.n >= JUDGED and z.judgement == "overconfident":
        row = int(np.argmax(np.abs(left.z)))
        which = f", trial {trials[row].number}," if posterior.n == len(trials) else ""
        yield Finding(
            "model",
            f"The model{of} is overconfident: of {z.n} values, each predicted from the others, "
            f"{z.n - round(z.within * z.n)} lay outside their 90 % intervals; the worst{which} by "
            f"{z.worst:.1f} standard deviations.",
            "If that value is a mistake, withdraw it (opt.withdraw). Otherwise do not rely on the model's standard "
            "deviations; a rougher kernel, sf.GP(kernel=sf.gp.Matern(1.5)), predicts wider intervals.",
            "warning",
        )


def is_fitted(history: History) -> bool:
    """Whether there are enough values for a model to show anything about parameters."""
    return len(history.known()) >= max(FEWEST, points_to_fit(history.settings.space))


def is_cheap(history: History) -> bool:
    """Whether models can be fitted while somebody waits for the answer to be printed."""
    settings = history.settings
    return len(history.known()) * len(settings.space.coordinates) * len(settings.outputs) <= CHEAP


def relevant(history: History) -> frozenset[str] | None:
    """The parameters on which an output depends, as the models see it; None where they see too little."""
    if not is_fitted(history):
        return None
    try:
        found = [importance(history, name) for name in history.settings.outputs]
    except (SufficeError, TypeError):  # no value, or a space or a model that a file could only describe
        return None
    return frozenset(
        name for known in found for name, total in zip(known.names, known.total, strict=True) if total >= RELEVANT
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
            f"{100 * NO_EFFECT:g} % of the variance over the space.",
            f"If {'that is' if one else 'these are'} not what you expect, check that the objective uses "
            f"{'it' if one else 'them'}; otherwise fix {'it' if one else 'them'}: fewer parameters need fewer "
            "evaluations.",
        )
