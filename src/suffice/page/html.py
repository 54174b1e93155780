"""HTML that needs nothing but itself: text in, one page out.

All text is escaped here, and only here. The page is for any width, for light and dark screens, for paper, and for those
who listen to it: tables have captions and headers, figures have words, what scrolls can be reached with the keyboard.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

SCALE = 120  # pixels for an inch of a figure
WIDE = 600  # pixels: a figure of two columns is, and must not shrink to the width of a phone

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
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: 1rem 0; padding: 0; list-style: none; }
nav a { color: inherit; }
.verdict { border-left: .25rem solid var(--soft); padding-left: .9rem; margin: 1.2rem 0; }
.verdict p { margin: .35rem 0; }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .5rem; }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { background: var(--head); white-space: nowrap; }
th[scope="row"] { position: sticky; left: 0; background: var(--back); font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.text { min-width: 14rem; }
td.code { font: .85em/1.45 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
td.best { font-weight: 700; }
td.agrees { background: var(--good); color: var(--good-text); font-weight: 600; }
td.differs { background: var(--bad); color: var(--bad-text); font-weight: 600; }
figure { margin: 1rem 0 2rem; }
figure img { display: block; height: auto; padding: .5rem; background: #fff; border-radius: .3rem; max-width: 100%; }
figure img.wide { min-width: 36rem; }
figcaption, .note { color: var(--soft); font-size: .9rem; max-width: 46rem; margin-top: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
@media print { :root { color-scheme: light; --text: #000; --back: #fff; --soft: #444; --line: #bbb; --head: #eee;
    --good: #dff2e6; --good-text: #000; --bad: #fbe5d6; --bad-text: #000; }
  body { max-width: none; padding: 0; font-size: 9.5pt; } table { font-size: 7.5pt; } th, td { padding: .15rem .35rem; }
  nav { display: none; } .scroll { overflow: visible; } figure img.wide, td.text { min-width: 0; }
  figure, tr { break-inside: avoid; } h2, .note { break-after: avoid; } }
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
        f'<th scope="col"{_class("number" if "number" in kind else "")}>{escape(text)}</th>'
        for text, kind in zip(heads, kinds, strict=True)
    )
    lines = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in body)
    return _scrolling(
        caption,
        f"<table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>",
    )


def picture(svg: Path, size: tuple[float, float], *, name: str, alt: str, caption: str) -> str:
    """A figure with its image inside the page, of `size` inches; on a phone it shrinks a little, then it scrolls."""
    data = base64.b64encode(svg.read_bytes()).decode("ascii")
    width, height = (round(SCALE * side) for side in size)
    image = (
        f'<img{_class("wide" if width > WIDE else "")} src="data:image/svg+xml;base64,{data}" '
        f'alt="{escape(alt)}" width="{width}" height="{height}">'
    )
    return f"<figure>\n{_scrolling(name, image)}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is what: a list of names and values."""
    return "<dl>\n" + "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs) + "\n</dl>"


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """Each text as a paragraph, all in one block."""
    return f"<div{_class(kind)}>\n" + "\n".join(f"<p>{escape(text)}</p>" for text in texts) + "\n</div>"


def page(heading: str, introduction: str, sections: Iterable[tuple[str, str]]) -> str:
    """The whole document; sections are (heading, content), those without content being left out."""
    shown = [(_anchor(name), escape(name), content) for name, content in sections if content]
    links = "\n".join(f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name, _ in shown)
    contents = f'<nav aria-label="Contents">\n<ul>\n{links}\n</ul>\n</nav>'
    parts = [f'<section id="{anchor}">\n<h2>{name}</h2>\n{content}\n</section>' for anchor, name, content in shown]
    body = "\n".join([introduction, contents, *parts])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(heading)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _anchor(name: str) -> str:
    return re.sub(r"\W+", "-", name.lower()).strip("-")


def _cell(cell: Entry) -> str:
    tag, scope = ("th", ' scope="row"') if cell.header else ("td", "")
    return f"<{tag}{scope}{_class(cell.kind)}>{escape(cell.text)}</{tag}>"


def _class(kind: str) -> str:
    return f' class="{escape(kind)}"' if kind else ""


def _scrolling(label: str, inner: str) -> str:
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(label)}">\n{inner}\n</div>'
