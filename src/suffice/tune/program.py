"""The objective of a tuned command: run it for a point, in a folder of its own, and read the metrics in its output."""

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suffice.errors import EvaluationFailed, Pruned, UnusableFile
from suffice.record.trial import Cause
from suffice.run.live_trial import LiveTrial
from suffice.study.optimizer import Optimizer
from suffice.text import READABLE
from suffice.tune.command import FOLDER, NUMBER, PREFIX, environment
from suffice.tune.config import Tuning
from suffice.tune.metric import Follower, Metric, tail
from suffice.tune.process import Ended, Processes, fresh


@dataclass
class Program:
    """A command as a function of a point and its trial."""

    tuning: Tuning
    processes: Processes = field(default_factory=Processes)
    trouble: OSError | None = None  # what keeps any command from being run, such as a full disk

    def stop(self, optimizer: Optimizer) -> str | None:  # noqa: ARG002
        """A stopping rule: a run ends where no command can be run."""
        return None if self.trouble is None else f"no command can be run: {self.trouble}"

    def __call__(self, point: Mapping[str, Any], trial: LiveTrial) -> float | dict[str, float]:
        number, folder, tuning = trial.number, self.folder(trial.number), self.tuning
        values = {**point, FOLDER: str(folder), NUMBER: number}
        env = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        env |= environment(point) | {FOLDER: str(folder), NUMBER: str(number)}
        arguments = tuning.template.filled(values)
        try:
            if folder.is_symlink():
                raise UnusableFile(f"{folder} is a symbolic link, but the output of a trial must stay in it: remove it")
            folder.mkdir(parents=True, exist_ok=True)
            with fresh(folder / "command") as file:
                file.write((self.line(number, point) + "\n").encode("utf-8", errors="replace"))
            follower = self._follower(folder, trial)
            if follower is not None:
                env.setdefault("PYTHONUNBUFFERED", "1")  # a report that waits in a buffer comes too late
            ended = self.processes.run(
                arguments,
                folder,
                cwd=tuning.folder,
                env=env,
                timeout=tuning.trial_timeout,
                look=None if follower is None else follower.look,
            )
            if ended.early:
                raise Pruned
            if follower is not None and ended.fault is None:
                follower.finish()
        except OSError as error:
            self.trouble = error
            raise
        return self._values(ended, folder)

    def _follower(self, folder: Path, trial: LiveTrial) -> Follower | None:
        """The receiver of a command's reports; None without a pruner."""
        if self.tuning.step is None:
            return None
        return Follower(folder / "stdout", Metric(self.tuning.aims.objective), self.tuning.step, trial)

    def folder(self, number: int) -> Path:
        """What a trial leaves: its command, its output and what it writes itself. Named by the number alone."""
        return self.tuning.outputs / str(number)

    def line(self, number: int, point: Mapping[str, Any]) -> str:
        """The command of a trial as one can copy it into a shell; what no argument has is set as a variable."""
        template = self.tuning.template
        values = {**point, FOLDER: str(self.folder(number)), NUMBER: number}
        shown = {name for argument in template.arguments for name in argument.names}
        variables = environment({name: value for name, value in point.items() if name not in shown})
        prefix = "".join(f"{name}={shlex.quote(value)} " for name, value in variables.items())
        return prefix + shlex.join(template.filled(values))

    def _values(self, ended: Ended, folder: Path) -> float | dict[str, float]:
        """The metric, or all that were printed, by name; if none violates its constraint, all of them must be there."""
        out, err = folder / "stdout", folder / "stderr"
        if ended.fault is not None:
            said = tail(err, lines=1) or tail(out, lines=1)
            cause: Cause = "timed out" if ended.timed_out else "crashed" if ended.code < 0 else "raised"
            raise EvaluationFailed(ended.fault + (f": {said}" if said else ""), cause, tail(err, 50, READABLE, "\n"))
        aims = self.tuning.aims
        try:
            read = {metric.name: metric.of_file(out) for metric in aims.metrics}
        except ValueError as error:
            raise EvaluationFailed(str(error)) from None
        found = {name: value for name, value in read.items() if value is not None}
        if not aims.are_known(found):
            name = next(name for name in aims.outputs if name not in found)
            missing = ", ".join(name for name in aims.outputs if name not in found)
            said = f"it ends with: {tail(out)}" if tail(out) else "it printed nothing"
            raise EvaluationFailed(
                f'the output has no {missing}: wanted a line such as {name}=0.5 or {{"{name}": 0.5}} on stdout; {said}'
            )
        return found[aims.objective] if aims.plain else found


def check_program(tuning: Tuning) -> None:
    """Refuse a program that cannot be run, before the first trial."""
    name = tuning.template.program
    if "/" in name:
        found = os.access(tuning.folder / name, os.X_OK) and (tuning.folder / name).is_file()
    else:
        found = shutil.which(name) is not None
    if found:
        return
    if (tuning.folder / name).is_file():
        where = "it is a file, but not executable" if "/" in name else f"there is a file of that name: write ./{name}, "
        advice = f"{where} if it may be executed, else the interpreter first, such as python {name}"
    else:
        advice = "it is not on the PATH" if "/" not in name else f"there is no such file in {tuning.folder}"
    raise ValueError(f"the command {name!r} cannot be run: {advice}")
