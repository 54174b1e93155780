"""The page of a study: the verdict, then everything else in the order of the reader's questions, and its file.

Nothing but an older page is replaced, and a file that cannot be written is refused at once.
"""

import platform
from pathlib import Path

import numpy as np
import scipy

import suffice
from suffice.accuracy.calibration import PLAIN
from suffice.checks import short
from suffice.errors import SufficeError, UnusableFile
from suffice.exchange.writing import name_of
from suffice.report.charts import check_drawable, drawn, model_charts, most_important, progress_charts, search_charts
from suffice.report.html import facts, page, paragraphs
from suffice.report.tables import best_points, parameters, trials
from suffice.report.verdict import STYLE, accuracy, cards, constraints, failed, shared, verdict
from suffice.result.display import settings_facts
from suffice.result.importance import Importance
from suffice.result.result import Result
from suffice.result.screen import summary
from suffice.store.files import FilePath, as_path, check_is_file, replace_file
from suffice.study.optimizer import Optimizer
from suffice.text import name, visible

MARK = '<meta name="generator" content="suffice report">'  # by which a page is known that may be replaced


def write(study: Result | Optimizer, path: FilePath, *, name: str | None = None, title: str | None = None) -> None:
    """Write a report of a result, or of an `Optimizer` so far, as one self-contained HTML file.

    Parameters
    ----------
    study : Result or Optimizer
        What the page is about.
    path : path
        The file to write, such as "report.html"; an older page in its place is replaced.
    name : str or None, default: None
        The name of the study in the report; None takes the name of its file, if it has one.
    title : str or None, default: None
        The heading of the page; None takes "Report: " and the name.

    Raises
    ------
    UnusableFile
        If another file, which is not a report, is in its place.
    MissingExtra
        If matplotlib is not installed.
    """
    if not isinstance(study, Result | Optimizer):
        raise TypeError(f"wanted write(study, path) of a Result or an Optimizer: got {type(study).__name__} first")
    if not isinstance(title, str | None):
        raise TypeError(f"title must be a text, the heading of the page: got {short(title)}")
    check_drawable()
    target = as_path(path)
    check_writable(target)
    result = study if isinstance(study, Result) else study.result()
    replace_file(target, report_page(result, name or name_of(study) or "a study", title))


def check_writable(path: FilePath) -> None:
    """Refuse a place that holds something else than a page, or that has no folder."""
    from suffice.store.sqlite import is_database  # sqlite3 is loaded where there is a file

    file = Path(path)
    check_is_file(file)
    if not file.resolve().parent.is_dir():
        raise UnusableFile(f"there is no folder {file.parent}: create it first")
    if is_database(file):
        raise UnusableFile(f"{path} is a database, perhaps a study, and would be overwritten: name another file")
    if file.exists() and not _is_page(file):
        raise UnusableFile(
            f"{path} is not a report of suffice, and would be overwritten: name another file, or remove it"
        )
    if file.suffix.lower() not in ("", ".html", ".htm"):
        wanted = file.with_suffix(".html").name
        raise UnusableFile(f"a report is a page in HTML: got {file.name}, wanted {wanted}; a browser prints it to PDF")


def _is_page(file: Path) -> bool:
    """Whether a file is an older page, or has nothing in it."""
    with open(file, encoding="utf-8", errors="replace") as opened:
        start = opened.read(1000)  # its mark is among the first letters of a page
    return not start or MARK in start


def report_page(result: Result, study: str, title: str | None = None) -> str:
    """The whole document. It depends on the study, its name, its title and the versions, and on no clock."""
    history = result.history
    findings, learned = result.diagnose(), learned_importance(result)
    important = most_important(learned)
    sections = [
        ("Progress", drawn(progress_charts(result))),
        ("Summary", paragraphs(verdict(result, findings), "verdict")),
        ("The front" if result.settings.several else "Best points", best_points(history, important)),
        ("Constraints", constraints(history)),
        ("Checks", cards(findings) if history.done or history.failed else ""),
        ("What the model has learned", drawn(model_charts(result, learned))),
        ("Parameters", parameters(history, learned)),
        ("Failures", failed(history)),
        ("Accuracy and time", accuracy(result.accuracy) + shared(history) + drawn(search_charts(result))),
        ("Trials", trials(history, study, important)),
        ("Settings", facts((label, said) for _, label, said in settings_facts(history.settings))),
        ("Environment", environment()),
    ]
    introduction = facts(summary(history, result.accuracy))
    # Nothing is loaded and nothing runs, whatever a name in the study looks like.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    head = f'{MARK}\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    return page(
        f"Report: {name(study)}" if title is None else visible(title), introduction, sections, style=STYLE, head=head
    )


def learned_importance(result: Result) -> dict[str, Importance]:
    """Which parameters matter, by objective; none where a model has too little to learn from, or is not at hand."""
    found: dict[str, Importance] = {}
    for output in result.settings.objectives if result.settings.space.coordinates else ():
        if len(result.history.known(output)) >= PLAIN:
            try:
                found[output] = result.importance(output)
            except SufficeError:  # the file could only describe the model, or the space
                return {}
    return found


def environment() -> str:
    """The versions that the numbers depend on, and the kind of machine; no host, user, path or clock."""
    import matplotlib

    pairs = [
        ("suffice", suffice.__version__),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("NumPy", np.__version__),
        ("SciPy", scipy.__version__),
        ("matplotlib", matplotlib.__version__),
        ("System", f"{platform.system()}, {platform.machine()}"),
    ]
    return facts(pairs)
