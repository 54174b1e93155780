"""The best points, a row for each: the value, and what the point is made of."""

import heapq
from collections.abc import Sequence

from suffice.page.formats import UNKNOWN, digits
from suffice.page.html import Entry, paragraphs, table
from suffice.report.values import columns, is_number, name, number, parts, value
from suffice.study.history import History
from suffice.study.trial import Trial

BEST = 10  # rows to look at first
MORE = 50  # and on a second look
WIDEST = 12  # columns of parameters: a wider table is not read


def best_trials(history: History, most: int) -> list[Trial]:
    """Those with the best values, best first; of equals, the first asked for."""
    sign = history.settings.sign()
    return heapq.nsmallest(most, history.done, key=lambda trial: (-sign * (trial.value or 0.0), trial.number))


def best_points(history: History, important: Sequence[str] = ()) -> str:
    """The best trials as a table; nothing where no trial has a value.

    important    names of parameters, the most important first: those that have a column where there are too many
    """
    trials = best_trials(history, BEST)
    if not trials:
        return ""
    left = len(shown_columns(history, trials, important)), len(columns(tuple(trials), history.settings.space))
    note = f"{left[0]} of {left[1]} parameters are shown; the section on parameters has the best point in full."
    return trial_table(f"The best {len(trials)} of {len(history.done)} values", history, trials, important) + (
        paragraphs([note], "note") if left[0] < left[1] else ""
    )


def shown_columns(history: History, trials: Sequence[Trial], important: Sequence[str] = ()) -> list[str]:
    """The parts of points that have a column, in the order of the space: at most WIDEST, the important ones first."""
    every = columns(tuple(trials), history.settings.space)
    first = [part for part in important if part in every]
    chosen = set([*first, *(part for part in every if part not in first)][:WIDEST])
    return [part for part in every if part in chosen]


def trial_table(
    caption: str, history: History, trials: Sequence[Trial], important: Sequence[str] = (), *, states: bool = False
) -> str:
    """Trials as rows, each with its number, its value and its point; `states` says what became of each, too."""
    space, best = history.settings.space, history.best
    heads = shown_columns(history, trials, important)
    points = [parts(trial.point, space) for trial in trials]
    numeric = {part: all(is_number(point[part]) for point in points if part in point) for part in heads}
    timed = any(trial.seconds is not None for trial in trials)
    rows = [
        [
            Entry(str(trial.number), "number", header=True),
            *([Entry(trial.state), Entry(trial.origin)] if states else []),
            Entry(number(trial.value), "number best" if trial is best else "number"),
            *(Entry(value(point[p]) if p in point else UNKNOWN, "number" if numeric[p] else "") for p in heads),
            *([Entry(digits(trial.seconds), "number")] if timed else []),
        ]
        for trial, point in zip(trials, points, strict=True)
    ]
    first = ("Trial", *(("State", "Origin") if states else ()), "Value")
    return table(caption, (*first, *map(name, heads), *(["Seconds"] if timed else [])), rows)
