"""HTML that needs nothing but itself: text in, one page out.

All text is escaped here, and only here. The page is for any width, for light and dark screens, for paper, and for those
who listen to it: tables have captions and headers, figures have words, what scrolls can be reached with the keyboard.
"""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

STYLE = """
:root { color-scheme: light dark; --text: #1b1b1b; --back: #fff; --soft: #5c5c5c; --line: #d9d9d9; --head: #f4f4f4;
  --good: #dff2e6; --good-text: #0b5a34; --bad: #fbe5d6; --bad-text: #8a3200; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --back: #16181b; --soft: #a6a6a6; --line: #3a3d42;
  --head: #202328; --good: #123524; --good-text: #8fe0b4; --bad: #43230f; --bad-text: #ffb98a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 58rem; background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .4rem 0 .6rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; }
p { max-width: 46rem; }
code { font: .9em ui-monospace, Menlo, Consolas, monospace; }
.verdict { border-left: .25rem solid var(--soft); padding-left: .9rem; margin: 1.2rem 0; }
.verdict p { margin: .35rem 0; }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .5rem; }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { background: var(--head); white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.text { min-width: 16rem; }
td.agrees { background: var(--good); color: var(--good-text); font-weight: 600; }
td.differs { background: var(--bad); color: var(--bad-text); font-weight: 600; }
figure { margin: 1rem 0 2rem; }
figure img { display: block; height: auto; background: #fff; border-radius: .3rem; }
figcaption, .note { color: var(--soft); font-size: .9rem; max-width: 46rem; margin-top: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
@media print { :root { color-scheme: light; --text: #000; --back: #fff; --soft: #444; --line: #bbb; --head: #eee;
    --good: #dff2e6; --good-text: #000; --bad: #fbe5d6; --bad-text: #000; }
  body { max-width: none; padding: 0; font-size: 9.5pt; } table { font-size: 7.5pt; } th, td { padding: .15rem .35rem; }
  .scroll { overflow: visible; } figure img { max-width: 100%; } figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; } td.text { min-width: 0; } }
"""


@dataclass(frozen=True)
class Entry:
    """A cell of a table; `kind` is a class of the style sheet, "number" among them."""

    text: str
    kind: str = ""
    header: bool = False  # of its row


def numbers(*texts: str) -> list[Entry]:
    """Cells to be aligned at the right."""
    return [Entry(text, "number") for text in texts]


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Entry]]) -> str:
    """A table that scrolls if it has to; a head is aligned like the cells below it, and the caption is short."""
    body = [list(row) for row in rows]
    kinds = [cell.kind for cell in body[0]] if body else [""] * len(heads)
    head = "".join(
        f'<th scope="col"{_class("number" if kind == "number" else "")}>{escape(text)}</th>'
        for text, kind in zip(heads, kinds, strict=True)
    )
    lines = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in body)
    return _scrolling(
        caption,
        f"<table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>",
    )


def picture(svg: Path, width: float, *, name: str, alt: str, caption: str) -> str:
    """A figure with its image inside the page, `width` inches wide in print; a screen that is narrower scrolls."""
    data = base64.b64encode(svg.read_bytes()).decode("ascii")
    image = f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}" width="{120 * width:.0f}">'
    return f"<figure>\n{_scrolling(name, image)}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is what: a list of names and values."""
    return "<dl>\n" + "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs) + "\n</dl>"


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """Each text as a paragraph, all in one block."""
    return f"<div{_class(kind)}>\n" + "\n".join(f"<p>{escape(text)}</p>" for text in texts) + "\n</div>"


def section(heading: str, *parts: str) -> str:
    """A part of the page under its heading; nothing without parts."""
    return "\n".join([f"<section>\n<h2>{escape(heading)}</h2>", *parts, "</section>"]) if any(parts) else ""


def page(heading: str, *parts: str) -> str:
    """The whole document."""
    body = "\n".join(part for part in parts if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(heading)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _cell(cell: Entry) -> str:
    tag, scope = ("th", ' scope="row"') if cell.header else ("td", "")
    return f"<{tag}{scope}{_class(cell.kind)}>{escape(cell.text)}</{tag}>"


def _class(kind: str) -> str:
    return f' class="{escape(kind)}"' if kind else ""


def _scrolling(label: str, inner: str) -> str:
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">\n{inner}\n</div>'
