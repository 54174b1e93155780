"""The suites of problems with several outputs: some to report results on, others on which defaults may be chosen."""

from research.problems.budgeted import ALLOY, FOREST, SERVICE
from research.problems.collected import (
    CANTILEVER,
    CONCRETE_BEAM,
    G4,
    G6,
    G8,
    G9,
    G24,
    PRESSURE_VESSEL,
    SPEED_REDUCER,
    SPRING,
    THREE_BAR_TRUSS,
    WELDED_BEAM,
)
from research.problems.constrained import (
    ACKLEY5_BALL,
    BIRD_DISK,
    BRANIN_DISK,
    GARDNER1,
    GARDNER2,
    HARTMANN6_BALL,
    TOWNSEND,
    Constrained,
)
from research.problems.design_fronts import (
    CAR_SIDE_IMPACT,
    DISC_BRAKE,
    FOUR_BAR_TRUSS,
    GEAR_TRAIN,
    HATCH_COVER,
    NETWORK,
    ROCKET_INJECTOR,
    TWO_BAR_TRUSS,
    VEHICLE_SAFETY,
)
from research.problems.fronts import (
    BRANIN_CURRIN,
    DTLZ2_2,
    DTLZ2_3,
    DTLZ7,
    FONSECA,
    KURSAWE,
    POLONI,
    VIENNET,
    ZDT1,
    ZDT2,
    ZDT3,
    TradeOff,
)

CONSTRAINED: dict[str, Constrained] = {
    problem.name: problem
    for problem in (
        *(GARDNER1, GARDNER2, BRANIN_DISK, TOWNSEND, G6, SPRING, WELDED_BEAM, PRESSURE_VESSEL, G4, CANTILEVER),
        *(ACKLEY5_BALL, SERVICE, HARTMANN6_BALL, ALLOY, SPEED_REDUCER),
    )
}
CONSTRAINED_CHOOSING: dict[str, Constrained] = {
    problem.name: problem for problem in (BIRD_DISK, G8, G24, THREE_BAR_TRUSS, CONCRETE_BEAM, FOREST, G9)
}
TRADE_OFFS: dict[str, TradeOff] = {
    problem.name: problem
    for problem in (
        *(BRANIN_CURRIN, HATCH_COVER, FOUR_BAR_TRUSS, NETWORK, ZDT1, ZDT2, ZDT3, DTLZ2_2, DTLZ2_3),
        *(TWO_BAR_TRUSS, ROCKET_INJECTOR, VEHICLE_SAFETY, CAR_SIDE_IMPACT),
    )
}
TRADE_OFFS_CHOOSING: dict[str, TradeOff] = {
    problem.name: problem for problem in (POLONI, FONSECA, KURSAWE, DTLZ7, GEAR_TRAIN, VIENNET, DISC_BRAKE)
}
