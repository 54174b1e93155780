"""The probability of a mistake that a rule may make, as the user gives it."""

from suffice.checks import as_real


def as_risk(given: object, name: str) -> float:
    """A number above 0 and at most 1."""
    risk = as_real(given, name)
    if not 0.0 < risk <= 1.0:
        raise ValueError(f"{name} must be a probability above 0 and at most 1: got {given!r}; 0.01 is one in a hundred")
    return risk
