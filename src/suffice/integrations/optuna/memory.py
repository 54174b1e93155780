"""What a sampler has computed for a study before: it saves time and decides nothing.

Whatever is here is a function of the trials alone, and is compared with them before it is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from optuna.distributions import BaseDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from suffice.gp.model import Fitted
from suffice.integrations.optuna.conditions import Patterns, conditional, inferred
from suffice.integrations.optuna.lessons import Read
from suffice.integrations.optuna.record import Rows
from suffice.integrations.optuna.spaces import Mapped


@dataclass
class Memory:
    """Of one study."""

    reads: dict[int, Read] = field(default_factory=dict)
    patterns: Patterns | None = None
    rows: Rows | None = None
    fitted: dict[str, tuple[str, Fitted]] = field(default_factory=dict)  # the last of each output, and what it is of

    def read(self, trial: FrozenTrial, directions: Sequence[StudyDirection]) -> Read:
        """What a trial says."""
        known = self.reads.get(trial.number)
        if known is not None and known.trial is trial:
            return known
        read = Read.of(trial, directions)
        if not read.under_way:
            self.reads[trial.number] = read
        return read

    def mapped(self, distributions: Mapping[str, BaseDistribution], reads: Sequence[Read]) -> Mapped:
        """The space of these distributions with the conditions that the trials show."""
        patterns = self.patterns
        if patterns is None or patterns.distributions != distributions:
            patterns = self.patterns = Patterns(dict(distributions))
        whens = inferred(reads, patterns)
        rows = self.rows
        if rows is not None and rows.mapped.whens == whens and rows.mapped.distributions == distributions:
            return rows.mapped
        return conditional(distributions, whens)

    def rows_in(self, mapped: Mapped) -> Rows:
        """The places of trials in this space."""
        rows = self.rows
        if rows is None or rows.mapped is not mapped:
            rows = self.rows = Rows(mapped)
        return rows
