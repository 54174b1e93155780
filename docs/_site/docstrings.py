"""What docstrings and signatures become on the site: pages and names that they mention are links."""

import dataclasses
import re
from pathlib import Path

import suffice as sf

DOCS = Path(__file__).parents[1]
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")
# `sf.UCB`, sf.UCB() or sf.plot.slice in running text; not in an example, and not as a part of a longer expression.
NAME = re.compile(r"(?P<tick>`?)\bsf\.(?P<name>[A-Za-z_.]*[A-Za-z_])(?P<call>\(\))?(?P=tick)(?![\w(`=])")
FUNCTION = re.compile(r"<function (\w+) at 0x[0-9a-f]+>")


def setup(app):
    """For Sphinx: look at every docstring and every signature before it is laid out."""
    app.connect("autodoc-process-docstring", lambda *about: linked(about[-1]), priority=900)  # after numpydoc
    app.connect("autodoc-process-signature", lambda *about: readable(about[3], *about[5:]))
    return {"parallel_read_safe": True}


def linked(lines):
    """Make links of the pages and names in the lines of a docstring, which are changed in place."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[i] = NAME.sub(_to_name, PAGE.sub(_to_page, line))


def readable(thing, signature, returned):
    """A signature without addresses: a function by its name, and what a dataclass makes by how it is written."""
    if not signature:
        return None
    signature = FUNCTION.sub(r"\1", signature)
    for field in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
        if field.default_factory is not dataclasses.MISSING:
            signature = signature.replace(f"{field.name}=<factory>", f"{field.name}={field.default_factory.__name__}()")
    return signature, returned


def _to_page(found):
    return f":doc:`/{found[1]}`" if (DOCS / f"{found[1]}.md").exists() else found[0]


def _to_name(found):
    thing = sf
    for word in found["name"].split("."):
        thing = getattr(thing, word, None)
    return found[0] if thing is None else f":obj:`sf.{found['name']}{found['call'] or ''} <suffice.{found['name']}>`"
