"""The figures of docs/tutorial, and the output that its pages show: python -m research.benchmarks.tutorial_figures

The programs are those of the pages: what is drawn is what a reader gets.
"""

from research.benchmarks.timing import pin_threads

pin_threads()

import sys  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402
from types import ModuleType  # noqa: E402
from typing import Any  # noqa: E402

import matplotlib as mpl  # noqa: E402

mpl.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks import tutorial_pages  # noqa: E402
from research.benchmarks.gallery import DOCS, LARGE, save  # noqa: E402
from suffice.plot.style import COLOURS, FULL, RC  # noqa: E402
from tests.docs.pages import Page  # noqa: E402

FIGURES = DOCS / "figures" / "tutorial"
DOTS = 160  # for each inch
BLUE, ORANGE, GREEN, _, RED, *_ = COLOURS
STEPS = (4, 5, 9)  # evaluations before the panels of the second figure


def main() -> None:
    FIGURES.mkdir(parents=True, exist_ok=True)
    tutorial_pages.main()
    with tempfile.TemporaryDirectory() as folder, mpl.rc_context(RC):
        oven, bakery = modules(Path(folder))
        save(curves(oven), FIGURES / "curves.png", DOTS)
        save(steps(oven), FIGURES / "model.png", DOTS)
        result = sf.minimize(bakery.cost, bakery.space, n_trials=30, seed=0)  # as on the second page
    save(result.plot(), FIGURES / "run.png", LARGE * 3 // 4)
    names = ["gain", "interval", "reset", "lead"]
    save(sf.plot.slice(result, names)[0].figure, FIGURES / "slices.png", DOTS)


def modules(folder: Path) -> tuple[ModuleType, ModuleType]:
    """The two files of the pages, imported."""
    for page, name in (("1-first-run", "oven.py"), ("2-space", "bakery.py")):
        (folder / name).write_text(Page(f"docs/tutorial/{page}.md").file(name), encoding="utf-8")
    sys.path.insert(0, str(folder))
    import bakery
    import oven

    return oven, bakery


def curves(oven: Any) -> Any:
    """The oven with three settings: two by hand, and those of the first run."""

    def cost(point: dict[str, float]) -> float:
        return oven.distance(oven.temperatures(**point))

    found = sf.minimize(cost, {"gain": (0.2, 10.0), "reset": (50.0, 1000.0)}, n_trials=25, seed=0).x
    figure, ax = plt.subplots(figsize=(FULL, 2.6), layout="constrained")
    ax.axhline(oven.TARGET, color="#888888", linewidth=0.8, linestyle=(0, (4, 2)))
    ax.axvspan(15, 40, color="#f4f4f4", zorder=0)
    ax.annotate("the bread is inside: this counts", (27.5, 26), ha="center", fontsize=8, color="#555555")
    for label, point, colour, width in (
        ("first guess", {"gain": 1.0, "reset": 100.0}, RED, 1.1),
        ("second guess", {"gain": 8.0, "reset": 800.0}, ORANGE, 1.1),
        ("found in 25 evaluations", found, BLUE, 2.0),
    ):
        curve = oven.temperatures(**point)
        said = f"{label}: {cost(point):.1f} °C off"
        ax.plot(np.arange(len(curve)) / 60, curve, color=colour, linewidth=width, label=said)
    ax.set(xlabel="minutes", ylabel="air, °C", xlim=(0, 40), ylim=(15, 215))
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def steps(oven: Any) -> Any:
    """A run over the gain alone: the model and the next point, after some evaluations."""

    def cost(point: dict[str, float]) -> float:
        return oven.distance(oven.temperatures(point["gain"], 350.0))

    gains = np.geomspace(0.2, 10.0, 201)
    truth = [cost({"gain": gain}) for gain in gains]
    opt = sf.Optimizer({"gain": sf.Float(0.2, 10.0, log=True)}, n_initial=4, seed=1)
    figure, axes = plt.subplots(1, len(STEPS), figsize=(FULL, 2.4), layout="constrained", sharey=True)
    for count, ax in zip(STEPS, axes, strict=True):
        while len(opt.trials) < count:
            trial = opt.ask()
            opt.tell(trial, cost(trial.point))
        mean, sd = opt.result().predict([{"gain": float(gain)} for gain in gains])
        band = mean - 2 * sd, mean + 2 * sd
        ax.fill_between(gains, *band, color=BLUE, alpha=0.18, linewidth=0, label="how unsure it is")
        ax.plot(gains, mean, color=BLUE, label="what the model expects")
        ax.plot(gains, truth, color="#555555", linestyle=(0, (3, 2)), linewidth=0.9, label="the objective")
        done = [(trial.point["gain"], trial.value) for trial in opt.trials]
        ax.plot(*zip(*done, strict=True), "o", color="black", markersize=4, label="evaluations")
        trial = opt.ask()
        ax.axvline(trial.point["gain"], color=ORANGE, linewidth=1.6, label="the next one")
        opt.tell(trial, cost(trial.point))  # and so it is
        ax.set(xscale="log", xlabel="gain", title=f"after {count} evaluations", ylim=(0, 42))
    axes[0].set_ylabel("distance, °C")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, columnspacing=1.2, handlelength=1.8
    )
    return figure


if __name__ == "__main__":
    main()
