"""How Sphinx makes the documentation site: `make docs`, offline. Nothing of it comes from another server."""

import logging
import sys
from pathlib import Path

import suffice

sys.path.insert(0, str(Path(__file__).parent))  # for _site

# `*` at the end of a toctree is for pages that nobody listed: mostly none. Sphinx gives the warning no type by which
# `suppress_warnings` could name it.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(lambda r: getattr(r, "subtype", None) != "empty_glob")

project = "suffice"
author = "The suffice developers"
copyright = author  # Sphinx reads this name; a year in it would change the pages of an unchanged source
version = release = suffice.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "_site.outside",
    "_site.plain",
    "_site.command_line",
    "_site.docstrings",
]
smartquotes = False  # what is written is what is shown, and can be copied
highlight_language = "text"  # a block says its language; what says none is output

myst_heading_anchors = 4  # GitHub makes anchors of headings, too: the same links work in both places

html_theme = "furo"
pygments_dark_style = "github-dark"  # the theme's own underlines the names of modules
html_title = f"suffice {release}"
html_favicon = "../src/suffice/dashboard/static/icon.svg"  # the one of the dashboard
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["offline.js"]
html_search_scorer = str(Path(__file__).parent / "_site" / "scorer.js")
html_show_sphinx = False
html_copy_source = False  # _site.plain makes better ones

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections say the types
maximum_signature_line_length = 88  # beyond, one argument on each line
autodoc_member_order = "bysource"  # ask before tell
default_role = "code"  # a name in single backticks, as the docstrings have them
numpydoc_show_class_members = False  # the reference lists what is public itself
copybutton_exclude = ".linenos, .gp, .go"
