"""alpha_t under constraints: what a point is worth as far as it satisfies all of them.

c        a constrained output, larger-is-better      l_c   float  the level that it must reach, model units
μ_c, σ_c (m,)  its posterior mean and sd              u_c   (m,)   (μ_c − l_c)/σ_c
P        (m,)  Π_c P_c, the probability that a point is feasible; P_c = Φ(u_c), or its average over the output's members
slack    (m,)  min_c (μ_c + κ σ_c − l_c)/s_c: where it is negative, a point is feasible only against the odds

    α + log P                                of a logarithm, such as that of the expected improvement
    α where slack ≥ 0, a steep slope beyond  of an upper confidence bound or a sample of the objective
    floor + P (α − floor)                    of any other: floor is what an infeasible point is worth

The outputs are modelled one by one, so that their probabilities multiply (Gardner et al. 2014; Gelbart et al. 2014).
The noise of a measurement is left out: the output itself must reach its level. Acquisitions know nothing of all this,
except that the best value to beat is that of a feasible point.

The second rule is CONFIG (Xu et al. 2022): the upper confidence bound among the points that may be feasible.

    α(x) = inner(x) where slack(x) ≥ 0,    min(inner(x), max(inner(x) + L slack(x), floor + slack(x))) elsewhere

α is largest among the points that the models hold possible, unless inner rises more than L times as fast as the slack
falls. If there are none, it is largest where the violation is least. A cliff would end local searches at its edge.
No optimum is excluded as long as every output is within κ standard deviations, and α is nowhere above inner: these two
limit the regret and the violations of CONFIG (accuracy/regret.py). If the largest slack is negative, no point is
feasible under the models; `Slack` has a bound over boxes, so that this can be proven.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from suffice.accuracy.estimate import ucb_shift
from suffice.accuracy.report import FINDING
from suffice.acquisition.improvement import AverageImprovement, ImprovementScore, LogGainProbability
from suffice.acquisition.ucb import UCBScore
from suffice.acquisition.wrappers import LogProduct, Weighted, over_members
from suffice.belief import Beliefs
from suffice.gp.box_bounds import ROUNDING
from suffice.types import Array, Score, Wrapper, derived

STEEP = 10.0  # L: audited limits of α* held in 60 of 63 steps with it, with 40 in 59, with a cliff in 56


def among_feasible(alpha: Score, beliefs: Beliefs) -> Score:
    """alpha_t among the points that satisfy every constraint, as far as that is known."""
    probabilities = log_probabilities(beliefs)
    if alpha.logarithmic:
        return LogProduct(alpha, probabilities)
    if alpha.beta is not None and alpha.kind is None:
        slack = Slack.of(beliefs, kappa(alpha.beta))
        return Confined(alpha, slack, beneath(alpha, slack, beliefs))
    floor = 0.0 if alpha.shift(1) == 0.0 else _lowest(beliefs)
    return Weighted(alpha, FeasibleProbability(probabilities), floor)


def to_find_feasible(beliefs: Beliefs) -> Score:
    """What a point is worth while no feasible one is known."""
    first, *others = log_probabilities(beliefs)
    return Found(first, tuple(others))


@dataclass(frozen=True, eq=False)
class Found(LogProduct):
    """log P(x) by itself: where the first feasible point is most probable."""

    kind = FINDING


def kappa(beta: float) -> float:
    """κ: the number of standard deviations for constrained outputs, if the objective is within β.

    At least one: with less a constraint would be taken for violated where it is as probably satisfied.
    """
    return max(1.0, beta)


def worst(beliefs: Beliefs, x: Array, beta: float) -> dict[str, float]:
    """μ_c − κ σ_c of each constrained output at x, (d,), by what was measured alone, in larger-is-better units."""
    found = {}
    for name in beliefs.levels:
        mean, std = beliefs.posteriors[name].predict(x[None])
        found[name] = float(beliefs.outcomes[name].inverse(mean - kappa(beta) * std)[0])
    return found


@dataclass(frozen=True, eq=False)
class FeasibleProbability(Score):
    """P(x), a weight in [0, 1] for an acquisition that is no logarithm."""

    parts: tuple[Score, ...]
    smooth, bounded = True, True

    def __call__(self, X: Array) -> Array:
        return np.exp(sum(part(X) for part in self.parts))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        log, gradient = np.zeros(len(X)), np.zeros_like(X)
        for part in self.parts:
            v, g = part.value_and_grad(X)
            log, gradient = log + v, gradient + g
        return np.exp(log), np.exp(log)[:, None] * gradient

    def bound(self, lower: Array, upper: Array) -> Array:
        """P is at most the product of what each of them is at most, (m,), proven."""
        bounds = [part.bound(lower, upper) for part in self.parts if part.bounded]
        return np.minimum(1.0, np.exp(np.sum(bounds, axis=0)) * (1.0 + ROUNDING)) if bounds else np.ones(len(lower))


def log_probabilities(beliefs: Beliefs) -> tuple[Score, ...]:
    """log P_c of each constrained output, pending points at the mean."""
    return tuple(_log_probability(beliefs, name, level) for name, level in beliefs.levels.items())


def p_feasible(beliefs: Beliefs, x: Array) -> float:
    """P(x) at one point, (d,), by what was measured alone, pending points left out."""
    measured = replace(beliefs, pending=beliefs.pending[:0])
    return float(FeasibleProbability(log_probabilities(measured))(x[None])[0])


def _log_probability(beliefs: Beliefs, name: str, level: float) -> Score:
    def score(member: Beliefs) -> ImprovementScore:
        return ImprovementScore(member.believed[name], LogGainProbability(level), logarithmic=True, ceiling=0.0)

    return over_members(beliefs.members_of(name), score, AverageImprovement)


@dataclass(frozen=True, eq=False)
class Slack(Score):
    """min_c (μ_c + κ σ_c − l_c)/s_c: the margin of a point, in prior standard deviations."""

    outputs: tuple[UCBScore, ...]  # μ_c + κ σ_c
    levels: tuple[float, ...]
    beta: float = field()  # κ
    kind = "slack"
    smooth = True
    bounded = derived(lambda self: all(output.bounded for output in self.outputs))

    @classmethod
    def of(cls, beliefs: Beliefs, kappa: float) -> "Slack":
        """Of all constrained outputs, pending points at the mean."""
        outputs = tuple(UCBScore(beliefs.believed[name], kappa) for name in beliefs.levels)
        return cls(outputs, tuple(beliefs.levels.values()), kappa)

    def __call__(self, X: Array) -> Array:
        least: Array = self._scaled([output(X) for output in self.outputs]).min(axis=0)
        return least

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """Of the output with the least slack."""
        values, gradients = zip(*(output.value_and_grad(X) for output in self.outputs), strict=True)
        slack = self._scaled(list(values))
        least = slack.argmin(axis=0)
        rows = np.arange(len(X))
        return slack[least, rows], np.array(gradients)[least, rows] / self._scales[least][:, None]

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least the slack of every point of a box, (m,), proven: that of each output is."""
        least: Array = self._scaled([output.bound(lower, upper) for output in self.outputs]).min(axis=0)
        return least + ROUNDING * (1.0 + np.abs(least))

    @property
    def scales(self) -> Array:
        """The shortest length-scales, (d,)."""
        shortest: Array = np.min([output.scales for output in self.outputs], axis=0)
        return shortest

    def depth(self) -> float:
        """What −slack is at most anywhere: μ_c is within |μ_c − m|_k of the prior mean m (ucb_shift)."""
        lowest = [-ucb_shift(output.posterior) for output in self.outputs]
        return max(0.0, -float(self._scaled([np.array([low]) for low in lowest]).min()))

    def _scaled(self, values: list[Array]) -> Array:
        slack: Array = (np.array(values) - np.array(self.levels)[:, None]) / self._scales[:, None]
        return slack

    @cached_property
    def _scales(self) -> Array:
        return np.array([output.posterior.scale for output in self.outputs])


@dataclass(frozen=True, eq=False)
class Confined(Wrapper):
    """inner where the slack is not negative, a steep slope down to floor + slack elsewhere."""

    slack: Slack
    floor: float
    bounded = derived(lambda self: self.inner.bounded and self.slack.bounded)
    sieves = False  # the slack of every point is needed anyway
    reach = Score.reach

    def __call__(self, X: Array) -> Array:
        return self._value(self.inner(X), self.slack(X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        v, dv = self.inner.value_and_grad(X)
        s, ds = self.slack.value_and_grad(X)
        value, steep = self._value(v, s), v + STEEP * s
        gradient = np.where((value > steep)[:, None], ds, dv + STEEP * ds)
        return value, np.where((value == v)[:, None], dv, gradient)

    def shift(self, n: int) -> float | None:
        """max(C, depth − floor): α is at least the smaller one of inner and the floor less the largest violation."""
        shift = self.inner.shift(n)
        return None if shift is None else max(shift, self.slack.depth() - self.floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        """α of the largest inner and the largest slack in each box, (m,), proven: it rises with both of them."""
        return self._value(self.inner.bound(lower, upper), self.slack.bound(lower, upper))

    def _value(self, inner: Array, slack: Array) -> Array:
        outside = np.maximum(inner + STEEP * slack, self.floor + slack)
        return np.where(slack >= 0.0, inner, np.minimum(inner, outside))


def beneath(alpha: Score, slack: Slack, beliefs: Beliefs) -> float:
    """What an infeasible point is worth: the lowest value seen, and no more than the best feasible one.

    So the largest value of `Confined` is one that is allowed, wherever a point that was found is. If the models doubt
    all of these, alpha's own shift says what nothing is below.
    """
    lowest, found = _lowest(beliefs), beliefs.standing
    inside = alpha(found)[slack(found) >= 0.0]
    inside = inside[np.isfinite(inside)]
    if len(inside):
        return min(lowest, float(inside.max()))
    shift = alpha.shift(1)
    return lowest if shift is None else min(lowest, -shift)


def _lowest(beliefs: Beliefs) -> float:
    """The lowest value of the objective that was seen, model units."""
    return min(float(beliefs.posteriors[name].z.min(initial=0.0)) for name in beliefs.objectives)
