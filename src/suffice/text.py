"""Text and HTML of bounded length, for people: nothing in it steers a terminal, and nothing in it is run by a browser.

What a notebook shows is made here and in study/reading/html.py. It has no scripts, no style sheets and no ids, so that
it survives notebooks that do not trust it, and two of them do not disturb each other. It has the colours of the text
around it (currentColor), and so is light or dark as that is.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from html import escape
from typing import Any

import numpy as np

WIDE = 60  # letters of a name or of one value
ROWS = 30  # of a table
TABLE = "border-collapse:collapse;font-size:90%;margin:0.3em 0"
CELL = "text-align:left;vertical-align:top;padding:0.1em 0.8em 0.1em 0;overflow-wrap:anywhere"
FAINT = "opacity:0.65;font-weight:normal;white-space:nowrap"


def visible(words: str, most: int = WIDE) -> str:
    """A text of bounded length in one line, in which nothing steers a terminal."""
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in words[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def safe(words: object, most: int = WIDE) -> str:
    """The same for HTML."""
    return escape(visible(str(words), most))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of text, the first of each being its head; rows beyond ROWS are counted."""
    body = list(rows)
    head = "".join(f'<th scope="col" style="{CELL};{FAINT}">{safe(text)}</th>' for text in heads)
    lines = "".join(
        f'<tr><th scope="row" style="{CELL}">{safe(row[0])}</th>'
        + "".join(f'<td style="{CELL}">{safe(text, 2 * WIDE)}</td>' for text in row[1:])
        + "</tr>"
        for row in body[:ROWS]
    )
    above = f"<thead><tr>{head}</tr></thead>" if heads else ""
    more = f'<p style="{FAINT}">… and {len(body) - ROWS} more</p>' if len(body) > ROWS else ""
    return f'<table style="{TABLE}">{above}<tbody>{lines}</tbody></table>{more}'


def facts(pairs: Iterable[tuple[str, str]], most: int = 200) -> str:
    """Names and values, a line each."""
    lines = "".join(
        f'<tr><th scope="row" style="{CELL};{FAINT}">{safe(name)}</th><td style="{CELL}">{safe(value, most)}</td></tr>'
        for name, value in pairs
    )
    return f'<table style="{TABLE}"><tbody>{lines}</tbody></table>'


def block(title: str, *parts: str) -> str:
    """Parts of HTML below a line that says what they are."""
    head = f'<p style="margin:0.2em 0"><b>{safe(title, 200)}</b></p>'
    return f'<div style="max-width:50em;overflow-x:auto">{head}{"".join(parts)}</div>'


def brief(part: Any) -> str:
    """A part with those of its settings that are not the default."""
    if not is_dataclass(part) or isinstance(part, type | Mapping):
        return visible(repr(part), 200)
    own = []
    for field in fields(part):
        value = getattr(part, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if repr(value) != repr(default):
            own.append(f"{field.name}={brief(value)}")
    return f"{type(part).__name__}({', '.join(own)})"


def short_point(point: Any, most: int = 12) -> str:
    """The repr of a point with at most so many of its values."""
    if isinstance(point, Mapping):
        items = [f"{visible(repr(name))}: {visible(repr(value))}" for name, value in list(point.items())[:most]]
        return f"{{{', '.join(items)}{_more(len(point), most)}}}"
    values = point.tolist() if isinstance(point, np.ndarray) and point.ndim == 1 else point
    if isinstance(values, list | tuple):
        words = ", ".join(visible(repr(value)) for value in values[:most]) + _more(len(values), most)
        shown = f"({words})" if isinstance(values, tuple) else f"[{words}]"
        return f"array({shown})" if isinstance(point, np.ndarray) else shown
    return visible(repr(point), 200)


def _more(n: int, most: int) -> str:
    return f", … ({n} in all)" if n > most else ""


#| -- page.formats: Numbers as a reader wants them: three digits, an error behind them, a dash where nothing is known.

UNKNOWN = "–"  # in place of a number
DECIMALS = 5  # beyond, a small number is shorter with an exponent


def digits(value: float | None) -> str:
    """A number to three digits, those before the point complete; a dash where it is not known."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return (f"{value:.3g}" if abs(value) < 1000.0 else f"{value:.0f}").replace("-", "−")


def with_error(value: float, error: float) -> str:
    """ "28.3 ± 2.1": as many decimals as give the error two digits; the number alone if there is no error."""
    if math.isnan(value) or math.isnan(error) or error <= 0.0:
        return digits(value)
    decimals = max(0, 1 - math.floor(math.log10(error)))
    if decimals > DECIMALS:
        return f"{digits(value)} ± {digits(error)}"
    return f"{value:.{decimals}f} ± {error:.{decimals}f}".replace("-", "−")


def unknown(value: object) -> bool:
    """Whether there is nothing to show: None, or a number that is none."""
    return value is None or (isinstance(value, float) and math.isnan(value))
