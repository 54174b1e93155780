"""forest_minimize and gbrt_minimize: refused, with what to take instead."""

from typing import Any, NoReturn

from suffice.compat.skopt.estimators import TREES


def forest_minimize(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse, since there are no trees here: take gp_minimize, with the same arguments but for base_estimator.

    Parameters
    ----------
    *args, **kwargs : object
        Whatever it is, NotImplementedError is raised.
    """
    raise NotImplementedError(f"forest_minimize: {TREES}")


def gbrt_minimize(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse, since there are no trees here: take gp_minimize, with the same arguments but for base_estimator.

    Parameters
    ----------
    *args, **kwargs : object
        Whatever it is, NotImplementedError is raised.
    """
    raise NotImplementedError(f"gbrt_minimize: {TREES}")
