"""A study inside what other libraries have: each in a folder of its own, imported when it is asked for."""

_HOMES = {"SufficeSampler": "optuna", "SufficeSearchCV": "sklearn"}


def __getattr__(name: str) -> object:
    """Raise an error that names the module of a class; an AttributeError would lose its message in an import."""
    if name in _HOMES:
        raise ImportError(f"write from suffice.integrations.{_HOMES[name]} import {name}")
    raise AttributeError(f"module 'suffice.integrations' has no attribute {name!r}")
