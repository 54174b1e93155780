"""One call of `suffice tune`: begin or resume the study, run the command up to a limit, clean up.

On the way a `Table` shows a row for each trial. At the end `lines` and `to_plain` describe what was found: the best
trial, the front, or the trial that is least beyond the limits, with its values, its parameters and its command, to be
copied into a shell where the user is.
"""

import json
import os
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from suffice.errors import DifferentStudy, EvaluationFailed
from suffice.record.history import History
from suffice.record.settings import initial_points
from suffice.record.study_file import is_begun
from suffice.record.trial import Trial
from suffice.result.feasibility import least_violated
from suffice.result.front import Front
from suffice.result.result import Result
from suffice.run.interrupts import Handled, Rescued
from suffice.run.loop import Moment
from suffice.run.minimize import run
from suffice.run.progress import Display, Onlooker, duration
from suffice.store.files import replace_file
from suffice.study.optimizer import Optimizer
from suffice.study.stop import Target
from suffice.tune.command import as_text
from suffice.tune.config import Tuning
from suffice.tune.metric import Aims, printable
from suffice.tune.program import Program

BEST = "*"  # the mark of the best trial so far, or of one of the front


@dataclass
class Table:
    """A watcher that shows a row for every trial that has ended."""

    display: Display
    aims: Aims
    _headed: bool = False

    def __call__(self, moment: Moment) -> None:
        trial = moment.trial
        if moment.kind != "settled" or trial is None:
            return
        names = ("value",) if self.aims.plain else self.aims.outputs
        if not self._headed:
            self.display.line(header(names))
            self._headed = True
        self.display.line(row(trial, names, _mark(trial, moment.optimizer.history)))


def header(names: Sequence[str]) -> str:
    """The names of the columns; `names` are those of the values."""
    return f"{'trial':>6}  {_cells(names, names)}    {'time':>8}  parameters"


def row(trial: Trial, names: Sequence[str], mark: str = " ") -> str:
    """A trial in a line; a mark says that it is the best so far, or one of the front, or infeasible."""
    values = trial.values
    if trial.state == "done":
        texts = [f"{values[name]:.6g}" if name in values else "-" for name in names]
    else:
        texts = [trial.state, *("" for _ in names[1:])]
    took = "" if trial.seconds is None else _time(trial.seconds)
    said = f"  # {printable(trial.reason)}" if trial.reason else ""
    if trial.state == "pruned" and trial.reports:
        said = f"  # at step {trial.reports[-1][0]}: {trial.reports[-1][1]:.6g}"
    return f"{trial.number:>6}  {_cells(texts, names)} {mark}  {took:>8}  {shown(trial.point)}{said}"


def shown(point: Mapping[str, Any]) -> str:
    """The values of a point, for a column to be read: floats shortened, and no letter that a terminal would obey."""
    texts = {name: f"{v:.4g}" if isinstance(v, float) else as_text(v) for name, v in point.items()}
    return " ".join(f"{name}={printable(text)}" for name, text in texts.items())


def _mark(trial: Trial, history: History) -> str:
    """What is to be said of a trial that has just ended."""
    if trial.feasible is False:
        return "!"  # infeasible
    best = Front(history).trials if history.settings.several else (history.best,)
    return BEST if any(other is not None and other.number == trial.number for other in best) else " "


def _cells(texts: Sequence[str], names: Sequence[str]) -> str:
    return "  ".join(f"{text:>{max(12, len(name))}}" for text, name in zip(texts, names, strict=True))


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else duration(seconds)


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    result: Result
    interrupted: bool


def tune(program: Program, show: Display | None = None) -> Outcome:
    """Run the command until it has been run `trials` times in all, or another limit is reached."""
    tuning, came = program.tuning, list[int]()

    def hear(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        came.append(number)
        raise KeyboardInterrupt

    polite = [signal.SIGINT, signal.SIGTERM]  # Ctrl-C, a batch system …
    if sys.platform != "win32":
        polite.append(signal.SIGHUP)  # … a terminal that is closed
    with Handled(hear, *polite), Rescued(_study(tuning)) as optimizer:
        pool = ThreadPoolExecutor(tuning.jobs)
        try:
            result = run(
                optimizer,
                program,
                tuning.trials,
                watchers=() if show is None else (Table(show, tuning.aims), Onlooker(show)),
                waiting=optimizer.pending,  # since this program was killed
                patient=tuning.keep_going,
                executor=pool,
                n_parallel=tuning.jobs,
                timeout=tuning.timeout,
                stop=[program.stop, *([] if tuning.target is None else [Target(tuning.target)])],
            )
        except EvaluationFailed as error:  # the first ones have all failed
            result = optimizer.result(f"the first trials all failed (--keep-going continues anyway): {error}")
        except KeyboardInterrupt:  # the second one
            result = optimizer.result("interrupted")
        finally:
            _end(program, pool)
        return Outcome(result, bool(came))


def check_command(tuning: Tuning, accepted: bool) -> None:
    """Refuse a command or a metric that is not the one of the study; `accepted`: the user says that it is as good."""
    now = _described(tuning)
    try:
        before = json.loads(tuning.description.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = None
    if isinstance(before, dict) and not accepted and is_begun(tuning.storage):
        found = [f"{key}: {before.get(key)!r} -> {now[key]!r}" for key in now if before.get(key) != now[key]]
        if found:
            raise DifferentStudy(
                f"{tuning.place} was made with another command (stored -> given):\n  " + "\n  ".join(found) + "\n"
                "Its values may not be comparable: name another --storage for a new study, or pass --accept-command "
                "if they are"
            )


def _described(tuning: Tuning) -> dict[str, Any]:
    aims = tuning.aims
    return {"command": tuning.template.written, "metric": aims.objective if aims.plain else list(aims.outputs)}


def _study(tuning: Tuning) -> Optimizer:
    """The study in the file, made or continued; only what was given is compared with what it was made with."""
    words: dict[str, Any] = {} if tuning.seed is None else {"seed": tuning.seed}
    if tuning.start:
        words["x0"] = list(tuning.start)
    if tuning.pruner is not None:
        words["pruner"] = tuning.pruner
    if not is_begun(tuning.storage):
        words["n_initial"] = initial_points(tuning.space, tuning.trials)
    optimizer = Optimizer(tuning.space, storage=tuning.storage, **tuning.aims.words, **words)
    tuning.outputs.mkdir(parents=True, exist_ok=True)
    replace_file(tuning.description, json.dumps(_described(tuning), indent=1) + "\n")
    return optimizer


def _end(program: Program, pool: ThreadPoolExecutor) -> None:
    """End the commands that still run; a further Ctrl-C ends them by force."""
    while True:
        try:
            program.processes.stop()
            pool.shutdown(wait=False, cancel_futures=True)  # a join that is interrupted takes the thread for ended
            program.processes.close()
            return
        except KeyboardInterrupt:
            continue


# ---------------------------------------------------------------------- what came of it


def is_found(result: Result) -> bool:
    """Whether a trial has feasible values."""
    return bool(result.history.feasible)


def why_not(result: Result) -> str:
    """In a sentence, where none is found."""
    if result.history.done:
        return f"no trial is feasible: {result.message}"
    return f"no trial has a value: {result.message}"


def lines(program: Program, result: Result) -> list[str]:
    """What was found; nothing where no trial has a value."""
    history, aims = result.history, program.tuning.aims
    if not history.done:
        return []
    if not is_found(result):
        trial = least_violated(history)
        assert trial is not None  # there are done ones
        return [result.message, *_said(program, trial, f"closest to feasible: trial {trial.number}")]
    if aims.several:
        return [result.message, *_front(program, Front(history))]
    best = history.best
    assert best is not None  # it is feasible
    return [result.message, *_said(program, best, f"best {aims.objective}: {best.value!r} (trial {best.number})")]


def to_plain(program: Program, result: Result) -> dict[str, Any]:
    """The same as JSON has it."""
    history, tuning = result.history, program.tuning
    aims = tuning.aims
    found: dict[str, Any] = {"metric": aims.objective} if aims.plain else aims.to_plain()
    found |= {"message": result.message, "trials": result.nfev}
    found |= {state: sum(trial.state == state for trial in result.trials) for state in ("failed", "pruned")}
    found["storage"] = tuning.place
    if aims.several:
        front = Front(history)
        found["front"] = [_trial(program, trial) for trial in front.trials]
        found["knee"] = front.knee().number if front.trials else None
        found["reference"] = front.reference
        found["hypervolume"] = float(front.hypervolume[-1]) if len(front.hypervolume) else 0.0
    else:
        found["best"] = None if history.best is None else _trial(program, history.best)
    if history.done and not is_found(result):
        trial = least_violated(history)
        found["least_violated"] = None if trial is None else _trial(program, trial)
    return found


def from_here(path: Path) -> str:
    """A path from where the user is, if that is shorter."""
    try:
        return min(os.path.relpath(path), str(path), key=len)
    except ValueError:  # another drive
        return str(path)


def _front(program: Program, front: Front) -> list[str]:
    """The trials that none beats in all objectives, and one of them in full."""
    names, knee, n = program.tuning.aims.outputs, front.knee(), len(front.trials)
    said = [f"a front of {n} trial{'s' * (n != 1)}:", header(names)]
    said += [row(trial, names, BEST if trial is knee else " ") for trial in front.trials]
    return [*said, *_said(program, knee, f"{BEST} the best compromise: trial {knee.number}")]


def _said(program: Program, trial: Trial, title: str) -> list[str]:
    """A trial: the values that the title has not, the parameters, the command."""
    aims, values, point = program.tuning.aims, trial.values, trial.point
    shown = {} if aims.plain else {name: _value(program, name, values) for name in aims.outputs}
    if not aims.several and trial.feasible:
        shown.pop(aims.objective, None)
    said = [title, *(f"  {name:<{max(map(len, shown))}} : {text}" for name, text in shown.items())]
    said += [f"  {name:<{max(map(len, point))}} = {as_text(value)}" for name, value in point.items()]
    return [*said, "its command:", f"  {_line(program, trial)}"]


def _value(program: Program, name: str, values: dict[str, float]) -> str:
    """A value, and its constraint if it has one."""
    limit = program.tuning.aims.constraints.get(name)
    text = repr(values[name]) if name in values else "not known"
    return text if limit is None else f"{text} ({limit})"


def _trial(program: Program, trial: Trial) -> dict[str, Any]:
    value: dict[str, Any] = {"value": trial.value} if program.tuning.aims.plain else {"values": trial.values}
    return {**value, "params": trial.point, "trial": trial.number, "command": _line(program, trial)}


def _line(program: Program, trial: Trial) -> str:
    line, folder = program.line(trial.number, trial.point), program.tuning.folder
    return line if folder == Path.cwd() else f"cd {shlex.quote(from_here(folder))} && {line}"
