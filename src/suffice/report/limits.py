"""The limits of outputs: how often each was satisfied, and what values it has."""

from suffice.page.formats import UNKNOWN
from suffice.page.html import Entry, numbers, paragraphs, table
from suffice.report.values import name, number
from suffice.study.history import History


def limits(history: History) -> str:
    """A row for each limit, and how many points are within all of them; nothing where there are none."""
    given = history.settings.constraints
    if not given:
        return ""
    rows = []
    for output, limit in given.items():
        values = [trial.values[output] for trial in history.done if output in trial.values]
        satisfied = sum(limit.violation(value) == 0.0 for value in values)
        share = f"{satisfied} of {len(values)} ({100 * satisfied / len(values):.0f} %)" if values else UNKNOWN
        ends = [number(min(values)), number(max(values))] if values else [UNKNOWN, UNKNOWN]
        rows.append([Entry(name(output), header=True), Entry(str(limit)), *numbers(share, *ends)])
    heads = ("Output", "Limit", "Satisfied by", "Smallest value", "Largest value")
    return paragraphs([within(history)]) + table("Limits", heads, rows)


def within(history: History) -> str:
    """How many evaluated points are within all limits, in a sentence."""
    n, all_ = len(history.feasible), len(history.done)
    if not all_:
        return "No evaluation has values yet."
    return f"{n} of {all_} evaluated points {'is' if n == 1 else 'are'} within all limits."
