"""Which parameters matter most, for figures that have no room for all of them."""

from collections.abc import Sequence

from suffice.errors import SufficeError
from suffice.study.result import Result


def most_important(result: Result, names: Sequence[str], output: str | None = None) -> tuple[list[str], bool]:
    """The names, the most important first, and whether that is known: without a model they are in the space's order.

    For one output, or for all objectives: then a parameter counts by the one for which it matters most.
    """
    total: dict[str, float] = {}
    try:
        for target in result.settings.objectives if output is None else [output]:
            found = result.importance(target)
            for name, share in zip(found.names, found.total, strict=True):
                total[name] = max(total.get(name, 0.0), float(share))
    except SufficeError:
        return list(names), False
    order = {name: i for i, name in enumerate(names)}
    return sorted(names, key=lambda name: (-total.get(name, 0.0), order[name])), True
