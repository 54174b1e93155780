"""A sampler for Optuna: `optuna.create_study(sampler=SufficeSampler())`."""

from suffice.errors import MissingExtra

try:
    import optuna  # noqa: F401
except ImportError as error:
    raise MissingExtra("optuna", "optuna", "SufficeSampler") from error

from suffice.integrations.optuna.sampler import SufficeSampler

__all__ = ["SufficeSampler"]
