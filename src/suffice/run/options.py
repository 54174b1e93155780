"""The keyword arguments of a run: the type, the default and the meaning of each stand here once."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Annotated, Any, Literal, TypedDict

from suffice.record.options import FrontOptions, Option, SearchOptions
from suffice.result.result import Result
from suffice.study.stop import Stop


class RunOptions(TypedDict, total=False):
    """What `run` takes."""

    executor: Annotated[
        Executor | None,
        Option(
            None,
            "Where evaluations run: any executor of concurrent.futures, such as ThreadPoolExecutor(4) or "
            "ProcessPoolExecutor(4), joblib's get_reusable_executor(4), or a Dask client. None evaluates one point "
            "after the other in the calling thread, or in processes of the library where n_parallel or trial_timeout "
            "ask for them. What you give stays yours and is not shut down.",
        ),
    ]
    n_parallel: Annotated[
        int | None,
        Option(
            None,
            "How many evaluations run at a time, a whole number ≥ 1. Without an executor they run in as many "
            "processes, for which the objective must be a function that other processes can import. With an executor, "
            "give the number of its workers: None takes one for each processor that this process may use, or for each "
            "thread of a Dask cluster; without an executor, one. Take fewer where one evaluation keeps several "
            "processors busy.",
        ),
    ]
    retries: Annotated[
        int,
        Option(
            2,
            "How often an evaluation is made again when its worker process has died, a whole number ≥ 0. After that "
            'the trial has failed, with cause "crashed". An exception in the objective is a failure at once.',
        ),
    ]
    trial_timeout: Annotated[
        float | None,
        Option(
            None,
            "Seconds that one evaluation may take. One that takes longer is ended with its process, and has failed "
            'with cause "timed out". In a ThreadPoolExecutor it cannot be ended: it goes on, unheard. '
            "None sets no limit. Give one if evaluations may hang.",
        ),
    ]
    timeout: Annotated[
        float | None,
        Option(
            None,
            "Seconds after which no evaluation is started any more. One in the calling thread is waited for; those "
            "that still run in an executor are given up and recorded as cancelled. None sets no limit. Give one if "
            "the answer is needed at a certain time.",
        ),
    ]
    stop: Annotated[
        Stop | Sequence[Stop],
        Option(
            (),
            "A stopping rule such as sf.Target(v) or sf.NoImprovement(n), or a sequence of rules. They are asked "
            "after each evaluation, and the first that is met ends the run. () has none. Give one if the budget is "
            "more than what may be needed.",
            kind="stopping rule or sequence of stopping rules",
        ),
    ]
    callback: Annotated[
        Callable[[Result], Any] | Sequence[Callable[[Result], Any]] | None,
        Option(
            None,
            "A function that is called with the result so far after each evaluation, or a list of such functions; if "
            "one returns a true value or raises StopIteration, the run ends. None calls nothing. Give one to print, "
            "plot or save on the way.",
            kind="callable, sequence of callables or None",
        ),
    ]
    on_error: Annotated[
        Literal["record", "raise"],
        Option(
            "record",
            'What an exception in the objective does. "record" makes it a failed trial, and the run goes on, unless '
            "the first evaluations (three, or as many as run at a time if that is more) have all raised. "
            '"raise" ends the run with it, or with the death of its worker: the choice while you look for a mistake.',
        ),
    ]
    progress: Annotated[
        bool,
        Option(
            False,
            "Whether to show on the standard error stream how far the run is: the number of evaluations, the best "
            "value, failures, the fraction of the time spent choosing points and the time left. A terminal gets a bar, "
            "if rich is installed, a notebook a line that changes, and anything else a line every few seconds. For "
            'lines of your own, use a callback or the logger "suffice".',
        ),
    ]


class MinimizeOptions(SearchOptions, RunOptions, total=False):
    """What `minimize` and `maximize` take."""


class OptimizeOptions(MinimizeOptions, FrontOptions, total=False):
    """What `optimize` takes."""
