"""What happens in a study as lines of the standard log, on the logger "suffice": INFO for evaluations, DEBUG for asks.

Nothing is shown unless the program sets up `logging`; trouble is logged as WARNING elsewhere.
"""

import logging

from suffice.study.events import Asked, Cancelled, Event, Failed, Stopped, Told
from suffice.study.fold import Fold
from suffice.study.front import Front, found
from suffice.study.trial import Trial, as_told

log = logging.getLogger("suffice")


def narrate(event: Event, fold: Fold) -> None:
    """Log an event that the fold holds already."""
    if not log.isEnabledFor(logging.INFO):
        return
    match event:
        case Asked(number):
            if log.isEnabledFor(logging.DEBUG):
                log.debug("trial %d: %s", number, _proposal(fold.trials[number]))
        case Told(number):
            trial = fold.trials[number]
            log.info("trial %d: %r%s%s", number, as_told(trial), _best(trial, fold), _took(trial))
        case Failed(number, reason, cause):
            log.info("trial %d failed (%s): %s%s", number, cause, reason, _took(fold.trials[number]))
        case Stopped(number):
            trial = fold.trials[number]
            step = f" at step {trial.reports[-1][0]}" if trial.reports else ""
            log.info("trial %d was stopped early%s%s", number, step, _took(trial))
        case Cancelled(number, reason):
            log.info("trial %d was cancelled: %s", number, reason)
        case _:
            pass


def _proposal(trial: Trial) -> str:
    """Where the point comes from; of the model's points, the effort and the accuracy of the search."""
    solve = trial.solve
    if solve is None:
        return {"design": "of the initial design", "given": "given as x0"}.get(trial.origin, "told from outside")
    said = ["proposed by the model"] + ([] if solve.kind is None else [f"step {solve.kind!r}"])
    said.append(f"{solve.n_evals} evaluations of the acquisition")
    if solve.relative_gap is not None:
        said.append(f"relative gap {solve.relative_gap:.2g}")
    said.append(solve.status.name)
    said += [f"{phase} {1e3 * seconds:.1f} ms" for phase, seconds in solve.seconds.items()]
    return ", ".join(said)


def _best(trial: Trial, fold: Fold) -> str:
    if trial.origin == "foreign":  # they come by the thousand, and to look for the best takes as long
        return ", told from outside"
    history, beyond = fold.history(), "" if trial.feasible else ", beyond a limit"
    if history.best is not None and history.best.number == trial.number:
        return ", the best so far"
    if history.settings.several and any(one.number == trial.number for one in Front(history).trials):
        return f", one of {found(history)}"
    return f"{beyond}, {found(history)}"


def _took(trial: Trial) -> str:
    return "" if trial.seconds is None else f", {trial.seconds:.3g} s"
