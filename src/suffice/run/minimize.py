"""Run an objective to a budget: minimize and maximize, in this process or over any concurrent.futures executor."""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Unpack

from suffice.checks import as_bool
from suffice.run.executors import attempts_of
from suffice.run.limits import as_budget, as_limits
from suffice.run.loop import Loop
from suffice.run.narration import closing, opening
from suffice.run.objective import check_objective
from suffice.run.options import MinimizeOptions, RunOptions
from suffice.run.rescue import Rescued
from suffice.run.showing import Showing
from suffice.run.signals import Terminable
from suffice.run.watching import Audience, Watcher
from suffice.space import as_space
from suffice.study.failures import failures
from suffice.study.given import count_known
from suffice.study.optimizer import Optimizer
from suffice.study.options import SearchOptions, Sense, part, takes
from suffice.study.result import Result
from suffice.study.settings import initial_points
from suffice.study.trial import Trial

log = logging.getLogger("suffice")


@takes(MinimizeOptions, complete=False)
def minimize(f: Callable[[Any], Any], bounds: Any, n_trials: int = 50, **options: Unpack[MinimizeOptions]) -> Result:
    """Find the point of `bounds` where f is smallest, in n_trials evaluations.

    f           the objective: it takes one point and returns one real number; nan says that the evaluation failed
    bounds      a list of pairs (low, high), so that f gets an ndarray; or a dict of pairs or parameters, or a Space, so
                that f gets a dict
    n_trials    how many evaluations to make, those of the initial design and failed ones included

    Ctrl-C ends the run and returns the result so far. Every exception that comes out has that result as `.result`;
    SIGTERM becomes one, SystemExit(143).
    """
    return _search("minimize", f, bounds, n_trials, options)


@takes(MinimizeOptions, complete=False)
def maximize(f: Callable[[Any], Any], bounds: Any, n_trials: int = 50, **options: Unpack[MinimizeOptions]) -> Result:
    """Find the point of `bounds` where f is largest: the mirror of `minimize`, with the same arguments."""
    return _search("maximize", f, bounds, n_trials, options)


def _search(sense: Sense, f: Callable[[Any], Any], bounds: Any, n_trials: int, options: MinimizeOptions) -> Result:
    space, study = as_space(bounds), part(options, SearchOptions)
    count, store = as_budget(n_trials), study.get("store")
    if study.get("n_initial") is None and not _is_begun(store):  # else it has the stored one
        study["n_initial"] = initial_points(space, count)
    pending = options.get("pending", "again")
    if pending not in ("again", "drop"):
        raise ValueError(f"pending must be 'again' or 'drop': got {pending!r}")
    with Rescued(Optimizer(space, sense=sense, **study)) as optimizer:
        budget = count + count_known(study.get("y0"))
        return run(optimizer, f, budget, waiting=_left_over(optimizer, pending), **part(options, RunOptions))


@takes(RunOptions)
def run(
    optimizer: Optimizer,
    f: Callable[[Any], Any],
    n_trials: int,
    watchers: Iterable[Watcher] = (),
    waiting: Iterable[Trial] = (),
    patient: bool = False,
    **options: Unpack[RunOptions],
) -> Result:
    """Let an optimizer evaluate f until it has n_trials evaluations in all, those told to it before included.

    watchers: functions that hear of every evaluation when it is started and when it is settled, and of the end.
    waiting: pending trials of the optimizer, to be evaluated before any new one.
    patient: whether to go on even if the first evaluations all raise.
    """
    check_objective(f, optimizer.space)
    on_error = options["on_error"]
    if on_error not in ("record", "raise"):
        raise ValueError(f"on_error must be 'record' or 'raise': got {on_error!r}")
    limits, wanted = as_limits(n_trials, options), as_bool(options["progress"], "progress")
    attempts = attempts_of(f, limits.n_trials, options)
    log.info("%s", opening(optimizer, limits.n_trials, attempts.width))
    with Terminable(), Showing(wanted, optimizer, limits.seconds_left) as shown:
        audience = Audience([closing, *watchers, *shown])
        loop = Loop(optimizer, attempts, limits, on_error == "raise", audience, deque(waiting), patient)
        message = loop.run()
    failed = failures(optimizer.trials)
    if failed:
        log.warning("%s", failed)
    return optimizer.result(message)


def _is_begun(store: Any) -> bool:
    """Whether there is a study to go on with."""
    if store is None:
        return False
    from suffice.study.opening import is_begun  # sqlite3 is loaded where there is a file

    return is_begun(store)


def _left_over(optimizer: Optimizer, pending: str) -> tuple[Trial, ...]:
    """The trials that were under way when an earlier run of the study was ended, to be evaluated again."""
    if pending == "drop":
        for trial in optimizer.pending:
            optimizer.cancel(trial, "under way when the run before was ended")
    return optimizer.pending
