"""The seam: what an acquisition is."""

from typing import Protocol

from numpy.random import Generator

from suffice.belief import Beliefs
from suffice.types import Domain, Score, Step


class Acquisition(Protocol):
    """A rule that turns what is known into what is worth knowing next."""

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        """alpha_t: all randomness is drawn here, so the score is a pure function of X."""
