"""What a constrained output must reach: at most, or at least, a limit in the user's units."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from suffice.checks import as_real, short


@dataclass(frozen=True)
class AtMost:
    """A constraint: an output of the objective function must not be above a limit.

    Parameters
    ----------
    limit : float
        The largest value that is allowed, in the units in which the function returns it.

    See Also
    --------
    AtLeast : The same from below.

    Examples
    --------
    >>> import suffice as sf
    >>> def f(point):
    ...     return {"value": -point["x"], "weight": point["x"] ** 2}
    >>> result = sf.minimize(f, {"x": (0.0, 5.0)}, 15, constraints={"weight": sf.AtMost(4.0)}, seed=0)
    >>> bool(result.x["x"] <= 2.0)
    True
    """

    limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", _finite(self.limit, "AtMost"))

    def __str__(self) -> str:
        return f"at most {self.limit:g}"

    @property
    def sign(self) -> float:
        """What turns the output into larger-is-better."""
        return -1.0

    def violation(self, value: float) -> float:
        """Say how far a value is beyond the limit.

        Parameters
        ----------
        value : float
            A value of the output.

        Returns
        -------
        float
            In its units; 0 where the value is allowed.
        """
        return max(0.0, value - self.limit)


@dataclass(frozen=True)
class AtLeast:
    """A constraint: an output of the objective function must not be below a limit.

    Parameters
    ----------
    limit : float
        The smallest value that is allowed, in the units in which the function returns it.

    See Also
    --------
    AtMost : The same from above, with an example.
    """

    limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", _finite(self.limit, "AtLeast"))

    def __str__(self) -> str:
        return f"at least {self.limit:g}"

    @property
    def sign(self) -> float:
        """What turns the output into larger-is-better."""
        return 1.0

    def violation(self, value: float) -> float:
        """Say how far a value is beyond the limit.

        Parameters
        ----------
        value : float
            A value of the output.

        Returns
        -------
        float
            In its units; 0 where the value is allowed.
        """
        return max(0.0, self.limit - value)


Limit: TypeAlias = AtMost | AtLeast


def _finite(limit: object, name: str) -> float:
    number = as_real(limit, f"{name}: limit")
    if not math.isfinite(number):
        raise ValueError(f"{name} needs a finite limit: got {limit!r}; leave the constraint out if there is none")
    return number


def as_constraints(constraints: Any) -> dict[str, Limit]:
    """Limits by the name of the output, from what a user gives; None: none."""
    if constraints is None:
        return {}
    if not isinstance(constraints, Mapping):
        raise TypeError(
            'constraints must be a dict of outputs and limits, such as {"latency": sf.AtMost(50)}: got '
            f"{type(constraints).__name__} {short(constraints)}; what is known of a point without evaluating it is a "
            "constraint of the space, sf.Space(..., where=...)"
        )
    for name, limit in constraints.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"constraints must have names that are strings: got {name!r}")
        if not isinstance(limit, AtMost | AtLeast):
            raise TypeError(
                f"constraints[{name!r}] must be sf.AtMost(limit) or sf.AtLeast(limit): got {short(limit)} of type "
                f"{type(limit).__name__}"
            )
    return dict(constraints)
