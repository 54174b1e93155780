"""The figures of docs/ideas/libraries.md and README, as SVG."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research.exactness.report import COLUMNS, NAMES, NEAR, SOLVERS, Change, changes, etas, shared, spelled
from research.exactness.runs import Row

FIGURES = Path(__file__).parents[2] / "docs" / "figures"
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#a8a8a8"  # Okabe and Ito


def draw(parts: Mapping[str, Sequence[Row]]) -> None:
    """All of them."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"font.size": 10, "svg.hashsalt": "libraries", "svg.fonttype": "path"})
    solves = parts["solves"]
    drawn = {"misses": misses(solves), "costs": costs(parts["regret"], parts["members"]), "short": short(solves)}
    for name, figure in drawn.items():
        figure.savefig(FIGURES / f"libraries-{name}.svg", metadata={"Date": None}, facecolor="white")


def subplots(*shape: int, **words: Any) -> Any:
    """A new figure and its axes, without the upper and the right edge."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(*shape, layout="constrained", **words)
    for ax in np.ravel(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


# ---------------------------------------------------------------------- how exactly libraries solve


def short(solves: Sequence[Row]) -> Any:
    """For README: the share of misses and the time of a solve, a bar for each library."""
    rows = {name: [row for row in shared(solves) if row["library"] == name] for name in NAMES}
    share = {name: 100.0 * float((etas(own) < NEAR).mean()) for name, own in rows.items()}
    ms = {name: float(np.median([float(row["ms"]) for row in own])) for name, own in rows.items()}
    order = sorted(NAMES, key=lambda name: (-share[name], ms[name]))
    figure, (left, right) = subplots(1, 2, figsize=(7.2, 1.9), sharey=True)
    _bars(left, order, share, "{:.0f} %".format, "searches below 90 % of the maximum")
    _bars(right, order, ms, "{:.0f} ms".format, "processor time per search")
    return figure


def _bars(ax: Any, order: Sequence[str], values: Mapping[str, float], words: Callable[[float], str], name: str) -> None:
    colours = [BLUE if one == "suffice" else GREY for one in order]
    ax.barh([NAMES[one] for one in order], [values[one] for one in order], color=colours, height=0.66)
    for row, one in enumerate(order):
        ax.annotate(words(values[one]), (values[one], row), (4, 0), textcoords="offset points", va="center")
    ax.set(xticks=[], xlim=(0.0, 1.18 * max(values.values())))
    ax.set_title(name, fontsize=10, loc="left")
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(axis="y", length=0)


def misses(solves: Sequence[Row]) -> Any:
    """The share of misses by problem and library, in percent."""
    problems = list(dict.fromkeys(row["problem"] for row in solves))
    shares = np.full((len(problems), len(NAMES)), np.nan)
    for i, problem in enumerate(problems):
        for j, name in enumerate(NAMES):
            found = etas([row for row in solves if row["problem"] == problem and row["library"] == name])
            shares[i, j] = 100.0 * float((found < NEAR).mean()) if len(found) else np.nan
    figure, ax = subplots(figsize=(7.2, 4.6))
    ax.imshow(shares, cmap="Oranges", vmin=0.0, vmax=80.0, aspect="auto")
    for (i, j), share in np.ndenumerate(shares):
        dark = share > 50.0
        words = "–" if np.isnan(share) else f"{share:.0f} %"
        ax.text(j, i, words, ha="center", va="center", color="white" if dark else "black" if share > 0 else "#777777")
    ax.set_xticks(range(len(NAMES)), [name.replace(" ", "\n") for name in NAMES.values()])
    ax.set_yticks(range(len(problems)), map(spelled, problems))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return figure


# ---------------------------------------------------------------------- what it costs


def costs(regret: Sequence[Row], members: Sequence[Row]) -> Any:
    """Factors of the regrets: another solver for BoTorch's model above, a grid for ours below."""
    figure, axes = subplots(2, 2, figsize=(8.4, 6.2), height_ratios=(3, 5), sharey="row", sharex="col")
    solvers = {name: (SOLVERS[name], mark) for name, mark in (("suffice", "o"), ("grid 1000", "s"), ("grid 100", "^"))}
    colours = dict(zip(solvers, (BLUE, ORANGE, GREEN), strict=True))
    above = [(words, changes(regret, "own"), name, colours[name], mark) for name, (words, mark) in solvers.items()]
    below = [
        (f"{words}, {said}", changes(members, "exact", members=str(count)), name, colour, mark)
        for count, said, colour in ((1, "one member", GREY), (4, "four members", BLUE))
        for name, (words, mark) in solvers.items()
        if name != "suffice"
    ]
    rows = (
        (above, "BoTorch's model, against\nBoTorch's own solver (×1)"),
        (below, "suffice's model, against\nits exact solver (×1)"),
    )
    for some, (sets, words) in zip(axes, rows, strict=True):
        for ax, column in zip(some, COLUMNS, strict=True):
            _forest(ax, sets, column)
        box = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5), "alignment": "left", "borderpad": 0.0}
        some[1].legend(title=words, title_fontsize=9, fontsize=9, frameon=False, **box)
    axes[0, 0].set_title("cumulative regret", fontsize=10)
    axes[0, 1].set_title("simple regret", fontsize=10)
    for ax in axes[1]:
        ax.set_xlabel("← less        more →")
    return figure


def _forest(
    ax: Any, sets: Sequence[tuple[str, dict[tuple[str, str, str], Change], str, str, str]], column: str
) -> None:
    """A mark with its interval for each problem and set."""
    problems = list(dict.fromkeys(problem for _, found, *_ in sets for problem, *_ in found))
    for k, (words, found, solver, colour, mark) in enumerate(sets):
        ends = np.array([found[problem, solver, column].ends for problem in problems]).T
        y = np.arange(len(problems)) + 0.19 * (k - 0.5 * (len(sets) - 1))
        ax.errorbar(ends[1], y, xerr=abs(ends[[0, 2]] - ends[1]), fmt=mark, color=colour, ms=4.5, lw=1.2, label=words)
    ax.set(xscale="log", ylim=(len(problems) - 0.5, -0.5))
    ax.axvline(1.0, color="black", lw=0.8)
    ax.set_yticks(range(len(problems)), ["all" if p == "all" else spelled(p) for p in problems])
    ax.xaxis.set_minor_formatter(lambda *_: "")
    ax.xaxis.set_major_formatter(lambda value, _: f"×{value:g}")
    ax.grid(axis="x", alpha=0.25, lw=0.5)
