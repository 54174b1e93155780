"""The conditions under which a parameter is active, inferred from the trials: Optuna's objectives do not declare them.

n       int     trials that have parameters
P       int     parameters
codes   (n, P)  which of its values a parameter with few values has in a trial (suffice/space/conditions.py)

A trial that failed or is running may not have asked for a parameter yet. So only evaluated trials show absence: those
that are complete, and those that were pruned after they had reported a value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from suffice.integrations.optuna.history import Read
from suffice.integrations.optuna.space import Mapped, as_parameter
from suffice.space import conditions
from suffice.space.conditions import ABSENT, UNKNOWN, Whens
from suffice.space.parameters import Parameter


@dataclass
class Patterns:
    """What each trial has, as codes; finished trials are looked at once."""

    distributions: Mapping[str, BaseDistribution]
    known: dict[int, tuple[Read, tuple[int, ...]]] = field(default_factory=dict)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of the distributions."""
        return {name: as_parameter(distribution) for name, distribution in self.distributions.items()}

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many values each parameter has that may be a parent."""
        return conditions.countable(self.parameters)

    def of(self, read: Read) -> tuple[int, ...]:
        """The code of each parameter, (P,)."""
        found = self.known.get(read.number)
        if found is not None and found[0] is read:
            return found[1]
        params = read.trial.params
        row = tuple(
            ABSENT if name not in params else self._code(name, params[name], distribution)
            for name, distribution in self.distributions.items()
        )
        if not read.pending:
            self.known[read.number] = read, row
        return row

    def _code(self, name: str, value: Any, distribution: BaseDistribution) -> int:
        if name not in self.counts:
            return UNKNOWN
        code = code_of(distribution, value)
        return code if 0 <= code < self.counts[name] else UNKNOWN


def code_of(distribution: BaseDistribution, value: Any) -> int:
    """Which of the values it is, from 0; one of an earlier range may be none of them."""
    match distribution:
        case CategoricalDistribution():
            return int(distribution.to_internal_repr(value))
        case IntDistribution():
            return round((int(value) - distribution.low) / distribution.step)
        case FloatDistribution(step=float(step)):
            return round((float(value) - distribution.low) / step)
    return UNKNOWN


def inferred(reads: Sequence[Read], patterns: Patterns) -> Whens:
    """The conditions that explain which trials have which parameters."""
    kept = [read for read in reads if read.trial.params]
    shape = len(kept), len(patterns.distributions)
    codes = np.array([patterns.of(read) for read in kept], dtype=np.intp).reshape(shape)
    evaluated = np.array([_is_evaluated(read.trial) for read in kept], dtype=np.bool_)
    return conditions.inferred(patterns.parameters, codes, evaluated)


def _is_evaluated(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.COMPLETE or (trial.state == TrialState.PRUNED and bool(trial.intermediate_values))


def conditional(distributions: Mapping[str, BaseDistribution], whens: Whens) -> Mapped:
    """The space with these conditions; without any if they make no sense together, as after a change of ranges."""
    try:
        return Mapped.of(distributions, whens)
    except ValueError:
        return Mapped.of(distributions)
