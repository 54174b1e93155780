"""The page of a study: the verdict, then everything else in the order in which it is asked for."""

from suffice.errors import SufficeError
from suffice.page.html import page, paragraphs
from suffice.report.accuracy import accuracy
from suffice.report.cards import STYLE, cards
from suffice.report.charts import drawn, progress_charts, search_charts
from suffice.report.environment import environment
from suffice.report.failed import failed
from suffice.report.learned import model_charts, most_important
from suffice.report.limits import limits
from suffice.report.parameters import parameters
from suffice.report.points import best_points
from suffice.report.settings import settings
from suffice.report.trials import trials
from suffice.report.values import name
from suffice.report.verdict import verdict
from suffice.study.reading.importance import Importance
from suffice.study.result import Result

FEWEST = 5  # values from which a model says more than what it assumes
MARK = '<meta name="generator" content="suffice report">'  # by which a page is known that may be replaced
# Nothing is loaded and nothing runs, whatever a name in the study looks like.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
PAPER = """
table a { color: inherit; }
summary { cursor: pointer; font-weight: 600; margin: .6rem 0; }
@media print { table th, table td { white-space: normal; overflow-wrap: anywhere; } }
"""  # names of the user's own may be long, and paper does not scroll
FIRST = '<meta charset="utf-8">\n'


def report_page(result: Result, study: str) -> str:
    """The whole document. It depends on the study, its name and the versions in its last section, and on no clock."""
    history = result.history
    findings, learned = result.check(), learned_importance(result)
    important = most_important(learned)
    sections = [
        ("The front" if result.settings.several else "Best points", best_points(history, important)),
        ("Limits", limits(history)),
        ("Checks", cards(findings) if history.done or history.failed else ""),
        ("Progress", drawn(progress_charts(result))),
        ("What the model has learned", drawn(model_charts(result, learned))),
        ("Parameters", parameters(history, learned)),
        ("Failures", failed(history)),
        ("Accuracy and time", accuracy(result.accuracy) + drawn(search_charts(result))),
        ("Trials", trials(history, study, important)),
        ("Settings", settings(history.settings)),
        ("Environment", environment()),
    ]
    introduction = paragraphs(verdict(result, findings), "verdict")
    text = page(f"Report: {name(study)}", introduction, sections, style=STYLE + PAPER)
    head = f'{MARK}\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    return text.replace(FIRST, FIRST + head, 1)


def learned_importance(result: Result) -> dict[str, Importance]:
    """Which parameters matter, by objective; none where a model has too little to learn from, or is not at hand."""
    found: dict[str, Importance] = {}
    for output in result.settings.objectives if result.settings.space.coordinates else ():
        if len(result.history.known(output)) >= FEWEST:
            try:
                found[output] = result.importance(output)
            except SufficeError:  # the file could only describe the model, or the space
                return {}
    return found
