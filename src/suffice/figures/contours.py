"""The objective over two parameters, as the model has it, and the evaluations.

x, y   (m,), (k,)   places along the axes          Z   (k, m)   nan where no point of the space is
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import settle
from suffice.figures.scale import Scale
from suffice.figures.shading import Shading
from suffice.figures.slices import FEW, MANY, Star, draw_star, spread
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable


@dataclass(frozen=True)
class Field:
    """Values over a grid of places."""

    x: Array
    y: Array
    Z: Array


@dataclass(frozen=True)
class Spots:
    """Evaluations in the plane: their places, nan if they lack a parameter, and which have a value."""

    x: Array
    y: Array
    done: NDArray[np.bool_]


def draw_field(
    ax: "Axes",
    scales: tuple[Scale, Scale],
    field: Field,
    shading: Shading,
    *,
    spots: Spots | None = None,
    star: Star | None = None,
    label: str = "value",
) -> None:
    """Filled contours, or cells where a parameter takes a few values only; rings for evaluations, a star."""
    across, along = scales
    cells = any(bool(s.options) or (s.whole and len(p) <= FEW) for s, p in ((across, field.x), (along, field.y)))
    drawn = _draw_cells(ax, scales, field, shading) if cells else _draw_contours(ax, field, shading)
    ax.grid(visible=False)
    across.lay(ax, "x")
    along.lay(ax, "y")
    if spots is not None:
        _draw_spots(ax, scales, spots)
    if star is not None:
        draw_star(ax, star)
    settle(ax)
    shading.bar(ax, label, drawn)


def edges(places: Array, scale: Scale) -> Array:
    """Where cells around places begin and end, (m + 1,): half way to the next place on the axis."""
    share = scale.share(places)
    if len(share) == 1:
        return np.array(scale.limits)
    middle = (share[1:] + share[:-1]) / 2
    ends = np.concatenate([[2 * share[0] - middle[0]], middle, [2 * share[-1] - middle[-1]]])
    low, high = scale.share(np.array(scale.limits))
    inside: Array = np.clip(ends, low, high)
    whole: Array = scale.low + inside * (scale.high - scale.low)
    return np.exp(np.log(scale.low) + inside * np.log(scale.high / scale.low)) if scale.log else whole


def _draw_contours(ax: "Axes", field: Field, shading: Shading) -> "ScalarMappable":
    Z = np.ma.masked_invalid(np.clip(field.Z, shading.low, shading.high))
    drawn = ax.contourf(field.x, field.y, Z, levels=shading.levels, cmap=shading.map, norm=shading.norm)
    ax.contour(field.x, field.y, Z, levels=shading.levels[1:-1], colors="white", linewidths=0.3, alpha=0.6)
    return drawn


def _draw_cells(ax: "Axes", scales: tuple[Scale, Scale], field: Field, shading: Shading) -> "ScalarMappable":
    return ax.pcolormesh(
        edges(field.x, scales[0]),
        edges(field.y, scales[1]),
        np.ma.masked_invalid(field.Z),
        cmap=shading.map,
        norm=shading.norm,
        rasterized=True,
    )


def _draw_spots(ax: "Axes", scales: tuple[Scale, Scale], spots: Spots) -> None:
    x, y = spread(spots.x, scales[0]), spread(spots.y, scales[1], 1)
    here = np.isfinite(x) & np.isfinite(y)
    for done, look, name in ((True, "o", "evaluations"), (False, "x", "failed")):
        those = here & (spots.done == done)
        if those.any():
            ax.scatter(
                x[those],
                y[those],
                s=10.0,
                marker=look,
                facecolors="white" if done else "#D55E00",
                edgecolors="black" if done else None,
                linewidths=0.5 if done else 1.0,
                zorder=3,
                label=name,
                rasterized=len(x) > MANY,
            )
