"""A space as a table for notebooks: a row for each parameter."""

from typing import TYPE_CHECKING

from suffice.markup import ROWS, block, table, visible
from suffice.space.parameters import Listed, Parameter
from suffice.space.predicates import text

if TYPE_CHECKING:
    from suffice.space.space import Space

OPTIONS = 12  # of a choice


def space_html(space: "Space") -> str:
    """The parameters, what they take and when they are there, and the constraints."""
    n = len(space.names)
    conditional = any(parameter.when for parameter in space.parameters)
    heads = ("parameter", "kind", "values", *(("active with",) if conditional else ()))
    rows = [
        (name, _kind(parameter), _values(parameter), *_when(parameter, conditional))
        for name, parameter in list(space.params.items())[: ROWS + 1]
    ]
    rows += [rows[-1]] * (n - len(rows))  # to be counted, not shown
    where = [table((), [("where", text(predicate))]) for predicate in space.where[:5]]
    return block(f"Space of {n} {'parameter' if n == 1 else 'parameters'}", table(heads, rows), *where)


def _kind(parameter: Parameter) -> str:
    log = ", log" if getattr(parameter, "log", False) else ""
    return "constant" if parameter.constant else f"{parameter.kind}{log}"


def _values(parameter: Parameter) -> str:
    if isinstance(parameter, Listed):
        options, n = parameter.options, len(parameter.options)
        first = ", ".join(visible(repr(option), 24) for option in options[:OPTIONS])
        return f"{n} options: {first}, …" if n > OPTIONS else first
    low, high, step = parameter.low, parameter.high, parameter.step
    if low == high:
        return repr(low)
    return f"{low!r} to {high!r}" + ("" if step is None else f" in steps of {step!r}")


def _when(parameter: Parameter, conditional: bool) -> tuple[str, ...]:
    if not conditional:
        return ()
    needs = (parameter.when or {}).items()
    return (" and ".join(f"{name} = {' or '.join(map(repr, values))}" for name, values in needs),)
