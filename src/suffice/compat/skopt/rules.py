"""`acq_func`: which rule scores the points, by scikit-optimize's names for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from suffice.acquisition import MES, PI, UCB, Acquisition, Constant, LogEI, LookAround
from suffice.belief import Beliefs
from suffice.types import Domain, Score, Step

XI, KAPPA = 0.01, 1.96  # scikit-optimize's defaults
FARTHEST = 1e6  # in place of kappa="inf": so many deviations that the mean decides nothing

PER_SECOND = (
    "the rules per second, 'EIps' and 'PIps', are not here: they need a second model, of how long evaluations take; "
    "return the value alone, and take acq_func='EI' or 'PI'"
)
REFUSED = {
    "EIps": PER_SECOND,
    "PIps": PER_SECOND,
    "PVRS": "'PVRS' is not here; 'MES' goes for the same end, which is to know more about the minimum with each point",
}


@dataclass(frozen=True)
class InTurn:
    """Several rules, one after the other: every step is taken by the next of them."""

    rules: tuple[Acquisition, ...]

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        rule = self.rules[(step.t - 1) % len(self.rules)]
        return rule(beliefs, domain, step=step, rng=rng)


def rule_of(acq_func: str, settings: Mapping[str, Any] | None) -> Acquisition:
    """The rule that is meant; `settings` may have xi and kappa.

    A negative xi, which asks for no improvement at all, counts as 0.

    "gp_hedge" is the default rule of this library, unless xi or kappa are set: then "EI", "LCB" and "PI" take turns.
    """
    given = {} if settings is None else dict(settings)
    xi, kappa = max(0.0, float(given.get("xi", XI))), _as_beta(given.get("kappa", KAPPA))
    known: dict[str, Callable[[], Acquisition]] = {
        "EI": lambda: LogEI(xi),
        "LCB": lambda: UCB(Constant(kappa)),
        "PI": lambda: PI(xi),
        "MES": MES,
    }
    if acq_func == "gp_hedge":
        steered = (xi, kappa) != (XI, KAPPA)
        return InTurn((known["EI"](), known["LCB"](), known["PI"]())) if steered else LookAround()
    if acq_func in REFUSED:
        raise NotImplementedError(f"acq_func={acq_func!r}: {REFUSED[acq_func]}")
    if acq_func not in known:
        words = ", ".join(map(repr, ("gp_hedge", *known)))
        raise ValueError(f"acq_func must be one of {words}: got {acq_func!r}")
    return known[acq_func]()


def _as_beta(kappa: Any) -> float:
    return FARTHEST if kappa == "inf" else float(kappa)
