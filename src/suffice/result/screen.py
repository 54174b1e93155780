"""The printed result: the answer, what matters and what to look at, on one screen.

At most LINES lines of WIDTH columns. Full precision is in the result's attributes, explanations are in `diagnose()`,
and the accuracy of choosing points is in `accuracy`: of that only what went wrong is printed.
"""

import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import numpy as np

from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import choosing_seconds, duration
from suffice.errors import SufficeError
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.record.trial import State, Trial
from suffice.result.diagnostics import RELEVANT, is_cheap, is_fitted, stated, without_effect
from suffice.result.feasibility import least_violated
from suffice.result.findings import failures, is_failure
from suffice.result.front import Front
from suffice.result.importance import Importance, importance
from suffice.result.predict import Noisy, answer_with_noise, is_random, tied
from suffice.space import Float
from suffice.text import counted, sentence, short_point, visible

LINES, WIDTH = 15, 88
LABEL = 14  # columns of the labels
SHOWN = 5  # trials of a front: enough to see its range
NAMED = 4  # parameters that matter most
FINE = 4  # decimal digits of a range: a finer difference of a parameter is rarely acted on
LISTED = 12  # values of a point: more do not fit on the screen
SHARED = 1.05  # of the variance, in all: less beyond 1 is rounding and the error of the estimates

CHOOSE = "result.pick(…) by your requirements, or result.knee() for a compromise"

HELD = "\u00a0%"  # a number and its unit stay in one line

Row = tuple[str, str]  # a label and what it is about; "" continues what is above


def screen(history: History, message: str, accuracy: Accuracy, choose: str = CHOOSE) -> str:
    """The lines of a result; choose: how to choose from a front."""
    lines = _lines([*_found(history, choose), *matters(history)])
    end = _lines([("run", _run(history, message, accuracy))], most=2)
    look = _look_at(look_at(history, accuracy), LINES - len(lines) - len(end))
    return "\n".join([*lines[: LINES - len(look) - len(end)], *look, *end])


def summary(history: History, accuracy: Accuracy) -> list[Row]:
    """The same as labels and texts, for a page: nothing is cut off."""
    found = [(label.strip() or "point", text) for label, text in _found(history)]
    look = [("look at", text) for text in look_at(history, accuracy)]
    return [*found, *matters(history), *look, ("run", _run(history, "", accuracy))]


def _lines(rows: Sequence[Row], most: int = 3) -> list[str]:
    """Rows as lines of bounded width, each row in at most so many."""
    found = []
    for label, text in rows:
        indent = " " * (LABEL if label else 2)
        found += textwrap.wrap(
            text.replace(" %", HELD),
            WIDTH,
            initial_indent=f"{visible(label):<{LABEL}}" if label else indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
            max_lines=most if label else 2 * most,  # a point has no label
            placeholder=" …",
        )
    return [line.replace(HELD, " %") for line in found]


# ---------------------------------------------------------------------- the answer


def _found(history: History, choose: str = CHOOSE) -> Iterator[Row]:
    """The answer, and what stood in its way."""
    yield from _answer(history, answer_with_noise(history), choose)
    yield from _constraints(history)
    yield from _failed(history)


def _answer(history: History, noisy: Noisy | None, choose: str) -> Iterator[Row]:
    """The best trial with its point, some of the front, or that there is none."""
    best, settings = history.best, history.settings
    if settings.several and history.feasible:
        yield from _front(history, choose)
    elif history.settings.constraints and history.done and not history.feasible:
        yield from _infeasible(history)
    elif best is None or best.value is None:
        yield "best seen", "nothing: no trial has a value"
    elif noisy is None:
        yield "best seen", f"{best.value:.6g}   trial {best.number}{tied(history)}"
        yield "", point_in_words(best.point, settings)
    else:
        use = noisy.recommended.trial
        known = is_random(history) or bool(np.any(history.observations(measured=True).noise_var > 0.0))
        are = "are" if known else "look"  # a model takes for noise what changes faster than it can follow
        seen, why = rounded(best.value, noisy.best.deviation), f"the values {are} noisy"
        if noisy.aside:
            seen, why = f"{best.value:.6g}", "all other values contradict the best one"
        yield (
            "best seen",
            f"{seen}   trial {best.number}, {'set aside as an error' if noisy.aside else 'including noise'}",
        )
        yield "recommended", f"{noisy.expected} (sd)   trial {use.number}; {why}: use this point"
        yield "", point_in_words(use.point, settings)


def _front(history: History, choose: str) -> Iterator[Row]:
    front = Front(history)
    yield "front", f"{front}"
    for trial in front.some(SHOWN):
        values = ", ".join(f"{visible(name)} {trial.values[name]:.4g}" for name in history.settings.objectives)
        text = f"{values}   {point_in_words(trial.point, history.settings)}"
        yield f"  trial {trial.number}", text if len(text) <= WIDTH - LABEL else f"{text[: WIDTH - LABEL - 2]} …"
    yield "choose", choose


def _infeasible(history: History) -> Iterator[Row]:
    """That no trial satisfies every constraint, and the one that comes closest."""
    yield "best seen", f"none: no trial of {len(history.done)} satisfies every constraint"
    closest = least_violated(history)
    if closest is not None:
        yield "closest", f"trial {closest.number}: {_constrained(history, closest) or 'no constrained output is known'}"
        yield "", point_in_words(closest.point, history.settings)


def _constraints(history: History) -> Iterator[Row]:
    """The constrained outputs at the best point, and how many trials are feasible."""
    if history.settings.constraints and history.feasible:
        said = [_constrained(history, history.best)] if history.best is not None else []
        yield (
            "constraints",
            "; ".join([*said, f"feasible: {len(history.feasible)} of {len(history.done)} trials with a value"]),
        )


def _constrained(history: History, trial: Trial) -> str:
    """The constrained outputs of a trial."""
    known = [(name, limit) for name, limit in history.settings.constraints.items() if name in trial.values]
    return "; ".join(f"{visible(name)} {trial.values[name]:.4g} ({limit})" for name, limit in known)


def _failed(history: History) -> Iterator[Row]:
    if failed := failures(history.trials):
        first = "; fix this first: see trial.traceback" if is_failure(history.trials) else ""
        yield "failed", f"{failed}{first}"


def point_in_words(point: Any, settings: Settings) -> str:
    """A point in readable digits: "rate 0.229, leaves 2", or "0.25, 0.75" if parameters have no names."""
    pairs = point_in_pairs(point, settings)
    if pairs is None:
        return short_point(point)
    named = isinstance(point, dict)
    parts = [f"{visible(name)} {value}" if named else value for name, value in pairs[:LISTED]]
    shown = ", ".join([*parts, *([f"… ({len(pairs)} in all)"] if len(pairs) > LISTED else [])])
    return shown if named else f"[{shown}]"


def point_in_pairs(point: Any, settings: Settings) -> list[tuple[str, str]] | None:
    """The names and the values, in readable digits; None if the point is not made of the space's parameters."""
    params = settings.space.params
    if isinstance(point, np.ndarray) and point.ndim == 1:
        point = point.tolist()
    if isinstance(point, list | tuple) and len(point) == len(params):
        point = dict(zip(params, point, strict=True))
    if not isinstance(point, dict):
        return None
    return [(name, value_in_words(value, params.get(name))) for name, value in point.items()]


def value_in_words(value: Any, parameter: Any) -> str:
    """A value, a real one with as many digits as make a difference in its range."""
    if not isinstance(value, float):
        return visible(value if isinstance(value, str) and value.strip() else repr(value))
    if isinstance(parameter, Float) and not parameter.log and 0.0 < parameter.high - parameter.low < math.inf:
        decimals = FINE - math.ceil(math.log10(parameter.high - parameter.low))
        return f"{round(value, decimals) + 0.0:.12g}"  # 0, not −0
    return f"{value:.4g}"


def rounded(value: float, deviation: float) -> str:
    """A noisy value, with no more digits than its standard deviation leaves."""
    if not deviation > 0.0 or not math.isfinite(deviation):
        return f"{value:.6g}"
    return f"{round(value, 1 - math.floor(math.log10(deviation))) + 0.0:.12g}"


# ---------------------------------------------------------------------- what matters


def matters(history: History) -> Iterator[Row]:
    """The parameters that matter most and those without effect, where a model is cheap and sees the difference."""
    settings = history.settings
    objectives = tuple(settings.objectives)
    if len(settings.space.coordinates) < 2 or not is_fitted(history) or not is_cheap(history):
        return
    try:
        found = {name: importance(history, name) for name in objectives}
    except (SufficeError, TypeError):  # no value, or a space or a model that a file could only describe
        return
    said = [f"{f'{visible(name)}: ' if len(objectives) > 1 else ''}{_most(known)}" for name, known in found.items()]
    if any(known.total.sum() > SHARED and is_clear(known) for known in found.values()):
        said.append("above 100 % because of interactions")
    if idle := [visible(name) for name in without_effect(history)]:
        said.append(f"no effect: {', '.join(idle)}")
    yield "matters most", "; ".join(said)


def _most(found: Importance) -> str:
    if not is_clear(found):
        return "not clear yet: the model is too uncertain; run more trials, or average out noise"
    pairs = zip(found.names[:NAMED], found.total.tolist(), strict=False)
    shown = [f"{visible(name)} {100.0 * share:.0f} %" for name, share in pairs if share >= RELEVANT]
    return ", ".join(shown) or "nothing"


def is_clear(found: Importance) -> bool:
    """Whether the model is sure enough for its importances to be about the objective."""
    return found.deviation == 0.0 or found.deviation > found.uncertainty


# ---------------------------------------------------------------------- what to look at, and the run


def look_at(history: History, accuracy: Accuracy) -> list[str]:
    """Findings in a few words, warnings first; not that a bad value was set aside, which changes nothing here."""
    found = sorted(stated(history, accuracy), key=lambda finding: finding.severity != "warning")
    found = [one for one in found if one.name != "set aside" or one.severity == "warning"]
    return [sentence(one.brief or f"{one.sentence} {one.remedy}") for one in found]


def _look_at(texts: Sequence[str], room: int) -> list[str]:
    """As many of them as there is room for, and how many are left."""
    lines: list[str] = []
    for i, text in enumerate(texts):
        label, left = " " if i else "look at", len(texts) - i
        more = _lines([(label, text)], most=2)
        if len(lines) + len(more) + (left > 1) > max(room, 1):
            return [*lines, *_lines([(label, f"{counted(left, 'finding')} more: print(result.diagnose())")])]
        lines += more
    return lines


def _run(history: History, message: str, accuracy: Accuracy) -> str:
    """Why it ended, how many trials there are, and what they took."""
    states = Counter(trial.state for trial in history.trials)
    said = (f"{states[word]} {'with a value' if word == 'done' else word}" for word in get_args(State) if states[word])
    counts = [] if set(states) <= {"done"} else [*said]
    trials = counted(len(history.trials), "trial")
    why = re.split("; (?=none of the |no trial has a value)", message)[0]  # the rest is the answer, above
    why = why.replace(failures(history.trials) or "\n", "").rstrip(" ,;:")  # so are failures
    if f" {trials} " not in f" {why} ":
        why = f"{trials}, {why}" if why else trials
    return "; ".join([*([", ".join([why, *counts])]), *_seconds(accuracy), f"seed {history.settings.seed}"])


def _seconds(accuracy: Accuracy) -> Iterator[str]:
    chosen, evaluated = choosing_seconds(accuracy.reports), accuracy.evaluation_seconds
    if evaluated is not None and chosen > 0.0:
        yield f"{duration(chosen + evaluated)}, choosing points {duration(chosen)} of it"
    elif chosen > 0.0:
        yield f"choosing points took {duration(chosen)}"
