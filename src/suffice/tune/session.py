"""One call of `suffice tune`: begin or continue the study, run the command until a limit, leave nothing behind."""

import json
import math
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from suffice.errors import DifferentStudy, EvaluationFailed
from suffice.progress import Display
from suffice.run.minimize import run
from suffice.run.rescue import Rescued
from suffice.run.showing import Onlooker, evaluated
from suffice.run.watching import Watcher
from suffice.store.files import replace_file
from suffice.study.opening import is_begun
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result
from suffice.study.settings import initial_points
from suffice.study.stop import Target
from suffice.tune.program import Program
from suffice.tune.spec import Tuning
from suffice.tune.table import Table

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C, a batch system, a terminal that is closed

DESCRIPTION = "study.json"  # of the command: the store knows nothing of commands


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    result: Result
    interrupted: bool


@dataclass
class Interrupts:
    """Every polite request to end is a KeyboardInterrupt here, and noted; only the main thread hears them."""

    came: bool = False
    _before: dict[int, Any] = field(default_factory=dict)

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():
            for name in SIGNALS:
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup has it ignored
                    self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self.came = True
        raise KeyboardInterrupt


def tune(program: Program, show: Display | None = None) -> Outcome:
    """Run the command until it has been run `trials` times in all, or another limit is reached."""
    tuning = program.tuning
    with Interrupts() as interrupts, Rescued(_study(tuning)) as optimizer:
        pool = ThreadPoolExecutor(tuning.jobs)
        try:
            result = run(
                optimizer,
                program,
                tuning.trials,
                watchers=[program.watch, *_shown(show, optimizer, tuning)],
                waiting=optimizer.pending,  # under way when this program was killed
                patient=tuning.keep_going,
                executor=pool,
                timeout=tuning.timeout,
                stop=[program.stop, *([] if tuning.target is None else [Target(tuning.target)])],
            )
        except EvaluationFailed as error:  # the first ones have all failed
            result = optimizer.result(f"the first trials have all failed (--keep-going goes on all the same): {error}")
        except KeyboardInterrupt:  # the second one
            result = optimizer.result("interrupted")
        finally:
            _end(program, pool)
        return Outcome(result, interrupts.came)


def _shown(show: Display | None, optimizer: Optimizer, tuning: Tuning) -> tuple[Watcher, ...]:
    if show is None:
        return ()
    until = math.inf if tuning.timeout is None else time.monotonic() + tuning.timeout
    left = None if tuning.timeout is None else (lambda: max(0.0, until - time.monotonic()))
    return (Table(show, tuning.aims), Onlooker(show, evaluated(optimizer), left or (lambda: None)))


def check_command(tuning: Tuning, accepted: bool) -> None:
    """Refuse a command or a metric that is not the one of the study; `accepted`: the user says that it is as good."""
    now = _described(tuning)
    try:
        before = json.loads((tuning.outputs / DESCRIPTION).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = None
    if isinstance(before, dict) and not accepted and tuning.store.exists():
        found = [f"{key}: {before.get(key)!r} -> {now[key]!r}" for key in now if before.get(key) != now[key]]
        if found:
            raise DifferentStudy(
                f"{tuning.store} was made with another command (there -> given now):\n  " + "\n  ".join(found) + "\n"
                "Its values would not compare: name another --store for a new study; or, if they do compare, say so "
                "with --accept-command"
            )


def _described(tuning: Tuning) -> dict[str, Any]:
    aims = tuning.aims
    return {"command": tuning.template.written, "metric": aims.objective if aims.plain else list(aims.outputs)}


def _study(tuning: Tuning) -> Optimizer:
    """The study in the file, made or continued; only what was given is compared with what it was made with."""
    words: dict[str, Any] = {} if tuning.seed is None else {"seed": tuning.seed}
    if tuning.start:
        words["x0"] = list(tuning.start)
    if tuning.early_stop is not None:
        words["early_stop"] = tuning.early_stop
    if not is_begun(tuning.store):
        words["n_initial"] = initial_points(tuning.space, tuning.trials)
    optimizer = Optimizer(tuning.space, store=tuning.store, **tuning.aims.words, **words)
    tuning.outputs.mkdir(parents=True, exist_ok=True)
    replace_file(tuning.outputs / DESCRIPTION, json.dumps(_described(tuning), indent=1) + "\n")
    return optimizer


def _end(program: Program, pool: ThreadPoolExecutor) -> None:
    """End the commands that are still under way; a further Ctrl-C ends them by force."""
    while True:
        try:
            program.processes.stop()
            pool.shutdown(wait=False, cancel_futures=True)  # a join that is interrupted takes the thread for ended
            program.processes.close()
            return
        except KeyboardInterrupt:
            continue
