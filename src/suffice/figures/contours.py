"""The objective over two parameters, as the model has it, and the evaluations.

x, y   (m,), (k,)   places along the axes          Z   (k, m)   nan where no point of the space is
P      (k, m)       the chance that a point is feasible
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import settle
from suffice.figures.scale import Scale
from suffice.figures.shading import Shading
from suffice.figures.slices import EVEN_CHANCE, FEW, INFEASIBLE, MANY, UNLIKELY, Star, draw_star, edges, spread
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
    P: Array | None = None  # None: there are no limits


@dataclass(frozen=True)
class Spots:
    """Evaluations in the plane: their places, nan if they lack a parameter, which have a value, which break a limit."""

    x: Array
    y: Array
    done: NDArray[np.bool_]
    infeasible: NDArray[np.bool_]


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
    """Filled contours, or cells where a parameter takes a few values only; rings for evaluations, a star.

    What is probably infeasible is hatched.
    """
    across, along = scales
    cells = any(bool(s.options) or (s.whole and len(p) <= FEW) for s, p in ((across, field.x), (along, field.y)))
    drawn = _draw_cells(ax, scales, field, shading) if cells else _draw_contours(ax, field, shading)
    if field.P is not None:
        _draw_unlikely(ax, scales, field.x, field.y, field.P, cells=cells)
    ax.grid(visible=False)
    across.lay(ax, "x")
    along.lay(ax, "y")
    if spots is not None:
        _draw_spots(ax, scales, spots)
    if star is not None:
        draw_star(ax, star)
    settle(ax)
    shading.bar(ax, label, drawn)


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


def _draw_unlikely(ax: "Axes", scales: tuple[Scale, Scale], x: Array, y: Array, P: Array, *, cells: bool) -> None:
    """White lines over what is probably infeasible, and a line around it."""
    from matplotlib import rc_context

    unlikely = np.ma.masked_invalid(P)
    if not (unlikely < EVEN_CHANCE).any():
        return
    with rc_context({"hatch.color": "white", "hatch.linewidth": 0.5}):
        if cells:
            inside = np.ma.masked_where(~(np.nan_to_num(P, nan=1.0) < EVEN_CHANCE), P)
            ends = edges(x, scales[0]), edges(y, scales[1])
            ax.pcolor(*ends, inside, facecolor=(0, 0, 0, 0.25), hatch="////", linewidth=0, label=UNLIKELY)
            return
        drawn = ax.contourf(x, y, unlikely, levels=[-1.0, EVEN_CHANCE], colors=[(0, 0, 0, 0.25)], hatches=["////"])
        drawn.set_label(UNLIKELY)
        ax.contour(x, y, unlikely, levels=[EVEN_CHANCE], colors="black", linewidths=0.8)


def _draw_spots(ax: "Axes", scales: tuple[Scale, Scale], spots: Spots) -> None:
    x, y = spread(spots.x, scales[0]), spread(spots.y, scales[1], 1)
    here = np.isfinite(x) & np.isfinite(y)
    kinds: tuple[tuple[str, NDArray[np.bool_], dict[str, Any]], ...] = (
        ("evaluations", spots.done & ~spots.infeasible, {"marker": "o", "facecolors": "white", "edgecolors": "black"}),
        ("infeasible", spots.infeasible, INFEASIBLE | {"color": "white", "s": 18.0}),
        ("failed", ~spots.done & ~spots.infeasible, {"marker": "x", "facecolors": "#D55E00", "linewidths": 1.0}),
    )
    for name, which, look in kinds:
        those = here & which
        if those.any():
            words: dict[str, Any] = {"s": 10.0, "linewidths": 0.5, "zorder": 3, "label": name} | look
            ax.scatter(x[those], y[those], rasterized=len(x) > MANY, **words)
