"""One evaluation of the objective, wherever an executor runs it.

`Evaluator` calls the objective and brings back an `Evaluated`; `Sending` checks that it can be sent to another process.
"""

import inspect
import pickle
import time
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from suffice.errors import EvaluationFailed, Pruned
from suffice.run.live_trial import Draws, Line, LiveTrial
from suffice.space import OpenSpace, Parameter, SearchSpace

if TYPE_CHECKING:
    from suffice.record.trial import Cause


# What an objective is told that is written as for Optuna.
SUGGEST = (
    'The objective gets a point, in which every parameter has its value: sf.minimize(f, {"x": (0.0, 1.0)}), where '
    'f(point) reads point["x"]. One that asks for its parameters gets no space: sf.minimize(f, n_trials=50), where '
    'f(trial) calls trial.float("x", 0, 1). With trial.suggest_float it runs in a study of Optuna, with the same '
    "model: optuna.create_study(sampler=SufficeSampler()), from suffice.integrations.optuna."
)


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation gave: a value, or an exception with its traceback as text."""

    value: Any
    seconds: float
    error: Exception | None = None
    text: str = ""
    words: str = ""  # the exception in a line; what stands in for one that cannot travel is called otherwise
    cause: "Cause" = "raised"  # of a failure
    stopped: bool = False  # it was ended early, because of what it had reported
    trouble: str = ""  # why its reports did not arrive
    asked: dict[str, tuple[Parameter, Any]] | None = None  # parameters and values, where the objective asks for them

    def __getstate__(self) -> dict[str, Any]:
        """For the way back from another process: what cannot make it is exchanged here, since there it ends a pool."""
        if self.error is None:
            fault = fault_of_trip(self.value)
            if fault is None:
                return self.__dict__
            kind = type(self.value).__name__
            text = (
                f"the objective's value cannot be pickled, which returning it from another process needs: got {kind} "
                f"({fault})"
            )
            return {**self.__dict__, "value": None, "error": TypeError(text), "text": text}
        error = self.error if fault_of_trip(self.error) is None else RuntimeError(in_words(self.error))
        with suppress(Exception):  # it may refuse notes
            error.add_note(self.text)  # the traceback itself stays behind
        return {**self.__dict__, "error": error}


@dataclass(frozen=True)
class Evaluator:
    """Call the objective where the executor runs it; an exception comes back as a value, so no pool can break on it."""

    f: Callable[..., Any]
    live: bool = False  # whether it gets the trial as well, to report what it has come to

    def __call__(self, point: Any, line: Line | None = None, draws: Draws | None = None) -> Evaluated:
        if line is None:
            return self._evaluated(point)
        trial = LiveTrial(line.number, point, line, draws)
        try:
            found = self._evaluated(point, trial=trial) if draws is None else self._evaluated(trial)
        finally:
            line.close()
        stopped, asked = found.stopped or (found.error is None and trial.ended), None if draws is None else trial.asked
        value = None if stopped else found.value
        return replace(found, value=value, stopped=stopped, trouble=line.trouble, asked=asked)

    def _evaluated(self, point: Any, **words: Any) -> Evaluated:
        start = time.perf_counter()
        try:
            value = self.f(point, **words)
        except Pruned:
            return Evaluated(None, time.perf_counter() - start, stopped=True)
        except EvaluationFailed as error:
            cause: Any = error.cause
            return Evaluated(None, time.perf_counter() - start, error, error.output, str(error), cause)
        except Exception as error:
            if _is_pruned(error):
                return Evaluated(None, time.perf_counter() - start, stopped=True)
            missing = str(error.name) if isinstance(error, AttributeError) and error.obj is point else ""
            if missing.startswith("suggest") or missing in ("float", "int", "choice", "ordinal"):
                error.add_note(SUGGEST)
            return Evaluated(None, time.perf_counter() - start, error, traceback.format_exc(), in_words(error))
        return Evaluated(value, time.perf_counter() - start)


def _is_pruned(error: Exception) -> bool:
    """Whether it is `optuna.TrialPruned`, which objectives written for Optuna raise in place of `sf.Pruned`."""
    return any(kind.__name__ == "TrialPruned" and kind.__module__.startswith("optuna.") for kind in type(error).__mro__)


class Inline(Executor):
    """An executor that evaluates in the calling thread; Ctrl-C passes through."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def fault_of_trip(thing: Any) -> str | None:
    """Why something does not survive a trip between processes; None if it does."""
    try:
        pickle.loads(pickle.dumps(thing))
    except Exception as error:
        return in_words(error)
    return None


def in_words(error: BaseException) -> str:
    """An exception by name and message, whatever its message does."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"{type(error).__name__}, whose message cannot be shown"


# ---------------------------------------------------------------------- what can be called as an objective


def check_objective(f: Callable[..., Any], space: SearchSpace) -> None:
    """Refuse what cannot be called, or not with one point, and say how to write it."""
    if not callable(f):
        raise TypeError(f"the objective must be callable: got {type(f).__name__}")
    if isinstance(space, OpenSpace):
        check_asking(f)
    elif not wants_trial(f) and not takes_one(f):
        signature = inspect.signature(f)
        kind, parts = ("dict", "**point") if space.named else ("array or list", "*point")
        name = name_of(f)
        example = f'point["{space.names[0]}"]' if space.named else "point[0]"
        raise TypeError(
            f"the objective gets one argument, a point, which is one {kind} with all values: got {name}{signature}; "
            f"write def objective(point): return {name}({parts}), or read the values as {example}; a second "
            "argument is the trial, to report to, and has to be called trial"
        )


def check_asking(f: Callable[..., Any]) -> None:
    """Refuse an objective that does not take the trial alone, where there is no space and it has to ask for it."""
    if not callable(f):
        raise TypeError(f"the objective must be callable: got {type(f).__name__}")
    if not _binds(f, None) or next(iter(inspect.signature(f).parameters)) != "trial":
        raise TypeError(
            f'{name_of(f)} needs a space to be searched: sf.minimize({name_of(f)}, {{"x": (0.0, 1.0)}}). Without '
            "a space the objective asks for its parameters, and its only argument is called trial, as in "
            'def f(trial): x = trial.float("x", 0, 1)'
        )


def check_reporting(f: Callable[..., Any], space: SearchSpace) -> None:
    """Refuse an objective that cannot report, where a rule would stop evaluations by their reports."""
    if not wants_trial(f) and not isinstance(space, OpenSpace):
        name = name_of(f)
        raise TypeError(
            f"pruner needs an objective that takes the trial, to report to, as its second argument: got {name} "
            f"without one; write def {name}(point, trial), call trial.report(value, step) in it and return where "
            "trial.should_prune(), or leave pruner out"
        )


def name_of(f: Callable[..., Any]) -> str:
    """The name of a function, for messages; not everything that can be called has one."""
    return str(getattr(f, "__name__", "f")).replace("<lambda>", "f")


def wants_trial(f: Callable[..., Any]) -> bool:
    """Whether an objective takes the trial as well: it has an argument of that name, beside the point."""
    if not _binds(f, None, trial=None):
        return False
    parameters = inspect.signature(f).parameters
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return "trial" in parameters and parameters["trial"].kind in named and next(iter(parameters)) != "trial"


def takes_one(f: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument; some functions written in C do not say."""
    return _binds(f, None) is not False


def _binds(f: Callable[..., Any], /, *args: Any, **words: Any) -> bool | None:
    """Whether the signature of a function has places for these arguments; None: it has no signature."""
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*args, **words)
    except TypeError:
        return False
    return True


# ---------------------------------------------------------------------- sending an objective to other processes

# The remedy where cloudpickle packs the objective, which takes functions from anywhere.
CLOUD = (
    "leave out objects that belong to this process, such as an open file, a lock or a connection: create them inside f"
)


@dataclass(frozen=True)
class Sending:
    """How an objective is packed for other processes, and what to do where that fails.

    It is tried before anything is evaluated: a worker gets the packed objective, which is only data to the executor,
    and answers why it cannot read it. A call that cannot be read would kill a standard worker.
    """

    dumps: Callable[[Any], bytes] = pickle.dumps
    remedy: str = (
        "define it by `def` at the top level of a module that the workers can import (not in a notebook, and not a "
        "lambda or a function inside a function), or pip install joblib, which lets n_parallel send such functions, "
        "or use executor=ThreadPoolExecutor(n)"
    )

    def packed(self, evaluate: Evaluator) -> bytes:
        """An objective as bytes, which `fault_of_reading` reads."""
        try:
            return self.dumps(evaluate)
        except Exception as error:
            raise self._unsent(in_words(error)) from error

    def check(self, greeting: Future[str | None], seconds: float | None) -> None:
        """Wait for the answer of a worker, at most so long, and refuse what it could not read."""
        try:
            fault = greeting.result(seconds)
        except BrokenExecutor:  # a worker that died is another matter
            raise
        except TimeoutError:  # of the run, which ends for that reason
            return
        except Exception as error:
            raise self._unsent(in_words(error)) from error
        if fault is not None:
            raise self._unsent(fault)

    def _unsent(self, fault: str) -> TypeError:
        return TypeError(f"the objective cannot be sent to a worker process ({fault}): {self.remedy}")


def fault_of_reading(packed: bytes) -> str | None:
    """Why a packed objective cannot be read in this process; None if it can."""
    try:
        pickle.loads(packed)
    except Exception as error:
        return in_words(error)
    return None
