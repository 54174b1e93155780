"""Whether an objective gets to where it is to be evaluated, tried before anything is evaluated."""

import pickle
from concurrent.futures import BrokenExecutor, Future
from typing import Any

from suffice.run.evaluation import Evaluation, in_words
from suffice.run.flight import Submits

PLAIN = (
    "define it by `def` at the top level of a module that the workers can import (not in a notebook, and not a lambda "
    "or a function inside a function), or take executor=ThreadPoolExecutor(n), or joblib's get_reusable_executor(n), "
    "which sends such functions too"
)
CLOUD = "leave out what belongs to this process, such as an open file, a lock or a connection: make it inside of f"


def unsent(fault: str, remedy: str) -> TypeError:
    """The error that says why an objective cannot get to the workers, and what to do."""
    return TypeError(f"the objective cannot be sent to a worker process ({fault}): {remedy}")


def packed(evaluate: Evaluation) -> bytes:
    """An objective as bytes, by the standard pickle."""
    try:
        return pickle.dumps(evaluate)
    except Exception as error:
        raise unsent(in_words(error), PLAIN) from error


def greet(executor: Submits, evaluate: Evaluation, plain: bool) -> Future[str | None]:
    """Send an objective to a worker: the future says why it did not arrive, None if it did.

    plain: with the standard pickle, where a call that cannot be read kills the worker; as bytes it is only data.
    """
    if plain:
        return executor.submit(fault_of_reading, packed(evaluate))
    return executor.submit(fault_of_nothing, evaluate)


def answer(greeting: Future[str | None], plain: bool, seconds: float | None) -> None:
    """Wait for the answer, at most so long, and refuse what did not arrive; a worker that died is another matter."""
    remedy = PLAIN if plain else CLOUD
    try:
        fault = greeting.result(seconds)
    except BrokenExecutor as error:
        if "un-serialize" in str(error):  # loky's word: the worker could not read it
            raise unsent(in_words(error.__cause__ or error).splitlines()[0], remedy) from error
        raise
    except TimeoutError:  # of the run: it will say so itself
        return
    except Exception as error:
        raise unsent(in_words(error), remedy) from error
    if fault is not None:
        raise unsent(fault, remedy)


def fault_of_reading(packed: bytes) -> str | None:
    """Why the bytes of an objective cannot be read here; None if they can."""
    try:
        pickle.loads(packed)
    except Exception as error:
        return in_words(error)
    return None


def fault_of_nothing(evaluate: Any) -> None:  # noqa: ARG001
    """That this is called at all is the answer."""
    return
