"""HTML that needs nothing but itself: text in, one page out.

All text is escaped here, and only here. The page is for any width, for light and dark screens, for paper, and for those
who listen to it: tables have captions and headers, figures have words, what scrolls can be reached with the keyboard.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from suffice.page.sheet import STYLE

NAMES = re.compile(r"\b\w+(?:-\w+)+\b|\b\w+ \d+d\b|\b[\d.]+ %")
SHORT = 20  # letters: a longer name could be wider than a phone
WRAPPED, LONGEST = 24, 40  # letters that a cell of text, and any other, is reckoned to have on paper, at most
BROAD = 8  # columns: they may be wider than the text, up to the window; on paper, they have smaller letters


@dataclass(frozen=True)
class Entry:
    """A cell of a table; `kind` is a class of the style sheet, "number" among them."""

    text: str
    kind: str = ""
    header: bool = False  # of its row
    link: str = ""  # a place of the page that it leads to
    place: str = ""  # the name of this cell as such a place


def numbers(*texts: str) -> list[Entry]:
    """Cells to be aligned at the right."""
    return [Entry(text, "number") for text in texts]


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Entry]]) -> str:
    """A table that scrolls if it has to; a head is aligned like the cells below it, and the caption is short."""
    body = [list(row) for row in rows]
    kinds = [cell.kind for cell in body[0]] if body else [""] * len(heads)
    head = "".join(
        f'<th scope="col"{class_("number" if "number" in kind else "")}>{prose(text)}</th>'
        for text, kind in zip(heads, kinds, strict=True)
    )
    lines = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in body)
    whole = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>"
    size = f'style="--letters:{_letters(heads, body)}"'
    inner = f"<table {size}>\n<caption><span>{escape(caption)}</span></caption>\n{whole}\n</table>"
    return scrolling(caption, inner, "broad" if len(heads) >= BROAD else "")


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is what: a list of names and values."""
    return "<dl>\n" + "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs) + "\n</dl>"


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """Each text as a paragraph, all in one block."""
    return f"<div{class_(kind)}>\n" + "\n".join(f"<p>{prose(text)}</p>" for text in texts) + "\n</div>"


def page(heading: str, introduction: str, sections: Iterable[tuple[str, str]], *, style: str = "") -> str:
    """The whole document; sections are (heading, content), those without content being left out.

    style    rules of one's own, after those that every page has: use its colours, such as var(--soft), in them
    """
    shown = [(anchor(name), escape(name), content) for name, content in sections if content]
    links = "\n".join(f'<li><a href="#{place}">{name}</a></li>' for place, name, _ in shown)
    contents = f'<nav aria-label="Contents">\n<ul>\n{links}\n</ul>\n</nav>'
    parts = [f'<section id="{place}">\n<h2>{name}</h2>\n{content}\n</section>' for place, name, content in shown]
    body = "\n".join([introduction, contents, *parts])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(heading)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def prose(text: str) -> str:
    """Text in which short names with hyphens or numbers, such as L-BFGS-B and Hartmann 3d, and 5 % stay in one line."""
    return NAMES.sub(_whole, escape(text))


def _whole(found: re.Match[str]) -> str:
    return f'<span class="whole">{found[0]}</span>' if len(found[0]) <= SHORT else found[0]


def _letters(heads: Sequence[str], body: Sequence[Sequence[Entry]]) -> int:
    """How wide a table is: the letters of what cannot be broken, column by column, and two between columns."""
    words = [max(map(len, head.split()), default=0) for head in heads]
    for row in body:
        for i, cell in enumerate(row):
            wraps = any(kind in cell.kind for kind in ("text", "code"))
            words[i] = max(words[i], min(len(cell.text), WRAPPED if wraps else LONGEST))
    return sum(words) + 2 * len(words)


def anchor(name: str) -> str:
    """A heading as the name of a place in the page."""
    return re.sub(r"\W+", "-", name.lower()).strip("-")


def _cell(cell: Entry) -> str:
    tag, scope = ("th", ' scope="row"') if cell.header else ("td", "")
    inner = f'<a href="#{escape(cell.link)}">{escape(cell.text)}</a>' if cell.link else escape(cell.text)
    place = f' id="{escape(cell.place)}"' if cell.place else ""
    return f"<{tag}{scope}{place}{class_(cell.kind)}>{inner}</{tag}>"


def class_(kind: str) -> str:
    """The attribute, with a space before it; "" if there is none."""
    return f' class="{escape(kind)}"' if kind else ""


def scrolling(label: str, inner: str, kind: str = "") -> str:
    """What may be wider than the page: it scrolls by itself, and its edges show a shade where there is more.

    Of the kind "broad", it is wider than the text if the window is: only for what lies in the column of the page.
    """
    box = class_(f"scroll {kind}".strip())
    return f'<div{box} role="region" tabindex="0" aria-label="{escape(label)}">\n{inner}\n</div>'
