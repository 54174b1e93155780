"""What a notebook shows of a study and of a trial: `_repr_html_`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from suffice.accuracy.series import Accuracy
from suffice.markup import block, facts, safe, short_point, table, visible
from suffice.study.failures import failures
from suffice.study.finding import Finding
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.reading.check import stated
from suffice.study.reading.curve import curve
from suffice.study.trial import Trial

FINDINGS, SHOWN = 6, 6  # findings, and trials of a front, that are shown
SENTENCE = 600  # letters of one, and of the message of a run


def study_html(history: History, title: str, message: str = "", accuracy: Accuracy | None = None) -> str:
    """The best point or the front, the way to it, and what the record alone says about how far it can be trusted."""
    settings = history.settings
    states = Counter(trial.state for trial in history.trials)
    counted = ", ".join(f"{n} {state}" for state, n in states.items()) or "none yet"
    pairs = [("trials", counted), ("aim" if settings.several else "sense", settings.aims)]
    if settings.constraints:
        limits = ", ".join(f"{name} {limit}" for name, limit in settings.constraints.items())
        pairs += [("limits", limits), ("within them", f"{len(history.feasible)} of {len(history.done)}")]
    if message:
        pairs.append(("message", message))
    if history.failed and failures(history.trials) not in message:
        pairs.append(("failures", failures(history.trials)))
    pairs.append(("seed", str(settings.seed)))
    found, answer = _answer(history)
    parts = [answer, curve(history), facts(pairs, SENTENCE)]
    if accuracy is not None:
        parts.append(_findings([*stated(history, accuracy)], accuracy))
    return block(f"{title}{found}", *parts)


def _answer(history: History) -> tuple[str, str]:
    """What was found, as the end of a title and as a table; nothing where there is none."""
    done, best = len(history.done), history.best
    if history.settings.several and history.feasible:
        front = Front(history)
        n, outputs = len(front.trials), history.settings.outputs
        rows = (
            (f"trial {trial.number}", *(_value(trial.values.get(name)) for name in outputs), short_point(trial.point))
            for trial in front.some(SHOWN)
        )
        title = f": a front of {n} trial{'s' * (n != 1)}, of {done} with values"
        return title, table(("", *outputs, "point"), rows)
    if best is None:
        return "", ""
    limited = ((name, _value(best.values[name])) for name in history.settings.constraints)
    return f": best value {best.value:.6g} of {done} {'value' if done == 1 else 'values'}", table(
        (), (*_parts(best.point), *limited)
    )


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
    known = trial.values or {}
    single = tuple(known) == trial.objectives and len(known) == 1
    pairs = [("value" if single else visible(name), _value(value)) for name, value in known.items()]
    if trial.feasible is False:
        pairs.append(("limits", "beyond a limit"))
    for name, said in (("cause", trial.cause), ("reason", trial.reason), ("origin", trial.origin)):
        if said:
            pairs.append((name, visible(said, SENTENCE)))
    if trial.seconds is not None:
        pairs.append(("seconds", f"{trial.seconds:.3g}"))
    if trial.solve is not None and trial.solve.p_feasible is not None:
        pairs.append(("chance to be within limits", f"{trial.solve.p_feasible:.2g}"))
    if trial.solve is not None and trial.solve.relative_gap is not None:
        pairs.append(("relative gap", f"{trial.solve.relative_gap:.2g}"))
    return block(f"Trial {trial.number}: {trial.state}", table((), _parts(trial.point)), facts(pairs, SENTENCE))
