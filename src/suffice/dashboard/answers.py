"""What the server says about studies, as JSON text. JSON has no nan: what is not known is null."""

import gzip
import json
from typing import Any

from suffice.dashboard.columns import Columns
from suffice.dashboard.fronts import front_of, outputs_of
from suffice.dashboard.watched import Watched
from suffice.report.settings import described, listed

LONG = 20_000  # bytes from which on an answer is compressed
FAST = 1  # of zlib's levels: a third of the size in a tenth of the time that the columns take to be written


def encoded(answer: Any) -> bytes:
    """JSON in ASCII: half a letter in the name of a file is no reason to say nothing."""
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode("ascii")


def compressed(body: bytes) -> bytes:
    """The same for who takes gzip; the same bytes each time."""
    return gzip.compress(body, FAST, mtime=0)


def study(watched: Watched) -> dict[str, Any]:
    """All that is drawn of a study."""
    with watched.lock:
        columns, summary = watched.columns, watched.summary
        return {
            "summary": summary,
            "revision": columns.revision,
            "parameters": [about for about, _ in columns.parameters()],
            "outputs": outputs_of(columns),
            "front": front_of(columns),
            "settings": _settings(columns),
            "trials": columns.json(range(len(columns))),
        }


def trials(watched: Watched, since: str | None) -> dict[str, Any]:
    """The trials that changed since a revision, or all of them, `reset`, if it is one of another file."""
    with watched.lock:
        columns = watched.columns
        rows = columns.since(since)
        reset = {"reset": True} if rows is None else {}
        return {
            "revision": columns.revision,
            **reset,
            "front": front_of(columns),
            "trials": columns.json(range(len(columns)) if rows is None else rows),
        }


def _settings(columns: Columns) -> dict[str, str]:
    """What the study was made with, by label."""
    settings = columns.settings
    if settings is None:
        return {}
    space = {} if settings.space.params else {"Space": described(settings.space)}
    return {**space, **listed(settings)}
