"""What a rule of early stopping is, and the two things that hold for every rule."""

import math
from typing import Protocol

from suffice.study.early.curves import Curve, Field, Level


class EarlyStop(Protocol):
    """A rule that says whether an evaluation is worth going on with; a frozen dataclass."""

    @property
    def level(self) -> Level:
        """What the reports up to a step come to, in the eyes of the rule: the last, the best or the mean of them."""

    def __call__(self, mine: Curve, field: Field) -> bool:
        """Whether to stop the trial with this curve, after its last report; `field` has the curves of all others."""


def wants_stop(rule: EarlyStop | None, number: int, field: Field) -> bool:
    """Whether a rule would stop a trial now.

    A report that is no number is the end of it. A trial that has come as far as any finished one is left alone: it is
    about to return its value.
    """
    mine = field.curves.get(number)
    if rule is None or mine is None or not mine.steps or mine.final is not None:
        return False
    if not math.isfinite(mine.values[-1]):
        return True
    if not field.finished or mine.steps[-1] >= field.longest:
        return False
    return bool(rule(mine, field))


def as_rule(given: object) -> EarlyStop | None:
    """A rule as the user gives it, checked before anything is evaluated."""
    if given is None:
        return None
    if isinstance(given, type) or not callable(given) or not callable(getattr(given, "level", None)):
        name = given.__name__ if isinstance(given, type) else None
        hint = f"; make one of the class, as in sf.{name}()" if name else ""
        raise TypeError(f"early_stop must be a rule such as sf.Median(), or None: got {given!r}{hint}")
    rule: EarlyStop = given  # type: ignore[assignment]
    return rule
