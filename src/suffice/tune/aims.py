"""What a tuned command is to reach: metrics to make small or large, and limits on further ones.

minimize = "loss"                                                            --minimize loss
objectives = { loss = "minimize", speed = "maximize" }                       --minimize loss --maximize speed
constraints = { latency = { at_most = 50 }, recall = { at_least = 0.9 } }    --at-most latency=50 --at-least recall=0.9
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from suffice.checks import as_float, short
from suffice.study.limit import AtLeast, AtMost, Limit
from suffice.study.options import Sense
from suffice.study.outputs import SENSES, is_violated
from suffice.tune.command import near
from suffice.tune.metric import Metric

KEYS = (*SENSES, "objectives", "constraints")
LIMITS: dict[str, type[AtMost] | type[AtLeast]] = {"at_most": AtMost, "at_least": AtLeast}
WANTED = (
    'wanted one of minimize = "NAME" and maximize = "NAME", the metric that is printed, or a table of several, '
    'objectives = { NAME = "minimize", OTHER = "maximize" }'
)


@dataclass(frozen=True)
class Aims:
    """The metrics that a command prints, by what is asked of them."""

    objectives: dict[str, Sense]
    constraints: dict[str, Limit] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> "Aims":
        """What a TOML file says."""
        aims = cls(_objectives(table), _constraints(table.get("constraints", {})))
        for name in aims.constraints:
            if name in aims.objectives:
                raise ValueError(
                    f"the metric {name!r} is an objective and has a limit: it can be one of the two; to limit an "
                    "objective, print it a second time under another name"
                )
        return aims

    @property
    def plain(self) -> bool:
        """Whether there is one metric, which is the value of a trial."""
        return not self.several and not self.constraints

    @property
    def several(self) -> bool:
        """Whether there are several objectives, so that a front is looked for."""
        return len(self.objectives) > 1

    @property
    def objective(self) -> str:
        """The name of the only objective, or of the first one."""
        return next(iter(self.objectives))

    @property
    def outputs(self) -> tuple[str, ...]:
        """All metrics: the objectives, then the limited ones."""
        return (*self.objectives, *self.constraints)

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """What to look for in the output."""
        return tuple(Metric(name) for name in self.outputs)

    @property
    def words(self) -> dict[str, Any]:
        """The words of a study; one metric alone is its value, whatever it is called."""
        if self.plain:
            return {"sense": self.objectives[self.objective]}
        return {"objectives": self.objectives, "constraints": self.constraints}

    def are_known(self, values: Mapping[str, float]) -> bool:
        """Whether nothing is missing: of a trial that is beyond a limit, no more needs to be known."""
        return len(values) == len(self.outputs) or is_violated(values, self.constraints)

    def to_plain(self) -> dict[str, Any]:
        """As a TOML file would have it."""
        words = {kind: word for word, kind in LIMITS.items()}
        limits = {name: {words[type(limit)]: limit.limit} for name, limit in self.constraints.items()}
        return {"objectives": dict(self.objectives)} | ({"constraints": limits} if limits else {})


def of_options(aims: Sequence[tuple[Sense, str]], limits: Sequence[tuple[str, tuple[str, float]]]) -> dict[str, Any]:
    """The same as a TOML file would have it, from (sense, name) and (at_most or at_least, (name, limit))."""
    table: dict[str, Any] = dict.fromkeys(SENSES)
    senses: dict[str, Sense] = {}
    for sense, name in aims:
        if name in senses:
            raise ValueError(f"--{sense} {name}: there is --{senses[name]} {name} already")
        senses[name] = sense
    if len(senses) == 1:
        table.update((sense, name) for name, sense in senses.items())
    elif senses:
        table["objectives"] = senses
    for word, (name, limit) in limits:
        known = table.setdefault("constraints", {})
        if name in known:
            raise ValueError(
                f"--{word.replace('_', '-')} {name}: {name} has a limit already, and can have one; print the metric a "
                "second time under another name"
            )
        known[name] = {word: limit}
    return table


def _objectives(table: Mapping[str, Any]) -> dict[str, Sense]:
    alone = [(sense, table[sense]) for sense in SENSES if table.get(sense) is not None]
    given = table.get("objectives")
    if len(alone) + (given is not None) != 1:
        got = " and ".join([*(sense for sense, _ in alone), *(["objectives"] if given is not None else [])])
        raise ValueError(f"{WANTED}: got {got or 'none of them'}")
    if given is None:
        ((sense, name),) = alone
        if not isinstance(name, str):
            raise TypeError(f"{sense}: wanted the name of a metric: got {short(name)}")
        given = {name: sense}
    if not isinstance(given, Mapping) or not given:
        raise TypeError(f'objectives: wanted a table such as {{ loss = "minimize" }}: got {short(given)}')
    for name, sense in given.items():
        Metric(name)
        if sense not in SENSES:
            raise ValueError(f'objectives: {name} must be "minimize" or "maximize": got {short(sense)}')
    return dict(given)


def _constraints(given: Any) -> dict[str, Limit]:
    example = "{ at_most = 50 }"
    if not isinstance(given, Mapping):
        raise TypeError(f"constraints: wanted a table such as {{ latency = {example} }}: got {short(given)}")
    found: dict[str, Limit] = {}
    for name, table in given.items():
        Metric(name)
        if not isinstance(table, Mapping) or len(table) != 1:
            raise TypeError(f"constraints: {name}: wanted one limit such as {example}: got {short(table)}")
        ((word, limit),) = table.items()
        if word not in LIMITS:
            raise ValueError(f"constraints: {name}: the key {word!r} is not known: {near(word, LIMITS)}")
        found[name] = LIMITS[word](as_float(limit, f"constraints: {name}: {word}"))
    return found
