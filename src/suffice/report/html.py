"""HTML that needs nothing but itself: text and drawings in, one page out.

All text is escaped here, and only here. The page is for any width, for light and dark screens, for paper, and for those
who listen to it: tables have captions and headers, figures have words, what scrolls can be reached with the keyboard.

A drawing follows the light or dark scheme of its page. Greys are the only colours that change: black is the page's
text, white its background, and those between are mixtures of both. All other colours stand for data: choose colours
that can be told from white and from black. A pale shade should let the background through (`plot.style.tint`), since
one mixed with white glares in the dark.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# The style sheet of every page. Its colours are variables: --text and --back, --soft for words of less weight, --line
# and --head for tables, --good and --bad for verdicts, with the colour of the words on them. What scrolls has a shade
# at the edge where there is more: the gradients in the background's colour move with the content, and cover those of
# the shade at its ends. On paper nothing scrolls: a table there has letters so small that its --letters fit.
STYLE = """
:root { color-scheme: light dark; --text: #1b1b1b; --back: #fff; --soft: #5c5c5c; --line: #d9d9d9; --head: #f4f4f4;
  --shade: #0003; --good: #dff2e6; --good-text: #0b5a34; --bad: #fbe5d6; --bad-text: #8a3200; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --back: #16181b; --soft: #a6a6a6; --line: #3a3d42;
  --head: #202328; --shade: #fff5; --good: #123524; --good-text: #8fe0b4; --bad: #43230f; --bad-text: #ffb98a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 58rem; background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .4rem 0 .6rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; }
p { max-width: 46rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: 1rem 0; padding: 0; list-style: none; }
nav a { color: inherit; }
.verdict { border-left: .25rem solid var(--soft); padding-left: .9rem; margin: 1.2rem 0; }
.verdict p { margin: .35rem 0; }
.scroll { overflow-x: auto; margin: .6rem 0; background-repeat: no-repeat; background-image:
  linear-gradient(to right, var(--back) 40%, transparent), linear-gradient(to left, var(--back) 40%, transparent),
  linear-gradient(to right, var(--shade), transparent), linear-gradient(to left, var(--shade), transparent);
  background-position: left, right, left, right;
  background-size: 3rem 100%, 3rem 100%, .9rem 100%, .9rem 100%; background-attachment: local, local, scroll, scroll; }
.scroll.broad { width: max-content; min-width: 100%; max-width: calc(100vw - 3rem); position: relative; left: 50%;
  transform: translateX(-50%); }
.scroll::-webkit-scrollbar { height: .7rem; }
.scroll::-webkit-scrollbar-thumb { background: var(--soft); border: .2rem solid var(--back); border-radius: .35rem; }
table { border-collapse: separate; border-spacing: 0; overflow-wrap: normal; font-size: .875rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .5rem; }
caption span { position: sticky; left: 0; }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  white-space: nowrap; }
.broad table { font-size: .8125rem; } .broad th, .broad td { padding: .28rem .45rem; }
thead th { background: var(--head); vertical-align: bottom; white-space: normal; }
.whole { white-space: nowrap; }
th[scope="row"] { position: sticky; left: 0; background: var(--back); font-weight: 600; }
td.number, th.number { text-align: right; }
td.text, td.code { white-space: normal; min-width: 16rem; max-width: 32rem; overflow-wrap: break-word; }
td.code { font: .85em/1.45 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
td.best { font-weight: 700; }
td.agrees { background: var(--good); color: var(--good-text); font-weight: 600; }
td.differs { background: var(--bad); color: var(--bad-text); font-weight: 600; }
figure { margin: 1rem 0 2rem; }
.drawing { display: block; height: auto; max-width: 100%; fill: var(--text); stroke-linejoin: round; }
.drawing text { font-family: "DejaVu Sans", Verdana, sans-serif; }
.drawing.wide { min-width: 36rem; }
figcaption, .note { color: var(--soft); font-size: .9rem; max-width: 46rem; margin-top: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; white-space: pre-wrap; }
@page { margin: 12mm; }
@media print { :root { color-scheme: light; --text: #000; --back: #fff; --soft: #444; --line: #bbb; --head: #eee;
    --good: #dff2e6; --good-text: #000; --bad: #fbe5d6; --bad-text: #000; }
  html { font-size: 9.5pt; } body { max-width: none; padding: 0; } nav { display: none; }
  .scroll { overflow: visible; background: none; container-type: inline-size; }
  .scroll.broad { width: auto; max-width: none; position: static; transform: none; }
  table, .broad table { font-size: min(7.5pt, calc(100cqw / (.6 * var(--letters)))); }
  th, td, .broad th, .broad td { padding: .15em .4em; }
  td.text, td.code { min-width: 0; }
  .drawing.wide { min-width: 0; } .drawing:not(.tall) { max-height: 245mm; }
  figure, tr { break-inside: avoid; } h2, .note, caption { break-after: avoid; } }
"""


SHORT, LINE = 24, 40  # letters: a longer name could be wider than a phone; what stands in one line of a table
WIDE = 600  # pixels: a figure of two columns is, and must not shrink to the width of a phone
TALL = 2.0  # times its width: such a figure would be too small on one sheet of paper, and is printed on several
REFERENCE = re.compile(r"url\(#([^)]+)\)")
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"  # as ElementTree writes them
KEPT = {  # whatever else a file may have, such as metadata, scripts and style sheets, has no place in a page
    *("svg", "g", "defs", "path", "use", "text", "tspan", "image", "clipPath", "pattern", "rect", "circle", "ellipse"),
    *("line", "polyline", "polygon", "linearGradient", "radialGradient", "stop", "filter", "feColorMatrix"),
}


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
    # such a table may be wider than the text, up to the window; on paper, it has smaller letters
    return scrolling(caption, inner, "broad" if len(heads) >= 8 else "")


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is what: a list of names and values."""
    return "<dl>\n" + "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs) + "\n</dl>"


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """Each text as a paragraph, all in one block."""
    return f"<div{class_(kind)}>\n" + "\n".join(f"<p>{prose(text)}</p>" for text in texts) + "\n</div>"


def page(
    heading: str, introduction: str, sections: Iterable[tuple[str, str]], *, style: str = "", head: str = ""
) -> str:
    """The whole document; sections are (heading, content), those without content being left out.

    style    further rules, after those that every page has: use its colours, such as var(--soft), in them
    head     further elements of the head
    """
    shown = [(anchor(name), escape(name), content) for name, content in sections if content]
    links = "\n".join(f'<li><a href="#{place}">{name}</a></li>' for place, name, _ in shown)
    contents = f'<nav aria-label="Contents">\n<ul>\n{links}\n</ul>\n</nav>'
    parts = [f'<section id="{place}">\n<h2>{name}</h2>\n{content}\n</section>' for place, name, content in shown]
    body = "\n".join([introduction, contents, *parts])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{head}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(heading)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def prose(text: str) -> str:
    """Text in which short names with hyphens or numbers, such as L-BFGS-B and Hartmann 3d, and 5 % stay in one line."""

    def whole(found: re.Match[str]) -> str:
        return f'<span class="whole">{found[0]}</span>' if len(found[0]) <= SHORT else found[0]

    return re.sub(r"\b\w+(?:-\w+)+\b|\b\w+ \d+d\b|\b[\d.]+ %", whole, escape(text))


def _letters(heads: Sequence[str], body: Sequence[Sequence[Entry]]) -> int:
    """How wide a table is: the letters of what cannot be broken, column by column, and two between columns."""
    words = [max(map(len, head.split()), default=0) for head in heads]
    for row in body:
        for i, cell in enumerate(row):
            wraps = any(kind in cell.kind for kind in ("text", "code"))
            words[i] = max(words[i], min(len(cell.text), SHORT if wraps else LINE))
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


# ---------------------------------------------------------------------- drawings


def figure_inline(svg: str, *, name: str, alt: str, caption: str = "") -> str:
    """A <figure> with the drawing in it, as wide as it was drawn or as the page is; on a phone it scrolls, at last.

    svg      the text of `plot.style.as_svg`
    name     a few words, to be heard by those who reach the figure with the keyboard
    alt      what is to be seen, for those who do not see it
    caption  below it; "" for none
    """
    below = f"\n<figcaption>{prose(caption)}</figcaption>" if caption else ""
    return f"<figure>\n{scrolling(name, drawing(svg, name=name, alt=alt))}{below}\n</figure>"


def drawing(svg: str, *, name: str, alt: str) -> str:
    """The <svg> alone, which scales with what it lies in; words as for `figure_inline`.

    Its ids begin with a checksum of name and drawing, so that those of two figures in a page cannot be the same.
    """
    root = ElementTree.fromstring(svg)
    prefix = f"f{zlib.crc32((name + svg).encode()):08x}-"
    _simplify(root)
    _rename(root, prefix)
    style = _share_styles(root, prefix)
    # pixels of a page for each point of a matplotlib SVG
    _, _, width, height = (float(side) * (120 / 72) for side in root.attrib["viewBox"].split())
    kind = " ".join(["drawing", *["wide"] * (width > WIDE), *["tall"] * (height > TALL * width)])
    size = f'width="{width:.0f}" height="{height:.0f}"'
    inner = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    opening = f'<svg{class_(kind)} role="img" aria-label="{escape(alt)}" {size}'
    return f'{opening} viewBox="{root.attrib["viewBox"]}">{style}{inner}</svg>'


def themed(colours: str) -> str:
    """A declaration such as "fill: #ffffff" with its greys as mixtures of the page's text and background."""

    def mixture(found: re.Match[str]) -> str:
        grey = int(found[1], 16)
        if grey in (0, 255):
            return "var(--back)" if grey else "var(--text)"
        return f"color-mix(in srgb,var(--text) {100 * (255 - grey) / 255:.0f}%,var(--back))"

    return re.sub(r"#([0-9a-f]{2})\1\1\b", mixture, colours, flags=re.IGNORECASE)


def _simplify(root: Element) -> None:
    """In place: names without name spaces, no elements that a page must not have, white space and fonts left out."""
    for parent in root.iter():
        parent.tag = parent.tag.removeprefix(SVG)
        parent.text = parent.text if parent.tag in ("text", "tspan") else None
        parent.tail = None
        for child in list(parent):
            if child.tag.removeprefix(SVG) not in KEPT:
                parent.remove(child)
        _clean(parent.attrib)
        if parent.tag == "text" and len(parent):
            parent.text = None  # letters are in its parts


def _clean(attributes: dict[str, str]) -> None:
    for key in [key for key in attributes if key.lower().startswith("on")]:
        del attributes[key]
    if LINK in attributes:
        attributes["href"] = attributes.pop(LINK).replace("\n", "")
    for key in {"d", "x", "y"} & attributes.keys():  # a hundredth of a point is more than a screen shows
        attributes[key] = re.sub(r"\s+", " ", re.sub(r"(\.\d\d)\d+", r"\1", attributes[key])).strip()
    if "style" in attributes:
        pairs = (part.strip() for part in attributes["style"].split(";"))
        # matplotlib's usual font; the page has one for all drawings
        usual = "font-family: 'DejaVu Sans'"
        kept = [themed(re.sub(r":\s+", ":", pair)) for pair in pairs if not pair.startswith(usual)]
        attributes["style"] = ";".join(kept)
    for key in ("fill", "stroke"):  # attributes cannot have var(…)
        if key in attributes:
            told = f"{key}:{themed(attributes.pop(key))}"
            attributes["style"] = ";".join(filter(None, (attributes.get("style", ""), told)))
    if not attributes.get("style", "-"):
        del attributes["style"]


def _rename(root: Element, prefix: str) -> None:
    """In place: ids that something refers to are numbered behind the prefix, all others are dropped."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = [id_ for value in values for id_ in REFERENCE.findall(value)]
    used += [element.attrib["href"][1:] for element in root.iter() if element.attrib.get("href", "").startswith("#")]
    names = {id_: f"{prefix}{number}" for number, id_ in enumerate(dict.fromkeys(used))}
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key == "id":
                element.attrib.update({"id": names[value]} if value in names else {})
                if value not in names:
                    del element.attrib["id"]
            elif key == "href" and value[1:] in names:
                element.attrib[key] = f"#{names[value[1:]]}"
            else:
                element.attrib[key] = REFERENCE.sub(lambda found: f"url(#{names[found[1]]})", value)


def _share_styles(root: Element, prefix: str) -> str:
    """In place: a style that several elements have becomes a class; the style sheet of these classes."""
    counts = Counter(element.attrib["style"] for element in root.iter() if "style" in element.attrib)
    often = [style for style, count in counts.items() if count > 1]
    names = {style: f"{prefix}s{number}" for number, style in enumerate(often)}
    for element in root.iter():
        if element.attrib.get("style") in names:
            element.attrib["class"] = names[element.attrib.pop("style")]
    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    return f"<style>{escape(rules, quote=False)}</style>" if rules else ""
