"""The figure of docs/ideas/accuracy.md: python -m research.benchmarks.accuracy_figure

Two runs of Hartmann3, by the default solver and by the paper's grid: what the reports said of each step, what an audit
found, and what was proved.
"""

from research.benchmarks.timing import pin_threads

pin_threads()

from pathlib import Path  # noqa: E402

import matplotlib.pyplot as plt  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import PROBLEMS  # noqa: E402

FIGURE = Path(__file__).parents[2] / "docs" / "figures" / "accuracy.svg"
SOLVERS = {
    "Adaptive, the default": sf.solvers.Adaptive(),
    "the paper's grid of 100 t points": sf.solvers.Grid(near=False),
}
TRIALS, SECONDS = 60, 0.5


def main() -> None:
    plt.rcParams["svg.hashsalt"] = "accuracy"  # else every file has other names inside
    problem = PROBLEMS["hartmann3"]
    fig, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), sharey=True, layout="constrained")
    for ax, (label, solver) in zip(axes, SOLVERS.items(), strict=True):
        result = sf.minimize(
            problem,
            list(problem.bounds),
            TRIALS,
            seed=0,
            aim="regret",
            solver=solver,
            diagnostics=sf.solvers.Diagnostics(proof_seconds=SECONDS, audit=1.0),
        )
        sf.plot.accuracy(result, ax=ax).set_title(label)
        handles = ax.get_legend_handles_labels()
        ax.get_legend().remove()
        print(f"{label}: {result.accuracy}\n")
    axes[1].set_ylabel("")
    fig.legend(*handles, loc="outside lower center", ncols=4, frameon=False, fontsize="small")
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(FIGURE, metadata={"Date": None})
    print(f"wrote {FIGURE}")


if __name__ == "__main__":
    main()
