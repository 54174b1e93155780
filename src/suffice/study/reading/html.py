"""What a notebook shows of a study and of a trial: `_repr_html_`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from suffice.accuracy.series import Accuracy
from suffice.markup import block, facts, safe, short_point, table, visible
from suffice.study.failures import failures
from suffice.study.finding import Finding
from suffice.study.history import History
from suffice.study.reading.check import stated
from suffice.study.reading.curve import curve
from suffice.study.trial import Trial

FINDINGS = 6  # that are shown
SENTENCE = 600  # letters of one, and of the message of a run


def study_html(history: History, title: str, message: str = "", accuracy: Accuracy | None = None) -> str:
    """The best point, the way to it, and what the record alone says about how far it can be trusted."""
    done, best = len(history.done), history.best
    states = Counter(trial.state for trial in history.trials)
    counted = ", ".join(f"{n} {state}" for state, n in states.items()) or "none yet"
    pairs = [("trials", counted), ("sense", ", ".join(history.settings.objectives.values()))]
    if message:
        pairs.append(("message", message))
    if history.failed and failures(history.trials) not in message:
        pairs.append(("failures", failures(history.trials)))
    pairs.append(("seed", str(history.settings.seed)))
    parts = [curve(history), facts(pairs, SENTENCE)]
    if best is not None and len(history.settings.objectives) == 1:
        title = f"{title}: best value {best.value:.6g} of {done} {'value' if done == 1 else 'values'}"
        parts.insert(0, table((), _parts(best.point)))
    if accuracy is not None:
        parts.append(_findings([*stated(history, accuracy)], accuracy))
    return block(title, *parts)


def _parts(point: Any) -> Iterator[tuple[str, str]]:
    """The values of a point, a row each."""
    if isinstance(point, Mapping):
        yield from ((name, _value(value)) for name, value in point.items())
    elif isinstance(point, list) or (isinstance(point, np.ndarray) and point.ndim == 1):
        yield from ((f"x[{j}]", _value(value)) for j, value in enumerate(point))
    else:
        yield "point", short_point(point)


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def _findings(found: list[Finding], accuracy: Accuracy) -> str:
    """The verdict on the search and what is worth a remedy."""
    verdict = f'<p style="margin:0.3em 0">{safe(" ".join(accuracy.verdict), 1500)}</p>' if accuracy.verdict else ""
    rows = "".join(
        f"<li>{safe(finding.sentence, SENTENCE)} {safe(finding.remedy, SENTENCE)}</li>" for finding in found[:FINDINGS]
    )
    return verdict + (f'<ul style="margin:0.3em 0">{rows}</ul>' if rows else "")


def trial_html(trial: Trial) -> str:
    """One evaluation: its point, what became of it, and how well it was searched for."""
    value = "" if trial.values is None else ", ".join(f"{_value(v)}" for v in trial.values.values())
    pairs: list[tuple[str, str]] = []
    for name, known in (("value", value), ("cause", trial.cause), ("reason", trial.reason), ("origin", trial.origin)):
        if known:
            pairs.append((name, visible(str(known), SENTENCE)))
    if trial.seconds is not None:
        pairs.append(("seconds", f"{trial.seconds:.3g}"))
    if trial.solve is not None and trial.solve.relative_gap is not None:
        pairs.append(("relative gap", f"{trial.solve.relative_gap:.2g}"))
    return block(f"Trial {trial.number}: {trial.state}", table((), _parts(trial.point)), facts(pairs, SENTENCE))
