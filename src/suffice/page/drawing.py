"""A drawing inside a page: the SVG text of a figure becomes a part of the page, and follows its light or dark scheme.

Greys are the only colours that change: black is the page's text, white its background, and those between are mixtures
of both. All other colours stand for data, and stay as they are: so choose such as can be told from white and from
black. A pale shade is best a colour that lets the background through (`figures.style.tint`), since one mixed with white
glares in the dark.
"""

import re
import zlib
from collections import Counter
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from suffice.page.html import class_, prose, scrolling

POINTS, SCALE = 72, 120  # in an inch: the unit of a matplotlib SVG, and the pixels of a page
WIDE = 600  # pixels: a figure of two columns is, and must not shrink to the width of a phone
TALL = 2.0  # times its width: such a figure would be too small on one sheet of paper, and is printed on several
OFTEN = 3  # elements with the same style: then a class is shorter
REFERENCE = re.compile(r"url\(#([^)]+)\)")
USUAL_FONT = "font-family: 'DejaVu Sans'"  # matplotlib's; the page says once what is to be used in its place
HUNDREDTHS = re.compile(r"(\.\d\d)\d+")
GREY = re.compile(r"#([0-9a-f]{2})\1\1\b", re.IGNORECASE)
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
KEPT = {  # whatever else a file may have, such as metadata, scripts and style sheets, has no place in a page
    *("svg", "g", "defs", "path", "use", "text", "tspan", "image", "clipPath", "pattern", "rect", "circle", "ellipse"),
    *("line", "polyline", "polygon", "linearGradient", "radialGradient", "stop", "filter", "feColorMatrix"),
}


def figure_inline(svg: str, *, name: str, alt: str, caption: str = "") -> str:
    """A <figure> with the drawing in it, as wide as it was drawn or as the page is; on a phone it scrolls, at last.

    svg      the text of `figures.svg.as_svg`
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
    _, _, width, height = (float(side) * SCALE / POINTS for side in root.attrib["viewBox"].split())
    kind = " ".join(["drawing", *["wide"] * (width > WIDE), *["tall"] * (height > TALL * width)])
    size = f'width="{width:.0f}" height="{height:.0f}"'
    inner = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    opening = f'<svg{class_(kind)} role="img" aria-label="{escape(alt)}" {size}'
    return f'{opening} viewBox="{root.attrib["viewBox"]}">{style}{inner}</svg>'


def themed(colours: str) -> str:
    """A declaration such as "fill: #ffffff" with its greys as mixtures of the page's text and background."""
    return GREY.sub(lambda found: _mixture(int(found[1], 16)), colours)


def _mixture(grey: int) -> str:
    if grey in (0, 255):
        return "var(--back)" if grey else "var(--text)"
    return f"color-mix(in srgb,var(--text) {100 * (255 - grey) / 255:.0f}%,var(--back))"


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
        attributes[key] = re.sub(r"\s+", " ", HUNDREDTHS.sub(r"\1", attributes[key])).strip()
    if "style" in attributes:
        pairs = (part.strip() for part in attributes["style"].split(";"))
        kept = [themed(re.sub(r":\s+", ":", pair)) for pair in pairs if not pair.startswith(USUAL_FONT)]
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
    """In place: a style that many elements have becomes a class; the style sheet of these classes."""
    counts = Counter(element.attrib["style"] for element in root.iter() if "style" in element.attrib)
    often = [style for style, count in counts.items() if count >= OFTEN]
    names = {style: f"{prefix}s{number}" for number, style in enumerate(often)}
    for element in root.iter():
        if element.attrib.get("style") in names:
            element.attrib["class"] = names[element.attrib.pop("style")]
    rules = "".join(f".{name}{{{style}}}" for style, name in names.items())
    return f"<style>{escape(rules, quote=False)}</style>" if rules else ""
