"""A sampler for Optuna: `optuna.create_study(sampler=SufficeSampler())`."""

from importlib.util import find_spec

from suffice.errors import MissingExtra

if find_spec("optuna") is None:
    raise MissingExtra("optuna", "optuna", "SufficeSampler")

from suffice.integrations.optuna.sampler import SufficeSampler

__all__ = ["SufficeSampler"]
