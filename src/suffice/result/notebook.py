"""What a notebook shows of a study and of a trial: `_repr_html_`."""

import math
from collections import Counter
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from suffice.accuracy.series import Accuracy
from suffice.record.history import History
from suffice.record.trial import EVALUATED, SENTENCE, Trial, point_rows, shown_value
from suffice.result.diagnostics import stated
from suffice.result.findings import Finding, failures
from suffice.result.front import Front
from suffice.text import (
    block,
    facts,
    safe,
    short_point,
    table,
)
from suffice.types import Array, Indices

#| -- study.reading.curve: A small picture of how a run went: its values, the best so far, and where it failed, as SVG
#| written by hand.
#|
#| v     (n,)  values in the order of asking, nan where there is none        best  (n,)  the best so far, within all
#| limits
#| Values beyond a limit are rings. Of several objectives the picture has one line, the hypervolume of the front so
#| far.
#| It needs no library, is a few kilobytes whatever the length of the run, and has the colour of the text around it.

WIDTH, HEIGHT = 480, 170
LEFT, RIGHT, TOP, BOTTOM = 66, 10, 10, 26
DOTS, STEPS, MARKS = 250, 150, 60  # values, steps of the best one and failures that are drawn
ACCENT = "#2b8cc4"  # a blue that is told from light and from dark paper by more than 3 to 1
FAILED, BEYOND = "#d55e00", "#8a8a8a"  # marks of failed evaluations, and of those beyond a limit without a value
SHARE = 0.9  # of the values lie inside; those that are worse are at the edge, so that one does not flatten the rest
ORDERS = 1e3  # of positive values: a logarithmic scale


@dataclass(frozen=True)
class _Scale:
    """From values to heights in the picture: linear, or logarithmic, with the worst of them at the edge."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, values: Array, sign: float) -> "_Scale":
        """For these values, of which the larger (sign = 1) or the smaller (−1) are better."""
        known = values[~np.isnan(values)]
        best, edge = float((sign * known).max()) * sign, float(np.quantile(known, 1 - SHARE if sign > 0 else SHARE))
        low, high = min(best, edge), max(best, edge)
        log = bool(known.min() > 0.0 and high > ORDERS * low)
        if not high > low:
            high, low = low + (abs(low) or 1.0) / 2, low - (abs(low) or 1.0) / 2
        return cls(low, high, log)

    def height(self, values: Array) -> Array:
        """Places from the top, for values inside and at the edge for those outside; nan stays nan."""
        inside = np.clip(values, self.low, self.high)
        v, low, high = ((np.log(w) if self.log else np.asarray(w) / 2) for w in (inside, self.low, self.high))
        heights: Array = TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - (v - low) / (high - low))
        return heights


def curve(history: History) -> str:
    """The picture; "" where no trial has a value."""
    run = _hypervolumes(history) if history.settings.several else _values(history)
    if run is None:
        return ""
    n = len(run.values)
    known = run.values[run.inside] if np.any(run.inside & ~np.isnan(run.values)) else run.values
    if np.all(np.isnan(known)):
        known = np.zeros(1)  # nothing but marks is drawn
    scale = _Scale.of(known, run.sign)
    x, heights = LEFT + (WIDTH - LEFT - RIGHT) * (np.arange(n) + 0.5) / n, scale.height(run.values)
    none = np.isnan(run.values)
    parts = [
        _axes(scale, n, run.label),
        _marks(x[none & ~run.failed], BEYOND),
        _marks(x[run.failed], FAILED),
        _dots(x, heights, run.inside) if run.dots else "",
        _rings(x, heights, ~run.inside) if run.dots else "",
        _steps(x, scale.height(run.best)) if not np.all(np.isnan(run.best)) else "",
    ]
    return (
        f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'style="max-width:100%;height:auto" font-family="inherit" font-size="11" fill="currentColor">'
        f"<title>{escape(run.words)}</title>{''.join(parts)}</svg>"
    )


@dataclass(frozen=True)
class _Run:
    """What is drawn, a number for each evaluation."""

    values: Array  # (n,), nan where there is none
    best: Array  # (n,), the best so far; nan before there is one
    inside: NDArray[np.bool_]  # (n,), within all limits
    failed: NDArray[np.bool_]  # (n,)
    sign: float
    words: str
    label: str = "evaluations"
    dots: bool = True


def _values(history: History) -> _Run | None:
    """The values of the only objective, the best of those within all limits."""
    if not history.done:
        return None
    tried, failed = _tried(history)
    values = np.array([math.nan if trial.value is None else trial.value for trial in tried])
    inside, sign, n = np.array([bool(trial.feasible) for trial in tried]), history.settings.sign(), len(tried)
    good = np.where(inside, values, math.nan)
    best = sign * np.fmax.accumulate(sign * good)
    if np.isnan(best[-1]):
        words = f"{n} evaluations, none of them within all limits"
    else:
        reached = int(np.flatnonzero(good == best[-1])[0]) + 1
        words = f"{n} evaluations; the best value, {float(best[-1]):.6g}, came with number {reached}"
    return _Run(values, best, inside, failed, sign, words)


def _hypervolumes(history: History) -> _Run | None:
    """What the front of several objectives dominates."""
    if not history.feasible:
        return None
    front, (tried, failed) = Front(history), _tried(history)
    inside, volumes = np.array([bool(trial.feasible) for trial in tried]), front.hypervolume
    values = np.where(inside, volumes, math.nan)
    words = f"{len(tried)} evaluations; the front has {front}"
    return _Run(values, volumes, inside, failed, 1.0, words, "evaluations; hypervolume of the front", dots=False)


def _tried(history: History) -> tuple[list[Trial], NDArray[np.bool_]]:
    """The evaluated trials, and which of them failed."""
    tried = [trial for trial in history.trials if trial.state in EVALUATED]
    return tried, np.array([trial.state == "failed" for trial in tried], dtype=np.bool_)


def _axes(scale: _Scale, n: int, label: str) -> str:
    """The lowest and the highest value, and the number of the first and of the last evaluation."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    words = f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="currentColor" stroke-opacity="0.4"/>'
    for value, y in ((scale.high, TOP + 8), (scale.low, bottom)):
        words += f'<text x="{LEFT - 5}" y="{y}" text-anchor="end">{value:.3g}</text>'
    words += f'<text x="{LEFT}" y="{bottom + 15}">1</text>' if n > 1 else ""
    label += ", log scale" if scale.log else ""
    middle = (LEFT + right) // 2
    words += f'<text x="{middle}" y="{bottom + 15}" text-anchor="middle" fill-opacity="0.65">{label}</text>'
    return f'{words}<text x="{right}" y="{bottom + 15}" text-anchor="end">{n}</text>'


def _dots(x: Array, y: Array, which: NDArray[np.bool_]) -> str:
    """A dot for each value, or for evenly chosen ones of them."""
    rows = _some(np.flatnonzero(which & ~np.isnan(y)), DOTS)
    dots = "".join(f"M{x[i]:.1f} {y[i]:.1f}h0" for i in rows)  # a line of no length with round ends is a dot
    return f'<path d="{dots}" stroke="currentColor" stroke-opacity="0.45" stroke-width="4" stroke-linecap="round"/>'


def _rings(x: Array, y: Array, which: NDArray[np.bool_]) -> str:
    """A ring for each value beyond a limit, or for evenly chosen ones of them."""
    rows = _some(np.flatnonzero(which & ~np.isnan(y)), DOTS)
    rings = "".join(f"M{x[i] - 2:.1f} {y[i]:.1f}a2 2 0 1 1 4 0a2 2 0 1 1 -4 0" for i in rows)
    return f'<path d="{rings}" fill="none" stroke="currentColor" stroke-opacity="0.45"/>' if rings else ""


def _steps(x: Array, y: Array) -> str:
    """The best value so far, from the first value on, as steps."""
    first = int(np.argmax(~np.isnan(y)))
    changes = _some(np.flatnonzero(np.diff(y[first:], prepend=math.inf) != 0.0) + first, STEPS)
    way = "".join(f"H{x[i]:.1f}V{y[i]:.1f}" for i in changes[1:])
    line = f"M{x[first]:.1f} {y[first]:.1f}{way}H{WIDTH - RIGHT}"
    return f'<path d="{line}" fill="none" stroke="{ACCENT}" stroke-width="2"/>'


def _marks(x: Array, colour: str) -> str:
    """A short line below for each evaluation without a value, or for evenly chosen ones of them."""
    bottom = HEIGHT - BOTTOM
    marks = "".join(f"M{x[i]:.1f} {bottom}v-7" for i in _some(np.arange(len(x)), MARKS))
    return f'<path d="{marks}" stroke="{colour}" stroke-width="1.5"/>' if marks else ""


def _some(rows: Indices, most: int) -> Indices:
    """At most so many of the rows, the first and the last among them."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]


FINDINGS, SHOWN = 6, 6  # findings, and trials of a front, that are shown


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
            (
                f"trial {trial.number}",
                *(shown_value(trial.values.get(name)) for name in outputs),
                short_point(trial.point),
            )
            for trial in front.some(SHOWN)
        )
        title = f": a front of {n} trial{'s' * (n != 1)}, of {done} with values"
        return title, table(("", *outputs, "point"), rows)
    if best is None:
        return "", ""
    limited = ((name, shown_value(best.values[name])) for name in history.settings.constraints)
    return f": best value {best.value:.6g} of {done} {'value' if done == 1 else 'values'}", table(
        (), (*point_rows(best.point), *limited)
    )


def _findings(found: list[Finding], accuracy: Accuracy) -> str:
    """The verdict on the search and what is worth a remedy."""
    verdict = f'<p style="margin:0.3em 0">{safe(" ".join(accuracy.verdict), 1500)}</p>' if accuracy.verdict else ""
    rows = "".join(
        f"<li>{safe(finding.sentence, SENTENCE)} {safe(finding.remedy, SENTENCE)}</li>" for finding in found[:FINDINGS]
    )
    return verdict + (f'<ul style="margin:0.3em 0">{rows}</ul>' if rows else "")
