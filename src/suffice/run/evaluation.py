"""One evaluation of the objective, wherever an executor runs it."""

import pickle
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation gave: a value, or an exception with its traceback as text."""

    value: Any
    seconds: float
    error: Exception | None = None
    text: str = ""

    def __getstate__(self) -> dict[str, Any]:
        """For the way back from another process, where the traceback stays behind."""
        error = self.error and _portable(self.error)
        if error is not None:
            error.add_note(self.text)
        return {**self.__dict__, "error": error}


@dataclass(frozen=True)
class Evaluation:
    """Call the objective where the executor runs it; an exception comes back as a value, so no pool can break on it."""

    f: Callable[[Any], Any]

    def __call__(self, point: Any) -> Evaluated:
        start = time.perf_counter()
        try:
            value = self.f(point)
        except Exception as error:
            return Evaluated(None, time.perf_counter() - start, error, traceback.format_exc())
        return Evaluated(value, time.perf_counter() - start)


class Inline(Executor):
    """An executor that evaluates in the calling thread; Ctrl-C passes through."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _portable(error: Exception) -> Exception:
    """The exception itself if it survives a trip between processes, else one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
