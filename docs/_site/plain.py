"""The site as plain text: every page in its Markdown beside its HTML, and llms.txt, which lists them.

Of a page that directives make, such as those of the reference, the copy is the text that they make. The links of the
others lead to copies, and to the files that Sphinx copied.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from posixpath import basename, dirname, join, normpath, relpath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.writers.text import TextTranslator

from _site.outside import PAGES, ROOT

LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)")  # what stands in parentheses after a text in brackets
INCLUDE = re.compile(r"```\{include\} (\S+)\n.*?```\n", re.DOTALL)
TOCTREE = re.compile(r"\n```\{toctree\}\n.*?```\n", re.DOTALL)  # of the page's own list, for the sidebar
MADE = re.compile(r"^(```\{(?!toctree|include)|<!-- commands -->)", re.MULTILINE)  # content that is not in the page
LINE = re.compile(r"^- \[([^\]]*)\]\(([^)]*)\): (.*(?:\n  .*)*)", re.MULTILINE)  # a line of an index page


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", lead)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def lead(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:  # noqa: ARG001
    """A page leads to its copy: the theme's symbol at the top, and a line for programs."""
    if doctree is not None and is_written(app.env, name):
        copy = f"{basename(name)}.md"
        context["theme_source_view_link"] = copy
        context["metatags"] += f'<link rel="alternate" type="text/markdown" href="{copy}">'


def write(app: Sphinx, failure: Exception | None) -> None:
    """The copies and the list, once the pages are there."""
    if failure is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for name in filter(partial(is_written, app.env), app.env.all_docs):
        copy = out / f"{name}.md"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(spelled(app, name) or plain(app.env, name), encoding="utf-8")
    (out / "llms.txt").write_text(listing(app.env), encoding="utf-8")


def spelled(app: Sphinx, name: str) -> str | None:
    """The text of a page that directives make, such as those of the reference; None if its Markdown says everything."""
    if not MADE.search(source(app.env, name)):
        return None
    tree = app.env.get_and_resolve_doctree(name, app.builder)
    words = TextTranslator(tree, app.builder)
    tree.walkabout(words)
    return words.body


def is_written(env: BuildEnvironment, name: str) -> bool:
    """Somebody wrote this page; one that autosummary made has nothing but a directive in it."""
    return env.doc2path(name).suffix == ".md"


def plain(env: BuildEnvironment, name: str) -> str:
    """A page as Markdown, with what it includes, and with links that work where the copy lies."""
    home, text = join("docs", dirname(name)), source(env, name)
    included = INCLUDE.fullmatch(text)
    if included:
        path = normpath(join(home, included[1]))
        home, text = dirname(path), (ROOT / path).read_text(encoding="utf-8")
    text = TOCTREE.sub("", text)
    return LINK.sub(lambda link: placed(env, normpath(join(home, link[1])), dirname(name)) or link[1], text)


def source(env: BuildEnvironment, name: str) -> str:
    return env.doc2path(name).read_text(encoding="utf-8")


def placed(env: BuildEnvironment, path: str, start: str) -> str | None:
    """Where a file of the repository is on the site, seen from the folder `start`."""
    inside = relpath(path, "docs")
    if inside.endswith(".md") and inside.removesuffix(".md") in env.all_docs:
        there = inside
    elif path in PAGES:
        there = f"{PAGES[path]}.md"
    elif inside in env.images:
        there = f"_images/{env.images[inside][1]}"
    elif Path(inside) in env.dlfiles:
        there = f"_downloads/{env.dlfiles[Path(inside)][1]}"
    else:
        return None
    return relpath(there, start or ".")


def listing(env: BuildEnvironment) -> str:
    """llms.txt: a title, what it is, and every page with a line about it (llmstxt.org)."""
    front = source(env, "index")
    title, what = re.findall(r"^# (.*)|^\*\*(.*)\*\*$", front, re.MULTILINE)[:2]
    paragraphs = [" ".join(block.split()) for block in front.split("\n\n")]
    lines = [f"# {title[0]}", "", f"> {what[1]}", "", paragraphs[2], ""]
    loose = []
    for top in env.toctree_includes["index"]:
        pages = list(below(env, top))
        if len(pages) == 1:
            loose += pages
            continue
        lines += [f"## {env.titles[top].astext()}", "", *(entry(env, page) for page in pages), ""]
    lines += ["## More", "", *(entry(env, page) for page in loose), ""]
    return "\n".join(lines)


def below(env: BuildEnvironment, name: str) -> Iterator[str]:
    """A page and those in its table of contents, in their order."""
    if is_written(env, name):
        yield name
    for child in env.toctree_includes.get(name, ()):
        yield from below(env, child)


def entry(env: BuildEnvironment, name: str) -> str:
    return f"- [{env.titles[name].astext()}]({name}.md): {about(env, name)}"


def about(env: BuildEnvironment, name: str) -> str:
    """One line about a page: what the index above it says, else its own first sentence."""
    folder = dirname(name)
    above = dirname(folder) if basename(name) == "index" else folder
    index = join(above, "index") if join(above, "index") in env.all_docs else "index"
    for _, link, words in LINE.findall(source(env, index)):
        if normpath(join(dirname(index), link)) == f"{name}.md":
            return unlinked(words)
    paragraphs = [b for b in plain(env, name).split("\n\n") if re.match(r"(?!```)[\w*`\[]", b)]
    return re.split(r"(?<=[\w)`][.?])\s", unlinked(paragraphs[0]) + " ")[0] if paragraphs else env.titles[name].astext()


def unlinked(words: str) -> str:
    return " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words).split())
