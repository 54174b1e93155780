"""One thing that was found out about a run, in words: what an audit found about its steps is in audited.py."""

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
from suffice.result.feasibility import feasibility, satisfied
from suffice.result.front import Front
from suffice.solvers import Enough
from suffice.space import Float, Int, Listed, Parameter, active_coordinates
from suffice.text import safe, visible
from suffice.types import Coordinate, Status

LONGEST = 2000  # letters of a finding in print

Severity: TypeAlias = Literal["warning", "note"]


@dataclass(frozen=True)
class Finding:
    """What is true about a run, and what to do about it.

    Attributes
    ----------
    name : str
        Of the kind, by which a program tells findings apart.
    sentence : str
        What is true.
    remedy : str
        What to do about it.
    severity : {'warning', 'note'}
        A warning: the answer may be wrong, or could be better. A note: worth knowing.
    """

    name: str
    sentence: str
    remedy: str
    severity: Severity = "note"

    def __str__(self) -> str:
        """In lines, in which nothing steers a terminal, whatever a parameter or an option is called."""
        return paragraph(visible(f"- {self.sentence} {self.remedy}", LONGEST), indent="  ")


class Findings(tuple[Finding, ...]):
    """A tuple of findings that prints itself as sentences, the warnings first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing was found that calls for a remedy."

    __str__ = __repr__

    def _repr_html_(self) -> str:
        if not self:
            return f"<p>{safe(repr(self), 200)}</p>"
        rows = (f"<li><b>{safe(finding.sentence, 1000)}</b> {safe(finding.remedy, 1000)}</li>" for finding in self[:20])
        return f"<ul>{''.join(rows)}</ul>"


#| -- study.remedies: What to do where the accuracy of a run is not what it should be: findings, each with its remedy.

# Of the steps. Searches that are all a little inexact have not been seen to cost regret; a few that are do not matter.
FEW = 0.1


def remedies(settings: Settings, accuracy: Accuracy) -> tuple[Finding, ...]:
    """What is wrong with the search or with the model's predictions; nothing where nothing is."""
    outputs = (accuracy.objective, *accuracy.others)
    predictions = (_predictions(accuracy, name, len(outputs) > 1) for name in outputs)
    found = (_search(settings, accuracy), _limits(accuracy), *predictions)
    return tuple(finding for finding in found if finding is not None)


def surprised(accuracy: Accuracy) -> frozenset[str]:
    """The outputs by which the model was surprised too often until the end, of which the user is told."""
    outputs = (accuracy.objective, *accuracy.others)
    found = ((name, _predictions(accuracy, name, several=True)) for name in outputs)
    return frozenset(name for name, finding in found if finding is not None and finding.severity == "warning")


def _search(settings: Settings, accuracy: Accuracy) -> Finding | None:
    """Steps in which more may have been missed than the solver was allowed."""
    judged = [report for report in accuracy.reports if exact_enough(report) is not None]
    missed = [report for report in judged if not exact_enough(report)]
    if len(missed) <= FEW * len(judged):
        return None
    cut = sum(report.status is Status.BUDGET for report in missed)
    why = f", in {cut} of them because its budget was used up" if cut else ""
    if isinstance(settings.solver, Enough):
        remedy = "A larger cap, solver=sf.Enough(cap=…), and asks without a deadline let it search longer."
    else:
        remedy = "The default, solver=sf.Enough(), searches until it is exact enough."
    doubt = any(report.audited is None for report in missed)
    return Finding(
        "search",
        f"The search for the next point {'may have ' if doubt else ''}stopped too early in {len(missed)} of "
        f"{len(judged)} steps{why}.",
        f"To see what was really missed, look at sf.audit(result). {remedy}" if doubt else remedy,
        "warning",
    )


def _limits(accuracy: Accuracy) -> Finding | None:
    """Upper limits that audits exceed more often than their confidence allows."""
    audited = [report for report in accuracy.reports if exceeded(report) is not None and not report.taken]
    above = sum(map(bool, map(exceeded, audited)))
    if not above:
        return None
    nominal = 1.0 - min(report.confidence or 0.0 for report in audited)
    if float(bdtrc(above - 1, len(audited), nominal)) > LEVEL:
        return None
    return Finding(
        "limits",
        f"In {above} of {len(audited)} audited steps a better point was found than the reports had thought possible.",
        "Do not rely on what they say was missed at most; where it matters, ask for proofs with certify=1.0 or take "
        "solver=sf.Enough().",
        "warning",
    )


def _predictions(accuracy: Accuracy, name: str, several: bool) -> Finding | None:
    """A model that was surprised too often; a warning if it still was in the second half of the run.

    Of a model that learns, early surprises are to be expected. Those that go on say that the objective has more to it
    than the model knows, so that the best point may not have been found.
    """
    z, of = accuracy.z_scores_of(name), f" by {visible(name)}" if several else ""
    what = f"The output {visible(name)}" if several else "The objective"
    own = "those of result.predict" if several else "fun_recommended_sd and those behind sf.RegretBelow"
    known = z[~np.isnan(z)]
    found, late = calibration(known), calibration(known[len(known) // 2 :])
    if found is None or late is None or found.judgement != "too sure":
        return None
    out, out_late = (part.n - round(part.within * part.n) for part in (found, late))
    limits = "limits that 10 % should miss"
    if late.judgement != "too sure":
        return Finding(
            "predictions",
            f"The model was surprised too often{of} at first: {out} of {found.n} values lay outside {limits}, but only "
            f"{out_late} of the last {late.n}, which may be chance.",
            f"It has learned since, as far as these can show. Take its own deviations, such as {own}, with care.",
        )
    return Finding(
        "predictions",
        f"The model was surprised too often{of}, until the end: {out} of {found.n} values lay outside {limits}, and "
        f"{out_late} of the last {late.n}.",
        f"{what} has more to it than the model has learned, so that there may be better points: more evaluations or "
        f"narrower bounds would tell. Do not rely on the model's own deviations, such as {own}. A model of rougher "
        "functions, model=sf.GP(kernel=sf.Matern(1.5)), is less sure; known noise is told by sf.GP(noise=…).",
        "warning",
    )


#| -- study.reading.limits: What the limits of a run did: that no point satisfies them all, or that one of them never
#| mattered.
#|
#| margin  (n,)  how far each value of a limited output is inside its limit, in its units; negative beyond it
#| spread  float the largest − the smallest of these values

FEWEST = 10  # values from which one can tell that a limit is far away everywhere


def infeasible(history: History, prove: bool = False) -> Iterator[Finding]:
    """That no trial is within all limits; prove: whether the models hold one possible, which takes fits."""
    if not history.settings.constraints or history.feasible or not history.done:
        return
    said, impossible = _counted(history), False
    if prove:
        try:
            found = feasibility(history)
        except (SufficeError, TypeError):  # a model that the file could only describe
            pass
        else:
            said, impossible = str(found), found.impossible
    relax = "elax the limit that is satisfied the least often, or widen the space."
    where = "" if prove else "; result.check() says whether the models hold one possible"
    remedy = f"R{relax}" if impossible else f"More evaluations look for such a point first{where}. Else r{relax}"
    yield Finding("infeasible", said, remedy, "warning")


def _counted(history: History) -> str:
    counts = ", ".join(f"{visible(name)} in {n}" for name, n in satisfied(history).items())
    return f"None of the {len(history.done)} evaluated points is within all limits ({counts})."


def idle(history: History) -> Iterator[Finding]:
    """Limits that were never near."""
    for name, limit in history.settings.constraints.items():
        y = history.observations(name).y / 2  # larger is better, and the largest of floats have a finite spread
        if len(y) < FEWEST:
            continue
        margin = float(y.min()) - limit.sign * limit.limit / 2
        if margin >= 0.0 and margin >= float(np.ptp(y)):
            yield Finding(
                "limit",
                f"The limit of {visible(name)}, {limit}, is far away: all {len(y)} values are inside it, by more than "
                "they differ from each other.",
                "If that is true of the whole space, leave the constraint out, and the runs decide faster.",
            )


#| -- study.failures: What failed in a run, in sentences: how many evaluations, why, and where.

Trials: TypeAlias = Sequence[Trial]

REASON = 200  # letters of a reason
ALWAYS = 3  # evaluations of one option, or beyond one value, that all failed: fewer may be chance
TWICE = 2  # evaluations of an option: since the search stays away from what failed, there are often no more


def failures(trials: Trials) -> str:
    """Such as "27 of 30 evaluations failed (25 raised, 2 timed out); the last: MemoryError"; "" if none failed."""
    failed = [trial for trial in trials if trial.state == "failed"]
    if not failed:
        return ""
    tried = sum(trial.state in EVALUATED for trial in trials)
    causes = Counter(trial.cause for trial in failed)
    split = f" ({', '.join(f'{n} {cause}' for cause, n in causes.most_common())})" if len(causes) > 1 else ""
    last = visible(failed[-1].reason or "no reason given", REASON)
    return f"{len(failed)} of {tried} evaluations failed{split}; the last: {last}"


def is_failure(trials: Trials) -> bool:
    """Whether a run is none that one would call a success: it found no value, or more than half of it failed."""
    states = Counter(trial.state for trial in trials)
    return not states["done"] or states["failed"] > states["done"] + states["stopped"]


def where_it_fails(history: History) -> tuple[Finding, ...]:
    """Options with which, and bounds beyond which, every evaluation failed."""
    space = history.settings.space
    found: list[str] = []
    if not history.failed or not history.done:
        return ()
    active = [active_coordinates(space, rows(trials, space.dim)) for trials in (history.failed, history.done)]
    for i, coordinate in enumerate(space.coordinates):
        parameter = space.params.get(coordinate.name)
        said = _options if isinstance(parameter, Listed) else _sides if isinstance(parameter, Float | Int) else None
        if said is not None and parameter is not None:  # a trial that lacks the parameter says nothing about it
            failed, done = (
                [trial for trial, here in zip(trials, known[:, i].tolist(), strict=True) if here]
                for trials, known in zip((history.failed, history.done), active, strict=True)
            )
            found += said(failed, done, coordinate, parameter)
    remedy = "If it has to be so, leave this part out of the space, or say where it begins by `where=`."
    return tuple(Finding("failures", sentence, remedy) for sentence in found)


def _options(bad: Trials, good: Trials, coordinate: Coordinate, parameter: Parameter) -> Iterator[str]:
    """The options of a choice that always failed, by more than chance makes of failures that any option may have."""

    def counted(trials: Trials) -> Counter[int]:
        return Counter(id(parameter.from_unit(trial.unit[coordinate.columns])) for trial in trials)  # its very objects

    failed, done = counted(bad), counted(good)
    options = getattr(parameter, "options", ())
    for option in options:
        n = failed[id(option)]
        if not done[id(option)] and (n >= ALWAYS or (n == TWICE and len(options) * _by_chance(n, bad, good) <= LEVEL)):
            yield f"All {n} evaluations with {visible(coordinate.name)}={short(option)} failed."


def _by_chance(n: int, bad: Trials, good: Trials) -> float:
    """The probability that n given evaluations all failed, if it could have been any."""
    return math.comb(len(bad), n) / math.comb(len(bad) + len(good), n)


def _sides(bad: Trials, good: Trials, coordinate: Coordinate, parameter: Parameter) -> Iterator[str]:
    """Whether all failed beyond the largest value that ever worked, or the smallest, and most of the failures did."""
    if not good:
        return
    u, failed = (np.array([trial.unit[coordinate.start] for trial in trials]) for trials in (good, bad))
    for sign, word in ((1.0, "above"), (-1.0, "below")):
        last = u[np.argmax(sign * u)]
        n = int(np.count_nonzero(sign * failed > sign * last))
        if n >= ALWAYS and 2 * n > len(failed):
            value = parameter.from_unit(np.array([last]))
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            name = visible(coordinate.name)
            yield f"All {n} evaluations with {name} {word} {shown} failed; most of the failures were there."


#| -- study.reading.values: What the values of a run say by themselves, without a model: that they are all equal, that
#| some are far off, that the
#| run ended while it was getting better.
#|
#| y       (n,)   the values in the order they were told, larger is better        best  (n,)  the best up to each of
#| them
#| late    float  the share of the run's progress that its last fifth made:
#|                (best of all − best before it) / (best of all − median of the first values), within all limits;
#|                of several objectives, the share of the hypervolume of the front that came then

CONSTANT = 3  # equal values that are hardly chance
LAST = 0.2  # of the trials: where progress is still made there, more of them would make more
LATE = 0.1  # of the progress


def failed(history: History) -> Iterator[Finding]:
    """That most evaluations failed, or all."""
    if history.failed and is_failure(history.trials):
        yield Finding(
            "failed",
            f"{failures(history.trials)}.",
            "Mend this first: `trial.traceback` of a failed trial says where it was raised, and one evaluation by "
            "hand, f(result.trials[0].point), is the quickest test.",
            "warning",
        )


def constant(history: History) -> Iterator[Finding]:
    """That an output has one value only."""
    settings = history.settings
    for name in settings.outputs:
        y = history.observations(name, measured=True).y
        if len(y) < CONSTANT or y.min() != y.max() or settings.space.size <= 1:
            continue
        of, value = _of(name, settings), history.known(name, measured=True)[0].values[name]
        if name in settings.constraints:
            yield Finding(
                "constant",
                f"All {len(y)} values{of} are {value!r}, so that nothing can be learned about its limit, "
                f"{settings.constraints[name]}.",
                "Look whether the function computes it from its argument; else leave the constraint out.",
            )
        else:
            yield Finding(
                "constant",
                f"All {len(y)} values{of} are {value!r}, so that no point is better than another.",
                "Look whether the objective uses its argument at all, or returns a default where it should raise; if "
                "the values are rounded, return more digits.",
                "warning",
            )


def far_off(history: History) -> Iterator[Finding]:
    """Values that are so far from all others that they may be mistakes."""
    settings = history.settings
    for name in settings.outputs:
        data, sign, of = history.observations(name, measured=True), settings.sign(name), _of(name, settings)
        if not len(data):
            continue
        worse, better = outliers(data, standardised(data.y))
        if worse:
            values = f"1 value{of} is" if worse == 1 else f"{worse} values{of} are"
            yield Finding(
                "outliers",
                f"{values} far worse than all others (the worst {sign * float(data.y.min()):.3g}), and "
                f"{'counts' if worse == 1 else 'count'} as just bad.",
                "If that stands for an evaluation that failed, return nan or raise sf.Infeasible instead.",
            )
        if better and name in settings.objectives:
            row = int(np.argmax(data.y))
            number = history.known(name, measured=True)[row].number
            yield Finding(
                "outliers",
                f"The best value{of}, {sign * float(data.y[row]):.3g} of trial {number}, is "
                "more than 1000 times further from all others than these are from each other.",
                "Evaluate the point again: if the value was a mistake, the run went after it; start again with nan "
                "there.",
                "warning",
            )


def budget(history: History) -> Iterator[Finding]:
    """Too few evaluations for the number of parameters, or progress until the end."""
    settings, wanted = history.settings, points_to_fit(history.settings.space)
    n, D = len(history.known()), len(settings.space.coordinates)
    equal = (
        all(np.ptp(history.observations(name, measured=True).y / 2) == 0.0 for name in settings.objectives)
        if n
        else True
    )
    if equal or settings.space.size <= n:
        return
    if n < wanted:
        yield Finding(
            "budget",
            f"{n} values are few for {D} parameter{'' if D == 1 else 's'}: it takes {wanted} to tell how each acts.",
            "More evaluations, or fewer parameters, would let the model lead the search.",
            "warning",
        )
    elif n >= FEWEST and (late := _late_volume(history) if settings.several else _late(history)) > LATE:
        what = "what its front dominates" if settings.several else "its progress"
        given = "result.x_iters as x0= and result.func_vals as y0="
        if len(settings.outputs) > 1:
            given = "x0=[t.point for t in result.trials] and y0=[t.values for t in result.trials]"
        yield Finding(
            "budget",
            f"The run was still getting better when it ended: {100 * late:.0f} % of {what} came in the last fifth of "
            "its trials.",
            f"Go on, with store=… or with {given}.",
            "warning",
        )


def _late(history: History) -> float:
    """Of the values within all limits; all of it, if the first of these came so late."""
    sign = history.settings.sign()
    y = np.array([sign * (t.value or 0.0) if t.feasible else np.nan for t in history.done]) / 2  # its spread is finite
    if np.isnan(y).all():
        return 0.0
    first = y[: max(2, history.settings.n_initial)]
    best = np.fmax.accumulate(y)
    before = best[_cut(len(y))]
    if np.isnan(before):
        return 1.0
    start = float(np.nanmedian(first)) if not np.isnan(first).all() else float(y[~np.isnan(y)][0])
    whole = best[-1] - start
    return float((best[-1] - before) / whole) if np.isfinite(whole) and whole > 0.0 else 0.0


def _late_volume(history: History) -> float:
    """Of the hypervolume of the front."""
    volume = Front(history).hypervolume
    whole = float(volume[-1]) if len(volume) else 0.0
    return float((whole - volume[_cut(len(volume))]) / whole) if np.isfinite(whole) and whole > 0.0 else 0.0


def _cut(n: int) -> int:
    """The last of n trials that is not in the last fifth."""
    return int(np.ceil((1 - LAST) * n)) - 1


def _of(name: str, settings: Settings) -> str:
    return "" if len(settings.outputs) == 1 else f" of {visible(name)}"
