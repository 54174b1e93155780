"""The best points, or those of the front, a row for each: the outputs, and what the point is made of."""

from collections.abc import Sequence

from suffice.belief import VALUE
from suffice.page.formats import UNKNOWN, digits
from suffice.page.html import Entry, paragraphs, table
from suffice.plot.merit import best_first, chosen
from suffice.report.values import columns, is_number, name, number, parts, value
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.settings import Settings
from suffice.study.trial import Trial

BEST = 10  # rows to look at first
MORE = 50  # and on a second look
ALL = 100  # trials that are all listed, in a table of their own
WITHIN = {True: "yes", False: "no", None: UNKNOWN}
WIDEST = 12  # columns of parameters: a wider table is not read


def best_trials(history: History, most: int) -> list[Trial]:
    """The best ones, best first: within all limits, of several objectives the front, then by value."""
    return best_first(history)[:most]


def best_points(history: History, important: Sequence[str] = ()) -> str:
    """The best trials as a table, or those of the front; nothing where no trial has a value.

    important    names of parameters, the most important first: those that have a column where there are too many
    """
    several = history.settings.several
    front = Front(history) if several else None
    shown = front.some(MORE) if front is not None and front.trials else best_trials(history, BEST)
    if not shown:
        return ""
    taken, every = len(shown_columns(history, shown, important)), len(columns(tuple(shown), history.settings.space))
    notes = [f"{taken} of {every} parameters are shown; the section on parameters has the best point in full."]
    notes = notes if taken < every else []
    if front is not None and front.trials:
        caption = _front_caption(front, len(shown))
        notes.insert(0, "Bold is the knee. Each can be exchanged only for one that is worse in some objective.")
    elif history.settings.constraints and not history.feasible:
        caption = f"{len(shown)} of {len(history.done)} evaluations, none within all limits, the least violated first"
    else:
        caption = f"The best {len(shown)} of {len(history.done)} values"
    linked = len(history.trials) <= ALL
    table = trial_table(caption, history, shown, important, links=linked)
    return table + (paragraphs(notes, "note") if notes else "")


def _front_caption(front: Front, shown: int) -> str:
    n, names = len(front.trials), ", ".join(map(name, front.settings.objectives))
    return f"The front of {names}: {n} trials" if shown == n else f"{shown} of the {n} trials of the front of {names}"


def shown_columns(history: History, trials: Sequence[Trial], important: Sequence[str] = ()) -> list[str]:
    """The parts of points that have a column, in the order of the space: at most WIDEST, the important ones first."""
    every = columns(tuple(trials), history.settings.space)
    first = [part for part in important if part in every]
    chosen = set([*first, *(part for part in every if part not in first)][:WIDEST])
    return [part for part in every if part in chosen]


def trial_table(
    caption: str,
    history: History,
    trials: Sequence[Trial],
    important: Sequence[str] = (),
    *,
    states: bool = False,
    links: bool = False,
) -> str:
    """Trials as rows, each with its number, its outputs and its point.

    states    what became of each is said, too, and each is a place of the page
    links     numbers lead to such places
    """
    settings, best = history.settings, chosen(history)
    heads = shown_columns(history, trials, important)
    points = [parts(trial.point, settings.space) for trial in trials]
    numeric = {part: all(is_number(point[part]) for point in points if part in point) for part in heads}
    timed, limited = any(trial.seconds is not None for trial in trials), bool(settings.constraints)
    rows = [
        [
            _number(trial, states=states, links=links),
            *([Entry(trial.state), Entry(trial.origin)] if states else []),
            *([Entry(WITHIN[trial.feasible])] if limited else []),
            *_outputs(trial, settings, best is not None and trial.number == best.number),
            *(Entry(value(point[p]) if p in point else UNKNOWN, "number" if numeric[p] else "") for p in heads),
            *([Entry(digits(trial.seconds), "number")] if timed else []),
        ]
        for trial, point in zip(trials, points, strict=True)
    ]
    first = ("Trial", *(("State", "Origin") if states else ()), *(("Within limits",) if limited else ()))
    outputs = (output_name(output) for output in settings.outputs)
    return table(caption, (*first, *outputs, *map(name, heads), *(["Seconds"] if timed else [])), rows)


def output_name(output: str) -> str:
    """The head of a column: that of an objective without a name of its own is its value."""
    return "Value" if output == VALUE else name(output)


def _number(trial: Trial, *, states: bool, links: bool) -> Entry:
    place = f"trial-{trial.number}"
    return Entry(str(trial.number), "number", True, link=place if links else "", place=place if states else "")


def _outputs(trial: Trial, settings: Settings, best: bool) -> list[Entry]:
    """A cell for each output; one beyond its limit is marked."""
    values, limits, cells = trial.values or {}, settings.constraints, []
    for output in settings.outputs:
        told, limit = values.get(output), limits.get(output)
        beyond = limit is not None and told is not None and limit.violation(told) > 0.0
        cells.append(Entry(number(told), "number differs" if beyond else "number best" if best else "number"))
    return cells
