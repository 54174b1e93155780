"""One trial from the file: its full point, the reason of a failure, and the accuracy of the search for it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from suffice.accuracy.report import SolveReport
from suffice.accuracy.verdict import exact_enough
from suffice.dashboard.follow import Watched
from suffice.dashboard.table import Columns, Json, or_none
from suffice.errors import SufficeError
from suffice.record.history import History
from suffice.record.study_file import MEANINGLESS
from suffice.record.trial import Asked, Event, Started, Trial
from suffice.report.tables import parts
from suffice.result.table import predicted
from suffice.store.sqlite import Fact
from suffice.text import READABLE, visible

# The numbers of a report in reading order: the field, its label and its meaning.
REPORT = (
    (
        "relative_gap",
        "Relative gap",
        "How far the acquisition value of this point is from the best one, as a fraction of the way from a random "
        "point to the best: 0 is a perfect search. It describes the maximization, not the objective.",
    ),
    (
        "gap",
        "Optimality gap",
        "A bound on the missed acquisition value, in the objective's units, with the confidence below. It is not the "
        "distance from the optimum.",
    ),
    ("eta", "η, the estimated ratio", "The acquisition value of this point divided by the best one: 1 is perfect."),
    ("eta_lower", "Lower bound of η", "η is at least this, with the confidence below."),
    ("rank", "Rank", "At most this fraction of the space has a larger acquisition value, with the confidence below."),
    ("confidence", "Confidence", "The probability with which the bounds hold; 1 is certain."),
    (
        "audited",
        "Best found by the audit",
        "The result of a much longer search; compare it with the acquisition value.",
    ),
    ("value", "Acquisition value", "In the model's units, whose standard deviation is about 1."),
    ("upper", "Upper bound", "No point has a larger acquisition value than this, with the confidence above."),
    ("upper_certified", "Proven upper bound", "No point has a larger acquisition value than this, by proof."),
    ("width", "Width", "2βσ, how uncertain the model was here, in its units."),
    ("beta", "β", "How many standard deviations above the mean the acquisition function looked."),
    (
        "expected_improvement",
        "Expected improvement",
        "How much better than the best value so far the next one was expected to be, in the objective's units. Below "
        "the resolution of the study, steps explore or refine the best point.",
    ),
    ("n_evals", "Evaluations of the acquisition", "The work of the search; the objective was not evaluated for it."),
)


def detail(watched: Watched, number: int) -> dict[str, Any] | None:
    """Everything about a trial, or the columns if the file cannot be read; None if there is no such trial."""
    with watched.lock:
        columns = watched.columns
        if not 0 <= number < len(columns):
            return None
        places = [i for i, touched in enumerate(columns.touched) if touched == number]
        known = _known(columns, number)
    try:
        trial = _trial(columns, watched.facts(places))
    except (OSError, SufficeError, *MEANINGLESS) as error:
        return known | {"problem": visible(f"the file cannot be read: {error}", READABLE)}
    return known | _whole(trial, columns)


def _known(columns: Columns, number: int) -> dict[str, Any]:
    """The data in the columns."""
    row = columns.json([number])
    point = {name: values[0] for name, values in row.pop("params").items() if values[0] is not None}
    outputs = [column[0] for column in row.pop("outputs", [])]
    words = {word: values[0] for word, values in row.items()}
    unknown = ("traceback", "fixed", "predicted", "predicted_sd", "solve", "problem", "reports")
    more = dict.fromkeys(unknown) | {"noise_var": or_none(columns.noise[number])}
    words |= {"outputs": outputs} if outputs else {}
    return words | {"point": point, "expected": [], "notes": []} | more


def _trial(columns: Columns, facts: list[Fact]) -> Trial:
    """The trial of some events; a study with only these events has it as its first trial."""
    assert columns.settings is not None
    events: list[Event] = [Started(columns.settings)]
    for kind, data in facts:
        event = columns.codec.decode({**data, "event": kind})
        assert not isinstance(event, Started)
        events.append(replace(event, number=0))
    if len(events) < 2 or not isinstance(events[1], Asked):
        raise ValueError("the trial no longer exists")
    return History.of(events).trials[0]


def _whole(trial: Trial, columns: Columns) -> dict[str, Any]:
    """The data that only the file has."""
    assert columns.settings is not None
    first, *others = columns.settings.outputs
    expected = [_expected(trial, None, columns.settings.sign(first))]
    expected += [_expected(trial, name, columns.settings.sign(name)) for name in others]
    mean, deviation = expected[0]
    report = trial.solve
    return {
        "point": {
            visible(name, READABLE): _json(value) for name, value in parts(trial.point, columns.settings.space).items()
        },
        "fixed": None if trial.fixed is None else {name: _json(value) for name, value in trial.fixed.items()},
        "reason": trial.reason,
        "note": None if trial.note is None else visible(trial.note, READABLE),
        "attributes": {visible(name, READABLE): _json(value) for name, value in trial.attributes.items()},
        "traceback": trial.traceback,
        "reports": [[step, _json(value)] for step, value in trial.reports],
        "predicted": mean,
        "predicted_sd": deviation,
        "expected": [list(pair) for pair in expected] if len(expected) > 1 else [],
        "solve": None if report is None else list(_said(report)),
        "notes": [] if report is None else [visible(note, READABLE) for note in report.notes],
    }


def _expected(trial: Trial, name: str | None, sign: float) -> tuple[Json, Json]:
    """The predicted mean and standard deviation of an output, by default the first, in the user's units and sign."""
    found = predicted(trial, name)
    return (None, None) if found is None else (_json(sign * found[0]), _json(found[1]))


def _said(report: SolveReport) -> Iterator[Mapping[str, Json]]:
    """The known numbers of a report, each with its meaning."""
    enough = exact_enough(report)
    if enough is not None:
        yield {
            "label": "Accurate enough",
            "value": "yes" if enough else "no",
            "meaning": "Whether the possible miss of the search is allowed or negligible.",
        }
    if report.taken:
        yield {
            "label": "Best new point",
            "value": "yes",
            "meaning": "The best point of the search had been proposed before, so this is the best new one.",
        }
    if report.purpose:
        yield {"label": "Kind of step", "value": report.purpose, "meaning": "The purpose of the step."}
    for word, label, meaning in REPORT:
        value = getattr(report, word)
        if value is not None:
            yield {"label": label, "value": _json(value), "meaning": meaning}
    phases = ", ".join(f"{phase} {seconds:.3g} s" for phase, seconds in report.seconds.items())
    total = math.fsum(report.seconds.values())
    yield {
        "label": "Seconds to choose the point",
        "value": _json(total),
        "meaning": f"Of these: {phases}." if phases else "",
    }


def _json(value: Any) -> Json:
    """A number as it is, anything else as text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) else None
    return visible(value if isinstance(value, str) else repr(value), READABLE)
