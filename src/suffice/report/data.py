"""The trials of a study inside its page, as JSON that no browser runs: a table of rows, numbers with all their digits.

    {"format": "suffice report", "version": 1, "study": …, "sense": …, "limits": …, "seed": …, "n_trials": 5000,
     "columns": ["number", "state", …], "rows": [[0, "done", …], …]}

The columns are those of an export, and a point that has no parts is one column, `point`. Tracebacks are left out, since
they have the paths of the user's files in them.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from suffice.errors import UnreadableFile
from suffice.exchange.columns import AFTER, BEFORE, POINT, PREFIX, Columns
from suffice.exchange.table import plain_point
from suffice.report.points import best_trials
from suffice.space import owns_points
from suffice.store.files import FilePath
from suffice.study.history import History
from suffice.study.trial import Trial

FORMAT, VERSION = "suffice report", 1
LARGEST = 2_000_000  # letters of all rows: a page is to be sent by mail, and the study's own file has everything
BLOCK = re.compile(r'<script type="application/json" id="data">\n(.*?)\n</script>', re.DOTALL)
# Inside a script element only an end tag ends it and only a comment could hide one, so that no `<` is left.
HARMLESS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def embedded(history: History, study: str) -> tuple[str, int]:
    """The element with the data, and how many trials it holds: all, or as many of the best as there is room for."""
    columns = Columns(history.settings)
    heads, rows = _heads(columns), {trial.number: _row(trial, columns) for trial in history.trials}
    kept = _kept(history, rows)
    about = {
        "format": FORMAT,
        "version": VERSION,
        "study": study,
        "sense": dict(history.settings.objectives),
        "limits": {name: str(limit) for name, limit in history.settings.constraints.items()},
        "seed": history.settings.seed,
        "n_trials": len(history.trials),
        "columns": heads,
    }
    text = f'{json.dumps(about)[:-1]}, "rows": [\n' + ",\n".join(rows[number] for number in kept) + "\n]}"
    for letter, code in HARMLESS.items():
        text = text.replace(letter, code)
    return f'<script type="application/json" id="data">\n{text}\n</script>', len(kept)


def read(path: FilePath) -> dict[str, Any]:
    """Read the data of a page that `write` made: what was asked and told.

    Parameters
    ----------
    path : path
        The page.

    Returns
    -------
    dict
        About the study, with the names of its `columns` and a list of `rows`, one for each trial.

    Raises
    ------
    UnreadableFile
        If the file is no such page, or damaged.
    """
    content = Path(path).read_text(encoding="utf-8", errors="replace")
    found = BLOCK.search(content)
    try:
        data: dict[str, Any] = json.loads(found.group(1)) if found else {}
    except ValueError as error:
        raise UnreadableFile(f"{path} is damaged: its data are no JSON ({error})") from error
    if data.get("format") != FORMAT:
        raise UnreadableFile(f"{path} is no report of suffice: wanted a page that suffice report wrote")
    return data


def _heads(columns: Columns) -> list[str]:
    space = columns.settings.space
    parts = [POINT] if owns_points(space) else [_head(name, columns) for name in space.params]
    return [*BEFORE, *parts, *columns.outputs, *AFTER[:-1]]


def _head(name: str, columns: Columns) -> str:
    return PREFIX + name if name.strip().casefold() in columns.reserved or name.startswith(PREFIX) else name


def _row(trial: Trial, columns: Columns) -> str:
    """A trial as a JSON list, in the order of the heads."""
    values, point = trial.values or {}, plain_point(trial.point, columns)
    if owns_points(columns.settings.space):
        point = [point]
    elif isinstance(point, dict):
        point = [point.get(name) for name in columns.settings.space.params]
    noise = None if trial.state == "stopped" else trial.noise_var  # there is no value that it would be of
    told = [*(values.get(name) for name in columns.outputs), noise, trial.seconds]
    cells = [trial.number, trial.state, *point, *told, trial.reason, trial.cause, trial.origin]
    return json.dumps(cells, allow_nan=False, separators=(",", ":"))


def _kept(history: History, rows: dict[int, str]) -> Sequence[int]:
    """The numbers of the trials that there is room for, in order: the best, then the others as they came."""
    if sum(map(len, rows.values())) <= LARGEST:
        return list(rows)
    best = [trial.number for trial in best_trials(history, len(history.done))]
    kept, left = [], LARGEST
    for number in dict.fromkeys([*best, *rows]):
        left -= len(rows[number])
        if left < 0:
            break
        kept.append(number)
    return sorted(kept)
