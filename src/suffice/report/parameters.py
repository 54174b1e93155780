"""The parameters: what each may be, when it is there at all, what the best point has, and how much it matters."""

from collections.abc import Mapping, Sequence

from suffice.page.formats import UNKNOWN
from suffice.page.html import Entry, paragraphs, table
from suffice.report.settings import described
from suffice.report.values import is_number, name, number, parts, sentence, value
from suffice.space import Float, Int, Listed, Parameter
from suffice.study.history import History

OPTIONS = 8  # of a choice that are listed


def parameters(history: History, importance: Mapping[str, str] | None = None) -> str:
    """A row for each parameter; of a space that is not made of parameters its description.

    importance    what stands in the last column, by name; None: there is no such column
    """
    space, best = history.settings.space, history.best
    chosen = {} if best is None else parts(best.point, space)
    if not space.params:
        words = [f"The space is not made of parameters: {described(space)}."]
        rows = [[Entry(name(part), header=True), _best(given)] for part, given in chosen.items()]
        return paragraphs(words) + (table("Best point", ("Part", "Best"), rows) if rows else "")
    conditional = any(parameter.when for parameter in space.params.values())
    rows = []
    for part, parameter in space.params.items():
        row = [Entry(name(part), header=True), Entry(_range(parameter), "text"), Entry(_scale(parameter))]
        row += [Entry(_when(parameter), "text")] if conditional else []
        row += [_best(chosen[part]) if part in chosen else Entry(UNKNOWN)]
        row += [Entry(importance.get(part, UNKNOWN), "number")] if importance is not None else []
        rows.append(row)
    heads = ["Parameter", "From … to, or options", "Kind"] + (["Only with"] if conditional else []) + ["Best"]
    return table("Parameters", heads + (["Importance"] if importance is not None else []), rows)


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
