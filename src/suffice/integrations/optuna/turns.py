"""Who proposes anew when two workers have proposed at the same time, neither of them knowing the point of the other.

A worker writes its proposal and only then looks at those of the others, so that of two workers at least one sees the
other one. The trial with the higher number gives way: it withdraws its proposal and proposes again, with the other
point known. The trial with the lower number stays, unless the other one is past this already and did not see it, which
a first parameter in the storage shows; until one or the other is seen, it waits.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial

from suffice.integrations.optuna.attributes import PROPOSAL

TURNS = 8  # of workers that go on in step, as many as propose before some of them repeat each other's points
PATIENCE = 1.0  # seconds to wait for a worker that may have died between its proposal and its first parameter
PAUSE = 0.01  # seconds; about what a database takes to answer


@dataclass(frozen=True)
class Seen:
    """What a worker knew of the trials that were not finished when it began to search."""

    number: int  # of its own trial
    count: int  # of all trials; those that were added later have higher numbers
    proposals: Mapping[int, Any]  # of the other trials; None where there was none

    @classmethod
    def of(cls, trials: Sequence[FrozenTrial], number: int) -> "Seen":
        open_ = (t for t in trials if t.number != number and not t.state.is_finished())
        return cls(number, len(trials), {t.number: t.system_attrs.get(PROPOSAL) for t in open_})

    def has_to_give_way(self, study: Study) -> bool:
        """Whether this worker, which has written its proposal, has to propose again."""
        end = time.monotonic() + PATIENCE
        while True:
            unknown = [trial for trial in study.get_trials(deepcopy=False) if self._is_unknown(trial)]
            if any(t.number < self.number or t.params or t.state.is_finished() for t in unknown):
                return True
            if not unknown or time.monotonic() > end:
                return False
            time.sleep(PAUSE)

    def _is_unknown(self, trial: FrozenTrial) -> bool:
        if trial.number == self.number or (trial.number < self.count and trial.number not in self.proposals):
            return False
        proposal = trial.system_attrs.get(PROPOSAL)
        return bool(proposal) and proposal != self.proposals.get(trial.number)
