"""The tables of a page: points, parameters and all trials, with the data of the page.

The data are JSON that no browser runs: a table of rows, numbers with all their digits, the columns of an export.

    {"format": "suffice report", "version": 1, "study": …, "direction": …, "limits": …, "seed": …, "n_trials": 5000,
     "columns": ["number", "state", …], "rows": [[0, "done", …], …]}

A point without parts is one column, `point`. Tracebacks are left out, since they hold paths of the user's files.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from suffice.accuracy.report import IN_WORDS
from suffice.belief import VALUE
from suffice.checks import short
from suffice.errors import UnreadableFile
from suffice.exchange.columns import AFTER, BEFORE, POINT, Columns, by_name, plain_point
from suffice.plot.data import best_first, chosen
from suffice.record.history import History
from suffice.record.outputs import PARAMETER
from suffice.record.settings import Settings
from suffice.record.trial import Trial
from suffice.report.html import LINE, Entry, numbers, paragraphs, table
from suffice.result.display import ORIGINS, described
from suffice.result.front import Front
from suffice.result.importance import Importance
from suffice.result.screen import is_clear
from suffice.space import Float, Int, Listed, OwnPoints, Parameter, SearchSpace
from suffice.space.pool import ADDRESS
from suffice.store.files import FilePath
from suffice.text import UNKNOWN, digits, name, number, sentence, visible

BEST, ALL = 10, 100  # rows to look at first, and on a second look
WIDEST = 12  # columns of parameters, and options of a choice: more are not read
FORMAT, VERSION = "suffice report", 1  # of the data in a page, for who reads them
LARGEST = 2_000_000  # letters of all rows: a page is to be sent by mail, and the study's own file has everything


# ---------------------------------------------------------------------- points


def best_trials(history: History, most: int) -> list[Trial]:
    """The best ones, best first: feasible ones, with several objectives the front, then by value."""
    return best_first(history)[:most]


def best_points(history: History, important: Sequence[str] = ()) -> str:
    """The best trials as a table, or those of the front; nothing where no trial has a value.

    important    names of parameters, the most important first: those that have a column where there are too many
    """
    several = history.settings.several
    front = Front(history) if several else None
    known = [t for t in best_first(history) if history.settings.objective in t.values or not history.feasible]
    shown = front.some(ALL) if front is not None and front.trials else known[:BEST]
    if not shown:
        return ""
    taken, every = len(shown_columns(history, shown, important)), len(columns(shown, history.settings.space))
    notes = []
    if taken < every:
        notes.append(
            f"{taken} of {every} parameters are shown; the section on parameters lists the best point in full."
        )
    if front is not None and front.trials:
        caption = _front_caption(front, len(shown))
        notes.insert(0, "Bold is the knee. No trial of the front is better than another in every objective.")
    elif history.settings.constraints and not history.feasible:
        caption = f"{len(shown)} of {len(history.done)} evaluations, none feasible, the closest first"
    else:
        caption = f"The best {len(shown)} of {len(known)} values"
    linked = len(history.trials) <= ALL
    table = trial_table(caption, history, shown, important, links=linked)
    return table + (paragraphs(notes, "note") if notes else "")


def _front_caption(front: Front, shown: int) -> str:
    n, names = len(front.trials), ", ".join(map(name, front.settings.objectives))
    return f"The front of {names}: {n} trials" if shown == n else f"{shown} of the {n} trials of the front of {names}"


def shown_columns(history: History, trials: Sequence[Trial], important: Sequence[str] = ()) -> list[str]:
    """The parts of points that have a column, in the order of the space: at most WIDEST, the important ones first."""
    every = columns(trials, history.settings.space)
    first = [part for part in important if part in every]
    taken = set(list(dict.fromkeys([*first, *every]))[:WIDEST])
    return [part for part in every if part in taken]


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
    settings, (best, _) = history.settings, chosen(history)
    heads = shown_columns(history, trials, important)
    points = [parts(trial.point, settings.space) for trial in trials]
    numeric = {part: all(is_number(point[part]) for point in points if part in point) for part in heads}
    timed, limited = any(trial.seconds is not None for trial in trials), bool(settings.constraints)
    rows = [
        [
            Entry(str(trial.number), "number", True, f"trial-{trial.number}" * links, f"trial-{trial.number}" * states),
            *([Entry(trial.state), Entry(_origin(trial))] if states else []),
            *([Entry({True: "yes", False: "no", None: UNKNOWN}[trial.feasible])] if limited else []),
            *_outputs(trial, settings, best is not None and trial.number == best.number),
            *(Entry(value(point[p]) if p in point else UNKNOWN, "number" if numeric[p] else "") for p in heads),
            *([Entry(digits(trial.seconds), "number")] if timed else []),
        ]
        for trial, point in zip(trials, points, strict=True)
    ]
    first = ("Trial", *(("State", "Origin") if states else ()), *(("Within limits",) if limited else ()))
    outputs = (output_name(output) for output in settings.outputs)
    return table(caption, (*first, *outputs, *map(name, heads), *(["Seconds"] if timed else [])), rows)


def _origin(trial: Trial) -> str:
    """Where the point comes from; of the model's, what the step was for once no improvement was expected."""
    what = "" if trial.solve is None else IN_WORDS.get(trial.solve.kind or "", "")
    return f"{trial.origin}, {what}" if what else trial.origin


def output_name(output: str) -> str:
    """The head of a column: that of an objective without a name of its own is its value."""
    return "Value" if output == VALUE else name(output)


def _outputs(trial: Trial, settings: Settings, best: bool) -> list[Entry]:
    """A cell for each output; one that violates its constraint is marked."""
    values, limits, cells = trial.values or {}, settings.constraints, []
    for output in settings.outputs:
        told, limit = values.get(output), limits.get(output)
        beyond = limit is not None and told is not None and limit.violation(told) > 0.0
        cells.append(Entry(number(told), "number differs" if beyond else "number best" if best else "number"))
    return cells


def value(given: Any) -> str:
    """A part of a point: a number, the text of an option, or what else an option is."""
    if isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, str):
        return name(given)
    if isinstance(given, float):
        return number(given)
    if isinstance(given, int) and not isinstance(given, bool):
        return visible(str(given) if abs(given) < 10**15 else short(given))
    if isinstance(given, np.ndarray):
        given = tuple(given.tolist())
    return visible(ADDRESS.sub("", repr(given)))


def is_number(given: Any) -> bool:
    """Whether a part of a point is to be aligned as a number."""
    return isinstance(given, int | float | np.number) and not isinstance(given, bool)


def parts(point: Any, space: SearchSpace) -> dict[str, Any]:
    """A point by the names of its parts, those that are inactive left out; as a whole where it has none."""
    if isinstance(point, Mapping):
        return {str(part): given for part, given in point.items()}
    if space.params:
        return dict(zip(space.names, point.tolist() if isinstance(point, np.ndarray) else point, strict=True))
    named = by_name(space.to_plain(point) if isinstance(space, OwnPoints) else point, space.names)
    return {POINT: point} if named is None else named


def columns(trials: Sequence[Trial], space: SearchSpace) -> tuple[str, ...]:
    """The names of the parts of points: all parameters, or what the points of these trials have."""
    if space.params:
        return tuple(space.params)
    return tuple(dict.fromkeys(part for trial in trials for part in parts(trial.point, space)))


# ---------------------------------------------------------------------- parameters


def parameters(history: History, learned: Mapping[str, Importance]) -> str:
    """A row for each parameter; of a space that is not made of parameters its description.

    learned    importance by objective, for the last columns: two of one, one for each of several
    """
    space, (trial, what) = history.settings.space, chosen(history)
    best = {} if trial is None else parts(trial.point, space)
    word = what.split()[0].capitalize()
    if not space.params:
        words = [f"The space is not made of parameters: {described(space)}."]
        rows = [[Entry(name(part), header=True), _best(given)] for part, given in best.items()]
        return paragraphs(words) + (table(what.capitalize(), ("Part", word), rows) if rows else "")
    conditional = any(parameter.when for parameter in space.params.values())
    several, rows = history.settings.several, []
    shares = [_shares(importance, alone=not several) for importance in learned.values()]
    absent = (UNKNOWN,) if several else (UNKNOWN, UNKNOWN)
    for part, parameter in space.params.items():
        row = [Entry(name(part), header=True), _words(_range(parameter)), Entry(_scale(parameter))]
        row += [_words(_when(parameter))] if conditional else []
        row += [_best(best[part]) if part in best else Entry(UNKNOWN)]
        rows.append(row + [cell for known in shares for cell in numbers(*known.get(part, absent))])
    heads = ["Parameter", "Range or options", "Kind"] + (["Active with"] if conditional else []) + [word]
    heads += (
        [f"Importance for {name(output)}" for output in learned] if several else ["Importance", "Alone"] * bool(learned)
    )
    return table("Search space", heads, rows) + (paragraphs([_about(learned)], "note") if learned else "")


def _shares(importance: Importance, *, alone: bool) -> dict[str, tuple[str, ...]]:
    """Total and first-order index of each parameter, as percentages; `alone`: both."""
    pairs = zip(importance.names, importance.total, importance.first, strict=True)
    return {part: (_percent(total), _percent(first))[: 1 + alone] for part, total, first in pairs}


def _percent(share: float) -> str:
    return UNKNOWN if math.isnan(share) else f"{100 * min(max(share, 0.0), 1.0):.0f} %"


def _about(learned: Mapping[str, Importance]) -> str:
    if len(learned) > 1:
        return (
            "The importance of a parameter for an objective is the fraction of the variance of the model's mean over "
            "the space that is due to it, including interactions. It describes what the models have learned."
        )
    (importance,) = learned.values()
    return (
        "The importance of a parameter is the fraction of the variance of the model's mean over the space that is due "
        "to it, including interactions and, in the last column, alone. It describes what the model has learned: the "
        f"standard deviation of the mean over the space is {number(importance.deviation)}, and the model's own is "
        f"{number(importance.uncertainty)}."
        f"{'' if is_clear(importance) else ' So it is not clear yet which parameters matter.'}"
    )


def _words(text: str) -> Entry:
    """A cell whose text is broken into lines where it is long."""
    return Entry(text, "text" if len(text) > LINE else "")


def _best(given: object) -> Entry:
    return Entry(value(given), "number" if is_number(given) else "")


def _range(parameter: Parameter) -> str:
    if parameter.constant:
        return f"always {value(parameter.options[0] if isinstance(parameter, Listed) else parameter.low)}"
    if isinstance(parameter, Listed):
        return _listed([value(option) for option in parameter.options])
    return f"{value(parameter.low)} to {value(parameter.high)}"


def _scale(parameter: Parameter) -> str:
    """What kind of values it has."""
    if parameter.constant:
        return "constant"
    if isinstance(parameter, Listed):
        ordered = parameter.kind != "choice"
        return f"{len(parameter.options)} options{', in order' if ordered else ''}"
    words = ["real"] if isinstance(parameter, Float) else ["integer"]
    words += ["log scale"] if parameter.log else []
    step = parameter.step if isinstance(parameter, Float | Int) else None
    words += [f"steps of {number(step)}"] if step is not None and (step != 1 or isinstance(parameter, Float)) else []
    return ", ".join(words)


def _when(parameter: Parameter) -> str:
    needs = parameter.when or {}
    return sentence(" and ".join(f"{part} = {_listed(list(map(value, v)), ' or ')}" for part, v in needs.items()))


def _listed(words: Sequence[str], between: str = ", ") -> str:
    more = [f"{len(words) - WIDEST} more"] if len(words) > WIDEST else []
    return between.join([*words[:WIDEST], *more])


# ---------------------------------------------------------------------- all trials, and the data


def trials(history: History, study: str, important: Sequence[str] = ()) -> str:
    """The section, with the data of the page in it."""
    states = _counted(
        [trial.state for trial in history.trials],
        done="with a value",
        failed="failed",
        pruned="pruned",
        pending="pending",
        cancelled="cancelled",
    )
    origins = _counted([trial.origin for trial in history.trials], **ORIGINS)
    data, held = embedded(history, study)
    if not history.trials:
        return paragraphs(["There are no trials yet."]) + data
    n = len(history.trials)
    what = "all trials" if held == n else f"{held} of the trials, the best ones first,"
    words = [
        f"{n} {'trial' if n == 1 else 'trials'}: {states}. By origin: {origins}.",
        f"This page contains the data of {what} in full precision: read it with suffice.report.read(path).",
    ]
    return paragraphs(words) + _listed_trials(history, important) + data


def _listed_trials(history: History, important: Sequence[str]) -> str:
    """All trials in order, or the best where these are too many to be read."""
    n = len(history.trials)
    if n <= ALL:
        return _folded("All trials", trial_table("All trials", history, history.trials, important, states=True))
    shown = best_trials(history, ALL)
    if not shown:
        return ""
    return _folded(f"The best {len(shown)} of {n} trials", trial_table("Best trials", history, shown, important))


def _counted(words: Sequence[str], **sayings: str) -> str:
    counts = Counter(words)
    return ", ".join(f"{counts[word]} {saying}" for word, saying in sayings.items() if counts[word])


def _folded(summary: str, inner: str) -> str:
    """What is there, and unfolded by those who want to see it."""
    return f"<details>\n<summary>{escape(summary)}</summary>\n{inner}\n</details>\n"


def embedded(history: History, study: str) -> tuple[str, int]:
    """The element with the data, and how many trials it holds: all, or as many of the best as there is room for."""
    columns = Columns(history.settings)
    heads, rows = _heads(columns), {trial.number: _row(trial, columns) for trial in history.trials}
    kept = _kept(history, rows)
    about = {
        "format": FORMAT,
        "version": VERSION,
        "study": study,
        "direction": dict(history.settings.objectives),
        "limits": {name: str(limit) for name, limit in history.settings.constraints.items()},
        "seed": history.settings.seed,
        "n_trials": len(history.trials),
        "columns": heads,
    }
    text = f'{json.dumps(about)[:-1]}, "rows": [\n' + ",\n".join(rows[number] for number in kept) + "\n]}"
    # Inside a script element only an end tag ends it and only a comment could hide one, so that no `<` is left.
    text = text.translate({ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&"})
    return f'<script type="application/json" id="data">\n{text}\n</script>', len(kept)


def read(path: FilePath) -> dict[str, Any]:
    """Read the data of a report: every trial with its point and values.

    Parameters
    ----------
    path : path
        The page.

    Returns
    -------
    dict
        The facts of the study, with the names of its `columns` and a list of `rows`, one for each trial.

    Raises
    ------
    UnreadableFile
        If the file is not a report, or damaged.
    """
    content = Path(path).read_text(encoding="utf-8", errors="replace")
    found = re.search(r'<script type="application/json" id="data">\n(.*?)\n</script>', content, re.DOTALL)
    try:
        data: dict[str, Any] = json.loads(found.group(1)) if found else {}
    except ValueError as error:
        raise UnreadableFile(f"{path} is damaged: its data are no JSON ({error})") from error
    if data.get("format") != FORMAT:
        raise UnreadableFile(f"{path} is no report of suffice: wanted a page that suffice report wrote")
    return data


def _heads(columns: Columns) -> list[str]:
    space = columns.settings.space
    parts = [POINT] if isinstance(space, OwnPoints) else [_head(name, columns) for name in space.params]
    return [*BEFORE, *parts, *columns.outputs, *AFTER[:-1]]


def _head(name: str, columns: Columns) -> str:
    return PARAMETER + name if name.strip().casefold() in columns.reserved or name.startswith(PARAMETER) else name


def _row(trial: Trial, columns: Columns) -> str:
    """A trial as a JSON list, in the order of the heads."""
    values, point = trial.values or {}, plain_point(trial.point, columns)
    if isinstance(columns.settings.space, OwnPoints):
        point = [point]
    elif isinstance(point, dict):
        point = [point.get(name) for name in columns.settings.space.params]
    noise = None if trial.state == "pruned" else trial.noise_var  # there is no value that it would be of
    told = [*(values.get(name) for name in columns.outputs), noise, trial.seconds]
    cells = [trial.number, trial.state, *point, *told, trial.reason, trial.cause, trial.origin]
    return json.dumps(cells, allow_nan=False, separators=(",", ":"))


def _kept(history: History, rows: dict[int, str]) -> Sequence[int]:
    """The numbers of the trials that there is room for, in order: the best, then the others as they came."""
    if sum(map(len, rows.values())) <= LARGEST:
        return list(rows)
    best = [trial.number for trial in best_trials(history, len(history.done))]
    kept, left = [], LARGEST
    for trial_number in dict.fromkeys([*best, *rows]):
        left -= len(rows[trial_number])
        if left < 0:
            break
        kept.append(trial_number)
    return sorted(kept)
