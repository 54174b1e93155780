"""What failed: how often, why in a word, and examples with their reasons and points."""

from collections import Counter

from suffice.page.html import Entry, paragraphs, table
from suffice.report.values import parts, sentence, value
from suffice.study.history import History
from suffice.study.trial import Trial

REASONS = 10  # different reasons that are listed, the most frequent first
PARTS = 6  # of a point: enough to recognize it

WORDS = {
    "raised": "the objective raised an exception",
    "nan": "the value was nan",
    "inf": "the value was infinite",
    "infeasible": "the objective said that the point is not allowed",
    "crashed": "the process died",
    "timed out": "the evaluation took too long",
    "failed": "it was told to have failed",
}


def failed(history: History) -> str:
    """The causes in a sentence, the reasons in a table; nothing where nothing failed."""
    if not history.failed:
        return ""
    causes = Counter(trial.cause or "failed" for trial in history.failed)
    evaluated = len(history.failed) + len(history.done) + len(history.stopped)
    said = "; ".join(f"{count} × {WORDS[cause]}" for cause, count in causes.most_common())
    first: dict[tuple[str, str], Trial] = {}
    for trial in history.failed:
        first.setdefault((trial.cause or "failed", trial.reason or ""), trial)
    reasons = Counter((trial.cause or "failed", trial.reason or "") for trial in history.failed)
    rows = [
        [
            Entry(str(count), "number"),
            Entry(cause),
            Entry(sentence(reason) or "no reason was given", "text"),
            Entry(f"trial {first[cause, reason].number}: {_point(first[cause, reason], history)}", "text"),
        ]
        for (cause, reason), count in reasons.most_common(REASONS)
    ]
    more = len(reasons) - len(rows)
    words = [f"{len(history.failed)} of {evaluated} evaluations failed: {said}."]
    note = paragraphs([f"{more} more reasons are among the data of this page."], "note") if more else ""
    return paragraphs(words) + table("Reasons", ("Times", "Cause", "Reason", "First example"), rows) + note


def _point(trial: Trial, history: History) -> str:
    shown = [f"{part} = {value(given)}" for part, given in parts(trial.point, history.settings.space).items()]
    return sentence(", ".join(shown[:PARTS]) + (", …" if len(shown) > PARTS else ""))
