"""What a tuned command came to, in lines to be read and as JSON: the best trial, the front, or what is least beyond.

A trial is shown with its values, its parameters and its command, to be copied into a shell where the user is.
"""

import os
import shlex
from pathlib import Path
from typing import Any

from suffice.study.front import Front
from suffice.study.reading.feasibility import least_violated
from suffice.study.result import Result
from suffice.study.trial import Trial
from suffice.tune.command import as_text
from suffice.tune.program import Program
from suffice.tune.table import BEST, header, row


def is_found(result: Result) -> bool:
    """Whether a trial has values that are within all limits."""
    return bool(result.history.feasible)


def why_not(result: Result) -> str:
    """In a sentence, where none is found."""
    if result.history.done:
        return f"no trial is within all limits: {result.message}"
    return f"no trial has a value: {result.message}"


def lines(program: Program, result: Result) -> list[str]:
    """What was found; nothing where no trial has a value."""
    history, aims = result.history, program.tuning.aims
    if not history.done:
        return []
    if not is_found(result):
        trial = least_violated(history)
        assert trial is not None  # there are done ones
        return [result.message, *_said(program, trial, f"least beyond the limits: trial {trial.number}")]
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
    found |= {state: sum(trial.state == state for trial in result.trials) for state in ("failed", "stopped")}
    found["store"] = str(tuning.store)
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
    """A value, and its limit if it has one."""
    limit = program.tuning.aims.constraints.get(name)
    text = repr(values[name]) if name in values else "not known"
    return text if limit is None else f"{text} ({limit})"


def _trial(program: Program, trial: Trial) -> dict[str, Any]:
    value: dict[str, Any] = {"value": trial.value} if program.tuning.aims.plain else {"values": trial.values}
    return {**value, "params": trial.point, "trial": trial.number, "command": _line(program, trial)}


def _line(program: Program, trial: Trial) -> str:
    line, folder = program.line(trial.number, trial.point), program.tuning.folder
    return line if folder == Path.cwd() else f"cd {shlex.quote(from_here(folder))} && {line}"
