"""The seam: what an acquisition is."""

from typing import Protocol

from numpy.random import Generator

from suffice.accuracy.report import SolveReport
from suffice.gp.posterior import Posterior
from suffice.types import Score


class Acquisition(Protocol):
    """A rule that turns what is known into what is worth knowing next."""

    def __call__(self, posterior: Posterior, *, t: int, rng: Generator) -> Score:
        """alpha_t: all randomness is drawn here, so the score is a pure function of X."""


def adapted(acquisition: Acquisition, last: SolveReport | None) -> Acquisition:
    """The acquisition for the next step; one with a method `adapted` is told how well the last step was solved."""
    adapt = getattr(acquisition, "adapted", None)
    changed: Acquisition = acquisition if adapt is None else adapt(last)
    return changed
