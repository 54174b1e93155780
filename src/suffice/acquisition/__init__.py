"""Acquisition functions: bind beliefs, a step and a stream of randomness to a frozen score alpha_t."""

from collections.abc import Callable
from functools import partial

from suffice.acquisition.exploration import Elsewhere, LookAround
from suffice.acquisition.hypervolume import Hypervolume
from suffice.acquisition.improvement import EI, PI, LogEI
from suffice.acquisition.information import KG, MES
from suffice.acquisition.marginal import Acquisition
from suffice.acquisition.thompson import Thompson
from suffice.acquisition.ucb import UCB, Beta, Constant, SqrtLog, Theory, Widening
from suffice.acquisition.wrappers import LogWeighted, Weighted

# All of the library, with their defaults; the contract is tested with each, and files may name their classes.
ACQUISITIONS: dict[str, Callable[[], Acquisition]] = {
    "lookaround": LookAround,
    "ucb": UCB,
    "thompson": Thompson,
    "thompson-exact": partial(Thompson, exact=True),
    "ei": EI,
    "logei": LogEI,
    "elsewhere": Elsewhere,
    "pi": PI,
    "mes": MES,
    "kg": KG,
}

FRONT_ACQUISITIONS: dict[str, Callable[[], Acquisition]] = {"hypervolume": Hypervolume}  # for several objectives

__all__ = [
    "ACQUISITIONS",
    "EI",
    "FRONT_ACQUISITIONS",
    "KG",
    "MES",
    "PI",
    "UCB",
    "Acquisition",
    "Beta",
    "Constant",
    "Elsewhere",
    "Hypervolume",
    "LogEI",
    "LogWeighted",
    "LookAround",
    "SqrtLog",
    "Theory",
    "Thompson",
    "Weighted",
    "Widening",
]
