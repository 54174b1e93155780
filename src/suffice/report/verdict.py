"""The verdict, at the top of a report: what was found, how the run went, whether to trust it, and what to do next.

It consists of sentences about what is known. The sections that explain it follow: the findings as cards, constraints,
failures, and the accuracy of the search.

level   float  the best value so far; a value is an improvement if it is better by more than the resolution
V       (n,)   the hypervolume of several objectives, which has levelled off where the last evaluations add little
"""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain

from suffice.accuracy.calibration import Calibration
from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import ENOUGH, exact_enough
from suffice.belief import VALUE
from suffice.record.history import History
from suffice.record.trial import OUTCOMES, Asked, Claimed, Told, Trial
from suffice.report.html import Entry, numbers, paragraphs, table
from suffice.report.tables import BEST, parts, value
from suffice.result.feasibility import feasible_in_words, infeasible_in_words, satisfied
from suffice.result.findings import FEWEST, LAST, Finding, Findings, late_volume
from suffice.result.front import Front
from suffice.result.predict import answer_with_noise, is_random, tied, without_noise
from suffice.result.result import Result
from suffice.text import SHOWN, UNKNOWN, digits, name, number, sentence

# Of the cards, by the names of findings.
HEADINGS = {
    "search": "Acquisition maximization may have stopped too early",
    "limits": "Reported bounds were exceeded",
    "predictions": "The model was overconfident",
    "exhausted": "No further improvement expected",
    "options": "Options that were never tried",
    "combinations": "Combinations that were never tried",
    "repeats": "Repeated evaluations",
    "bounds": "The best point lies on a bound",
    "failures": "A part of the space that fails",
    "failed": "Most evaluations failed",
    "infeasible": "No feasible point",
    "limit": "A constraint that was never close",
    "constant": "All values are the same",
    "outliers": "Values far from all others",
    "set aside": "Values that the model sets aside",
    "noise": "Mostly noise",
    "model": "The model is unreliable",
    "effect": "Parameters without effect",
    "subset": "Values that the model does not use",
    "budget": "More evaluations would help",
}
# Of failures, by what a trial records.
CAUSES = {
    "raised": "the objective raised an exception",
    "nan": "the value was nan",
    "inf": "the value was infinite",
    "infeasible": "the objective raised Infeasible",
    "crashed": "the process died",
    "timed out": "the evaluation took too long",
    "failed": "it was recorded as failed",
}
STYLE = """
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: .8rem;
  align-items: start;
  margin: .8rem 0; padding: 0; list-style: none; }
.cards li { border: 1px solid var(--line); border-left: .3rem solid var(--soft); border-radius: .3rem;
  padding: .7rem .9rem; min-width: 0; break-inside: avoid; margin: 0; color: inherit; font-size: inherit; }
.cards li.warning { border-left-color: var(--bad-text); }
.cards .kind { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 0; }
.cards .warning .kind { color: var(--bad-text); }
.cards h3 { font-size: 1rem; margin: 0 0 .3rem; } .cards p { margin: .3rem 0; }
table a { color: inherit; }
summary { cursor: pointer; font-weight: 600; margin: .6rem 0; }
@media print { table th, table td { white-space: normal; overflow-wrap: anywhere; } }
"""  # names of the user's own may be long, and paper does not scroll


# ---------------------------------------------------------------------- how a run went


@dataclass(frozen=True)
class Progress:
    """How the feasible values of a run developed, in the order in which they were observed."""

    evaluated: int  # with a value, failed or pruned
    failed: int
    first: Trial  # the first that had a value
    best: Trial
    median: float  # of all values
    improved: int  # the evaluation, counted from 1, that was the last improvement
    number: int  # the trial of that
    resolution: float  # what counts as one, in the objective's units

    @property
    def since(self) -> int:
        """Evaluations after the last improvement."""
        return self.evaluated - self.improved

    @property
    def improving(self) -> bool | None:
        """Whether the last improvement was among the late evaluations; None where there are too few to say."""
        return None if self.evaluated < FEWEST else self.since < LAST * self.evaluated

    @classmethod
    def of(cls, history: History) -> "Progress | None":
        """None if no trial is feasible."""
        best, sign = history.best, history.settings.sign()
        if best is None:
            return None
        values, resolution = without_noise(history)
        told = sorted((*history.done, *history.failed, *history.stopped), key=lambda trial: trial.order or 0)
        level, improved, number = -float("inf"), 0, best.number
        for place, trial in enumerate(told, 1):
            if trial.feasible and sign * values.get(trial.number, -sign * float("inf")) > level + resolution:
                level, improved, number = sign * values[trial.number], place, trial.number
        return cls(
            evaluated=len(told),
            failed=len(history.failed),
            first=min(history.feasible, key=lambda trial: trial.order or 0),
            best=best,
            median=statistics.median(trial.value or 0.0 for trial in history.feasible),
            improved=improved,
            number=number,
            resolution=resolution,
        )


@dataclass(frozen=True)
class Growth:
    """The same of several objectives: how the hypervolume of their front grew."""

    evaluated: int
    failed: int
    late: float  # the fraction of it that the last evaluations added

    @property
    def improving(self) -> bool | None:
        """Whether these added more than little; None where there are too few to say."""
        return None if self.evaluated < FEWEST else self.late > ENOUGH


# ---------------------------------------------------------------------- the verdict


def verdict(result: Result, findings: Sequence[Finding]) -> list[str]:
    """What was found, whether to trust it, and what to do next: a paragraph of a few sentences each."""
    history: History = result.history
    front = Front(history) if history.settings.several else None
    course: Progress | Growth | None
    if front is not None and front.trials:
        grown = course = Growth(len(front.hypervolume), len(history.failed), late_volume(history))
        found, what, true = _front_found(front, grown), "front", "one"
    else:
        progress = course = None if front is not None else Progress.of(history)
        found, what, true = iter(()) if progress is None else _found(result, progress), "best value", "optimum"
    if course is None:
        return [" ".join(_without_value(history, findings))]
    said = (
        chain(found, [f"{feasible_in_words(history)}."] if history.settings.constraints else []),
        _trust(result.accuracy, course, findings, f"The distance of the {what} from the true {true} is not known."),
        _next(course, history, findings),
    )
    return [text for sentences in said if (text := " ".join(sentences))]


def _without_value(history: History, findings: Sequence[Finding]) -> Iterator[str]:
    """Nothing was found yet, all failed, or nothing is feasible."""
    if beyond := infeasible_in_words(history):
        yield f"No feasible point was found: {sentence(beyond)}."
        remedies = [finding.remedy for finding in findings if finding.name == "infeasible"]
        yield from map(sentence, remedies)
    elif failed := len(history.failed):
        yield f"Nothing was found: {'the only evaluation' if failed == 1 else f'all {failed} evaluations'} failed."
        yield "The reasons are listed below: fix the objective, or exclude the part of the space where it fails."
    else:
        yield "Nothing was found yet: no evaluation has a value."
    yield from _pending(history)


# ---------------------------------------------------------------------- what was found


def _found(result: Result, progress: Progress) -> Iterator[str]:
    settings, best = result.settings, progress.best
    word = "largest" if settings.direction == "maximize" else "smallest"
    word = f"{word} {'value' if settings.objective == VALUE else name(settings.objective)}"
    word += " of a feasible point" if settings.constraints else ""
    noisy = answer_with_noise(result.history)
    if noisy is not None:
        trial, seen = noisy.recommended.trial, is_random(result.history)
        why = f"{'T' if seen else 'If the objective is random, t'}he best value may be inflated by noise"
        yield (
            f"{'The best value was set aside as an error' if noisy.aside else why}: use the point of trial "
            f"{trial.number}, {_point(trial, result.history)}, whose predicted mean is {noisy.expected}."
        )
    if progress.evaluated == 1:
        yield f"The only evaluation gave {number(best.value)}, at {_point(best, result.history)}."
    else:
        of = f"{progress.evaluated} evaluations"
        which = f"trial {best.number}{tied(result.history)}"
        yield f"The {word} in {of} is {number(best.value)} ({which}), at {_point(best, result.history)}."
        of = "feasible value" if settings.constraints else "value"
        first, median = number(progress.first.value), number(progress.median)
        yield f"The first {of} was {first}, the median of all {of}s is {median}."
    yield from _improving(progress)


def _improving(progress: Progress) -> Iterator[str]:
    if progress.improving is None:
        yield "There are too few evaluations to judge whether it is still improving."
    elif progress.improving:
        yield (
            f"It was still improving: the last improvement by more than {digits(progress.resolution)} came with trial "
            f"{progress.number}."
        )
    else:
        yield (
            f"It has levelled off: the last {progress.since} evaluations brought no improvement by more than "
            f"{digits(progress.resolution)}."
        )


def _point(trial: Trial, history: History) -> str:
    shown = [f"{part} = {value(given)}" for part, given in parts(trial.point, history.settings.space).items()]
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return sentence(", ".join(shown[:SHOWN]) + more)


# ---------------------------------------------------------------------- whether it can be trusted


def _trust(accuracy: Accuracy, progress: Progress | Growth, findings: Sequence[Finding], unknown: str) -> Iterator[str]:
    if 2 * progress.failed > progress.evaluated:
        yield f"Be careful: {progress.failed} of {progress.evaluated} evaluations failed."
    if not accuracy.reports:
        yield "No point was chosen by the model, so its search and its predictions cannot be judged."
        return
    judged = [enough for enough in map(exact_enough, accuracy.reports) if enough is not None]
    if judged:
        exact = sum(judged)
        well = "all" if exact == len(judged) else f"{exact} of"
        yield f"Acquisition maximization was accurate enough in {well} {len(judged)} steps."
    calibrated = accuracy.calibration
    if calibrated is not None:
        yield _predictions(calibrated, {finding.name for finding in findings})
    yield unknown


def _predictions(found: Calibration, findings: set[str]) -> str:
    """The model can be trusted if no value was far off and no finding concerns it."""
    if found.surprising and found.judgement in ("calibrated", "underconfident"):
        return (
            f"The model's error bars were right most of the time, but one value was off by {found.worst:.1f} standard "
            "deviations. Trust its predictions near observed points, and be careful elsewhere."
        )
    if findings & {"model", "noise", "predictions"} and found.judgement in ("calibrated", "underconfident"):
        return (
            "The model's error bars were right during the run, but see the checks before you rely on its predictions."
        )
    inner = f"{round(found.central * found.n)} of {found.n} values lay within their 50 % intervals"
    return {
        "calibrated": "The model's error bars were right, so its predictions can be trusted.",
        "overconfident": "The model's error bars were too small: do not trust them.",
        "underconfident": f"The model's error bars were larger than necessary: {inner}.",
        "too few to tell": "Too few predictions were tested to judge whether the model can be trusted.",
    }[found.judgement]


# ---------------------------------------------------------------------- what to do next


def _next(progress: Progress | Growth, history: History, findings: Sequence[Finding]) -> Iterator[str]:
    """The remedies of the most pressing findings, and whether to continue."""
    kinds: dict[str, Finding] = {}
    for finding in findings:
        kinds.setdefault(finding.name, finding)  # the first of each
    said_above = ("predictions", "budget")  # by other sentences of the verdict
    # as many as are read at once; each check has its own, below
    pressing = [finding for kind, finding in kinds.items() if kind not in said_above][:2]
    if pressing:
        left = len(findings) - len(pressing)
        more = f" ({left} more below)" if left else ""
        said = " ".join(f"{sentence(finding.sentence)} {sentence(finding.remedy)}" for finding in pressing)
        yield f"What to do next{more}: {said}"
    if progress.improving is None:
        yield "Run more evaluations."
    elif progress.improving:
        yield "More evaluations are likely to find something better."
    elif kinds.keys() <= {"exhausted"}:
        what = "Choose from the front" if history.settings.several else "Use this point"
        yield f"{what}; to be surer, run again with another seed and compare."
    yield from _pending(history)


def _pending(history: History) -> Iterator[str]:
    if n := len(history.pending):
        yield "One trial is pending." if n == 1 else f"{n} trials are pending."


# ---------------------------------------------------------------------- of several objectives


def _front_found(front: Front, growth: Growth) -> Iterator[str]:
    """The sentences about a front that has trials."""
    settings = front.settings
    n, knee = len(front.trials), front.knee()
    of = f"of {growth.evaluated} evaluations" if growth.evaluated > 1 else "of the only evaluation"
    trials = "1 trial, which dominates all others" if n == 1 else f"{n} trials, none of which is dominated by another"
    yield f"The front {of} has {trials}: {sentence(settings.aims)}."
    objectives = ", ".join(f"{name(output)} {number(knee.values.get(output))}" for output in settings.objectives)
    place = _point(knee, front.history)
    yield f"Its knee, a balanced compromise, is trial {knee.number}: {objectives}, at {place}."
    if n > 1:
        yield f"It extends from {_ends(front)}."
    if front.reference is not None:
        worst = ", ".join(f"{name(output)} {number(value)}" for output, value in front.reference.items())
        yield f"Its hypervolume is {number(float(front.hypervolume[-1]))}, measured from the reference point {worst}."
    if growth.improving is None:
        yield "There are too few evaluations to judge whether it is still growing."
    elif growth.improving:
        yield f"It was still growing: the last fifth of the evaluations added {100 * growth.late:.0f} % of it."
    else:
        yield f"It has levelled off: the last fifth of the evaluations added {digits(100 * growth.late)} % of it."


def _ends(front: Front) -> str:
    """The range of each objective on the front, its best end first."""
    said = []
    for output in front.settings.objectives:
        values = sorted((trial.values[output] for trial in front.trials), reverse=front.settings.sign(output) > 0)
        said.append(f"{name(output)} {number(values[0])} to {number(values[-1])}")
    return ", and from ".join(said) if len(said) == 2 else ", ".join(said)


# ---------------------------------------------------------------------- the sections behind it


def cards(findings: Sequence[Finding]) -> str:
    """A card for each finding; a sentence where there is none."""
    if not findings:
        return paragraphs([str(Findings())])
    return '<ul class="cards">\n' + "\n".join(map(_card, findings)) + "\n</ul>"


def _card(finding: Finding) -> str:
    heading = HEADINGS.get(finding.name, finding.name.capitalize())
    said, remedy = (escape(sentence(text)) for text in (finding.sentence, finding.remedy))
    kind = f'<p class="kind">{finding.severity.capitalize()}</p>'
    words = f"<p>{said}</p>\n<p><strong>What to do:</strong> {remedy}</p>"
    return f'<li class="{finding.severity}">\n{kind}\n<h3>{escape(heading)}</h3>\n{words}\n</li>'


def constraints(history: History) -> str:
    """A row for each constraint, and how many points satisfy all of them; "" without constraints."""
    given = history.settings.constraints
    if not given:
        return ""
    rows, counts = [], satisfied(history)
    for output, limit in given.items():
        values, n = [trial.values[output] for trial in history.done if output in trial.values], counts[output]
        share = f"{n} of {len(values)} ({100 * n / len(values):.0f} %)" if values else UNKNOWN
        ends = [number(min(values)), number(max(values))] if values else [UNKNOWN, UNKNOWN]
        rows.append([Entry(name(output), header=True), Entry(str(limit)), *numbers(share, *ends)])
    heads = ("Output", "Constraint", "Satisfied by", "Smallest value", "Largest value")
    said = feasible_in_words(history) if history.done else "No evaluation has values yet"
    return paragraphs([f"{said}."]) + table("Constraints", heads, rows)


def failed(history: History) -> str:
    """The causes in a sentence, the reasons in a table; nothing where nothing failed."""
    if not history.failed:
        return ""
    causes = Counter(trial.cause or "failed" for trial in history.failed)
    evaluated = len(history.failed) + len(history.done) + len(history.stopped)
    counted = "; ".join(f"{count} × {CAUSES[cause]}" for cause, count in causes.most_common())
    reasons = Counter((trial.cause or "failed", trial.reason or "") for trial in history.failed)
    first = {(trial.cause or "failed", trial.reason or ""): trial for trial in reversed(history.failed)}
    rows = []
    for (cause, reason), count in reasons.most_common(BEST):
        example = f"trial {first[cause, reason].number}: {_point(first[cause, reason], history)}"
        said = sentence(reason) or "no reason given"
        rows.append([Entry(str(count), "number"), Entry(cause), Entry(said, "text"), Entry(example, "text")])
    more = len(reasons) - len(rows)
    words = [f"{len(history.failed)} of {evaluated} evaluations failed: {counted}."]
    note = paragraphs([f"{more} more reasons are in the data of this page."], "note") if more else ""
    return paragraphs(words) + table("Reasons", ("Times", "Cause", "Reason", "First example"), rows) + note


def accuracy(found: Accuracy) -> str:
    """The verdict of the reports, sentence by sentence; nothing where the model has chosen no point."""
    about = (
        "Each point chosen by the model is the result of maximizing an acquisition function. An inexact maximization "
        "returns a slightly worse point to try next; these numbers report how much worse. They do not report how far "
        "the best value is from the optimum of the objective."
    )
    return paragraphs([*found.verdict, about]) if found.verdict else ""


def shared(history: History) -> str:
    """How old the models of a study were that several workers share; nothing of any other study."""
    old = ages(history)
    if not old:
        return ""
    said = (
        f"When a worker started a point, the model that chose it lacked {statistics.mean(old):.1f} values on average, "
        f"and at most {max(old)}, which had been recorded since."
    )
    return paragraphs([said])


def ages(history: History) -> list[int]:
    """How many values there were, when a point was first taken up by a worker, that its model did not know."""
    values, settled, known, found = 0, [0], dict[int, int](), list[int]()  # settled: values after each outcome
    for event in history.events:
        if isinstance(event, OUTCOMES):
            values += isinstance(event, Told)
            settled.append(values)
        elif isinstance(event, Asked) and event.origin in ("model", "polish") and event.basis is not None:
            known[event.number] = settled[event.basis.outcomes]
        elif isinstance(event, Claimed) and event.number in known:
            found.append(values - known.pop(event.number))
    return found
