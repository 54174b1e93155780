"""Links that leave docs/ work on the site as they do in the repository.

A text of the repository that is a page of the site leads to that page; any other file is copied and can be downloaded.
"""

from pathlib import Path
from posixpath import dirname, join, normpath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
PAGES = {  # in the repository: on the site
    "README.md": "index",
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "GOVERNANCE.md": "project/governance",
    "RELEASING.md": "project/releasing",
    "SECURITY.md": "project/security",
    "examples/README.md": "examples",
}
HOMES = {page: dirname(path) for path, page in PAGES.items()}  # where the links of a page start


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", mend, priority=100)  # before Sphinx collects the files to download
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def mend(app: Sphinx, doctree: nodes.document) -> None:  # noqa: ARG001
    """Each link of a page that MyST cannot place within docs/ gets its place."""
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node["reftype"] != "myst" or node.get("reftarget", "").startswith("#"):
            continue
        path = target_in_repository(node)
        if path in PAGES:
            node["refdomain"], node["reftarget"] = "doc", PAGES[path]
            node.setdefault("reftargetid", None)
        elif path is not None and (ROOT / path).is_file():
            up = "../" * (1 + node["refdoc"].count("/"))
            link = addnodes.download_reference(
                "", "", *node.children, refdomain=None, reftarget=up + path, refdoc=node["refdoc"], reftype="myst"
            )
            node.replace_self(link)


def target_in_repository(node: addnodes.pending_xref) -> str | None:
    """Where a link leads, from the repository's root; None if within docs/."""
    target = node["reftarget"]
    if node.get("refdomain") == "doc":  # MyST says a page: its path without the suffix, absolute if it is outside
        path = Path(target + ".md")
        return path.relative_to(ROOT).as_posix() if path.is_absolute() and path.is_relative_to(ROOT) else None
    home = HOMES.get(node["refdoc"])
    return None if home is None else normpath(join(home, target.partition("#")[0]))
