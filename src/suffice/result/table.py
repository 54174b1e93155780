"""The trials of a study as a table of pandas, one row for each."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from suffice.errors import MissingExtra
from suffice.record.history import History
from suffice.record.outputs import OUTPUT, PARAMETER, of_output
from suffice.record.trial import Cause, Origin, State, Trial, noise_of
from suffice.space import Int, Listed, Ordinal, SearchSpace
from suffice.types import Array

if TYPE_CHECKING:
    import pandas as pd


def to_dataframe(history: History) -> "pd.DataFrame":
    """Every trial in order: number, state, the outputs, the parameters, and how it came about and went."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("", "pandas", "to_dataframe") from error
    trials, after = history.trials, _after(pd, history)
    columns: dict[str, Any] = {
        "number": np.array([trial.number for trial in trials], dtype=np.int64),
        "state": pd.Categorical([trial.state for trial in trials], categories=list(get_args(State))),
    }
    for name in history.settings.outputs:
        values = _floats([(trial.values or {}).get(name) for trial in trials])
        columns[_header(name, OUTPUT, {*columns, *after})] = values
    taken = {*columns, *after}
    for name, points in _points(history.settings.space, trials).items():
        columns[_header(name, PARAMETER, taken)] = _typed(pd, history.settings.space.params.get(name), points)
    return pd.DataFrame({**columns, **after})


def _header(name: str, prefix: str, taken: Collection[str]) -> str:
    """The name of a column; with its prefix where another column has the name."""
    header = f"{prefix}{name}" if name in taken or name.startswith(prefix) else name
    return header.encode(errors="backslashreplace").decode()  # pandas has no strings with half a letter


def _points(space: SearchSpace, trials: tuple[Trial, ...]) -> dict[str, list[Any]]:
    """The parts of the points by name, MISSING where a point lacks one; points that have no parts are one column."""
    points = [trial.point for trial in trials]
    if space.names and all(isinstance(point, Mapping) for point in points):
        return {name: [point.get(name, MISSING) for point in points] for name in space.names}
    if space.names and all(_is_row(point, len(space.names)) for point in points):
        return {name: [point[j] for point in points] for j, name in enumerate(space.names)}
    return {"point": points}


def _is_row(point: Any, width: int) -> bool:
    return isinstance(point, list | tuple | np.ndarray) and len(point) == width


def _typed(pd: Any, parameter: Any, values: list[Any]) -> Any:
    """A column as its parameter has it: nothing is NaN in floats and categories, and NA in whole numbers."""
    if isinstance(parameter, Listed) and not _plain(list(parameter.options)):
        return pd.Series([math.nan if value is MISSING else value for value in values], dtype=object)
    values = [None if value is MISSING else value for value in values]
    if parameter is None:
        text = all(_is_text(value) for value in values if isinstance(value, str))
        return pd.Series(values, dtype=None if text else object)
    if isinstance(parameter, Listed):
        return pd.Categorical(values, categories=list(parameter.options), ordered=isinstance(parameter, Ordinal))
    if isinstance(parameter, Int):
        whole = np.iinfo(np.int64)
        small = all(value is None or whole.min <= value <= whole.max for value in values)
        return pd.array(values, dtype="Int64") if small else pd.Series(values, dtype=object)
    return _floats(values)


def _plain(options: list[Any]) -> bool:
    """Whether pandas tells the options apart, as it does strings, and numbers among themselves."""
    if any(isinstance(option, str) and not _is_text(option) for option in options):
        return False
    return any(all(type(option) is kind for option in options) for kind in (str, bool, int)) or all(
        type(option) is float and not math.isnan(option) for option in options
    )


def _is_text(option: str) -> bool:
    """Whether it can be written: a file name that is no UTF-8 has halves of letters, which pandas refuses."""
    try:
        option.encode()
    except UnicodeEncodeError:
        return False
    return True


def _after(pd: Any, history: History) -> dict[str, Any]:
    """What is known of the trials besides their points and values, by column."""
    trials, settings = history.trials, history.settings
    aims = settings.objectives
    columns: dict[str, Any] = {}
    for name in settings.outputs:
        columns[of_output("noise_var", name, aims)] = _floats([_noise(trial, name) for trial in trials])
    columns["seconds"] = _floats([trial.seconds for trial in trials])
    columns["origin"] = pd.Categorical([trial.origin for trial in trials], categories=list(get_args(Origin)))
    for name in settings.outputs:
        own = None if name == settings.objective else name
        expected = [predicted(trial, own) or (math.nan, math.nan) for trial in trials]
        columns[of_output("predicted", name, aims)] = settings.sign(name) * _floats([mean for mean, _ in expected])
        columns[of_output("predicted_sd", name, aims)] = _floats([deviation for _, deviation in expected])
    if settings.constraints:
        columns["feasible"] = pd.array([trial.feasible for trial in trials], dtype="boolean")
        columns["p_feasible"] = _floats([None if t.solve is None else t.solve.p_feasible for t in trials])
    if any(trial.note is not None for trial in trials):
        columns["note"] = pd.Series([trial.note for trial in trials], dtype=object)
    for name in dict.fromkeys(name for trial in trials for name in trial.attributes):
        columns[f"attribute:{name}"] = pd.Series([trial.attributes.get(name) for trial in trials], dtype=object)
    return columns | {
        "relative_gap": _floats([None if trial.solve is None else trial.solve.relative_gap for trial in trials]),
        "cause": pd.Categorical([trial.cause for trial in trials], categories=list(get_args(Cause))),
        "reason": pd.Series([trial.reason for trial in trials], dtype=object),
    }


def _noise(trial: Trial, name: str) -> float:
    """The variance of the noise in a value; nan where it is not known, or where there is no value."""
    return math.nan if trial.state == "pruned" else noise_of(trial, name)


def _floats(values: Sequence[float | None]) -> Array:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def predicted(trial: Trial, name: str | None = None) -> tuple[float, float] | None:
    """What the model expected of an output when it asked for it, and its deviation, noise included, to first order.

    In larger-is-better units; None for a point that no model proposed.
    name    of a further output; None: the first objective
    """
    expected = None if trial.solve is None else trial.solve.expected(name)
    if expected is None:
        return None
    mean, deviation, outcome = expected
    with np.errstate(all="ignore"):  # a file may hold any numbers
        median = outcome.inverse(np.array([mean]))
        return float(median[0]), float(deviation / outcome.derivative(median)[0])
