"""Which options a run knows too little about to say that none of them is better.

k  int  numeric parameters of the space

An option may want values of its own for the numbers beside it. So it counts as explored once it was tried 2k − 1 times,
and at least once. (With k trials runs stopped at the wrong one of five models with three numbers each; with 2k hardly
a run with eight options and one number stopped.) What options have in common lets the model judge those that were never
tried (suffice/space/embedding.py); without it there is nothing to judge them by.
"""

from dataclasses import dataclass

import numpy as np

from suffice.space import Choice, active_coordinates
from suffice.study.history import History, rows
from suffice.study.trial import EVALUATED


@dataclass(frozen=True)
class Unexplored:
    """A choice, how many options it has, and how many of them were tried too rarely."""

    name: str
    options: int
    missing: int
    related: bool  # the options have something in common, from which a model can learn

    def __str__(self) -> str:
        return f"{self.missing} of {self.options} options of {self.name}"


def unexplored(history: History) -> tuple[Unexplored, ...]:
    """The choices with options that were tried too rarely; failed and stopped trials count, since they were made."""
    space = history.settings.space
    tried = rows([trial for trial in history.trials if trial.state in EVALUATED], space.dim)
    k = sum(not isinstance(parameter, Choice) for parameter in space.params.values())
    found = []
    active = active_coordinates(space, tried)
    for j, coordinate in enumerate(space.coordinates):
        choice = space.params.get(coordinate.name)
        if not isinstance(choice, Choice):
            continue
        related = coordinate.places is not None
        places = {id(option): j for j, option in enumerate(choice.options)}  # `from_unit` returns these very objects
        seen = [places[id(choice.from_unit(row))] for row in tried[active[:, j], coordinate.columns]]
        counts = np.bincount(np.array(seen, dtype=np.intp), minlength=len(choice.options))
        missing = int(np.count_nonzero(counts < (1 if related else max(1, 2 * k - 1))))
        if missing:
            found.append(Unexplored(coordinate.name, len(choice.options), missing, related))
    return tuple(found)
