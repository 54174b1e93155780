"""Bayesian optimization: find the best input of an expensive function in few evaluations.

A function is searched by one call:

    import suffice as sf

    def loss(point):
        return (point["x"] - 0.3) ** 2 + abs(point["n"] - 4)

    result = sf.minimize(loss, {"x": (0.0, 1.0), "n": (1, 9)}, n_trials=30, seed=0)
    print(result)

- Run: minimize, maximize, optimize for several objectives, and Optimizer for your own loop (ask and tell).
- Constraints on further outputs: AtMost and AtLeast, as in constraints={"latency": sf.AtMost(50)}.
- Search spaces: Space, made of Float, Int, Choice and Ordinal; Pool; CustomSpace.
- Stopping rules: Target, NoImprovement, Exhausted, RegretBelow.
- Results: Result and Trial; load reads a file, audit repeats the searches for its points.
- What a search in any library missed of its acquisition function: solve_quality measures one solve,
  watch_solves a whole run.
- Parts: GP as the model, UCB and LogEI as the acquisition function; others are in the modules gp, acquisition,
  solvers, candidates and pruning.
- Other modules: plot, exchange, executors, errors, suffice.report.

help(sf.minimize) explains every argument, and `suffice --help` lists the commands.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see; at run time a name is imported when it is first used
    from suffice import acquisition, candidates, errors, exchange, executors, gp, plot, pruning, solvers
    from suffice.acquisition import UCB, LogEI
    from suffice.errors import Infeasible, Pruned
    from suffice.exactness import solve_quality, watch_solves
    from suffice.gp import GP
    from suffice.record.outputs import AtLeast, AtMost
    from suffice.record.trial import Trial
    from suffice.result.result import Result, load
    from suffice.run.minimize import maximize, minimize, optimize
    from suffice.run.options import Evaluation
    from suffice.space import Choice, CustomSpace, Float, Int, Ordinal, Pool, Space
    from suffice.study.audit import audit
    from suffice.study.optimizer import Optimizer
    from suffice.study.stop import Exhausted, NoImprovement, RegretBelow, Target

__version__ = "0.1.0"

# Where each public name lives. A script that only makes a Space, and the start of every worker process that only
# unpickles a value, load what they use and not the whole library.
_HOMES = {
    "acquisition": "UCB LogEI",
    "errors": "Infeasible Pruned",
    "exactness": "solve_quality watch_solves",
    "gp": "GP",
    "record.outputs": "AtLeast AtMost",
    "record.trial": "Trial",
    "result.result": "Result load",
    "run.minimize": "maximize minimize optimize",
    "run.options": "Evaluation",
    "space": "Choice CustomSpace Float Int Ordinal Pool Space",
    "study.audit": "audit",
    "study.optimizer": "Optimizer",
    "study.stop": "Exhausted NoImprovement RegretBelow Target",
}
_MODULES = (
    "acquisition",
    "candidates",
    "errors",
    "exchange",
    "executors",
    "gp",
    "plot",
    "pruning",
    "solvers",
)  # public names that are modules

__all__ = [
    "GP",
    "UCB",
    "AtLeast",
    "AtMost",
    "Choice",
    "CustomSpace",
    "Evaluation",
    "Exhausted",
    "Float",
    "Infeasible",
    "Int",
    "LogEI",
    "NoImprovement",
    "Optimizer",
    "Ordinal",
    "Pool",
    "Pruned",
    "RegretBelow",
    "Result",
    "Space",
    "Target",
    "Trial",
    "acquisition",
    "audit",
    "candidates",
    "errors",
    "exchange",
    "executors",
    "gp",
    "load",
    "maximize",
    "minimize",
    "optimize",
    "plot",
    "pruning",
    "solve_quality",
    "solvers",
    "watch_solves",
]


def __getattr__(name: str) -> Any:
    """A public name, when it is first used."""
    if name in _MODULES:
        return import_module(f"suffice.{name}")
    home = next((home for home, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module 'suffice' has no attribute {name!r}{_instead(name)}")
    value = globals()[name] = getattr(import_module(f"suffice.{home}"), name)
    return value


def _instead(name: str) -> str:
    """What a name of another library is called here, where one is told apart from what Python asks by itself."""
    if name.startswith("_"):
        return ""
    for module in _MODULES:
        if name in import_module(f"suffice.{module}").__all__:
            return f": write sf.{module}.{name}"
    words = import_module("suffice.aliases")
    said: str = words.called_here(name, __all__, words.NAMES)
    return f": {said}" if said else ""


def __dir__() -> list[str]:
    """The public names alone, for completion."""
    return [*__all__, "__version__"]
