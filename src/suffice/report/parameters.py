"""The parameters: what each may be, when it is there at all, what the best point has, and how much it matters."""

import math
from collections.abc import Mapping, Sequence

from suffice.page.formats import UNKNOWN
from suffice.page.html import Entry, numbers, paragraphs, table
from suffice.plot.merit import chosen as chosen_trial
from suffice.report.settings import described
from suffice.report.values import is_number, name, number, parts, sentence, value
from suffice.space import Float, Int, Listed, Parameter
from suffice.study.history import History
from suffice.study.reading.importance import Importance

LINE = 40  # letters that stand in one line of a table
OPTIONS = 8  # of a choice that are listed


def parameters(history: History, learned: Mapping[str, Importance]) -> str:
    """A row for each parameter; of a space that is not made of parameters its description.

    learned    importance by objective, for the last columns: two of one, one for each of several
    """
    space, best = history.settings.space, chosen_trial(history)
    chosen = {} if best is None else parts(best.point, space)
    if not space.params:
        words = [f"The space is not made of parameters: {described(space)}."]
        rows = [[Entry(name(part), header=True), _best(given)] for part, given in chosen.items()]
        return paragraphs(words) + (table("Best point", ("Part", "Best"), rows) if rows else "")
    conditional = any(parameter.when for parameter in space.params.values())
    several, rows = history.settings.several, []
    word = "Knee" if several else "Best"
    shares = [_shares(importance, alone=not several) for importance in learned.values()]
    absent = (UNKNOWN,) if several else (UNKNOWN, UNKNOWN)
    for part, parameter in space.params.items():
        row = [Entry(name(part), header=True), _words(_range(parameter)), Entry(_scale(parameter))]
        row += [_words(_when(parameter))] if conditional else []
        row += [_best(chosen[part]) if part in chosen else Entry(UNKNOWN)]
        rows.append(row + [cell for known in shares for cell in numbers(*known.get(part, absent))])
    heads = ["Parameter", "From … to, or options", "Kind"] + (["Only with"] if conditional else []) + [word]
    heads += (
        [f"Importance for {name(output)}" for output in learned] if several else ["Importance", "Alone"] * bool(learned)
    )
    return table("What is searched", heads, rows) + (paragraphs([_about(learned)], "note") if learned else "")


def _shares(importance: Importance, *, alone: bool) -> dict[str, tuple[str, ...]]:
    """Total and first-order index of each parameter, as percentages; `alone`: both."""
    pairs = zip(importance.names, importance.total, importance.first, strict=True)
    return {part: (_percent(total), _percent(first))[: 1 + alone] for part, total, first in pairs}


def _percent(share: float) -> str:
    return UNKNOWN if math.isnan(share) else f"{100 * min(max(share, 0.0), 1.0):.0f} %"


def _about(learned: Mapping[str, Importance]) -> str:
    if len(learned) > 1:
        return (
            "The importance of a parameter for an objective is the share of the variance of the model's mean over the "
            "space that goes with it, in company with others. It is about what the models have learned."
        )
    (importance,) = learned.values()
    return (
        "The importance of a parameter is the share of the variance of the model's mean over the space that goes with "
        "it: in company with others and, in the last column, alone. It is about what the model has learned: it varies "
        f"by {number(importance.deviation)} over the space, and is uncertain by {number(importance.uncertainty)}."
    )


def _words(text: str) -> Entry:
    """A cell whose text is broken into lines where it is long."""
    return Entry(text, "text" if len(text) > LINE else "")


def _best(given: object) -> Entry:
    return Entry(value(given), "number" if is_number(given) else "")


def _range(parameter: Parameter) -> str:
    if parameter.constant:
        return f"always {value(parameter.options[0] if isinstance(parameter, Listed) else parameter.low)}"
    if isinstance(parameter, Listed):
        return _listed([value(option) for option in parameter.options])
    return f"{value(parameter.low)} to {value(parameter.high)}"


def _scale(parameter: Parameter) -> str:
    """What kind of values it has."""
    if parameter.constant:
        return "constant"
    if isinstance(parameter, Listed):
        ordered = parameter.kind != "choice"
        return f"{len(parameter.options)} options{', in order' if ordered else ''}"
    words = ["real"] if isinstance(parameter, Float) else ["whole"]
    words += ["log scale"] if parameter.log else []
    step = parameter.step if isinstance(parameter, Float | Int) else None
    words += [f"steps of {number(step)}"] if step is not None and step != 1 else []
    return ", ".join(words)


def _when(parameter: Parameter) -> str:
    needs = parameter.when or {}
    return sentence(" and ".join(f"{part} = {_listed(list(map(value, v)), ' or ')}" for part, v in needs.items()))


def _listed(words: Sequence[str], between: str = ", ") -> str:
    more = [f"{len(words) - OPTIONS} more"] if len(words) > OPTIONS else []
    return between.join([*words[:OPTIONS], *more])
