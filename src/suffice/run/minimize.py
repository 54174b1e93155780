"""Evaluate an objective up to a budget, in this process or over any concurrent.futures executor.

`minimize`, `maximize` and `optimize` make an optimizer and `run` it; the loop itself is in loop.py.
"""

import logging
import signal
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from numbers import Integral
from typing import Any, Unpack

from suffice.checks import as_bool
from suffice.record.arguments import count_known
from suffice.record.options import StudyOptions, part, takes
from suffice.record.settings import initial_points
from suffice.record.trial import Trial
from suffice.result.findings import failures
from suffice.result.result import Result
from suffice.run.evaluation import check_asking, check_objective, check_reporting
from suffice.run.executors import attempts_of
from suffice.run.interrupts import Handled, Rescued, terminate
from suffice.run.loop import Loop, Watcher, as_budget, as_limits, as_polished, closing, opening
from suffice.run.options import MinimizeOptions, OptimizeOptions, RunOptions, as_evaluation
from suffice.run.progress import Display, Onlooker, display
from suffice.run.shift import Shift
from suffice.space import OpenSpace, as_space
from suffice.study.optimizer import Optimizer

log = logging.getLogger("suffice")


@takes(MinimizeOptions, complete=False)
def minimize(
    f: Callable[[Any], Any], space: Any = None, n_trials: int = 50, **options: Unpack[MinimizeOptions]
) -> Result:
    """Find the point where a function is smallest, in a given number of evaluations.

    Parameters
    ----------
    f : callable
        The objective: it takes one point and returns one real number, or with constraints a dict with all outputs.
        Return nan if the evaluation failed. A second argument named `trial` receives the trial, for intermediate
        reports (`pruner`) and notes.
    space : list, dict, Space, Pool, CustomSpace or None, default: None
        The search space. For a list of pairs (low, high), the objective receives an array. For an sf.Space, or a dict
        of pairs or parameters, it receives a dict. In a dict, a pair of integers such as (1, 9) is an sf.Int, and any
        other pair, such as (1.0, 9.0), an sf.Float. None: the objective receives the trial and asks it for its
        parameters, as in def f(trial): x = trial.float("x", 0, 1).
    n_trials : int, default: 50
        The number of evaluations, including the initial design and failed trials.

    Returns
    -------
    Result
        The best point as `x`, its value as `fun`, and every trial. Ctrl-C ends the run and returns the result so far.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, before the first evaluation.
    DifferentStudy
        If `storage` is the file of a study with another space or other settings.
    Exception
        The objective's exception, with sf.Evaluation(on_error="raise") or if the first evaluations all raise. Every
        exception from a run has the result so far as `.result`. SIGTERM raises SystemExit(143).

    See Also
    --------
    maximize : The same for the largest value.
    Optimizer : Ask and tell, if the objective cannot be called.

    Examples
    --------
    >>> import suffice as sf
    >>> def f(point):
    ...     return (point["x"] - 2) ** 2
    >>> result = sf.minimize(f, {"x": (-5.0, 5.0)}, n_trials=15, seed=0)
    >>> round(result.x["x"], 1), result.nfev
    (2.0, 15)
    """
    return _search("minimize", f, space, n_trials, options, direction="minimize")


@takes(MinimizeOptions, complete=False)
def maximize(
    f: Callable[[Any], Any], space: Any = None, n_trials: int = 50, **options: Unpack[MinimizeOptions]
) -> Result:
    """Find the point where a function is largest, in a given number of evaluations: the mirror of `minimize`.

    Parameters
    ----------
    f : callable
        The objective, as in `minimize`.
    space : list, dict, Space, Pool, CustomSpace or None, default: None
        The search space, as in `minimize`.
    n_trials : int, default: 50
        The number of evaluations, including the initial design and failed trials.

    Returns
    -------
    Result
        As in `minimize`, with the sign of the objective: `fun` is its largest value.

    See Also
    --------
    minimize : The same for the smallest value; lists the exceptions.

    Examples
    --------
    >>> import suffice as sf
    >>> sf.maximize(lambda x: -abs(x[0] - 0.3), [(0, 1)], n_trials=15, seed=0).fun > -0.01
    True
    """
    return _search("maximize", f, space, n_trials, options, direction="maximize")


@takes(OptimizeOptions, complete=False)
def optimize(
    f: Callable[[Any], Any],
    space: Any = None,
    n_trials: int = 50,
    *,
    objectives: Mapping[str, str],
    **options: Unpack[OptimizeOptions],
) -> Result:
    """Find the best compromises between several objectives, in a given number of evaluations.

    A point is on the front if no other evaluated point is at least as good in every objective and better in one.

    Parameters
    ----------
    f : callable
        The objectives: it takes one point and returns a dict with a number for each objective. Return nan if the
        evaluation failed.
    space : list, dict, Space, Pool, CustomSpace or None, default: None
        The search space, as in `minimize`.
    n_trials : int, default: 50
        The number of evaluations, including the initial design and failed trials.
    objectives : dict
        The direction of each objective by its name: {"error": "minimize", "throughput": "maximize"}.

    Returns
    -------
    Result
        The front as `front`, a tuple of trials; `pick(error=0.1)` and `knee()` choose one of them.

    See Also
    --------
    minimize : For one objective; lists the exceptions.

    Examples
    --------
    >>> import suffice as sf
    >>> def f(point):
    ...     return {"cost": point["x"] ** 2, "gain": 1 - (point["x"] - 2) ** 2}
    >>> aims = {"cost": "minimize", "gain": "maximize"}
    >>> result = sf.optimize(f, {"x": (-5.0, 5.0)}, n_trials=20, objectives=aims, seed=0)
    >>> all(-0.1 < trial.point["x"] < 2.1 for trial in result.front)
    True
    """
    return _search("optimize", f, space, n_trials, options, objectives=objectives)


def _search(
    name: str, f: Callable[[Any], Any], space: Any, n_trials: int, options: Mapping[str, Any], **aims: Any
) -> Result:
    """aims: `direction`, or `objectives`."""
    if callable(space) and not callable(f):
        raise TypeError(f"the function comes first and the space second, {name}(f, space): swap them")
    if isinstance(space, Integral) and not isinstance(space, bool):
        raise TypeError(
            f"{space} was taken for the space, the second argument: write {name}(f, {{'x': (0.0, 1.0)}}, "
            f"n_trials={space}). An objective that asks for its parameters needs no space: {name}(f, n_trials={space})"
        )
    if space is None:
        check_asking(f)
        check_open(options)
    inside, study = OpenSpace() if space is None else as_space(space), part(options, StudyOptions)
    count, storage = as_budget(n_trials), study.get("storage")
    if study.get("n_initial") is None and not _is_begun(storage):  # else it has the stored one
        study["n_initial"] = initial_points(inside, count)
    given: Any = study | aims
    with Rescued(Optimizer(inside, **given)) as optimizer:
        budget = count + count_known(study.get("x0"), study.get("y0"))
        return run(optimizer, f, budget, waiting=optimizer.pending, **part(options, RunOptions))


@takes(RunOptions)
def run(
    optimizer: Optimizer,
    f: Callable[..., Any],
    n_trials: int,
    watchers: Iterable[Watcher] = (),
    waiting: Iterable[Trial] = (),
    patient: bool = False,
    **options: Unpack[RunOptions],
) -> Result:
    """Let an optimizer evaluate f until it has n_trials evaluations in all, earlier ones included.

    Parameters
    ----------
    optimizer : Optimizer
        The optimizer that proposes the points.
    f : callable
        The objective, as in `minimize`.
    n_trials : int
        The number of evaluations at the end, including earlier ones.
    watchers : iterable of callables, default: ()
        Called when a trial starts and when it is settled, and at the end.
    waiting : iterable of Trial, default: ()
        Pending trials of the optimizer, evaluated before any new one.
    patient : bool, default: False
        Whether to continue even if the first evaluations all raise.
    """
    check_objective(f, optimizer.space)
    if optimizer.settings.pruner is not None:
        check_reporting(f, optimizer.space)
    evaluation = as_evaluation(options["evaluation"])
    limits, wanted = as_limits(n_trials, options, optimizer.settings), as_bool(options["progress"], "progress")
    limits = replace(limits, polished=as_polished(options["polish"], optimizer, limits.n_trials))
    attempts = attempts_of(f, limits.n_trials, options, evaluation)
    log.info("%s", opening(optimizer, limits.n_trials, attempts.width))
    shown: AbstractContextManager[Display | None] = display() if wanted else nullcontext()
    with Handled(terminate, signal.SIGTERM), shown as show:
        everyone: list[Watcher] = [closing, *watchers, *([] if show is None else [Onlooker(show)])]
        loop = Loop(optimizer, attempts, limits, evaluation.on_error == "raise", everyone, deque(waiting), patient)
        if optimizer.journal.shared:
            loop.shift = Shift(optimizer, limits.n_trials, evaluation.retries, limits.polished)
        if show is not None and attempts.crew.starting and optimizer.history.evaluated < limits.n_trials:
            show.line(f"starting {attempts.crew.starting}")
        message = loop.run()
    failed = failures(optimizer.trials)
    if failed:
        log.warning("%s", failed)
    return optimizer.result(message)


def check_open(options: Mapping[str, Any]) -> None:
    """Raise an error for arguments that need a space before the first evaluation."""
    shared = str(options.get("storage")).startswith("postgresql://")
    for word, given in (("x0", options.get("x0") is not None), ("storage on a server", shared)):
        if given:
            raise TypeError(f"{word} needs the space: give it, as in sf.minimize(f, {{'x': (0.0, 1.0)}}, …)")


def _is_begun(storage: Any) -> bool:
    """Whether there is a study to resume."""
    if storage is None:
        return False
    from suffice.record.study_file import is_begun  # sqlite3 is loaded only for a file

    return is_begun(storage)
