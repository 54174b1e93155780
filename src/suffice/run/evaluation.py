"""One evaluation of the objective, wherever an executor runs it."""

import pickle
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from suffice.errors import EvaluationFailed, Stopped
from suffice.run.live import Line, LiveTrial

if TYPE_CHECKING:  # a worker process imports this file, and should start fast
    from suffice.study.trial import Cause


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

    def __getstate__(self) -> dict[str, Any]:
        """For the way back from another process: what cannot make it is exchanged here, since there it ends a pool."""
        if self.error is None:
            fault = fault_of_trip(self.value)
            if fault is None:
                return self.__dict__
            kind = type(self.value).__name__
            text = f"the objective's value cannot be pickled, to come back from another process: got {kind} ({fault})"
            return {**self.__dict__, "value": None, "error": TypeError(text), "text": text}
        error = self.error if fault_of_trip(self.error) is None else RuntimeError(in_words(self.error))
        with suppress(Exception):  # it may refuse notes
            error.add_note(self.text)  # the traceback itself stays behind
        return {**self.__dict__, "error": error}


@dataclass(frozen=True)
class Evaluation:
    """Call the objective where the executor runs it; an exception comes back as a value, so no pool can break on it."""

    f: Callable[..., Any]
    live: bool = False  # whether it gets the trial as well, to report what it has come to

    def __call__(self, point: Any, line: Line | None = None) -> Evaluated:
        if line is None or not self.live:
            return self._evaluated(point, {})
        trial = LiveTrial(line.number, point, line)
        try:
            found = self._evaluated(point, {"trial": trial})
        finally:
            line.close()
        stopped = found.stopped or (found.error is None and trial.ended)
        return replace(found, value=None if stopped else found.value, stopped=stopped, trouble=line.trouble)

    def _evaluated(self, point: Any, words: dict[str, Any]) -> Evaluated:
        start = time.perf_counter()
        try:
            value = self.f(point, **words)
        except Stopped:
            return Evaluated(None, time.perf_counter() - start, stopped=True)
        except EvaluationFailed as error:
            cause: Any = error.cause
            return Evaluated(None, time.perf_counter() - start, error, error.output, str(error), cause)
        except Exception as error:
            return Evaluated(None, time.perf_counter() - start, error, traceback.format_exc(), in_words(error))
        return Evaluated(value, time.perf_counter() - start)


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
