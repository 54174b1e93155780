"""Whether a run is worth going on with, when evaluations raise from the first on."""

from dataclasses import dataclass, field

HOPELESS = 3  # evaluations that all raise, from the first on: a typo must not burn the budget


@dataclass
class Hope:
    """It is gone when the first evaluations have all raised, and no other has returned anything.

    The first ones are as many as are under way at a time, but at least three (or the whole budget). They are counted
    by their start and not by their end: failures are often faster than successes, so the first to end say little.
    """

    width: int  # evaluations under way at a time
    budget: int
    _started: int = 0
    _awaited: set[int] = field(default_factory=set)  # numbers of the first ones, as long as they have not raised
    _proven: bool = False

    @property
    def first(self) -> int:
        """How many evaluations decide."""
        return min(max(HOPELESS, self.width), self.budget)

    @property
    def gone(self) -> bool:
        """Whether the run should end."""
        return not self._proven and self._started >= self.first and not self._awaited

    def started(self, number: int) -> None:
        """An evaluation begins."""
        if self._started < self.first:
            self._awaited.add(number)
        self._started += 1

    def raised(self, number: int) -> None:
        """It ended with an exception, or with something that is no number."""
        self._awaited.discard(number)

    def returned(self) -> None:
        """An evaluation ended with a number, nan included."""
        self._proven = True
