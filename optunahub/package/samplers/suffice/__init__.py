from suffice.integrations.optuna import SufficeSampler

__all__ = ["SufficeSampler"]
