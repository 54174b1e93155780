"""The distribution of each parameter, which may change from trial to trial.

The newest one counts: trials whose values lie outside it are not learned from. But where the range depends on other
values, as in suggest_float("y", 0, x), it is another one in almost every trial; then the range is what all of them
cover, and what is proposed outside the range that the objective asks for is moved to its nearest end.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

from suffice.integrations.optuna.spaces import as_parameter

RECENT = 10  # trials that have the parameter, in which
SEVERAL = 3  # different ranges mean that it depends on other values: somebody who changes a range does so once or twice


def present_distributions(seen: Iterable[Mapping[str, BaseDistribution]]) -> dict[str, BaseDistribution]:
    """The distribution of each parameter that takes several values, in the order in which they were met.

    seen    those of each trial, the oldest first
    """
    met: dict[str, list[BaseDistribution]] = {}
    for distributions in seen:
        for name, distribution in distributions.items():
            known = met.setdefault(name, [])
            if not known or known[-1] is not distribution:
                known.append(distribution)
    present = {name: _present(found) for name, found in met.items()}
    return {name: found for name, found in present.items() if not found.single()}


def _present(found: Sequence[BaseDistribution]) -> BaseDistribution:
    newest, different = found[-1], []
    for distribution in found[-RECENT:]:
        if distribution not in different:
            different.append(distribution)
    return newest if len(different) < SEVERAL else covering(newest, found)


def covering(newest: BaseDistribution, found: Sequence[BaseDistribution]) -> BaseDistribution:
    """The range that all of them lie in; with steps if they have the same ones."""
    match newest:
        case FloatDistribution() | IntDistribution():
            of_a_kind = [d for d in found if type(d) is type(newest) and d.log == newest.log]
            low, high = min(d.low for d in of_a_kind), max(d.high for d in of_a_kind)
            steps = {d.step for d in of_a_kind}
            even = len(steps) == 1 and all(_on_step(d.low - low, newest.step) for d in of_a_kind)
            if isinstance(newest, FloatDistribution):
                return FloatDistribution(low, high, log=newest.log, step=newest.step if even else None)
            return IntDistribution(int(low), int(high), log=newest.log, step=newest.step if even else 1)
    return newest


def _on_step(distance: float, step: float | None) -> bool:
    if step is None:
        return True
    k = distance / step
    return abs(k - round(k)) < 1e-9 * max(1.0, abs(k))


def moved_into(distribution: BaseDistribution, value: float) -> Any:
    """The value of the distribution that is nearest to a value outside it; None for options, which have no order."""
    match distribution:
        case IntDistribution(low=low, high=high, step=step):
            return min(max(low + round((value - low) / step) * step, low), high)
        case FloatDistribution(low=low, high=high, step=None):
            return min(max(value, low), high)
        case FloatDistribution(low=low, high=high, step=float(step)):
            steps = round((min(max(value, low), high) - low) / step)
            return as_parameter(distribution).as_value(min(low + steps * step, high))
    return None
