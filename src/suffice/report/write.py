"""The page into a file: nothing but an older page is replaced, and a file that cannot be written is refused at once."""

import os
from pathlib import Path

from suffice.errors import UnusableFile
from suffice.exchange.study import name_of
from suffice.report.charts import check_drawable
from suffice.report.page import MARK, report_page
from suffice.store.files import FilePath, check_is_file, replace_file
from suffice.study.result import Result
from suffice.study.study import Study

HEAD = 1000  # letters of a page in which its mark is
UNNAMED = "a study"
ENDINGS = ("", ".html", ".htm")


def write(study: Result | Study, path: FilePath, *, name: str | None = None) -> None:
    """Write the page of a result, or of an `Optimizer` as it is now, into one file that needs nothing else.

    Parameters
    ----------
    study : Result or Optimizer
        What the page is about.
    path : path
        The file to write, such as "report.html"; an older page in its place is replaced.
    name : str or None, default: None
        What the study is called in the page; None: by the name of its file, if it has one.

    Raises
    ------
    UnusableFile
        If there is a file in its place that is no such page.
    MissingExtra
        If matplotlib is not installed.
    """
    if not isinstance(study, Result | Study):
        raise TypeError(f"wanted write(study, path) of a Result or an Optimizer: got {type(study).__name__} first")
    check_drawable()
    target = os.path.expanduser(path)
    check_writable(target)
    result = study if isinstance(study, Result) else study.result()
    replace_file(target, report_page(result, name or name_of(study) or UNNAMED))


def check_writable(path: FilePath) -> None:
    """Refuse a place that holds something else than a page, or that has no folder."""
    from suffice.store.sqlite import is_database  # sqlite3 is loaded where there is a file

    file = Path(path)
    check_is_file(file)
    if not file.resolve().parent.is_dir():
        raise UnusableFile(f"there is no folder {file.parent} for {file.name} to be written in: make it first")
    if is_database(file):
        raise UnusableFile(f"{path} is a database, perhaps a study, which would be lost: name another file")
    if file.exists() and not _is_page(file):
        raise UnusableFile(f"{path} is no report of suffice, and would be lost: name another file, or remove it")
    if file.suffix.lower() not in ENDINGS:
        wanted = file.with_suffix(".html").name
        raise UnusableFile(f"a report is a page in HTML: got {file.name}, wanted {wanted}; a browser prints it to PDF")


def _is_page(file: Path) -> bool:
    """Whether a file is an older page, or has nothing in it."""
    with open(file, encoding="utf-8", errors="replace") as opened:
        start = opened.read(HEAD)
    return not start or MARK in start
