"""Randomness by name: (seed, purpose, trial) -> an independent generator.

A resumed, re-ordered or parallel run draws the same numbers, and no generator state is stored.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Streams:
    """One independent generator for each purpose and trial number."""

    seed: int

    # Append only: the position of a purpose is part of every recorded run.
    PURPOSES: ClassVar[tuple[str, ...]] = (
        "design",
        "fit",
        "acquisition",
        "solver",
        "distinct",
        "audit",
        "stop",
        "feasible",
        "importance",
        "independent",
        "dependence",
        "members",
        "members of a result",
        "x0",
    )

    def __call__(self, purpose: str, trial: int = 0) -> np.random.Generator:
        key = (self.PURPOSES.index(purpose), trial)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def fresh_seed() -> int:
    """A seed from the operating system, small enough to be read aloud and typed again."""
    return int(np.random.SeedSequence().generate_state(1)[0])
