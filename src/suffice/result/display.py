"""What a person sees of a study: the printed result, the overview of `suffice show`, and the HTML of a notebook.

All three have the answer first, then how far it can be trusted, and what to do about it (diagnostics.py).

v     (n,)  values in the order of asking, nan where there is none        best  (n,)  the best feasible value so far
"""

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import paragraph
from suffice.record.history import History
from suffice.record.outputs import in_words
from suffice.record.settings import Opaque, Settings
from suffice.record.trial import EVALUATED, Trial, point_rows, shown_value
from suffice.result.diagnostics import stated
from suffice.result.findings import failures, reason_of
from suffice.result.front import Front
from suffice.result.predict import Noisy, answer_with_noise, tied
from suffice.result.screen import CHOOSE, matters, point_in_pairs, point_in_words, screen
from suffice.space import AbsentSpace, Listed, SearchSpace, Space
from suffice.space.constraints import text
from suffice.space.pool import ADDRESS
from suffice.text import ROWS, block, counted, facts, name, number, sentence, table, visible
from suffice.text import brief as brief_of
from suffice.types import Array, Indices

ORIGINS = {  # of points, in words
    "model": "chosen by the model",
    "polish": "refining the best point",
    "design": "in the initial design",
    "given": "given in x0",
    "foreign": "evaluated elsewhere",
}
SHOWN = 5  # trials of a front, best ones and pending ones: enough to recognize a study
WHOLE = 100  # values of a point that is printed whole
WIDTH, HEIGHT, LEFT = 480, 150, 66  # pixels of the picture, and of the room for its labels
DRAWN = 150  # marks of a kind: the picture has a few kilobytes, however long the run
ACCENT, VERMILION = "#2b8cc4", "#D55E00"  # on light and on dark paper, with a contrast of more than 3 to 1
MOST = 0.9  # of the values lie inside; those that are worse are at the edge, so that one does not flatten the rest


# ---------------------------------------------------------------------- a study in print


def overview(history: History, accuracy: Accuracy, choose: str = CHOOSE) -> str:
    """A study in lines of text; choose: how to choose from its front."""
    parts = (_trials, _best, _pending, _space, _settings)
    blocks = [[screen(history, "", accuracy, choose)], *(block for part in parts if (block := list(part(history))))]
    if findings := stated(history, accuracy):
        blocks.append(["Findings", *map(str, findings)])
    if history.notes:
        blocks.append(["Notes", *(paragraph(f"- {sentence(note)}", "  ") for note in history.notes)])
    return "\n\n".join("\n".join(block) for block in blocks)


def brief(part: Any) -> str:
    """A part with those of its settings that are not the default, or what a file says about it; no addresses."""
    if isinstance(part, Opaque):
        return ADDRESS.sub("", f"{sentence(part.text)} (a custom part: the file has only its text)")
    return ADDRESS.sub("", brief_of(part))


def described(space: SearchSpace) -> str:
    """A space that is not made of parameters, in words."""
    known = f"{space.text}, known only by its description" if isinstance(space, AbsentSpace) else repr(space)
    return ADDRESS.sub("", sentence(known))


def settings_facts(given: Settings) -> list[tuple[str, str, str]]:
    """What a study is made of, but for its parameters: the argument, what it is called in a page, and what it was."""
    facts = [("objectives" if given.several else "direction", "Direction", sentence(given.aims))]
    facts += [("constraint", "Constraint", f"{name(output)} {limit}") for output, limit in given.constraints.items()]
    if given.reference is not None:
        said = ", ".join(f"{name(output)} {number(worst)}" for output, worst in given.reference.items())
        facts.append(("reference", "Reference point", said))
    facts += [("seed", "Seed", str(given.seed)), ("n_initial", "Points of the initial design", str(given.n_initial))]
    parts = ("model", "acquisition", "solver", *(["pruner"] if given.pruner is not None else []))
    facts += [(word, word.capitalize(), sentence(brief(getattr(given, word)))) for word in parts]
    facts += [("x0", "Points given in x0", str(len(given.x0)))] if given.x0 else []
    facts += [("repeat", "A point may be evaluated twice", "yes")] if given.repeat else []
    facts += [("resolution", "Differences that do not matter", number(given.resolution))] if given.resolution else []
    checks = [
        ("audit", "Fraction of audited steps", given.diagnostics.audit),
        ("proof_seconds", "Seconds for each proof", given.diagnostics.proof_seconds),
        ("proof_fraction", "Time for proofs, as a fraction of an evaluation", given.diagnostics.proof_fraction),
    ]
    facts += [(word, label, number(value)) for word, label, value in checks if value]
    where = given.space.where if isinstance(given.space, Space) else ()
    return facts + [("where", "Constraint on parameters", sentence(text(predicate))) for predicate in where]


def _space(history: History) -> Iterator[str]:
    space = history.settings.space
    yield "Space"
    if not space.params:
        yield f"  {described(space)}"
        return
    width = max(map(len, map(visible, space.params)))
    for part, parameter in list(space.params.items())[:ROWS]:
        said = repr(parameter) if isinstance(parameter, Listed) else brief(parameter)
        yield f"  {visible(part):<{width}}  {sentence(said)}"
    if len(space.params) > ROWS:
        yield f"  … and {len(space.params) - ROWS} more"


def _settings(history: History) -> Iterator[str]:
    yield "Settings"
    yield from (f"  {word:<11}  {said}" for word, _, said in settings_facts(history.settings))


def _trials(history: History) -> Iterator[str]:
    """How many there are of each state, where their points came from, and why some failed."""
    yield "Trials"
    if not history.trials:
        yield "  none yet"
        return
    states: Counter[str] = Counter(trial.state for trial in history.trials)
    origins: Counter[str] = Counter(trial.origin for trial in history.trials)
    yield f"  {len(history.trials)}: {_counts(states, ('done', 'failed', 'pruned', 'pending', 'cancelled'))}"
    yield f"  origin: {', '.join(f'{origins[word]} {said}' for word, said in ORIGINS.items() if origins[word])}"
    if history.settings.constraints and history.done:
        yield f"  feasible: {len(history.feasible)} of {len(history.done)} with a value"
    if history.failed:
        causes = Counter(trial.cause or "failed" for trial in history.failed)
        last = max(history.failed, key=lambda trial: trial.order or 0)
        yield f"  failures by cause: {', '.join(f'{cause} {count}' for cause, count in causes.most_common())}"
        yield f"  the last one, trial {last.number}: {reason_of(last)}"


def _counts(counted: Mapping[str, int], order: Sequence[str]) -> str:
    return ", ".join(f"{word} {counted[word]}" for word in order if counted[word])


def _best(history: History) -> Iterator[str]:
    """The best trials, or some of the front."""
    if history.settings.several and history.feasible:
        front = Front(history)
        yield f"Front: {front}"
        yield from _listed(front.some(SHOWN))
    elif history.best is not None:
        sign, noisy = history.settings.sign(), answer_with_noise(history)
        included = "errors" if noisy is not None and noisy.aside else "noise"
        yield "Best" if noisy is None else f"Best seen, including {included}"
        yield from _listed(heapq.nlargest(SHOWN, history.feasible, key=lambda t: (sign * (t.value or 0.0), -t.number)))


def _pending(history: History) -> Iterator[str]:
    if history.pending:
        yield f"Pending: {len(history.pending)}"
        yield from _listed(history.pending[:SHOWN])
        if len(history.pending) > SHOWN:
            yield f"  … and {len(history.pending) - SHOWN} more"


def _listed(trials: Sequence[Trial]) -> Iterator[str]:
    values = [in_words(trial.values) if trial.values else "" for trial in trials]
    wide, high = max(len(str(trial.number)) for trial in trials), max(map(len, values))
    for trial, value in zip(trials, values, strict=True):
        start = f"  trial {trial.number:<{wide}}  {value:<{high}}{'  ' if high else ''}"
        yield paragraph(start + _point(trial.point), " " * len(start))


def _point(point: Any) -> str:
    if isinstance(point, Mapping):
        return ", ".join(f"{visible(name)}={_value(value)}" for name, value in point.items())
    if isinstance(point, np.ndarray) and point.ndim == 1:
        point = point.tolist()
    if isinstance(point, list | tuple):
        return "[" + ", ".join(map(_value, point)) + "]"
    return _value(point)


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else visible(repr(value))


# ---------------------------------------------------------------------- a study in a notebook


def study_html(history: History, title: str, message: str = "", accuracy: Accuracy | None = None) -> str:
    """The best point or the front, the way to it, and what the record alone shows about how far it can be trusted."""
    settings = history.settings
    states = Counter(trial.state for trial in history.trials)
    trials = ", ".join(f"{n} {state}" for state, n in states.items()) or "none yet"
    pairs = [("trials", trials), ("aim" if settings.several else "direction", settings.aims)]
    if settings.constraints:
        limits = ", ".join(f"{name} {limit}" for name, limit in settings.constraints.items())
        pairs += [("constraints", limits), ("feasible", f"{len(history.feasible)} of {len(history.done)}")]
    if message:
        pairs.append(("message", message))
    if history.failed and failures(history.trials) not in message:
        pairs.append(("failures", failures(history.trials)))
    pairs.append(("seed", str(settings.seed)))
    noisy = answer_with_noise(history)
    if noisy is not None:
        pairs.insert(
            0, ("best seen", f"{noisy.best.trial.value:.6g}, trial {noisy.best.trial.number}, including noise")
        )
    if accuracy is not None:
        pairs += [(label, text) for label, text in matters(history)]
    found, answer = _answer(history, noisy)
    parts = [answer, curve(history), facts(pairs)]
    if accuracy is not None and (findings := stated(history, accuracy)):
        parts.append(findings._repr_html_())
    return block(f"{title}{found}", *parts)


def _answer(history: History, noisy: Noisy | None) -> tuple[str, str]:
    """What was found, as the end of a title and as a table; nothing where there is none."""
    done, best, settings = len(history.done), history.best, history.settings
    outputs = settings.outputs
    if settings.several and history.feasible:
        front = Front(history)
        title = f": a front of {counted(len(front.trials), 'trial')}, of {done} with values"
        rows = (
            (
                f"trial {t.number}",
                *(shown_value(t.values.get(name)) for name in outputs),
                point_in_words(t.point, settings),
            )
            for t in front.some(SHOWN)
        )
        return title, table(("", *outputs, "point"), rows)
    if best is None:
        return "", ""
    if noisy is not None:
        use = noisy.recommended.trial
        return f": recommended {noisy.expected} (sd), trial {use.number}", table((), _point_rows(use, settings))
    limited = ((name, shown_value(best.values[name])) for name in settings.constraints)
    which = f"trial {best.number} of {counted(done, 'value')}{tied(history)}"
    return f": best seen {best.value:.6g}, {which}", table((), (*_point_rows(best, settings), *limited))


def _point_rows(trial: Trial, settings: Settings) -> list[tuple[str, str]]:
    """The point of a trial in readable digits, a row for each parameter."""
    pairs = point_in_pairs(trial.point, settings)
    return list(point_rows(trial.point)) if pairs is None else pairs


def curve(history: History) -> str:
    """A small SVG picture of the values and the best so far; "" where no trial has a value.

    Dots are values, rings infeasible ones, short lines below are evaluations without a value, the line is the best so
    far. Of several objectives there is only the line, the hypervolume of the front.
    """
    tried = [trial for trial in history.trials if trial.state in EVALUATED]
    n, sign, several = len(tried), history.settings.sign(), history.settings.several
    if not (history.feasible if several else history.done):
        return ""
    inside = np.array([bool(trial.feasible) for trial in tried])
    failed = np.array([trial.state == "failed" for trial in tried])
    if several:
        front, sign = Front(history), 1.0
        best = np.where(np.isfinite(front.hypervolume), front.hypervolume, math.nan)  # no float is as large
        v, label = np.where(inside, best, math.nan), "trial; hypervolume of the front"
        words = f"{n} evaluations; the front has {front}"
    else:
        v, label = np.array([math.nan if trial.value is None else trial.value for trial in tried]), "trial"
        best = sign * np.fmax.accumulate(sign * np.where(inside, v, math.nan))
        words = f"{n} evaluations, none of them feasible"
        if not np.isnan(best[-1]):
            first = tried[int(np.flatnonzero(best == best[-1])[0])]
            words = f"{n} evaluations; the best value, {float(best[-1]):.6g}, is that of trial {first.number}"
    low, high = _range(v[inside] if np.any(inside & ~np.isnan(v)) else v, sign)
    x = LEFT + (WIDTH - LEFT) * (np.arange(n) + 0.5) / n

    def height(values: Array) -> Array:  # halves: the largest of floats have a finite range
        return (HEIGHT - 20) * (1.0 - (np.clip(values, low, high) / 2 - low / 2) / (high / 2 - low / 2)) + 4

    y, none = height(v), np.isnan(v)
    dots = "" if several else "".join(f"M{x[i]:.1f} {y[i]:.1f}h0" for i in _some(inside & ~none))
    rings = (
        ""
        if several
        else "".join(f"M{x[i] - 2:.1f} {y[i]:.1f}a2 2 0 1 1 4 0a2 2 0 1 1 -4 0" for i in _some(~inside & ~none))
    )
    lost, beyond = ("".join(f"M{x[i]:.1f} {HEIGHT - 14}v-7" for i in _some(kind)) for kind in (failed, none & ~failed))
    parts = [
        f'<path d="{dots}" stroke="currentColor" stroke-opacity="0.45" stroke-width="4" stroke-linecap="round"/>',
        f'<path d="{rings}" fill="none" stroke="currentColor" stroke-opacity="0.45"/>',
        f'<path d="{lost}" stroke="{VERMILION}"/>',
        f'<path d="{beyond}" stroke="currentColor" stroke-opacity="0.45"/>',
        f'<path d="{_steps(x, height(best))}" fill="none" stroke="{ACCENT}" stroke-width="2"/>',
        f'<text y="12">{high:.3g}</text><text y="{HEIGHT - 14}">{low:.3g}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 2}">{tried[0].number}</text>',
        f'<text x="{WIDTH}" y="{HEIGHT - 2}" text-anchor="end">{tried[-1].number}</text>',
        f'<text x="{(LEFT + WIDTH) // 2}" y="{HEIGHT - 2}" text-anchor="middle" fill-opacity="0.65">{label}</text>',
    ]
    empty = 'd=""'
    return (
        f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" style="max-width:100%;height:auto" '
        f'font-family="inherit" font-size="11" fill="currentColor"><title>{escape(words)}</title>'
        f"{''.join(part for part in parts if empty not in part)}</svg>"
    )


def _range(values: Array, sign: float) -> tuple[float, float]:
    """From the best value to the quantile MOST of the others; around a value that is the only one."""
    known = values[~np.isnan(values)] if not np.isnan(values).all() else np.zeros(1)
    low, high = sorted((float((sign * known).max()) * sign, float(np.quantile(known, MOST if sign < 0 else 1 - MOST))))
    if high > low:
        return low, high
    return low - (abs(low) or 1.0) / 2, low + (abs(low) or 1.0) / 2


def _steps(x: Array, y: Array) -> str:
    """The best value so far, from the first value on; "" where there is none."""
    rows = _some((np.diff(y, prepend=math.nan) != 0.0) & ~np.isnan(y))
    way = "".join(f"H{x[i]:.1f}V{y[i]:.1f}" for i in rows[1:])
    return f"M{x[rows[0]]:.1f} {y[rows[0]]:.1f}{way}H{WIDTH}" if len(rows) else ""


def _some(which: NDArray[np.bool_]) -> Indices:
    """At most DRAWN of the rows, the first and the last among them."""
    rows = np.flatnonzero(which)
    return rows if len(rows) <= DRAWN else rows[np.linspace(0, len(rows) - 1, DRAWN).astype(np.intp)]
