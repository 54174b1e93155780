"""Improve the best point; where that gets nowhere, look elsewhere now and then."""

from dataclasses import dataclass, field

from numpy.random import Generator

from suffice.acquisition.elsewhere import Elsewhere
from suffice.acquisition.improvement import LogEI
from suffice.acquisition.seam import Acquisition
from suffice.belief import Beliefs
from suffice.checks import as_count
from suffice.types import Domain, Score, Step


@dataclass(frozen=True)
class LookAround:
    """Improve the best point as long as that works, and look elsewhere in every second step when it does not.

    This is the default, made for finding the best point: the run may have settled in the second-best place, and further
    digits are worth less than a better place. For runs in which every evaluation costs what it returns, take sf.UCB()
    (or aim="regret"), which has a regret bound.

    Parameters
    ----------
    improve : Acquisition, default: LogEI()
        The rule that asks where an improvement is to be expected.
    elsewhere : Acquisition, default: Elsewhere()
        The rule of every second step, once the other one gets nowhere.
    patience : int, default: 1
        After how many suggestions in a row that have not raised the best value by the resolution of the study.
    """

    improve: Acquisition = field(default_factory=LogEI)
    elsewhere: Acquisition = field(default_factory=Elsewhere)
    patience: int = 1  # 2 gave fewer runs in the right place (docs/measurements/defaults.md)

    def __post_init__(self) -> None:
        for word in ("improve", "elsewhere"):
            given = getattr(self, word)
            if isinstance(given, type) or not callable(given):
                raise TypeError(f"LookAround: {word} must be an acquisition, such as sf.LogEI(): got {given!r}")
        as_count(self.patience, "LookAround: patience", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        looks = step.idle >= self.patience and step.t % 2 == 0
        return (self.elsewhere if looks else self.improve)(beliefs, domain, step=step, rng=rng)
