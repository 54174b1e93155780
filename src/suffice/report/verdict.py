"""The verdict, first of all: what was found, how it came, whether it can be trusted and what to do next.

Whole sentences, made of what is known; nothing is said about what is not.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from suffice.accuracy.calibration import Calibration
from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import exact_enough
from suffice.belief import VALUE
from suffice.errors import SufficeError
from suffice.page.formats import digits, with_error
from suffice.report.fronts import front_found
from suffice.report.limits import within
from suffice.report.progress import Growth, Progress
from suffice.report.values import name, number, parts, sentence, value
from suffice.study.finding import Finding
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.reading.feasibility import beyond_limits
from suffice.study.recommend import Recommendation
from suffice.study.result import Result
from suffice.study.trial import Trial

PARTS = 4  # of a point, in a sentence: more are in the table of the best points
REMEDIES = 2  # that are read at once; each check has its own, below
SAID = ("predictions", "budget")  # findings that other sentences of the verdict are about
DOUBTS = frozenset({"model", "noise", "predictions"})  # findings of a model that is not to be relied on
MOST = 0.5  # of the evaluations: if more fail, what is left says little


def verdict(result: Result, findings: Sequence[Finding]) -> list[str]:
    """What was found, whether to trust it, and what to do next: a paragraph of a few sentences each."""
    history: History = result.history
    if history.settings.several:
        grown = Growth.of(history)
        found = iter(()) if grown is None else front_found(history, grown, _point(Front(history).knee(), result))
        course: Progress | Growth | None = grown
    else:
        course = progress = Progress.of(history)
        found = iter(()) if progress is None else _found(result, progress)
    if course is None:
        return [" ".join(_without_value(history, findings))]
    said = (
        chain(found, [within(history)] if history.settings.constraints else []),
        _trust(result.accuracy, course, findings, "front" if history.settings.several else "best value"),
        _next(course, history, findings),
    )
    return [text for sentences in said if (text := " ".join(sentences))]


def recommended(result: Result) -> Recommendation | None:
    """The point that the model recommends; None where there is none, or where the model is not at hand."""
    if result.settings.several:
        return None
    try:
        found: Recommendation | None = result._recommendation
    except SufficeError:  # the file has only a description of the model
        return None
    return found


def _without_value(history: History, findings: Sequence[Finding]) -> Iterator[str]:
    """Nothing was found yet, all failed, or nothing is within all limits."""
    if beyond := beyond_limits(history):
        yield f"Nothing was found that may be used: {sentence(beyond)}."
        remedies = [finding.remedy for finding in findings if finding.name == "infeasible"]
        yield from map(sentence, remedies)
    elif failed := len(history.failed):
        yield f"Nothing was found: {'the only evaluation' if failed == 1 else f'all {failed} evaluations'} failed."
        yield "The reasons are listed below: mend the objective, or leave the part of the space out where it fails."
    else:
        yield "Nothing was found yet: no evaluation has a value."
    yield from _pending(history)


# ---------------------------------------------------------------------- what was found


def _found(result: Result, progress: Progress) -> Iterator[str]:
    settings, best = result.settings, progress.best
    word = "largest" if settings.sense == "maximize" else "smallest"
    word = f"{word} {'value' if settings.objective == VALUE else name(settings.objective)}"
    word += " within all limits" if settings.constraints else ""
    if progress.evaluated == 1:
        yield f"The only evaluation gave {number(best.value)}, at {_point(best, result)}."
    else:
        of = f"{progress.evaluated} evaluations"
        yield f"The {word} of {of} is {number(best.value)} (trial {best.number}), at {_point(best, result)}."
        yield f"The first value was {number(progress.first.value)}, the median of all is {number(progress.median)}."
    yield from _recommended(recommended(result), progress, result.history)
    yield from _improving(progress)


def _recommended(found: Recommendation | None, progress: Progress, history: History) -> Iterator[str]:
    """With noise, another point than the one with the best value, and what can be expected of it."""
    best = progress.best.value
    if found is None or found.trial.value is None or best is None:
        return
    if abs(found.trial.value - best) <= progress.resolution:  # the same point, or one that is as good
        return
    expected = with_error(found.value, found.deviation)
    other = f"without its noise the model expects most of trial {found.trial.number}, {expected}"
    if _is_random(history):
        yield f"The best value may be luck: {other}, which is the point to use."
    else:  # a model takes for noise what changes faster than it can follow
        yield f"If the objective is random, the best value may be luck: {other}, which is the point to use then."


def _is_random(history: History) -> bool:
    """Whether one point was seen to have two values."""
    values: dict[bytes, float | None] = {}
    return any(values.setdefault(trial.unit.tobytes(), trial.value) != trial.value for trial in history.done)


def _improving(progress: Progress) -> Iterator[str]:
    if progress.improving is None:
        yield "These are too few evaluations to say whether it is still improving."
    elif progress.improving:
        yield (
            f"It was still improving: the last improvement by more than {digits(progress.resolution)} came with "
            f"evaluation {progress.improved} of {progress.evaluated}."
        )
    else:
        yield (
            f"It has levelled off: the last {progress.since} evaluations brought no improvement by more than "
            f"{digits(progress.resolution)}."
        )


def _point(trial: Trial, result: Result) -> str:
    shown = [f"{part} = {value(given)}" for part, given in parts(trial.point, result.settings.space).items()]
    more = f" and {len(shown) - PARTS} more" if len(shown) > PARTS else ""
    return sentence(", ".join(shown[:PARTS]) + more)


# ---------------------------------------------------------------------- whether it can be trusted


def _trust(accuracy: Accuracy, progress: Progress | Growth, findings: Sequence[Finding], what: str) -> Iterator[str]:
    if progress.failed > MOST * progress.evaluated:
        yield f"Be careful: {progress.failed} of {progress.evaluated} evaluations failed."
    if not accuracy.reports:
        yield "The model has chosen no point, so that nothing can be said about its search and its predictions."
        return
    judged = [enough for enough in map(exact_enough, accuracy.reports) if enough is not None]
    if judged:
        exact = sum(judged)
        well = "was exact enough in all" if exact == len(judged) else f"was exact enough in {exact} of"
        yield f"The search for the next point {well} {len(judged)} steps."
    calibrated = accuracy.calibration
    if calibrated is not None:
        yield _predictions(calibrated, {finding.name for finding in findings})
    yield f"How far the {what} is from the true {'one' if what == 'front' else 'optimum'} is not known."


def _predictions(found: Calibration, findings: set[str]) -> str:
    """Trust is for a model about which nothing else speaks: no great surprise, and no finding about the model."""
    if found.surprising and found.judgement in ("calibrated", "too cautious"):
        return (
            f"The model's error bars held most of the time, but not always: it missed one value by {found.worst:.1f} "
            "deviations. Trust its predictions near values that are known, and be careful elsewhere."
        )
    if findings & DOUBTS and found.judgement in ("calibrated", "too cautious"):
        return "The model's error bars held while it searched, but see the checks before you rely on its predictions."
    return {
        "calibrated": "The model's error bars held what they promised, so that its predictions can be trusted.",
        "too sure": "The model was surprised too often: do not trust its error bars.",
        "too cautious": "The model was more cautious than it had to be: its predictions are better than it says.",
        "too few to tell": "Too few predictions were tested to say whether the model can be trusted.",
    }[found.judgement]


# ---------------------------------------------------------------------- what to do next


def _next(progress: Progress | Growth, history: History, findings: Sequence[Finding]) -> Iterator[str]:
    """The remedies of the most pressing findings, and whether to go on."""
    kinds: dict[str, Finding] = {}
    for finding in findings:
        kinds.setdefault(finding.name, finding)  # the first of each
    pressing = [finding for kind, finding in kinds.items() if kind not in SAID][:REMEDIES]
    if pressing:
        left = len(findings) - len(pressing)
        more = f" ({left} more below)" if left else ""
        said = " ".join(f"{sentence(finding.sentence)} {sentence(finding.remedy)}" for finding in pressing)
        yield f"What to do next{more}: {said}"
    if progress.improving is None:
        yield "Go on with more evaluations."
    elif progress.improving:
        yield "More evaluations are likely to find something better."
    elif not findings:
        what = "Choose from the front" if history.settings.several else "Use this point"
        yield f"{what}; to be surer, run again with another seed and compare."
    yield from _pending(history)


def _pending(history: History) -> Iterator[str]:
    if n := len(history.pending):
        yield "One trial waits for its value." if n == 1 else f"{n} trials wait for their values."
