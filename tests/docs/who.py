"""Who runs which page.

A test file that names a page, `Page("docs/howto/noise.md")`, runs it and checks what it says; the files
`test_pages_*.py` run the others.
"""

import re

from .pages import PATHS, ROOT

OWN = {
    path: file
    for file in sorted((ROOT / "tests").rglob("test_*.py"))
    for path in re.findall(r'\bPage\("([^"]+)"\)', file.read_text(encoding="utf-8"))
}

# Pages whose own test does not run them from the first block to the last, and why.
WALKED = {
    "CONTRIBUTING.md": "its blocks are files that pytest and ruff are run on",
    "docs/gallery.md": "each line draws a figure, which is looked at",
    "docs/howto/lab.md": "somebody fills in a table between two blocks",
    "docs/howto/mlflow.md": "its program is run",
    "docs/howto/optuna-dashboard.md": "its program is run, and the dashboard is asked",
    "docs/howto/optuna-workers.md": "its program is run several times beside a database server",
    "docs/howto/progress.md": "what each block shows is looked at",
    "docs/howto/ray.md": "its programs are run",
    "docs/howto/shared.md": "its program is run several times beside a database server",
    "docs/howto/kubernetes.md": "its manifest is checked, and its command run several times beside a database server",
    **dict.fromkeys(
        sorted(path for path in PATHS if re.match(r"docs/tutorial/\d", path)),
        "one goes on where the one before it ended",
    ),
}


def others(*folders: str) -> list[str]:
    """The pages in some folders that have no test of their own."""
    return [path for path in PATHS if path.startswith(folders) and path not in OWN]
