"""The keyword arguments of a run, each with its type, default and meaning."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, get_args

import numpy as np

from suffice.checks import as_count, converted, of_time, short
from suffice.record.options import FrontOptions, Option, SearchOptions
from suffice.result.result import Result
from suffice.study.stop import Stop

OnError: TypeAlias = Literal["record", "raise"]


def as_seconds(given: object, wanted: str) -> float | None:
    """Seconds to wait; None if it is too long for the clock."""
    if given is None:
        return None
    if isinstance(given, bool | np.timedelta64) or not isinstance(given, Real):
        raise TypeError(f"{wanted}: got {given!r}{of_time(given)}")
    seconds = float(given)
    if not seconds >= 0:
        raise ValueError(f"{wanted}: got {given!r}")
    return None if seconds > threading.TIMEOUT_MAX else seconds


def _timeout(given: object) -> float | None:
    wanted = "Evaluation: timeout must be seconds > 0 or None"
    seconds = as_seconds(given, wanted)
    if seconds == 0.0:
        raise ValueError(f"{wanted}: got 0")
    return seconds


def _on_error(given: Any) -> OnError:
    if given not in get_args(OnError):
        raise ValueError(f"Evaluation: on_error must be 'record' or 'raise': got {given!r}")
    said: OnError = given
    return said


@dataclass(frozen=True)
class Evaluation:
    """How evaluations are run: their timeout, retries, and the handling of errors.

    Parameters
    ----------
    timeout : float or None, default: None
        Seconds that one evaluation may take. After that its process is ended, and the trial fails with cause "timed
        out". In a ThreadPoolExecutor it cannot be stopped: it keeps running, and its value is ignored. None sets no
        timeout. Set it if evaluations may hang.
    retries : int, default: 2
        How often an evaluation is repeated after its worker process died, a whole number ≥ 0. After that the trial
        fails with cause "crashed". An exception in the objective is a failure at once.
    on_error : {'record', 'raise'}, default: 'record'
        The effect of an exception in the objective. "record" records a failed trial, and the run continues, unless the
        first evaluations (three, or as many as run at a time if that is more) have all raised. "raise" ends the run
        with it, or with the death of its worker; use it to debug the objective.

    Examples
    --------
    >>> import suffice as sf
    >>> strict = sf.Evaluation(on_error="raise")
    >>> sf.minimize(lambda x: x[0] ** 2, [(-1, 2)], n_trials=5, evaluation=strict, seed=0).nfev
    5
    """

    timeout: float | None = converted(_timeout, None)
    retries: int = converted(partial(as_count, what="Evaluation: retries", least=0), 2)
    on_error: OnError = converted(_on_error, "record")


def as_evaluation(given: object) -> Evaluation:
    """The Evaluation of a run, or the default for None; TypeError for anything else."""
    if given is None:
        return Evaluation()
    if not isinstance(given, Evaluation):
        raise TypeError(f"evaluation must be a value such as sf.Evaluation(timeout=60): got {short(given)}")
    return given


class RunOptions(TypedDict, total=False):
    """The keyword arguments of `run`."""

    executor: Annotated[
        Executor | Callable[[], Any] | Any | None,
        Option(
            None,
            "Where evaluations run: any executor of concurrent.futures, such as ThreadPoolExecutor(4) or "
            "ProcessPoolExecutor(4), joblib's get_reusable_executor(4), a Dask client, sf.executors.Ray(), or anything "
            "else with a method `submit` that returns futures, or jobs with `done()` and `result()`, as those of "
            "submitit. None evaluates one point after the other in the calling thread, or in processes of the library "
            "if n_parallel or a timeout of `evaluation` requires them. An executor that you pass is not shut down. A "
            "function without arguments that returns an executor is called at the beginning, and again if a pool has "
            "lost its workers; its executors are shut down at the end.",
            kind="executor, function that returns one, or None",
        ),
    ]
    n_parallel: Annotated[
        int | None,
        Option(
            None,
            "The number of evaluations at a time, a whole number ≥ 1, or -1 for one per processor that this process "
            "may use. Without an executor they run in as many processes: the objective must then be importable, or "
            "joblib installed, which sends any function. With an executor, give the number of its workers: None and "
            "-1 take one per processor, or the size of a Dask or Ray cluster; None without an executor is one. Use "
            "fewer if one evaluation keeps several processors busy.",
        ),
    ]
    evaluation: Annotated[
        Evaluation | None,
        Option(
            None,
            "How evaluations are run, such as sf.Evaluation(timeout=60) to end those that hang, or "
            'sf.Evaluation(on_error="raise") to end the run with the first exception. None takes sf.Evaluation(): no '
            "time limit, two more tries where a worker process died, and exceptions recorded as failed trials.",
        ),
    ]
    timeout: Annotated[
        float | None,
        Option(
            None,
            "Seconds after which no evaluation starts; loading modules does not count. The run waits for an "
            "evaluation in the calling thread; those still running in an executor are recorded as cancelled. None sets "
            "no timeout. Set it if you need the result by a certain time.",
        ),
    ]
    stop: Annotated[
        Stop | Sequence[Stop],
        Option(
            (),
            "A stopping rule such as sf.Target(v) or sf.NoImprovement(n), or a sequence of rules. They are checked "
            "after each evaluation, and the first one that is met ends the run. Set one if the budget may be larger "
            "than necessary.",
            kind="stopping rule or sequence of stopping rules",
        ),
    ]
    callback: Annotated[
        Callable[[Result], Any] | Sequence[Callable[[Result], Any]] | None,
        Option(
            None,
            "A function that is called with the result so far after each evaluation, or a list of such functions; if "
            "one returns a true value or raises StopIteration, the run ends. Use it to print, plot or save during the "
            "run.",
            kind="callable, sequence of callables or None",
        ),
    ]
    polish: Annotated[
        bool | None,
        Option(
            None,
            "Whether the last tenth of the trials refines the best point by a local search, for its last digits. None "
            "does so with the default acquisition, for one objective without constraints on outputs, in a space with "
            "real parameters, unless repeat=True, a known noise or the values near the best point show noise. True "
            "raises an error where that is not possible. False leaves all trials to the acquisition.",
            kind="bool or None",
        ),
    ]
    progress: Annotated[
        bool,
        Option(
            False,
            "Whether to show the progress of the run on standard error: the number of evaluations, the best "
            "value, failures, the fraction of the time spent choosing points and the time left. It is a bar in a "
            "terminal, if rich is installed, and in a notebook, and else a line every few seconds. For "
            'lines of your own, use a callback or the logger "suffice".',
        ),
    ]


class MinimizeOptions(SearchOptions, RunOptions, total=False):
    """The keyword arguments of `minimize` and `maximize`."""


class OptimizeOptions(MinimizeOptions, FrontOptions, total=False):
    """The keyword arguments of `optimize`."""
