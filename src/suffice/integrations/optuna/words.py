"""Words of other samplers: what they are called here, or why there is nothing to be said."""

from collections.abc import Mapping
from typing import Any

INSTEAD = {
    "n_initial": "it is called n_startup_trials here, as in Optuna's samplers",
    "multivariate": "all parameters are always modelled together; leave it out",
    "group": "conditional parameters are always modelled; leave it out",
    "constant_liar": "running trials are always taken into account; leave it out",
    "deterministic_objective": "the noise is estimated; of an objective without any, say model=sf.GP(noise=0)",
    "sense": "the direction is the study's: optuna.create_study(direction=...)",
    "rng": "give seed=, a whole number",
    "random_state": "it is called seed here, as in Optuna's samplers",
}


def refuse(others: Mapping[str, Any]) -> None:
    """TypeError about the first of the words that are unknown, with what to do about it."""
    for word in others:
        because = INSTEAD.get(word, "see help(SufficeSampler) for its arguments")
        raise TypeError(f"SufficeSampler got an unknown argument {word!r}: {because}")
