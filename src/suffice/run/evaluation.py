"""One evaluation of the objective, wherever an executor runs it.

`Evaluator` calls the objective and returns an `Evaluated`. `Sending` checks that it can be sent to another process.
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


# The error for an objective that is written for Optuna.
SUGGEST = (
    'The objective gets a point, in which every parameter has its value: sf.minimize(f, {"x": (0.0, 1.0)}), where '
    'f(point) reads point["x"]. One that asks for its parameters gets no space: sf.minimize(f, n_trials=50), where '
    'f(trial) calls trial.float("x", 0, 1). With trial.suggest_float it runs in a study of Optuna, with the same '
    "model: optuna.create_study(sampler=SufficeSampler()), from suffice.integrations.optuna."
)


@dataclass(frozen=True)
class Evaluated:
    """The outcome of an evaluation: a value, or an exception with its traceback as text."""

    value: Any
    seconds: float
    error: Exception | None = None
    text: str = ""
    words: str = ""  # the exception in a line: a substitute for one that cannot be pickled has another name
    cause: "Cause" = "raised"  # of a failure
    stopped: bool = False  # it ended early because of its reports
    trouble: str = ""  # why its reports did not arrive
    asked: dict[str, tuple[Parameter, Any]] | None = None  # parameters and values of a define-by-run objective

    def __getstate__(self) -> dict[str, Any]:
        """Replace what cannot be pickled, because an error while unpickling would break a pool."""
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
            error.add_note(self.text)  # the traceback itself is not sent
        return {**self.__dict__, "error": error}


@dataclass(frozen=True)
class Evaluator:
    """Calls the objective in the executor. It returns an exception as a value, so it cannot break a pool."""

    f: Callable[..., Any]
    live: bool = False  # whether it also receives the trial, to report intermediate values

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
    """Whether it is `optuna.TrialPruned`, which objectives for Optuna raise instead of `sf.Pruned`."""
    return any(kind.__name__ == "TrialPruned" and kind.__module__.startswith("optuna.") for kind in type(error).__mro__)


class Inline(Executor):
    """An executor that evaluates in the calling thread; Ctrl-C passes through."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def fault_of_trip(thing: Any) -> str | None:
    """Why an object cannot be sent between processes; None if it can."""
    try:
        pickle.loads(pickle.dumps(thing))
    except Exception as error:
        return in_words(error)
    return None


def in_words(error: BaseException) -> str:
    """An exception as name and message, even if its message raises."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"{type(error).__name__}, whose message cannot be shown"


# ---------------------------------------------------------------------- what can be called as an objective


def check_objective(f: Callable[..., Any], space: SearchSpace) -> None:
    """Raise an error for an objective that cannot be called with one point, with the correct form."""
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
    """Without a space, raise an error for an objective that does not take the trial alone."""
    if not callable(f):
        raise TypeError(f"the objective must be callable: got {type(f).__name__}")
    if not _binds(f, None) or next(iter(inspect.signature(f).parameters)) != "trial":
        raise TypeError(
            f'{name_of(f)} needs a space to be searched: sf.minimize({name_of(f)}, {{"x": (0.0, 1.0)}}). Without '
            "a space the objective asks for its parameters, and its only argument is called trial, as in "
            'def f(trial): x = trial.float("x", 0, 1)'
        )


def check_reporting(f: Callable[..., Any], space: SearchSpace) -> None:
    """With a pruner, raise an error for an objective that cannot report intermediate values."""
    if not wants_trial(f) and not isinstance(space, OpenSpace):
        name = name_of(f)
        raise TypeError(
            f"pruner needs an objective that takes the trial, to report to, as its second argument: got {name} "
            f"without one; write def {name}(point, trial), call trial.report(value, step) in it and return where "
            "trial.should_prune(), or leave pruner out"
        )


def name_of(f: Callable[..., Any]) -> str:
    """The name of a function for messages; not every callable has one."""
    return str(getattr(f, "__name__", "f")).replace("<lambda>", "f")


def wants_trial(f: Callable[..., Any]) -> bool:
    """Whether an objective also takes the trial: it has an argument `trial` besides the point."""
    if not _binds(f, None, trial=None):
        return False
    parameters = inspect.signature(f).parameters
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return "trial" in parameters and parameters["trial"].kind in named and next(iter(parameters)) != "trial"


def takes_one(f: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument; functions without a signature count as such."""
    return _binds(f, None) is not False


def _binds(f: Callable[..., Any], /, *args: Any, **words: Any) -> bool | None:
    """Whether the signature of a function accepts these arguments; None without a signature."""
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

# The advice if cloudpickle packs the objective, which accepts functions from anywhere.
CLOUD = (
    "leave out objects that belong to this process, such as an open file, a lock or a connection: create them inside f"
)


@dataclass(frozen=True)
class Sending:
    """How an objective is packed for other processes, and the advice if that fails.

    A worker receives the packed objective before the first evaluation and reports whether it can read it. To the
    executor it is only data; a call that a standard worker cannot read would kill it.
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
        """Wait at most so long for the answer of a worker, and raise an error if it could not read the objective."""
        try:
            fault = greeting.result(seconds)
        except BrokenExecutor:  # a dead worker is handled elsewhere
            raise
        except TimeoutError:  # the run ends for that reason
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
