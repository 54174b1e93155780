"""One evaluation: asked for, then told, failed, stopped or cancelled. It never changes; its successor replaces it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from suffice.accuracy.report import SolveReport
from suffice.aliases import of_trial
from suffice.belief import VALUE
from suffice.text import block, facts, short_point, table, visible
from suffice.types import Array

State: TypeAlias = Literal["pending", "done", "failed", "cancelled", "stopped"]
Origin: TypeAlias = Literal["given", "design", "model", "foreign"]
Cause: TypeAlias = Literal["raised", "nan", "inf", "infeasible", "crashed", "timed out", "failed"]


SENTENCE = 600  # letters of a message, where a notebook shows it
EVALUATED: tuple[State, ...] = ("done", "failed", "stopped")  # what counts towards the number of trials


class Own:
    """A field that is handed out as the caller's own copy: who takes a dict apart does not change the record."""

    def __init__(self, required: bool = False, default: Any = None) -> None:
        self.required, self.default = required, default  # what makes the value where None is given

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, trial: Any, owner: type | None = None) -> Any:
        if trial is None:  # `dataclass` asks for the default
            if self.required:
                raise AttributeError(self.name)
            return None
        kept = trial.__dict__[self.name]
        return kept.copy() if isinstance(kept, dict | list) else kept  # arrays are read-only

    def __set__(self, trial: Any, value: Any) -> None:
        trial.__dict__[self.name] = self.default() if value is None and self.default is not None else value


@dataclass(frozen=True, eq=False)
class Trial:
    """One evaluation: a point to evaluate, and what became of it.

    `Optimizer.ask` makes it; evaluate the objective at `point`. It never changes: `tell` returns its successor, and
    `Optimizer.trials` and `Result.trials` hold the present ones.

    Attributes
    ----------
    number : int
        Its place in the order of asking, from 0.
    point : ndarray, dict or list
        Where to evaluate, as the space has it; a copy of your own.
    state : {'pending', 'done', 'failed', 'cancelled', 'stopped'}
        What became of it; "stopped": its evaluation was ended early, because of what it had reported.
    values : dict or None
        The outputs by name, in the user's units and sense: objectives and constrained outputs; None while there is
        none. Where a constraint is violated, others may be missing.
    reason : str or None
        Why it failed or was cancelled, in a line.
    cause : str or None
        The same in a word, of a failed one: it raised an exception ("raised"); it returned "nan" or "inf"; the
        objective said that the point is not allowed ("infeasible"); its process died ("crashed"); it took too long
        ("timed out"); the caller said so, and not which of these ("failed").
    seconds : float or None
        How long the evaluation took, where known.
    noise_var : float, dict or None
        Known variance of the noise in the value, or in several outputs by their names.
    solve : SolveReport or None
        How well the point was searched for; None for points that no model proposed.
    origin : {'given', 'design', 'model', 'foreign'}
        Where the point comes from: x0, the initial design, the model, or told without an ask.
    told : int or None
        Its place in the order of tellings; None while pending.
    fixed : dict or None
        The values that were given with the ask.
    unit : ndarray
        The point in the unit cube, (d,).
    traceback : str or None
        Of the exception that it failed with, where there was one.
    feasible : bool or None
        Whether every constrained output is within its limit, as it was measured; None while there is none.
    objectives : tuple of str
        Which of the values are objectives.
    reports : tuple of (int, float)
        What the evaluation reported on its way: steps and values, in the user's units and sense.
    expected : float or None
        Of a stopped trial, the final value that it is believed to have had, from which the model learns; its variance
        is `noise_var`. None where too few finished trials have come to that step.
    """

    number: int
    point: Any = Own(required=True)
    state: State = "pending"
    values: Any = Own()
    reason: str | None = None
    cause: Cause | None = None
    seconds: float | None = None
    noise_var: Any = Own()
    solve: SolveReport | None = field(default=None, repr=False)
    origin: Origin = "model"
    told: int | None = field(default=None, repr=False)
    fixed: Any = Own()
    unit: Array = field(default_factory=lambda: np.empty(0), repr=False)
    traceback: str | None = field(default=None, repr=False)
    feasible: bool | None = None
    objectives: tuple[str, ...] = field(default=(VALUE,), repr=False)
    reports: tuple[tuple[int, float], ...] = field(default=(), repr=False)
    expected: float | None = field(default=None, repr=False)

    @property
    def value(self) -> float | None:
        """The value of the only objective; None while there is none."""
        values: dict[str, float] | None = self.__dict__["_values"]  # not a copy: this is asked a thousand times
        if len(self.objectives) > 1:
            raise AttributeError("value")  # for which __getattr__ has the words
        return None if values is None else values.get(self.objectives[0])

    if not TYPE_CHECKING:  # a checker is to find them itself

        def __getattr__(self, name):
            """What is not there is refused, with what it is called here."""
            raise AttributeError(f"a trial has no {name!r}: {of_trial(name, [*self.__dataclass_fields__, 'value'])}")

    def _repr_html_(self) -> str:
        """For notebooks: its point, what became of it, and how well it was searched for."""
        return trial_html(self)

    def __repr__(self) -> str:
        said = [f"number={self.number}", f"point={short_point(self.point)}", f"state={self.state!r}"]
        if self.values is not None:
            single = tuple(self.values) == self.objectives and len(self.objectives) == 1
            said.append(f"value={self.value!r}" if single else f"values={self.values!r}")
        if self.feasible is False:
            said.append("feasible=False")
        if self.reports:
            said.append(f"reports=({len(self.reports)} up to step {self.reports[-1][0]})")
        words = {name: getattr(self, name) for name in ("cause", "reason", "seconds")}
        said += [f"{name}={visible(repr(value), 300)}" for name, value in words.items() if value is not None]
        return f"Trial({', '.join(said)})"


def noise_of(trial: Trial, name: str) -> float:
    """The known variance of the noise in one output of a trial; nan where it is not known."""
    known = trial.noise_var
    if isinstance(known, dict):
        return float(known.get(name, math.nan))
    return math.nan if known is None or name not in trial.objectives else float(known)


def as_told(trial: Trial) -> Any:
    """The values of a trial as they are told: a number where there is one output, or all of them by name."""
    values: dict[str, float] = trial.values
    return next(iter(values.values())) if tuple(values) == trial.objectives and len(values) == 1 else values


def own(point: Any) -> Any:
    """A point that the caller may change: an array of the record is read-only."""
    return point.copy() if isinstance(point, np.ndarray) else point


def read_only(point: Any) -> Any:
    """A point as the record holds it."""
    if isinstance(point, np.ndarray):
        point.flags.writeable = False
    return point


def trial_html(trial: Trial) -> str:
    """One evaluation: its point, what became of it, and how well it was searched for."""
    known = trial.values or {}
    single = tuple(known) == trial.objectives and len(known) == 1
    pairs = [("value" if single else visible(name), shown_value(value)) for name, value in known.items()]
    if trial.feasible is False:
        pairs.append(("limits", "beyond a limit"))
    for name, said in (("cause", trial.cause), ("reason", trial.reason), ("origin", trial.origin)):
        if said:
            pairs.append((name, visible(said, SENTENCE)))
    if trial.seconds is not None:
        pairs.append(("seconds", f"{trial.seconds:.3g}"))
    if trial.solve is not None and trial.solve.p_feasible is not None:
        pairs.append(("chance to be within limits", f"{trial.solve.p_feasible:.2g}"))
    if trial.solve is not None and trial.solve.relative_gap is not None:
        pairs.append(("relative gap", f"{trial.solve.relative_gap:.2g}"))
    return block(f"Trial {trial.number}: {trial.state}", table((), point_rows(trial.point)), facts(pairs, SENTENCE))


def point_rows(point: Any) -> Iterator[tuple[str, str]]:
    """The values of a point, a row each."""
    if isinstance(point, Mapping):
        yield from ((name, shown_value(value)) for name, value in point.items())
    elif isinstance(point, list) or (isinstance(point, np.ndarray) and point.ndim == 1):
        yield from ((f"x[{j}]", shown_value(value)) for j, value in enumerate(point))
    else:
        yield "point", short_point(point)


def shown_value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
