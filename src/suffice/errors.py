"""Errors a caller may want to catch by name. Wrong arguments raise ValueError or TypeError."""

__all__ = [
    "DifferentParameter",
    "DifferentStudy",
    "EvaluationFailed",
    "Infeasible",
    "MissingExtra",
    "NoFeasiblePoint",
    "NoFinishedTrial",
    "NotStored",
    "Overtaken",
    "Pruned",
    "SpaceAbsent",
    "SpaceExhausted",
    "SufficeError",
    "TrialTimedOut",
    "UnreadableFile",
    "UnusableFile",
    "WorkerDied",
    "WorkersLost",
]


class SufficeError(Exception):
    """The base of every error below."""


class NoFinishedTrial(SufficeError):
    """A best point was asked for before any evaluation succeeded."""


class SpaceExhausted(SufficeError):
    """Every point of a finite space has been proposed already."""


class SpaceAbsent(SufficeError):
    """A file could only describe the space of its study, and this call needs the space itself."""


class NoFeasiblePoint(SufficeError, ValueError):
    """No point of a space was found that satisfies its known constraints, `where=`."""


class Infeasible(SufficeError):
    """Raise it in an objective at an infeasible point: `raise sf.Infeasible("the beam would buckle")`.

    The evaluation then counts as failed with cause "infeasible", like one that returned nan, whatever `on_error` is.
    """


class Pruned(SufficeError):
    """Raise it in an objective to end a pruned evaluation: `if trial.should_prune(): raise sf.Pruned`.

    The trial is recorded as pruned, as if the objective had returned after `should_prune()` was true.
    """


class WorkerDied(SufficeError):
    """The worker process of an evaluation died in every attempt."""


class TrialTimedOut(SufficeError, TimeoutError):
    """An evaluation had no value within the timeout of its `Evaluation`."""


class WorkersLost(SufficeError):
    """A run cannot continue, because no worker is left and no new one can be started."""


class DifferentParameter(SufficeError, ValueError):
    """An objective that asks for its parameters has asked for one with another range than before."""


class DifferentStudy(SufficeError, ValueError):
    """A study was resumed with a different space or different settings; the message lists them."""


class EvaluationFailed(SufficeError):
    """An external evaluation, such as a command, has returned no value.

    Parameters
    ----------
    reason : str
        The recorded reason, in one line.
    cause : str, default: 'raised'
        The recorded cause of the failure.
    output : str, default: ''
        The output of the evaluation, which is recorded as well.
    """

    def __init__(self, reason: str, cause: str = "raised", output: str = "") -> None:
        super().__init__(reason, cause, output)
        self.cause, self.output = cause, output

    def __str__(self) -> str:
        return str(self.args[0])


class UnreadableFile(SufficeError):
    """A file cannot be read: it is of another kind, damaged, or of a newer version."""


class UnusableFile(SufficeError, OSError):
    """A file cannot be read or written now: locked, on a full disk, without permission, or no file at all."""


class NotStored(UnusableFile):
    """Observations are held in memory and not in the file yet: they are written with the next event, or by `close`."""


class Overtaken(SufficeError):
    """Another worker of a shared study was faster: the trial has its outcome already, and nothing was changed."""


class MissingExtra(SufficeError, ImportError):
    """An optional package is not installed; the message has the command that installs it.

    Parameters
    ----------
    extra : str
        The extra of suffice that contains the package, such as "plot"; "" if there is none.
    package : str
        The package, such as "matplotlib".
    purpose : str
        The feature that needs it, such as "a figure".
    """

    def __init__(self, extra: str, package: str, purpose: str) -> None:
        super().__init__(extra, package, purpose)  # all three stay in args, so that a pickled copy is complete

    def __str__(self) -> str:
        extra, package, purpose = self.args
        command = f"'suffice[{extra}]'" if extra else package
        return f"{purpose} needs {package}, which is not installed: pip install {command}"
