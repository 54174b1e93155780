"""The suites of problems with several outputs: some to report results on, others on which defaults may be chosen."""

from suffice.problems.budgeted import ALLOY, FOREST, SERVICE
from suffice.problems.collected import G4, G6, G8, G9, G24
from suffice.problems.constrained import Constrained
from suffice.problems.engineering import (
    CANTILEVER,
    CONCRETE_BEAM,
    PRESSURE_VESSEL,
    SPEED_REDUCER,
    SPRING,
    THREE_BAR_TRUSS,
    WELDED_BEAM,
)
from suffice.problems.limited import (
    ACKLEY5_BALL,
    BIRD_DISK,
    BRANIN_DISK,
    GARDNER1,
    GARDNER2,
    HARTMANN6_BALL,
    TOWNSEND,
)

_REPORTED = (
    *(GARDNER1, GARDNER2, BRANIN_DISK, TOWNSEND, G6, SPRING, WELDED_BEAM, PRESSURE_VESSEL, G4, CANTILEVER),
    *(ACKLEY5_BALL, SERVICE, HARTMANN6_BALL, ALLOY, SPEED_REDUCER),
)
_CHOOSING = (BIRD_DISK, G8, G24, THREE_BAR_TRUSS, CONCRETE_BEAM, FOREST, G9)
CONSTRAINED: dict[str, Constrained] = {problem.name: problem for problem in _REPORTED}
CONSTRAINED_CHOOSING: dict[str, Constrained] = {problem.name: problem for problem in _CHOOSING}
