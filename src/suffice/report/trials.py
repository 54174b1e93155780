"""The trials at a second look: how many there are of each kind, the best of them, and where to find the rest."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from suffice.page.html import paragraphs
from suffice.report.data import embedded
from suffice.report.points import ALL, MORE, best_trials, trial_table
from suffice.study.history import History

STATES = {
    "done": "with a value",
    "failed": "failed",
    "stopped": "stopped early",
    "pending": "pending",
    "cancelled": "cancelled",
}
ORIGINS = {
    "model": "chosen by the model",
    "design": "of the initial design",
    "given": "given to begin with",
    "foreign": "told from outside",
}


def trials(history: History, study: str, important: Sequence[str] = ()) -> str:
    """The section, with the data of the page in it."""
    states = _counted([trial.state for trial in history.trials], STATES)
    origins = _counted([trial.origin for trial in history.trials], ORIGINS)
    data, held = embedded(history, study)
    if not history.trials:
        return paragraphs(["There is no trial yet."]) + data
    n = len(history.trials)
    what = "all trials" if held == n else f"{held} of the trials, those with the best values first of all,"
    words = [
        f"{n} {'trial' if n == 1 else 'trials'}: {states}. By their origin: {origins}.",
        f"This page holds the data of {what} with all digits: suffice.report.read(path) has them.",
    ]
    return paragraphs(words) + _listed(history, important) + data


def _listed(history: History, important: Sequence[str]) -> str:
    """All trials in order, or the best where these are too many to be read."""
    n = len(history.trials)
    if n <= ALL:
        return _folded("All trials", trial_table("All trials", history, history.trials, important, states=True))
    shown = best_trials(history, MORE)
    if not shown:
        return ""
    return _folded(f"The best {len(shown)} of {n} trials", trial_table("Best trials", history, shown, important))


def _counted(words: Sequence[str], sayings: dict[str, str]) -> str:
    counts = Counter(words)
    return ", ".join(f"{counts[word]} {saying}" for word, saying in sayings.items() if counts[word])


def _folded(summary: str, inner: str) -> str:
    """What is there, and unfolded by those who want to see it."""
    return f"<details>\n<summary>{escape(summary)}</summary>\n{inner}\n</details>\n"
