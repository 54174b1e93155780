"""When a run has done enough: rules that look at the optimizer after each evaluation."""

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from suffice.accuracy.certificate import certify
from suffice.accuracy.estimate import estimate
from suffice.acquisition import UCB, Beta, Constant
from suffice.acquisition.beta import as_beta
from suffice.checks import as_bool, as_count, as_real
from suffice.gp.model import Fitted
from suffice.solvers import Enough
from suffice.streams import Streams
from suffice.study.optimizer import Optimizer
from suffice.study.settings import points_to_fit
from suffice.study.suggest import freeze


class Stop(Protocol):
    """A stopping rule."""

    def __call__(self, optimizer: Optimizer) -> str | None:
        """Why to stop now, as a sentence; None to go on."""


@dataclass(frozen=True)
class Target:
    """Stop once the best value is at least as good as `value`: for when you know what is good enough."""

    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(as_real(self.value, "Target: value")):
            raise ValueError(f"Target needs a finite value: got {self.value!r}")

    def __call__(self, optimizer: Optimizer) -> str | None:
        values = _values(optimizer)
        if not values:
            return None
        best = min(values) if optimizer.sense == "minimize" else max(values)
        reached = best <= self.value if optimizer.sense == "minimize" else best >= self.value
        return f"the target {self.value:g} was reached" if reached else None


@dataclass(frozen=True)
class NoImprovement:
    """Stop after `n` finished trials in a row without a better value: for when you do not know what can be reached."""

    n: int

    def __post_init__(self) -> None:
        as_count(self.n, "NoImprovement: n", 1)

    def __call__(self, optimizer: Optimizer) -> str | None:
        values = _values(optimizer)
        if len(values) <= self.n:
            return None
        best = min(values) if optimizer.sense == "minimize" else max(values)
        since = len(values) - 1 - values.index(best)
        return f"no improvement in the last {self.n} trials" if since >= self.n else None


@dataclass(frozen=True)
class RegretBelow:
    """Stop once the best point is, by the model, within `tolerance` of the optimum, in the objective's units.

    Choose it where an evaluation is worth more than the seconds that the rule takes, and you can say how much of the
    optimum you would give away. It is as true as the model: it holds where |f − μ| ≤ βσ everywhere, which no model
    promises.

    f* ≤ max UCB and f(best) ≥ best LCB, so the regret is at most h(upper limit of max UCB) − h(best LCB), h the map
    back to the objective's units. The rule binds its own UCB and LCB, whatever the acquisition of the run. The best of
    some samples would understate max UCB; `upper` is a limit from above: estimated at level 0.9, or proven
    (`certified=True`, within `seconds`). No verdict before the model has chosen 2 (parameters + 1) points itself:
    a model of a few points is too sure of what it has not seen.
    """

    tolerance: float  # the objective's units
    beta: Beta = Constant(3.0)
    certified: bool = False
    seconds: float = 1.0  # for the proof, each time the rule is asked

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", as_beta(self.beta))
        if not 0 < as_real(self.tolerance, "RegretBelow: tolerance") < math.inf:
            raise ValueError(f"RegretBelow needs a tolerance > 0 in the objective's units: got {self.tolerance!r}")
        as_bool(self.certified, "RegretBelow: certified")
        if not as_real(self.seconds, "RegretBelow: seconds") > 0:
            raise ValueError(f"RegretBelow needs seconds > 0 for each proof: got {self.seconds!r}")

    def __call__(self, optimizer: Optimizer) -> str | None:
        chosen = sum(trial.origin == "model" and trial.state == "done" for trial in optimizer.trials)
        if chosen < points_to_fit(optimizer.space):
            return None
        fitted = optimizer.fit()
        limit = self._regret(optimizer, fitted)
        if limit is None or not limit <= self.tolerance:
            return None
        kind = "a proven limit of max UCB" if self.certified else "an estimated limit of max UCB at level 0.9"
        theory = "not theoretical" if self.beta.broken(fitted.posterior) else "theoretical"
        return f"the regret is at most {limit:.3g} ≤ {self.tolerance:g}, by {kind}; beta is {theory}"

    def _regret(self, optimizer: Optimizer, fitted: Fitted) -> float | None:
        """h(limit of max UCB) − h(best LCB) in the objective's units; None where the limit is unknown."""
        posterior, n = fitted.posterior, len(optimizer.trials)
        settings = replace(optimizer.settings, acquisition=UCB(self.beta))
        frozen = freeze(settings, optimizer.history.measured(), posterior, fitted.outcome, number=n, purpose="stop")
        alpha, rng = frozen.alpha, Streams(optimizer.seed)("stop", n)
        solution = Enough(share=0.01)(alpha, frozen.domain, step=frozen.step, rng=rng)
        if self.certified:
            upper = certify(alpha, optimizer.space, value=solution.value, seconds=self.seconds).upper
        else:
            found = estimate(solution.draws, solution.starts, solution.x, solution.value, optimizer.space)
            if found is None or found.upper is None:
                return None
            upper = found.upper
        mean, std = posterior.predict(posterior.X)
        ends = fitted.outcome.inverse(np.array([upper, float((mean - (alpha.beta or 0.0) * std).max())]))
        return abs(float(ends[0]) - float(ends[1]))


def _values(optimizer: Optimizer) -> list[float]:
    """The values in the order they were told."""
    return [trial.value for trial in optimizer.history.done if trial.value is not None]
