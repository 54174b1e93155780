"""From the models of a study to what an acquisition is told: the beliefs, and the observed points, best first."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from suffice.acquisition.reference import means, spacing
from suffice.belief import Beliefs
from suffice.gp.outcome import FARTHEST, Outcome
from suffice.gp.posterior import Posterior
from suffice.pareto.front import nondominated
from suffice.study.history import History, rows
from suffice.study.tally import as_keys
from suffice.types import Array


class Modelled(Protocol):
    """What is known of one output: `Fitted` has it, and so has what a record rebuilds."""

    @property
    def posterior(self) -> Posterior:
        """Of its values, in model units."""

    @property
    def outcome(self) -> Outcome:
        """From larger-is-better units to the model's."""


def beliefs_of(history: History, fits: Mapping[str, Modelled]) -> Beliefs:
    """The posteriors, the limits in model units, and which observed points satisfy them."""
    settings, dim = history.settings, history.settings.space.dim
    limits = settings.constraints
    given = settings.reference
    return Beliefs(
        {name: fitted.posterior for name, fitted in fits.items()},
        pending=rows(history.pending, dim),
        outcomes={name: fitted.outcome for name, fitted in fits.items()},
        levels={
            name: level(limit.sign * limit.limit, fits[name].outcome, history.observations(name).y)
            for name, limit in limits.items()
        },
        feasible=history.tally.unit[history.tally.feasible] if limits else None,
        reference=None
        if given is None
        else np.array([settings.sign(name) * given[name] for name in settings.objectives]),
    )


def level(limit: float, outcome: Outcome, y: Array) -> float:
    """The limit of an output with the values y, (n,), all larger-is-better, in model units.

    Values far worse than all others count as just bad (gp/outcome.py), at the floor. A limit below it, among or beyond
    such values, is at the floor only if it has to be: above the violated ones among them, below those that are not.
    """
    whole = replace(outcome, floor=-FARTHEST)
    if float(whole.standard(np.array([limit]))[0]) >= outcome.floor or not np.any(y < limit):
        return float(whole(np.array([limit]))[0])
    z = outcome(y)
    return 0.5 * float(z.min() + z.min(initial=z.max(), where=z > z.min()))


def best_first(beliefs: Beliefs) -> Array:
    """The observed points, (n, d), those first that a solver should look around at.

    Those within all limits by their value; behind them the others, by how little they violate.
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
    """How good observed points are, (m,): the mean of the only objective, or the room beside them on the front."""
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
