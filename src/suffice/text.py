"""Text, numbers and HTML for people: of bounded length, harmless in a terminal and in a browser.

Numbers have Python's minus sign, so that what is printed can be copied into code and found by a search.

All of a user's text passes through `visible` where it is printed, and through `safe` where it becomes HTML.

The HTML is for notebooks. It has no scripts, no style sheets and no ids, so that it survives notebooks that do not
trust it, and two outputs do not disturb each other. It takes the colour of the surrounding text, light or dark.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from html import escape
from typing import Any

import numpy as np

WIDE = 60  # letters of a name or of one value
LONG = 600  # letters of a sentence, such as the reason of a failure
READABLE = 4000  # letters of a text that can still be read, such as what a failed command printed
SHOWN = 8  # options, names or values that a sentence lists
ROWS = 30  # of a table
UNKNOWN = "–"  # in place of a number
DECIMALS = 6  # more are hard to count: an exponent is shorter
DIGITS = 15  # of a float
# Styles are written out in each element, since notebooks drop style sheets.
CELL = "text-align:left;vertical-align:top;padding:0.1em 0.8em 0.1em 0;overflow-wrap:anywhere"
FAINT = "opacity:0.65;font-weight:normal;white-space:nowrap"


def visible(words: str, most: int = WIDE) -> str:
    """A text of bounded length in one line, with no control characters."""
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in words[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def safe(words: object, most: int = WIDE) -> str:
    """The same for HTML."""
    return escape(visible(str(words), most))


def name(text: str) -> str:
    """The name of a parameter, an output or a study; a blank one is quoted, to be seen at all."""
    return visible(text if text.strip() else repr(text))


def sentence(text: str) -> str:
    """A longer text, such as the reason of a failure or a finding that names options."""
    return visible(text, LONG)


def counted(n: int, noun: str) -> str:
    """ "1 trial", "5 trials"."""
    return f"{n} {noun}{'s' * (n != 1)}"


# ---------------------------------------------------------------------- HTML for notebooks


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], most: int = 2 * WIDE, row_style: str = CELL) -> str:
    """Rows of text, the first cell of each being its head; rows beyond ROWS are counted."""
    body = list(rows)
    head = "".join(f'<th scope="col" style="{CELL};{FAINT}">{safe(text)}</th>' for text in heads)
    lines = "".join(
        f'<tr><th scope="row" style="{row_style}">{safe(row[0])}</th>'
        + "".join(f'<td style="{CELL}">{safe(text, most)}</td>' for text in row[1:])
        + "</tr>"
        for row in body[:ROWS]
    )
    above = f"<thead><tr>{head}</tr></thead>" if heads else ""
    more = f'<p style="{FAINT}">… and {len(body) - ROWS} more</p>' if len(body) > ROWS else ""
    style = "border-collapse:collapse;font-size:90%;margin:0.3em 0"
    return f'<table style="{style}">{above}<tbody>{lines}</tbody></table>{more}'


def facts(pairs: Iterable[tuple[str, str]], most: int = LONG) -> str:
    """Names and values, a line each."""
    return table((), pairs, most, f"{CELL};{FAINT}")


def block(title: str, *parts: str) -> str:
    """Parts of HTML below a title."""
    head = f'<p style="margin:0.2em 0"><b>{safe(title, LONG)}</b></p>'
    return f'<div style="max-width:50em;overflow-x:auto">{head}{"".join(parts)}</div>'


# ---------------------------------------------------------------------- objects and points


def brief(part: Any) -> str:
    """A part with those of its settings that are not the default."""
    if not is_dataclass(part) or isinstance(part, type | Mapping):
        return visible(repr(part), LONG)
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
    return visible(repr(point), LONG)


def _more(n: int, most: int) -> str:
    return f", … ({n} in all)" if n > most else ""


# ---------------------------------------------------------------------- numbers


def unknown(value: object) -> bool:
    """Whether there is nothing to show: None or nan."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def number(value: float | None) -> str:
    """A number to six digits: best values differ late."""
    return UNKNOWN if value is None or value != value else f"{value + 0.0:.6g}"  # 0, not -0


def digits(value: float | None) -> str:
    """A number to three digits, those before the point complete; a dash where it is not known."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return f"{value:.3g}" if abs(value) < 1000.0 else f"{value:.0f}"


def with_error(value: float, error: float) -> str:
    """ "28.3 ± 2.1": as many decimals as give the error two digits; the number alone if there is no error."""
    if math.isnan(value) or math.isnan(error) or error <= 0.0:
        return digits(value)
    decimals = max(0, 1 - math.floor(math.log10(error)))
    if decimals <= DECIMALS:
        return f"{value:.{decimals}f} ± {error:.{decimals}f}"
    figures = math.floor(math.log10(max(abs(value), error))) + 1 + decimals  # of the value, until the error ends
    return f"{value:#.{min(figures, DIGITS)}g} ± {error:.1e}"
