"""The report that a model-based suggestion carries: what was solved, how, and with what effort.

It stores what rebuilds alpha_t, not the model, so that memory stays flat and a run can be examined later.
"""

from dataclasses import dataclass, field

from suffice.gp.fit import Hyper
from suffice.gp.outcome import Outcome
from suffice.types import Solution, Status


@dataclass(frozen=True)
class Binding:
    """What rebuilds alpha_t: the step, the data known at the ask, and the hyper-parameters."""

    t: int
    n_told: int  # alpha_t knew the first n_told tellings of the run
    pending: tuple[int, ...]  # and the numbers of these trials, asked and not yet told
    hyper: Hyper
    outcome: Outcome
    constant: float  # the prior mean, model units


@dataclass(frozen=True)
class SolveReport:
    """How one suggestion was found."""

    value: float  # alpha at the point, model units
    n_evals: int  # value rows + (smooth columns + 1) * gradient rows
    n_grads: int  # gradient rows among them
    status: Status
    seconds: dict[str, float]  # by phase: fit, bind, solve, report
    notes: tuple[str, ...] = ()  # what was done about numerical trouble
    binding: Binding | None = field(default=None, repr=False)


def solve_report(
    solution: Solution, seconds: dict[str, float], binding: Binding, notes: tuple[str, ...] = ()
) -> SolveReport:
    """The report of a solve, the same for every solver."""
    return SolveReport(
        value=solution.value,
        n_evals=solution.n_evals,
        n_grads=solution.n_grads,
        status=solution.status,
        seconds=seconds,
        notes=notes,
        binding=binding,
    )
