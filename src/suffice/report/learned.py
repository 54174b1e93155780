"""What the model has learned, in figures: which parameters matter, and what those that matter most do.

important   the names of the parameters, the most important first
learned     which parameters matter, by the name of the objective
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from suffice import plot
from suffice.report.charts import Chart
from suffice.report.values import name
from suffice.space import Pool, Space, active_coordinates
from suffice.study.history import rows
from suffice.study.reading.importance import Importance
from suffice.study.result import Result

OBJECTIVES = 3  # of several, that have figures of their own
SLICES = 4  # parameters that have a slice
PAIRED = 8  # the most important ones, of which the first two that occur together have a contour
BARS, ACROSS = 15, 8  # parameters that the figures of importance and of all points have room for
LINES = 1000  # evaluations that can be drawn as a line each: more of them are a carpet


def model_charts(result: Result, learned: Mapping[str, Importance]) -> list[Chart]:
    """Importance, slices, a contour and parallel coordinates, as far as the space has them; of several objectives the
    first and the last of these, and slices for each."""
    if not learned:
        return []
    space, important = result.settings.space, most_important(learned)
    found = [_importance(result, learned[output], output) for output in list(learned)[:OBJECTIVES]]
    if isinstance(space, Space):
        for output in list(learned)[:OBJECTIVES]:
            found += _slices(result, space, learned[output].names, output)
        found += _contour(result, space, important) if not result.settings.several else []
    if isinstance(space, Space | Pool) and len(important) > 1 and len(result.history.done) <= LINES:
        found.append(_parallel(result, important))
    return found


def most_important(learned: Mapping[str, Importance]) -> tuple[str, ...]:
    """The parameters by the objective for which each matters most, the most important first."""
    total: dict[str, float] = {}
    for found in learned.values():
        for part, share in zip(found.names, found.total, strict=True):
            total[part] = max(total.get(part, 0.0), float(share))
    return tuple(sorted(total, key=lambda part: -total[part]))


def _of(result: Result, output: str) -> str:
    """What a chart is about, where there are several objectives."""
    return f" of {name(output)}" if result.settings.several else ""


def _importance(result: Result, learned: Importance, output: str) -> Chart:
    shares = [f"{name(part)} {100 * share:.0f} %" for part, share in zip(learned.names, learned.total, strict=True)]
    about = f" for {name(output)}" if result.settings.several else ""
    return Chart(
        f"Importance{about}",
        f"How much of what the model sees{_of(result, output)} changes with each parameter: pale with all that it does "
        "in company of others, dark what it does alone, and behind it the length-scale, as a share of the range.",
        f"Importance of the parameters{about}: {', '.join(shares[:BARS])}.",
        lambda figure: plot.importance(result, figure.add_subplot(), output=output),
        1.0 + 0.2 * min(len(learned), BARS),
    )


def _slices(result: Result, space: Space, important: Sequence[str], output: str) -> list[Chart]:
    taken = [part for part in important if _together(result, space, [part])][:SLICES]
    if not taken:
        return []
    across = min(2, len(taken))
    down = -(-len(taken) // across)
    point = "knee of the front" if result.settings.several else "point that it recommends"
    return [
        Chart(
            f"Slices{_of(result, output)}",
            f"What the model expects{_of(result, output)} along the parameters that matter most, all others staying as "
            f"they are at the {point} (the star), with a band of 95 %. Dots are all evaluations, whatever else they "
            f"differ in, so that they need not lie on the line.{_limited(result)}",
            f"The value{_of(result, output)} that the model expects along {', '.join(map(name, taken))}.",
            lambda figure: plot.slice(
                result, taken, ax=[figure.add_subplot(down, across, i + 1) for i in range(len(taken))], output=output
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
            "crosses failed ones, the star is the point that the model recommends."
            f"{_limited(result, 'hatched')}",
            f"The value that the model expects over {name(pair[0])} and {name(pair[1])}.",
            lambda figure: plot.contour(result, *pair, ax=figure.add_subplot()),
            3.6,
        )
    ]


def _limited(result: Result, look: str = "grey") -> str:
    """What limits look like in a figure of the model; "" without any."""
    if not result.settings.constraints:
        return ""
    return f" Upright crosses are beyond a limit; {look} is where the models hold that probable."


def _parallel(result: Result, important: Sequence[str]) -> Chart:
    shown = ", ".join(map(name, important[:ACROSS]))
    several = result.settings.several
    return Chart(
        "All points",
        "A line for each trial of the front, through its objectives and its parameters; thick is the knee, faint are "
        "all other evaluations."
        if several
        else "A line for each evaluation, through its parameters to its value; darker is better.",
        f"{'The front' if several else 'Evaluations'} as lines through the parameters {shown}.",
        lambda figure: plot.parallel(result, ax=figure.add_subplot()),
        3.0,
    )


def _together(result: Result, space: Space, names: Sequence[str]) -> bool:
    """Whether a trial with a value has all these parameters."""
    places = [i for i, coordinate in enumerate(space.coordinates) if coordinate.name in names]
    active = active_coordinates(space, rows(result.history.done, space.dim))
    return bool(active[:, places].all(axis=1).any())
