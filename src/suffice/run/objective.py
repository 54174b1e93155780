"""Whether a function can be called as an objective is: with one point, and with the trial if it takes one.

Seen before anything is evaluated.
"""

import inspect
from collections.abc import Callable
from typing import Any

from suffice.space import SearchSpace


def check_objective(f: Callable[..., Any], space: SearchSpace) -> None:
    """Refuse what cannot be called, or not with one point, and say how to write it."""
    if not callable(f):
        raise TypeError(f"the objective must be callable: got {type(f).__name__}")
    if not wants_trial(f) and not takes_one(f):
        signature = inspect.signature(f)
        kind, parts = ("dict", "**point") if space.named else ("array or list", "*point")
        name = getattr(f, "__name__", "f").replace("<lambda>", "f")
        example = f'point["{space.names[0]}"]' if space.named else "point[0]"
        raise TypeError(
            f"the objective gets one argument, a point, which is one {kind} with all values: got {name}{signature}; "
            f"write def objective(point): return {name}({parts}), or read the values as {example}; a second "
            "argument is the trial, to report to, and has to be called trial"
        )


def check_reporting(f: Callable[..., Any]) -> None:
    """Refuse an objective that cannot report, where a rule would stop evaluations by their reports."""
    if not wants_trial(f):
        name = getattr(f, "__name__", "f").replace("<lambda>", "f")
        raise TypeError(
            f"early_stop needs an objective that takes the trial, to report to, as its second argument: got {name} "
            f"without one; write def {name}(point, trial), call trial.report(value, step) in it and return where "
            "trial.should_stop(), or leave early_stop out"
        )


def wants_trial(f: Callable[..., Any]) -> bool:
    """Whether an objective takes the trial as well: it has an argument of that name, beside the point."""
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return False
    found = parameters.get("trial")
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if found is None or found.kind not in named or next(iter(parameters)) == "trial":
        return False
    try:
        inspect.signature(f).bind(None, trial=None)
    except TypeError:
        return False
    return True


def takes_one(f: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument, so far as it says."""
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # some functions written in C do not say
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True
