"""Findings about a run that its record alone shows, each with a remedy.

The search and the predictions of the model (`remedies`), the end of a search (`ended`), constraints (`infeasible`,
`idle`), failed evaluations (`failed`, `where_it_fails`), and the values themselves (`constant`, `far_off`, `budget`).
coverage.py has what was never tried, diagnostics.py what takes a fit of the model, and the list of all.

y       (n,)   values in the order of observation, larger is better
late    float  the fraction of the progress that the last fifth of the run made: (best of all − best before it) /
               (best of all − median of the first values), feasible ones only; of several objectives, the fraction of
               the hypervolume of the front
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import bdtrc

from suffice.accuracy.calibration import LEVEL, calibration
from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import exact_enough, exceeded, paragraph
from suffice.ask.models import outliers
from suffice.checks import short
from suffice.errors import SufficeError
from suffice.gp.transform import standardised
from suffice.record.history import History, rows
from suffice.record.settings import Settings, points_to_fit
from suffice.record.trial import EVALUATED, Trial
from suffice.result.exhausted import MANY, exhausted
from suffice.result.feasibility import counts, feasibility
from suffice.result.front import Front
from suffice.result.predict import without_noise
from suffice.solvers import Adaptive
from suffice.space import Choice, Float, Int, Listed, Parameter, active_coordinates
from suffice.text import LONG, ROWS, counted, safe, sentence, visible
from suffice.types import Coordinate, Status

Severity: TypeAlias = Literal["warning", "note"]
Trials: TypeAlias = Sequence[Trial]

WORTH = 0.1  # of the steps, of the trials or of the progress: a smaller part is not worth a remedy
CHANCE = 3  # values that are equal or averaged, failures of one option, points on one bound: fewer may be chance
FEWEST = 10  # values, or runs of an experiment: fewer show neither noise, nor late progress, nor a real difference
LAST = 0.2  # of the trials: where progress is still made there, more of them would make more


@dataclass(frozen=True)
class Finding:
    """A finding about a run, and what to do about it.

    Attributes
    ----------
    name : str
        The name of its kind, for programs.
    sentence : str
        What was found.
    remedy : str
        What to do about it.
    severity : {'warning', 'note'}
        A warning if the result may be wrong or could be better, else a note.
    brief : str
        Both in a few words, for the printed result; "" to use `sentence` and `remedy`.
    """

    name: str
    sentence: str
    remedy: str
    severity: Severity = "note"
    brief: str = ""

    def __str__(self) -> str:
        return paragraph(visible(f"- {self.sentence} {self.remedy}", 2 * LONG), indent="  ")


class Findings(tuple[Finding, ...]):
    """A tuple of findings, printed as sentences, warnings first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing was found that calls for a remedy."

    __str__ = __repr__

    def _repr_html_(self) -> str:
        if not self:
            return f"<p>{safe(repr(self), LONG)}</p>"
        items = (f"<li><b>{safe(found.sentence, LONG)}</b> {safe(found.remedy, LONG)}</li>" for found in self[:ROWS])
        return f'<ul style="margin:0.3em 0">{"".join(items)}</ul>'


# ---------------------------------------------------------------------- the search and the predictions


def remedies(settings: Settings, accuracy: Accuracy) -> tuple[Finding, ...]:
    """What is wrong with the search or with the model's predictions; nothing where nothing is."""
    outputs = (accuracy.objective, *accuracy.others)
    predictions = (_predictions(accuracy, name, len(outputs) > 1) for name in outputs)
    found = (_search(settings, accuracy), _limits(accuracy), *predictions)
    return tuple(finding for finding in found if finding is not None)


def overconfident(accuracy: Accuracy) -> frozenset[str]:
    """The outputs whose predictions were overconfident until the end, about which there is a warning."""
    outputs = (accuracy.objective, *accuracy.others)
    found = ((name, _predictions(accuracy, name, several=True)) for name in outputs)
    return frozenset(name for name, finding in found if finding is not None and finding.severity == "warning")


def _search(settings: Settings, accuracy: Accuracy) -> Finding | None:
    """Steps in which more may have been missed than the solver was allowed."""
    judged = [report for report in accuracy.reports if exact_enough(report) is not None]
    missed = [report for report in judged if not exact_enough(report)]
    if len(missed) <= WORTH * len(judged):
        return None
    cut = sum(report.status is Status.BUDGET for report in missed)
    why = f", {cut} of them because the budget ran out" if cut else ""
    if isinstance(settings.solver, Adaptive):
        remedy = "To let it search longer, raise solver=sf.solvers.Adaptive(cap=…) and ask without a deadline."
    else:
        remedy = "Use the default, solver=sf.solvers.Adaptive(), which searches until it is accurate enough."
    doubt = any(report.audited is None for report in missed)
    return Finding(
        "search",
        f"Acquisition maximization {'may have ' if doubt else ''}stopped too early in {len(missed)} of "
        f"{len(judged)} steps{why}.",
        f"Run sf.audit(result) to see what was missed. {remedy}" if doubt else remedy,
        "warning",
        f"choosing the next point {'may have ' if doubt else ''}stopped too early in {len(missed)} of {len(judged)} "
        "steps: see result.accuracy",
    )


def _limits(accuracy: Accuracy) -> Finding | None:
    """Upper bounds that audits exceed more often than their confidence allows."""
    audited = [report for report in accuracy.reports if exceeded(report) is not None and not report.taken]
    above = sum(map(bool, map(exceeded, audited)))
    if not above:
        return None
    nominal = 1.0 - min(report.confidence or 0.0 for report in audited)
    if float(bdtrc(above - 1, len(audited), nominal)) > LEVEL:
        return None
    return Finding(
        "limits",
        f"In {above} of {len(audited)} audited steps, the audit found a better point than the reported upper bound "
        "allows.",
        "Do not rely on the reported bounds. Where they matter, request proofs with "
        "diagnostics=sf.solvers.Diagnostics(proof_seconds=1.0), or use solver=sf.solvers.Adaptive().",
        "warning",
        f"{above} of {len(audited)} audits exceeded the reported upper bound: see result.accuracy",
    )


def _predictions(accuracy: Accuracy, name: str, several: bool) -> Finding | None:
    """A model whose predictions were overconfident; a warning if they still were in the second half of the run.

    A model that learns is wrong early. If its predictions stay overconfident, the objective varies in ways that the
    model has not learned, and the best point may not have been found.
    """
    z, of = accuracy.z_scores_of(name), f" of {visible(name)}" if several else ""
    what = f"The output {visible(name)}" if several else "The objective"
    own = "the standard deviations of result.predict" if several else "fun_recommended_sd and sf.RegretBelow"
    known = z[~np.isnan(z)]
    found, late = calibration(known), calibration(known[len(known) // 2 :])
    if found is None or late is None or found.judgement != "overconfident":
        return None
    out, out_late = (part.n - round(part.within * part.n) for part in (found, late))
    outside = f"{out} of {found.n} values lay outside their 90 % intervals"
    if late.judgement != "overconfident":
        return Finding(
            "predictions",
            f"The model's early predictions{of} were overconfident: {outside}, but only {out_late} of the last "
            f"{late.n}, which may be chance.",
            f"Later predictions were better, as far as so few values can show. Use {own} with care.",
            brief=f"early predictions{of} were overconfident: {out} of {found.n} values outside their 90 % intervals",
        )
    return Finding(
        "predictions",
        f"The model's predictions{of} are overconfident: {outside}, {out_late} of the last {late.n} among them.",
        f"{what} varies in ways that the model has not learned, so there may be better points: try more evaluations or "
        f"narrower bounds. Do not rely on {own}. A rougher kernel, model=sf.GP(kernel=sf.gp.Matern(1.5)), predicts "
        "wider intervals; if you know the noise, pass it as sf.GP(noise=…).",
        "warning",
        f"do not rely on error bars{of}: {outside}",
    )


def ended(history: History) -> Iterator[Finding]:
    """That no further improvement has been expected for some time."""
    found = exhausted(history)
    if found is None or not found.trials:
        return
    said = f"the model has expected no improvement since trial {found.since}"
    choices = any(isinstance(parameter, Choice) for parameter in history.settings.space.params.values())
    again = f"another seed{' or a larger n_initial' if choices else ''}"  # a model may have left out the best option
    if found.in_vain > MANY:
        remedy = (
            f"According to the models, the run could have stopped earlier: use fewer trials, or stop=sf.Exhausted(). "
            f"To check the models, run again with {again}."
        )
        brief = f"{said}: use fewer trials, or check with {again}"
    elif found.improved:
        remedy = "The models did not predict that, so more trials may still help."
        brief = f"{said}, yet trial {found.improved[-1]} improved: more trials may help"
    else:
        remedy = f"The models may be wrong: to check them, run again with {again}."
        brief = f"{said}: to check, use {again}"
    yield Finding("exhausted", str(found), remedy, brief=brief)


# ---------------------------------------------------------------------- constraints


def infeasible(history: History, prove: bool = False) -> Iterator[Finding]:
    """That no trial is feasible; prove: whether the models consider one possible, which takes fits."""
    if not history.settings.constraints or history.feasible or not history.done:
        return
    said = f"None of the {len(history.done)} evaluated points is feasible ({counts(history)})."
    impossible = False
    if prove:
        try:
            found = feasibility(history)
        except (SufficeError, TypeError):  # a model that the file could only describe
            pass
        else:
            said, impossible = str(found), found.impossible
    relax = "elax the constraint that is satisfied least often, or widen the space."
    where = "" if prove else "; result.diagnose() reports whether the models consider one possible"
    remedy = f"R{relax}" if impossible else f"More trials look for a feasible point first{where}. Otherwise, r{relax}"
    brief = f"no point satisfies every constraint ({counts(history)}): run more trials, or relax one"
    yield Finding("infeasible", said, remedy, "warning", brief)


def idle(history: History) -> Iterator[Finding]:
    """Constraints that were never close: the smallest margin is larger than the range of the values."""
    for name, limit in history.settings.constraints.items():
        y = history.observations(name).y / 2  # half, so that the largest of floats have a finite range
        if len(y) >= FEWEST and float(y.min()) - limit.sign * limit.limit / 2 >= float(np.ptp(y)):
            yield Finding(
                "limit",
                f"The constraint on {visible(name)}, {limit}, was never close: all {len(y)} values satisfy it, by more "
                "than they differ from each other.",
                "If that holds in the whole space, drop the constraint: choosing points is faster without it.",
            )


# ---------------------------------------------------------------------- failures


def failures(trials: Trials) -> str:
    """Such as "27 of 30 evaluations failed (25 raised, 2 timed out); the last: MemoryError"; "" if none failed."""
    failed = [trial for trial in trials if trial.state == "failed"]
    if not failed:
        return ""
    tried = sum(trial.state in EVALUATED for trial in trials)
    causes = Counter(trial.cause for trial in failed)
    split = f" ({', '.join(f'{n} {cause}' for cause, n in causes.most_common())})" if len(causes) > 1 else ""
    return f"{len(failed)} of {tried} evaluations failed{split}; the last: {reason_of(failed[-1])}"


def reason_of(trial: Trial) -> str:
    """Why a trial failed, in bounded length."""
    return sentence(trial.reason or "no reason given")


def is_failure(trials: Trials) -> bool:
    """Whether a run found no value, or more than half of its evaluations failed."""
    states = Counter(trial.state for trial in trials)
    return not states["done"] or states["failed"] > states["done"] + states["pruned"]


def failed(history: History) -> Iterator[Finding]:
    """That most evaluations failed, or all."""
    if history.failed and is_failure(history.trials):
        yield Finding(
            "failed",
            f"{failures(history.trials)}.",
            "Fix this first: `trial.traceback` of a failed trial shows where the error occurred. The quickest "
            "test is one evaluation by hand, f(result.trials[0].point).",
            "warning",
        )


def where_it_fails(history: History) -> tuple[Finding, ...]:
    """Options with which, and bounds beyond which, every evaluation failed."""
    space = history.settings.space
    if not history.failed or not history.done:
        return ()
    found: list[str] = []
    active = [active_coordinates(space, rows(trials, space.dim)) for trials in (history.failed, history.done)]
    for i, coordinate in enumerate(space.coordinates):
        parameter = space.params.get(coordinate.name)
        if not isinstance(parameter, Listed | Float | Int):
            continue
        failed, done = (  # a trial in which the parameter is inactive shows nothing about it
            [trial for trial, here in zip(trials, known[:, i].tolist(), strict=True) if here]
            for trials, known in zip((history.failed, history.done), active, strict=True)
        )
        if isinstance(parameter, Listed):
            found += _options(failed, done, coordinate, parameter)
        else:
            found += _sides(failed, done, coordinate, parameter)
    remedy = "If this is expected, exclude that part of the space, by its bounds or with `where=`."
    briefly = ((sentence, sentence.partition(" failed")[0]) for sentence in found)
    return tuple(
        Finding(
            "failures", sentence, remedy, brief=f"{start[:1].lower()}{start[1:]} failed: exclude them from the space"
        )
        for sentence, start in briefly
    )


def _options(bad: Trials, good: Trials, coordinate: Coordinate, choice: Listed) -> Iterator[str]:
    """The options of a choice that always failed: CHANCE times, or one fewer if that is hardly chance.

    The search avoids what failed, so there are often no more than two. If any evaluation could have failed, n given
    ones all do with probability C(|bad|, n) / C(|bad| + |good|, n), for each of the options.
    """

    def tally(trials: Trials) -> Counter[int]:
        return Counter(id(choice.from_unit(trial.unit[coordinate.columns])) for trial in trials)  # its very objects

    failed, done = tally(bad), tally(good)
    for option in choice.options:
        n = failed[id(option)]
        if done[id(option)] or n < CHANCE - 1:
            continue
        by_chance = len(choice.options) * math.comb(len(bad), n) / math.comb(len(bad) + len(good), n)
        if n >= CHANCE or by_chance <= LEVEL:
            yield f"All {n} evaluations with {visible(coordinate.name)}={short(option)} failed."


def _sides(bad: Trials, good: Trials, coordinate: Coordinate, parameter: Parameter) -> Iterator[str]:
    """Whether all failed beyond the largest value that ever worked, or the smallest, and most of the failures did."""
    if not good:
        return
    u, failed = (np.array([trial.unit[coordinate.start] for trial in trials]) for trials in (good, bad))
    for sign, word in ((1.0, "above"), (-1.0, "below")):
        last = u[np.argmax(sign * u)]
        n = int(np.count_nonzero(sign * failed > sign * last))
        if n >= CHANCE and 2 * n > len(failed):
            value = parameter.from_unit(np.array([last]))
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            name = visible(coordinate.name)
            yield f"All {n} evaluations with {name} {word} {shown} failed; most of the failures were there."


# ---------------------------------------------------------------------- the values themselves


def constant(history: History) -> Iterator[Finding]:
    """That an output has one value only."""
    settings = history.settings
    for name in settings.outputs:
        y = history.observations(name, measured=True).y
        if len(y) < CHANCE or y.min() != y.max() or settings.space.size <= 1:
            continue
        value = history.known(name, measured=True)[0].values[name]
        said = f"All {len(y)} values{of_output(name, settings)} are {value!r}, so"
        if name in settings.constraints:
            yield Finding(
                "constant",
                f"{said} nothing can be learned about its constraint, {settings.constraints[name]}.",
                "Check that the function computes it from its argument; otherwise drop the constraint.",
                brief=f"all {len(y)} values of {visible(name)} are {value!r}: check the function",
            )
        else:
            yield Finding(
                "constant",
                f"{said} no point is better than another.",
                "Check that the objective uses its argument, and does not return a default where it should raise; if "
                "the values are rounded, return more digits.",
                "warning",
                f"all {len(y)} values{of_output(name, settings)} are {value!r}: does the objective use its argument?",
            )


def set_aside(history: History) -> Iterator[Finding]:
    """Values that the model leaves out because all others contradict them."""
    settings = history.settings
    for name in settings.outputs:
        numbers = [history.trials[row].number for row in history.aside(name).tolist()]
        if not numbers:
            continue
        of, one = of_output(name, settings), len(numbers) == 1
        shown = ", ".join(map(str, numbers[:ROWS])) + (", …" if len(numbers) > ROWS else "")
        trials = f"trial{'' if one else 's'} {shown}"
        said = f"{counted(len(numbers), 'value')}{of} ({trials}) {'contradicts' if one else 'contradict'} all others, "
        said += f"and the model sets {'it' if one else 'them'} aside as {'an error' if one else 'errors'}."
        best = history.best is not None and name == settings.objective and history.best.number in numbers
        if best:
            said += " The best observed value is one of them." if not one else " It is the best observed value."
        yield Finding(
            "set aside",
            said,
            "If a value is a mistake, withdraw it (opt.withdraw), or measure the point again. If it is right, use "
            "model=sf.GP(robust=False).",
            "warning" if best else "note",  # of the others nothing is lost but what the model makes of them
            f"{trials}: all others contradict the value, so it is not used; measure again",
        )


def far_off(history: History) -> Iterator[Finding]:
    """Values that are so far from all others that they may be mistakes."""
    settings = history.settings
    for name in settings.outputs:
        data, sign, of = history.observations(name, measured=True), settings.sign(name), of_output(name, settings)
        if not len(data):
            continue
        kept = ~np.isin([t.number for t in history.known(name, measured=True)], history.aside(name))
        data = data.take(np.flatnonzero(kept))  # what the model sets aside is said already
        worse, better = outliers(data, standardised(data.y))
        if worse:
            values = f"1 value{of} is" if worse == 1 else f"{worse} values{of} are"
            yield Finding(
                "outliers",
                f"{values} far worse than all others (the worst {sign * float(data.y.min()):.3g}), and "
                f"the model clips {'it' if worse == 1 else 'them'}.",
                "If that stands for an evaluation that failed, return nan or raise sf.Infeasible instead.",
            )
        if better and name in settings.objectives:
            row = int(np.argmax(data.y))
            number = history.known(name, measured=True)[int(np.flatnonzero(kept)[row])].number
            yield Finding(
                "outliers",
                f"The best value{of}, {sign * float(data.y[row]):.3g} of trial {number}, is "
                "more than 1000 times further from the others than they are from each other.",
                "Evaluate the point again: if the value was a mistake, it has misled the run; start again with nan in "
                "its place.",
                "warning",
            )


def no_volume(history: History) -> Iterator[Finding]:
    """A front whose hypervolume has no float, because of the units of the objectives."""
    front = Front(history) if history.settings.several else None
    if front is None or not front.counted or 0.0 < front.hypervolume[-1] < math.inf:
        return
    size = "large" if front.hypervolume[-1] else "small"
    yield Finding(
        "hypervolume",
        f"The hypervolume of the front is too {size} for a float, although its points are valid.",
        f"Return the objectives in {'larger' if size == 'large' else 'smaller'} units, so that their values are "
        "between 1e-50 and 1e50.",
        "warning",
    )


def budget(history: History) -> Iterator[Finding]:
    """Too few evaluations for the number of parameters, or progress until the end."""
    settings, wanted = history.settings, points_to_fit(history.settings.space)
    n, D = len(history.known()), len(settings.space.coordinates)
    values = (history.observations(name, measured=True).y / 2 for name in settings.objectives)
    if not n or settings.space.size <= n or all(np.ptp(y) == 0.0 for y in values):
        return
    if n < wanted:
        yield Finding(
            "budget",
            f"{n} values are few for {counted(D, 'parameter')}: it takes {wanted} to estimate the effect of each.",
            "Run more trials, or drop parameters, so that the model can guide the search.",
            "warning",
        )
    elif n >= FEWEST and (late := late_volume(history) if settings.several else _late(history)) > WORTH:
        what = "its hypervolume" if settings.several else "its progress"
        given = "result.x_iters as x0= and result.func_vals as y0="
        if len(settings.outputs) > 1:
            given = "x0=[t.point for t in result.trials] and y0=[t.values for t in result.trials]"
        yield Finding(
            "budget",
            f"The run was still improving when it ended: {100 * late:.0f} % of {what} came in the last fifth of "
            "its trials.",
            f"Continue it with storage=…, or start a new one with {given}.",
            "warning",
        )


def _late(history: History) -> float:
    """Of the feasible values; 1 if the first of these came so late, 0 if noise may be all of it."""
    sign, (values, resolution) = history.settings.sign(), without_noise(history)
    known = [values.get(t.number, math.nan) if t.feasible else math.nan for t in history.done]
    y = sign * np.array(known) / 2  # its range is finite
    if np.isnan(y).all():
        return 0.0
    first = y[: max(2, history.settings.n_initial)]
    best = np.fmax.accumulate(y)
    before = best[_cut(len(y))]
    if np.isnan(before):
        return 1.0
    if best[-1] - before <= resolution / 2:
        return 0.0
    start = float(np.nanmedian(first)) if not np.isnan(first).all() else float(y[~np.isnan(y)][0])
    return _fraction(float(best[-1] - before), float(best[-1] - start))


def late_volume(history: History) -> float:
    """The fraction of the hypervolume that the last fifth of the evaluations added."""
    volume = Front(history).hypervolume
    if not len(volume):
        return 0.0
    return _fraction(float(volume[-1]) - float(volume[_cut(len(volume))]), float(volume[-1]))


def _fraction(part: float, whole: float) -> float:
    return part / whole if math.isfinite(whole) and whole > 0.0 else 0.0


def _cut(n: int) -> int:
    """The last of n trials that is not in the last fifth."""
    return max(0, math.ceil((1 - LAST) * n) - 1)


def of_output(name: str, settings: Settings) -> str:
    """ " of latency", where there are several outputs."""
    return "" if len(settings.outputs) == 1 else f" of {visible(name)}"
