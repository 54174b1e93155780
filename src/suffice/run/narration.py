"""The begin and the end of a run as lines of the standard log; `suffice.study.narration` has what lies between."""

import logging

from suffice.run.watching import Moment
from suffice.study.front import found
from suffice.study.optimizer import Optimizer

log = logging.getLogger("suffice")


def opening(optimizer: Optimizer, budget: int, width: int) -> str:
    """What begins: such as "minimize 3 parameters in 50 trials, seed 0, 4 at a time; 12 trials are known"."""
    known, count = len(optimizer.trials), len(optimizer.space.names)
    return (
        f"{optimizer.settings.aims} {count} parameter{'s' * (count != 1)} in {budget} trials, seed {optimizer.seed}, "
        f"{width} at a time{f'; {known} trials are known already' if known else ''}"
    )


def closing(moment: Moment) -> None:
    """A watcher that logs why a run ended, and what it found."""
    if moment.kind == "ended" and log.isEnabledFor(logging.INFO):
        log.info("the end: %s; %s", moment.message, found(moment.optimizer.history))
