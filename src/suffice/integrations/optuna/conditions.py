"""The conditions under which a parameter is active, inferred from the trials: Optuna's objectives do not declare them.

n       int     trials that have parameters
P       int     parameters
codes   (n, P)  which of its values a parameter with few values has in a trial; ABSENT, or UNKNOWN: there, any value
A, B            the trials that have a parameter p; those that were evaluated and do not have it

A parent q explains p if every evaluated trial of A has q, and no value of q is found both in A and in B. Then p is
active with the values of q in A. If no parent alone explains p, two together may: then no trial of B has both of their
values. What nothing explains has no condition: it is always proposed, and modelled in its middle where it is absent.

A trial that failed or is running may not have asked for p yet. So only evaluated trials show absence: those that are
complete, and those that were pruned after they had reported a value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from suffice.integrations.optuna.history import Read
from suffice.integrations.optuna.space import Mapped, as_parameter, options_of

ABSENT, UNKNOWN = -1, -2  # no codes of values, which count from 0
MOST_VALUES = 64  # values of a parent at most: of more, each is seen too rarely to be told from chance
PAIRED = 12  # parents that are tried in pairs

Codes: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Whens: TypeAlias = dict[str, dict[str, tuple[Any, ...]]]


@dataclass
class Patterns:
    """What each trial has, as codes; finished trials are looked at once."""

    distributions: Mapping[str, BaseDistribution]
    known: dict[int, tuple[Read, tuple[int, ...]]] = field(default_factory=dict)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many values each parameter has that may be a parent."""
        sizes = {name: as_parameter(distribution).size for name, distribution in self.distributions.items()}
        return {name: int(size) for name, size in sizes.items() if size <= MOST_VALUES}

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
    """Which of the values it is, from 0."""
    match distribution:
        case CategoricalDistribution():
            return int(distribution.to_internal_repr(value))
        case IntDistribution():
            return round((int(value) - distribution.low) / distribution.step)
        case FloatDistribution(step=float(step)):
            return round((float(value) - distribution.low) / step)
    return UNKNOWN


def value_at(distribution: BaseDistribution, code: int) -> Any:
    """The value with this code, as the parameter takes it."""
    if isinstance(distribution, CategoricalDistribution):
        return options_of(distribution)[code]
    parameter = as_parameter(distribution)
    return parameter.from_unit(parameter.members(np.array([code]))[0])


def inferred(reads: Sequence[Read], patterns: Patterns) -> Whens:
    """The conditions that explain which trials have which parameters."""
    names = list(patterns.distributions)
    kept = [read for read in reads if read.trial.params]
    codes = np.array([patterns.of(read) for read in kept], dtype=np.intp).reshape(len(kept), len(names))
    evaluated = np.array([_is_evaluated(read.trial) for read in kept], dtype=np.bool_)
    found: Whens = {}
    for p in np.flatnonzero((codes[evaluated] == ABSENT).any(axis=0)).tolist():
        when = _condition(p, codes, evaluated, patterns, names)
        if when:
            found[names[p]] = when
    return found


def _is_evaluated(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.COMPLETE or (trial.state == TrialState.PRUNED and bool(trial.intermediate_values))


def _condition(p: int, codes: Codes, evaluated: Mask, patterns: Patterns, names: list[str]) -> dict[str, Any]:
    """The parents of parameter p, each with the values that p needs; {} if nothing explains it."""
    here = codes[:, p] != ABSENT
    A, B, sure = codes[here], codes[evaluated & ~here], codes[evaluated & here]
    if not len(sure):
        return {}
    parents = [q for q in range(len(names)) if q != p and names[q] in patterns.counts]
    parents = [q for q in parents if _before(q, p, codes[evaluated]) and not (sure[:, q] < 0).any()]
    meets = {q: np.isin(B[:, q], A[A[:, q] >= 0, q]) for q in parents}
    alone = [q for q in parents if not meets[q].any()]
    if alone:
        best: tuple[int, ...] = (max(alone, key=lambda q: _support(codes[:, q])),)
    else:
        likely = sorted(parents, key=lambda q: int(meets[q].sum()))[:PAIRED]
        pairs = [pair for pair in combinations(likely, 2) if not (meets[pair[0]] & meets[pair[1]]).any()]
        best = max(pairs, key=lambda pair: sum(_support(codes[:, q]) for q in pair), default=())
    return {names[q]: _values(A[:, q], B[:, q], names[q], patterns) for q in best}


def _before(q: int, p: int, codes: Codes) -> bool:
    """Whether q may be a parent of p: more trials have it, or as many, and it was met first. So no circle can arise."""
    has_q, has_p = (int((codes[:, i] != ABSENT).sum()) for i in (q, p))
    return has_q > has_p or (has_q == has_p and q < p)


def _support(column: Codes) -> int:
    """How often a value came again: each time, a condition on it could have been refuted."""
    counts = np.bincount(column[column >= 0])
    return int(np.maximum(counts - 1, 0).sum())


def _values(with_p: Codes, without: Codes, name: str, patterns: Patterns) -> tuple[Any, ...]:
    """The values of the parent with which p is active: those seen with it, and of numbers also those between and
    beyond, where the nearest one that was seen decides."""
    distribution, count = patterns.distributions[name], patterns.counts[name]
    active = set(np.unique(with_p[with_p >= 0]).tolist())
    chosen = set(active)
    if not isinstance(distribution, CategoricalDistribution):
        seen = active | {int(code) for code in np.unique(without) if code >= 0}
        for code in set(range(count)) - seen:
            distance = min(abs(code - other) for other in seen)
            if {code - distance, code + distance} & active:
                chosen.add(code)
    return tuple(value_at(distribution, code) for code in sorted(chosen))


def conditional(distributions: Mapping[str, BaseDistribution], whens: Whens) -> Mapped:
    """The space with these conditions; without any if they make no sense together, as after a change of ranges."""
    try:
        return Mapped.of(distributions, whens)
    except ValueError:
        return Mapped.of(distributions)
