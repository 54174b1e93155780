"""The figure of docs/accuracy.md: python -m benchmarks.accuracy_figure

Audited relative gaps of each step, beside what the reports of the same steps estimated.
"""

from benchmarks.timing import pin_threads

pin_threads()

from pathlib import Path  # noqa: E402

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from suffice.problems import PROBLEMS  # noqa: E402

FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "accuracy.svg"
SOLVERS = {"Grid, 100 t points": (sf.Grid(), "#D55E00"), "Enough": (sf.Enough(), "#0072B2")}
FLOOR = 1e-5  # gaps below are drawn here


def main() -> None:
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.9), sharey=True, layout="constrained")
    for ax, (name, T) in zip(axes, (("hartmann3", 60), ("hartmann6", 120)), strict=True):
        problem = PROBLEMS[name]
        n = 10 * problem.dim
        for label, (solver, colour) in SOLVERS.items():
            result = sf.minimize(problem, problem.bounds, n + T, n_initial=n, seed=0, aim="regret", solver=solver)
            audited = np.array([step.relative_gap for step in sf.audit(result).steps])
            t = np.arange(1, T + 1)
            ax.plot(t, np.maximum(audited, FLOOR), ".", color=colour, ms=4, label=f"{label}: audited")
            ax.plot(t, np.maximum(result.accuracy.gaps, FLOOR), "-", color=colour, lw=0.8, label=f"{label}: reported")
        ax.set(yscale="log", ylim=(0.7 * FLOOR, 1.2), xlabel="step t", title=name)
        ax.grid(alpha=0.25, lw=0.5)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("relative gap")
    fig.legend(*axes[0].get_legend_handles_labels(), fontsize=7, loc="outside lower center", ncols=4, frameon=False)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(FIGURE)
    print(f"wrote {FIGURE}")


if __name__ == "__main__":
    main()
