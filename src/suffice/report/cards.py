"""The checks as cards: what was found out about the run, and what to do about it."""

from collections.abc import Sequence
from html import escape

from suffice.page.html import paragraphs
from suffice.report.values import sentence
from suffice.study.finding import Finding

HEADINGS = {
    "search": "The search may have stopped too early",
    "limits": "Reported limits were exceeded",
    "predictions": "The model was too sure",
    "options": "Options that were never tried",
    "combinations": "Combinations that were never tried",
    "repeats": "Evaluations that say nothing new",
    "bounds": "The best point lies on a bound",
    "failures": "A part of the space that fails",
    "failed": "Most evaluations failed",
    "infeasible": "Nothing is within all limits",
    "limit": "A limit that never mattered",
    "constant": "All values are the same",
    "outliers": "Values far from all others",
    "noise": "Mostly noise",
    "model": "The model is not to be relied on",
    "effect": "Parameters without effect",
    "budget": "More evaluations would help",
}
WORDS = {"warning": "Warning", "note": "Note"}
STYLE = """
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: .8rem;
  align-items: start;
  margin: .8rem 0; padding: 0; list-style: none; }
.cards li { border: 1px solid var(--line); border-left: .3rem solid var(--soft); border-radius: .3rem;
  padding: .7rem .9rem; min-width: 0; break-inside: avoid; margin: 0; color: inherit; font-size: inherit; }
.cards li.warning { border-left-color: var(--bad-text); }
.cards .kind { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 0; }
.cards .warning .kind { color: var(--bad-text); }
.cards h3 { font-size: 1rem; margin: 0 0 .3rem; } .cards p { margin: .3rem 0; }
"""


def cards(findings: Sequence[Finding]) -> str:
    """A card for each finding; a sentence where there is none."""
    if not findings:
        return paragraphs(["Nothing was found that calls for a remedy."])
    return '<ul class="cards">\n' + "\n".join(map(_card, findings)) + "\n</ul>"


def _card(finding: Finding) -> str:
    heading = HEADINGS.get(finding.name, finding.name.capitalize())
    said, remedy = (escape(sentence(text)) for text in (finding.sentence, finding.remedy))
    kind = f'<p class="kind">{WORDS[finding.severity]}</p>'
    words = f"<p>{said}</p>\n<p><strong>What to do:</strong> {remedy}</p>"
    return f'<li class="{finding.severity}">\n{kind}\n<h3>{escape(heading)}</h3>\n{words}\n</li>'
