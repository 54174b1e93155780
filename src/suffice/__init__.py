"""Bayesian optimization that spends just enough on each decision, and says how good each decision was.

A function is searched by one call:

    import suffice as sf

    def loss(point):
        return (point["x"] - 0.3) ** 2 + abs(point["n"] - 4)

    result = sf.minimize(loss, {"x": (0.0, 1.0), "n": (1, 9)}, n_trials=30, seed=0)
    print(result)

- Run: minimize, maximize, optimize for several objectives, and Optimizer for a loop of your own (ask and tell).
- What else is measured may have a limit: AtMost and AtLeast, as in constraints={"latency": sf.AtMost(50)}.
- What is searched: Space, made of Float, Int, Choice and Ordinal; Pool; OwnSpace.
- When to stop: Target, NoImprovement, RegretBelow; a single evaluation: Median, Halving, Race.
- What a run gives: Result and Trial; load reads a file, audit searches again.
- Parts to exchange: GP as the model; LookAround, UCB, LogEI and others as the acquisition, Hypervolume of several
  objectives; Enough, Grid, LBFGSB and others as the solver.
- Modules: plot, exchange, suffice.report, suffice.errors.

help(sf.minimize) explains every argument, and `suffice --help` lists the commands.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see; at run time a name is imported when it is first used
    from suffice import exchange, plot
    from suffice.acquisition import (
        EI,
        KG,
        MES,
        PI,
        UCB,
        Constant,
        Elsewhere,
        Hypervolume,
        LogEI,
        LookAround,
        SqrtLog,
        Theory,
        Thompson,
        Widening,
    )
    from suffice.candidates import (
        delaunay,
        halton,
        latin,
        local,
        sobol,
        uniform,
        voronoi,
    )
    from suffice.errors import Infeasible, NoFeasiblePoint, NoFinishedTrial, SpaceExhausted, Stopped, SufficeError
    from suffice.gp import GP, RBF, LogNormal, Matern, OwnKernel, Prior, Refit
    from suffice.pruning import Halving, Median, Race
    from suffice.record.outputs import AtLeast, AtMost
    from suffice.record.trial import Trial
    from suffice.result.result import Result, load
    from suffice.run.minimize import maximize, minimize, optimize
    from suffice.solvers import CG, LBFGSB, Enough, Fixed, Grid, Linear, NelderMead, Polished, Power, Region
    from suffice.space import Choice, Float, Int, Ordinal, OwnSpace, Pool, Space
    from suffice.study.audit import audit
    from suffice.study.optimizer import Optimizer
    from suffice.study.stop import NoImprovement, RegretBelow, Target

__version__ = "0.1.0"

# Where each public name lives. A script that only makes a Space, and the start of every worker process that only
# unpickles a value, load what they use and not the whole library.
_HOMES = {
    "acquisition": "EI KG MES PI UCB Constant Elsewhere Hypervolume LogEI LookAround SqrtLog Theory Thompson Widening",
    "candidates": "delaunay halton latin local sobol uniform voronoi",
    "errors": "Infeasible NoFeasiblePoint NoFinishedTrial SpaceExhausted Stopped SufficeError",
    "gp": "GP RBF LogNormal Matern OwnKernel Prior Refit",
    "pruning": "Halving Median Race",
    "record.outputs": "AtLeast AtMost",
    "record.trial": "Trial",
    "result.result": "Result load",
    "run.minimize": "maximize minimize optimize",
    "solvers": "CG LBFGSB Enough Fixed Grid Linear NelderMead Polished Power Region",
    "space": "Choice Float Int Ordinal OwnSpace Pool Space",
    "study.audit": "audit",
    "study.optimizer": "Optimizer",
    "study.stop": "NoImprovement RegretBelow Target",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_MODULES = ("exchange", "plot")  # public names that are modules

__all__ = [
    "CG",
    "EI",
    "GP",
    "KG",
    "LBFGSB",
    "MES",
    "PI",
    "RBF",
    "UCB",
    "AtLeast",
    "AtMost",
    "Choice",
    "Constant",
    "Elsewhere",
    "Enough",
    "Fixed",
    "Float",
    "Grid",
    "Halving",
    "Hypervolume",
    "Infeasible",
    "Int",
    "Linear",
    "LogEI",
    "LogNormal",
    "LookAround",
    "Matern",
    "Median",
    "NelderMead",
    "NoFeasiblePoint",
    "NoFinishedTrial",
    "NoImprovement",
    "Optimizer",
    "Ordinal",
    "OwnKernel",
    "OwnSpace",
    "Polished",
    "Pool",
    "Power",
    "Prior",
    "Race",
    "Refit",
    "Region",
    "RegretBelow",
    "Result",
    "Space",
    "SpaceExhausted",
    "SqrtLog",
    "Stopped",
    "SufficeError",
    "Target",
    "Theory",
    "Thompson",
    "Trial",
    "Widening",
    "audit",
    "delaunay",
    "exchange",
    "halton",
    "latin",
    "load",
    "local",
    "maximize",
    "minimize",
    "optimize",
    "plot",
    "sobol",
    "uniform",
    "voronoi",
]


def __getattr__(name: str) -> Any:
    """A public name, when it is first used."""
    if name in _MODULES:
        return import_module(f"suffice.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'suffice' has no attribute {name!r}{_instead(name)}")
    value = globals()[name] = getattr(import_module(f"suffice.{home}"), name)
    return value


def _instead(name: str) -> str:
    """What a name of another library is called here, where one is told apart from what Python asks by itself."""
    if name.startswith("_"):
        return ""
    words = import_module("suffice.aliases")
    said: str = words.called_here(name, __all__, words.NAMES)
    return f": {said}" if said else ""


def __dir__() -> list[str]:
    """The public names alone, for completion."""
    return [*__all__, "__version__"]
