"""The models of a study, one for each output, and what an acquisition makes of them.

P⁺     (m,)   an optimistic probability of success (belief.py)      floor  float  what a failure is worth

Where evaluations fail, alpha_t is weighted by the probability that a point can be evaluated:

    α(x) = floor + P⁺(x) (α(x) − floor)                    of an acquisition in the units of the objective
    α(x) = α(x) + p log P⁺(x),  p = 1 + (WARY − 1)(1 − w)   of a logarithm

w is the probability that failures are random: then differences of P⁺ are, too, and are not to be magnified.
Acquisitions know nothing of it. What the user cancels teaches nothing; every other way to fail counts alike.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from suffice.accuracy.report import Binding
from suffice.acquisition import UCB, LogWeighted, Thompson, Weighted
from suffice.acquisition.hypervolume import means, spacing
from suffice.belief import Beliefs, success
from suffice.gp.ensemble import Ensemble
from suffice.gp.model import GP, Fitted, Observations
from suffice.gp.posterior import Posterior
from suffice.gp.transform import FARTHEST, ISOLATED, Outcome
from suffice.pareto import nondominated
from suffice.record.history import History, rows
from suffice.record.settings import Opaque, Settings, at_hand
from suffice.record.table import as_keys
from suffice.record.trial import OUTCOMES, Asked, Defined, Event, Stopped, Told
from suffice.streams import Streams
from suffice.threads import one_thread
from suffice.types import Array, Score

WARY = 60.0  # at the edge of what works one in 1 + WARY suggestions would fail if P⁺ fell evenly there (LogWeighted)
SAFE = 1000.0  # the same of steps that expect no improvement: nothing is to be gained at that edge
# The same where it is asked whether an improvement is expected. With 1, 15 % of the suggestions failed beyond an edge
# that the objective leads to, with 60 a search that was not done ended there, seven times as far from the best value.
HOPEFUL = 16.0
OF_ONE_MODEL = (UCB, Thompson)  # whose regret bounds are for a known kernel: they use no members
FEWEST = 5  # values that can have an outlier
HOW = "(Optimizer.withdraw, or suffice import --correct)"

Fits: TypeAlias = Mapping[str, Fitted]  # by output, the first objective first


def fit_outputs(settings: Settings, history: History, previous: Fits | None, *, hurry: bool = False) -> Fits:
    """The model of every output, each of which extends the one before it.

    previous    those of an earlier suggestion of this study; None: there are none
    hurry       no parameters are fitted
    """
    before, fits = previous or {}, {}
    for name in settings.outputs:
        model, data, last = model_of(settings, name), history.observations(name), before.get(name)
        fits[name] = model(data, settings.space, last, hurry=hurry)
        if isinstance(model, GP) and not settings.several and not isinstance(settings.acquisition, OF_ONE_MODEL):
            # The same stream for each output: what one does depends neither on the others nor on their order.
            rng = Streams(settings.seed)("members", len(history.trials))
            fits[name] = model.with_members(data, settings.space, fits[name], last, rng, hurry=hurry)
    return fits


def model_of(settings: Settings, name: str) -> Any:
    """The model of one output, as it is called."""
    model = at_hand("model", settings.model)
    if isinstance(model, GP) and (settings.several or name in settings.constraints):
        # These are not optimized themselves: only the level of a constrained output matters.
        return replace(model, sharp=False)
    return model


class Modelled(Protocol):
    """What is known of one output: `Fitted` has it, and so has what a record rebuilds."""

    @property
    def posterior(self) -> Posterior:
        """Of its values, in model units."""

    @property
    def outcome(self) -> Outcome:
        """From larger-is-better units to the model's."""

    @property
    def ensemble(self) -> Ensemble | None:
        """The members besides the fit; None: the fit alone."""


def beliefs_of(history: History, fits: Mapping[str, Modelled]) -> Beliefs:
    """The posteriors, the levels in model units, and which observed points are feasible."""
    settings, dim = history.settings, history.settings.space.dim
    limits = settings.constraints
    given = settings.reference
    return Beliefs(
        {name: fitted.posterior for name, fitted in fits.items()},
        pending=rows(history.pending, dim),
        ensembles={
            name: tuple(zip(fitted.ensemble.chains.weights, fitted.ensemble.posteriors, strict=True))
            for name, fitted in fits.items()
            if fitted.ensemble is not None
        },
        outcomes={name: fitted.outcome for name, fitted in fits.items()},
        levels={
            name: level(limit.sign * limit.limit, fits[name].outcome, history.observations(name).y)
            for name, limit in limits.items()
        },
        feasible=history.table.unit[history.table.feasible] if limits else None,
        reference=None
        if given is None
        else np.array([settings.sign(name) * given[name] for name in settings.objectives]),
    )


def level(limit: float, outcome: Outcome, y: Array) -> float:
    """The limit of an output with the values y, (n,), all larger-is-better, in model units.

    Values far worse than all others count as just bad, at the floor of the outcome. A limit below it, among or beyond
    such values, is at the floor only if it has to be: above the violated ones among them, below those that are not.
    """
    whole = replace(outcome, floor=-FARTHEST)
    if float(whole.standard(np.array([limit]))[0]) >= outcome.floor or not np.any(y < limit):
        return float(whole(np.array([limit]))[0])
    z = outcome(y)
    return 0.5 * float(z.min() + z.min(initial=z.max(), where=z > z.min()))


def best_first(beliefs: Beliefs) -> Array:
    """The observed points, (n, d), those first that a solver should look around at.

    Feasible ones by their value; after them the others, by how little they violate.
    """
    posterior = beliefs.posteriors[beliefs.objectives[0]]
    if beliefs.feasible is None and len(beliefs.objectives) == 1:
        return posterior.X[np.argsort(-posterior.z, kind="stable")]
    inside = beliefs.known if beliefs.feasible is None else beliefs.feasible
    inside = inside[np.argsort(-merit(beliefs, inside), kind="stable")]
    if beliefs.feasible is None:
        return inside
    known = set(as_keys(inside))
    outside = beliefs.known[[key not in known for key in as_keys(beliefs.known)]]
    return np.vstack([inside, outside[np.argsort(beliefs.violation(outside), kind="stable")]])


def merit(beliefs: Beliefs, X: Array) -> Array:
    """How good observed points are, (m,): the mean of the only objective, or the gap next to them on the front."""
    if len(beliefs.objectives) == 1:
        return beliefs.posteriors[beliefs.objectives[0]].mean(X)
    Y = means(beliefs, X)
    inside = np.flatnonzero(nondominated(Y))
    merits = np.zeros(len(X))
    if len(inside):
        low, high = Y[inside].min(axis=0), Y[inside].max(axis=0)
        U = (Y[inside] - low) / np.where(high > low, high - low, 1.0)
        merits[inside] = 1.0 + spacing(U)
    return merits


def where_it_succeeds(alpha: Score, history: History, posterior: Posterior, wary: float = WARY) -> Score:
    """alpha_t weighted by the probability of success."""
    space = history.settings.space
    tally = history.table
    done, failed = tally.unit[tally.done], tally.unit[tally.states("failed")]
    columns = [coordinate.columns for coordinate in space.coordinates]
    known = done, failed, posterior.lengthscales, columns
    if alpha.logarithmic:
        weight = success(*known)
        return LogWeighted(alpha, weight, 1.0 + (wary - 1.0) * weight.share, weight.largest)
    # without hope nothing new would be tried
    return Weighted(alpha, success(*known, kappa=1.0), _floor(alpha, posterior))


def _floor(alpha: Score, posterior: Posterior) -> float:
    """What a failed evaluation is worth: the worst value; nothing, of a score that is never negative.

    Of a score in units of its own it is the lowest one at the observed points.
    """
    if alpha.beta is not None:
        return float(posterior.z.min())
    if alpha.shift(1) == 0.0:
        return 0.0
    values = alpha(posterior.X)
    return float(np.min(values, initial=0.0, where=np.isfinite(values)))


def outlier_notes(data: Observations, outcome: Outcome) -> tuple[str, ...]:
    """A sentence about each kind of value that is so far from all others that it may be a mistake.

    outcome    of the last fit
    """
    worse, better = outliers(data.kept(outcome), outcome)
    notes: tuple[str, ...] = ()
    if outcome.aside:
        notes += (
            f"some values contradict all others and are set aside as errors; measure again, or withdraw them {HOW}",
        )
    if worse:
        notes += (f"some values are far worse than all others and are clipped; withdraw those that are errors {HOW}",)
    if better:
        notes += (f"one value is far better than all others; if it is an error, withdraw it {HOW}",)
    return notes


def outliers(data: Observations, outcome: Outcome) -> tuple[int, bool]:
    """How many values are so far below all others that they count as just bad, and whether one is as far above."""
    v = np.sort(outcome.standard(data.y))
    if len(v) < FEWEST:
        return 0, False
    worse = int(np.count_nonzero(v <= outcome.floor)) if outcome.floor > -FARTHEST else 0
    return worse, bool(v[-1] - v[-2] > ISOLATED * (v[-2] - v[0]) > 0)


def replayed(history: History) -> Fits | None:
    """The models behind the last suggestion, bit for bit; None if there is none, or the file only describes the model.

    A model is grown: fitted now and then, appended to in between. From scratch the same data give the same model up to
    rounding, and a last bit is enough for another suggestion. So the record is followed: the last fit is rebuilt with
    the parameters that were found then, and the observations are appended in the same portions.
    """
    if isinstance(history.settings.model, Opaque):
        return None
    with one_thread(history.model_rows):
        found = {name: _replayed(history, name) for name in history.settings.outputs}
    return {name: fitted for name, fitted in found.items() if fitted is not None} or None


def _replayed(history: History, name: str) -> Fitted | None:
    settings, steps = history.settings, _steps(history.events, name, history.settings.objective)
    if not steps:
        return None
    model, data, space = model_of(settings, name), history.observations(name), settings.space
    last = steps[-1][1]
    moved = 0  # the ask that moved the members, at the fit or after it
    if last.chains is not None:
        chains = [None if binding.chains is None else binding.chains.n_moved for _, binding in steps]
        moved = chains.index(last.chains.n_moved)
    n, binding = steps[0]
    posterior = model.rebuild(
        data.take(slice(n)), space, binding.hyper, binding.outcome, binding.constant, binding.n_refit
    )
    fitted = Fitted(posterior, binding.outcome, binding.hyper, n, binding.n_refit, binding.n_cold, binding.notes)
    for i, (n, binding) in enumerate(steps):
        known, before = data.take(slice(n)), fitted
        if i > 0:
            fitted = model(known, space, before, hurry=True)  # no parameters are fitted
        if binding.chains is not None and i == moved:
            made = model.with_posteriors(known, space, binding.chains, fitted.outcome, fitted.n_refit)
            fitted = replace(fitted, ensemble=made)
        elif binding.chains is not None and i > moved:
            fitted = model.with_members(known, space, fitted, before, None, hurry=True)  # none moves
    return fitted


def _steps(events: Iterable[Event], name: str, objective: str) -> list[tuple[int, Binding]]:
    """Each suggestion of the model from its last fit on: how many values were known, and what rebuilds the model.

    Only those since the space grew or a value was withdrawn: such a model is not extended.
    """
    known, asks = [0], list[tuple[int, Binding]]()  # known after each number of outcomes
    told = dict[int, bool]()  # trials with values, and whether this output is among them
    for event in events:
        if isinstance(event, OUTCOMES):
            value = isinstance(event, Told) and name in event.values
            expected = isinstance(event, Stopped) and event.expected is not None and name == objective
            withdrawn = told.pop(event.number, None)
            if withdrawn is not None:
                asks.clear()
            if isinstance(event, Told):
                told[event.number] = value
            known.append(known[-1] + (value or expected) - bool(withdrawn))
        elif isinstance(event, Asked) and event.report is not None and event.report.binding is not None:
            n = known[-1] if event.basis is None else known[event.basis.outcomes]
            asks.append((n, event.report.binding))
        elif isinstance(event, Defined) and event.space is not None:
            asks.clear()
    steps = list[tuple[int, Binding]]()
    for n, ask in reversed(asks):
        binding = ask.of(name)
        if steps and binding.n_refit != steps[-1][1].n_refit:
            break
        steps.append((n, binding))
    return steps[::-1]
