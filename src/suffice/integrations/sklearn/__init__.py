"""scikit-learn's convention around a study: `from suffice.integrations.sklearn import SufficeSearchCV`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from suffice.errors import MissingExtra

if TYPE_CHECKING:
    from suffice.integrations.sklearn.search import SufficeSearchCV

__all__ = ["SufficeSearchCV"]


def __getattr__(name: str) -> Any:
    """The class, imported on access: reading spaces needs no scikit-learn."""
    if name != "SufficeSearchCV":
        raise AttributeError(f"module {__name__!r} has no {name!r}: it has SufficeSearchCV")
    try:
        import_module("sklearn")
    except ModuleNotFoundError as error:
        raise MissingExtra("sklearn", "scikit-learn", "SufficeSearchCV") from error
    return import_module("suffice.integrations.sklearn.search").SufficeSearchCV


def __dir__() -> list[str]:
    return [*globals(), *__all__]
