"""What the model has learned, in figures: which parameters matter, and what those that matter most do.

important   the names of the parameters, the most important first
"""

from collections.abc import Sequence
from itertools import combinations

from suffice import plot
from suffice.report.charts import Chart
from suffice.report.values import name
from suffice.space import Pool, Space, active_coordinates
from suffice.study.history import rows
from suffice.study.reading.importance import Importance
from suffice.study.result import Result

SLICES = 4  # parameters that have a slice
PAIRED = 8  # the most important ones, of which the first two that occur together have a contour
BARS, ACROSS = 15, 8  # parameters that the figures of importance and of all points have room for
LINES = 1000  # evaluations that can be drawn as a line each: more of them are a carpet


def model_charts(result: Result, learned: Importance | None) -> list[Chart]:
    """Importance, slices, a contour and parallel coordinates, as far as the space has them."""
    if learned is None:
        return []
    found = [_importance(result, learned)]
    space = result.settings.space
    if isinstance(space, Space):
        found += _slices(result, space, learned.names)
        found += _contour(result, space, learned.names)
    if isinstance(space, Space | Pool) and len(learned) > 1 and len(result.history.done) <= LINES:
        found.append(_parallel(result, learned))
    return found


def _importance(result: Result, learned: Importance) -> Chart:
    shares = [f"{name(part)} {100 * share:.0f} %" for part, share in zip(learned.names, learned.total, strict=True)]
    return Chart(
        "Importance",
        "How much of what the model sees changes with each parameter: pale with all that it does in company of others, "
        "dark what it does alone, and behind it the length-scale, as a share of the range.",
        f"Importance of the parameters: {', '.join(shares[:BARS])}.",
        lambda figure: plot.importance(result, figure.add_subplot()),
        1.0 + 0.2 * min(len(learned), BARS),
    )


def _slices(result: Result, space: Space, important: Sequence[str]) -> list[Chart]:
    taken = [part for part in important if _together(result, space, [part])][:SLICES]
    if not taken:
        return []
    across = min(2, len(taken))
    down = -(-len(taken) // across)
    return [
        Chart(
            "Slices",
            "What the model expects along the parameters that matter most, all others staying as they are at the point "
            "that it recommends (the star), with a band of 95 %. Dots are all evaluations, whatever else they differ "
            "in, so that they need not lie on the line.",
            f"The value that the model expects along {', '.join(map(name, taken))}.",
            lambda figure: plot.slice(
                result, taken, ax=[figure.add_subplot(down, across, i + 1) for i in range(len(taken))]
            ),
            0.4 + 2.1 * down,
        )
    ]


def _contour(result: Result, space: Space, important: Sequence[str]) -> list[Chart]:
    pairs = combinations(important[:PAIRED], 2)
    pair = next((pair for pair in pairs if _together(result, space, pair)), None)
    if pair is None:
        return []
    return [
        Chart(
            "Contour",
            "What the model expects over two parameters that matter most, darker being better. Rings are evaluations, "
            "crosses failed ones, the star is the point that the model recommends.",
            f"The value that the model expects over {name(pair[0])} and {name(pair[1])}.",
            lambda figure: plot.contour(result, *pair, ax=figure.add_subplot()),
            3.6,
        )
    ]


def _parallel(result: Result, learned: Importance) -> Chart:
    shown = ", ".join(map(name, learned.names[:ACROSS]))
    return Chart(
        "All points",
        "A line for each evaluation, through its parameters to its value; darker is better.",
        f"Evaluations as lines through the parameters {shown}.",
        lambda figure: plot.parallel(result, ax=figure.add_subplot()),
        3.0,
    )


def _together(result: Result, space: Space, names: Sequence[str]) -> bool:
    """Whether a trial with a value has all these parameters."""
    places = [i for i, coordinate in enumerate(space.coordinates) if coordinate.name in names]
    active = active_coordinates(space, rows(result.history.done, space.dim))
    return bool(active[:, places].all(axis=1).any())
