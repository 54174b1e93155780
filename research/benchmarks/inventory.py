"""Which command makes which table and figure of the documentation, and what that takes.

Where a table stands, its marker in the page says (`research.benchmarks.markers`); which figures a script draws, it says
here. Minutes are of one core of a virtual machine of 2026, which had other work as well. What is `cheap`, `make
figures` makes again; the rest takes too long for that, and its place in the page says with which version it was made.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Made:
    """One command, and what of the documentation comes from it."""

    name: str
    command: str  # as in the markers of pages
    minutes: float | None  # None: long, and not measured
    cheap: bool = False
    figures: tuple[str, ...] = ()  # patterns, from the root
    needs: tuple[str, ...] = ()  # modules that are not among the dependencies, or files
    timed: bool = False  # its numbers are times, or depend on them: nothing else should run meanwhile
    by_hand: bool = False  # the table was put together from what the command prints, or from several runs of it


def drawings() -> tuple[Made, ...]:
    """Scripts that draw figures: research/benchmarks/*_figure.py and *_figures.py."""
    scripts = sorted(path.stem for path in (ROOT / "research" / "benchmarks").glob("*_figure*.py"))
    return tuple(
        Made(
            name,
            f"python -m research.benchmarks.{name}",
            0.3,
            cheap=True,
            figures=DRAW.get(name, ()),
            needs=NEEDS.get(name, ("matplotlib",)),
            timed=name == "accuracy_figure",  # its proofs have a time limit
        )
        for name in scripts
    )


MEANS = ("main-published", "small-published", "main-seconds", "dimension")  # figures that need no whole runs
DRAW = {
    "accuracy_figure": ("docs/figures/accuracy.svg",),
    "comparison_figures": ("research/comparison/*",),
    "evaluations_figure": ("docs/figures/evaluations.svg",),
    "reproduction_figures": tuple(f"docs/reproduction/figures/{name}.png" for name in MEANS),
    "report_figure": ("docs/figures/report.png",),
    "tutorial_figures": ("docs/figures/tutorial/*",),
}
NEEDS = {
    **dict.fromkeys(("report_figure", "dashboard_figures"), ("playwright", "/usr/bin/chromium")),
    "comparison_figures": ("matplotlib", str(ROOT / "comparison" / "full" / "results.db")),  # hours of runs
}


def bench(words: str, minutes: float | None = None, name: str = "", **more: Any) -> Made:
    """A module of this folder with its arguments; the name is the module's unless another is given."""
    name = name or words.split()[0]
    return Made(name, f"python -m research.benchmarks.{words}", minutes, **more)


def reproduced(name: str, minutes: float | None = None) -> Made:
    """An experiment of `suffice reproduce`, with its figures and tables."""
    figures = (f"docs/reproduction/figures/{name}*", f"docs/reproduction/tables/{name}*")
    return Made(f"reproduce-{name}", f"suffice reproduce {name}", minutes, by_hand=True, figures=figures)


DRAWN = ("docs/figures/gallery/*", "docs/figures/overview.png")
RECIPES = ("research/measurements/recipes.svg", "research/measurements/recipes.csv")
ABLATION = "places --ablation --first 100 --seeds 12 reaction many_options basins3d basins4d hartmann6 shekel5"
LIBRARIES = "python -m research.exactness.report"  # of committed runs
WIDE = "high_dimension"
CHOSEN = f"{WIDE} --suite choosing --first 100 --seeds 2 --methods longer twice shorter region patient LogEI"
BATCHES = "batches --report --strategy mean --rule"
EXPERIMENTS = ("small", "surrogate", "inexact", "growth", "solvers", "dimension", "kernels", "thompson", "automl")
MADE = (
    # Drawn in seconds to a minute.
    bench("gallery", 0.5, cheap=True, figures=DRAWN, needs=("matplotlib", "sklearn")),
    *drawings(),
    Made("exactness", LIBRARIES, 0.2, cheap=True, figures=("docs/figures/libraries-*.svg",), needs=("matplotlib",)),
    # Tables that `make figures` prints again.
    bench("orders", 0.6, cheap=True),
    bench("budget", 2.1, cheap=True),
    bench("effort", 3.3, cheap=True),
    bench("regret_bound", 1.9, cheap=True, timed=True),  # its proofs have a time limit
    bench("limits", 1.0, cheap=True, timed=True),  # so have some of its
    bench("failures half", 0.7, "failures_half", cheap=True),
    bench("failures random --aim best", 2.0, "failures_random", cheap=True),
    bench("failures places --aim best --seeds 2", 0.8, "failures_places", cheap=True),
    bench("noise 30", 4.4, cheap=True),
    bench("engines", 0.3, cheap=True, needs=("joblib", "distributed")),
    bench("recipes", 4.0, cheap=True, figures=RECIPES, needs=("matplotlib",), timed=True),
    # Longer than that.
    bench("places", 9.0),
    bench(ABLATION, 15.0, "places_ablation", by_hand=True),
    bench("stopping 5", 12.0),
    bench("statements --half odd --seeds 2", 25.0, by_hand=True),
    bench("places --first 1000", 15.0, "places_gate", by_hand=True),
    bench("gate waste", 5.0, "gate_waste", by_hand=True),
    bench("gate failing", 2.0, "gate_failing", by_hand=True),
    bench("gate basins --seeds 20", 8.0, "gate_basins", by_hand=True),
    bench("shared_load join", 3.0, needs=("psycopg",), timed=True, by_hand=True),
    bench("shared_speed speed 300 16 4", 4.0, needs=("psycopg", "torch"), timed=True, by_hand=True),
    bench("early_stopping 14", 30.0),
    bench("conditional", 4.0, needs=("optuna",)),
    bench("constraints --methods suffice optuna-gp optuna-tpe", 40.0, needs=("optuna", "torch"), by_hand=True),
    bench("constraints --suite choosing", name="constraints_choosing", by_hand=True),
    bench("objectives --methods suffice optuna-gp", 60.0, needs=("optuna", "torch"), by_hand=True),
    bench("objectives --methods suffice botorch", name="objectives_botorch", needs=("botorch",), by_hand=True),
    bench("objectives --suite choosing", name="objectives_choosing", by_hand=True),
    bench("search_cv", needs=("sklearn",)),
    bench("thompson"),
    bench("thompson --report", name="thompson_report"),
    bench("defaults --seeds 4", by_hand=True),
    bench("defaults --report", name="defaults_report", by_hand=True),
    bench("design", by_hand=True),
    bench("design --report --seeds 8", name="design_report", by_hand=True),
    bench(
        f"{WIDE} --methods suffice optuna-gp optuna-tpe optuna-cmaes", needs=("optuna", "torch", "cmaes"), by_hand=True
    ),
    bench(CHOSEN, name="high_dimension_choosing", by_hand=True),
    bench(f"{WIDE} --asks", name="high_dimension_asks", timed=True, by_hand=True),
    bench("batches", by_hand=True),
    bench("batches --report", name="batches_report", by_hand=True),
    bench("wide_batches --report", name="wide_batches", by_hand=True),
    bench(f"{BATCHES} LogEI --workers 4 64", name="batches_workers", by_hand=True),
    bench(f"{BATCHES} default --workers 4 16", name="batches_default", by_hand=True),
    bench("many --choice --asks 60 --seeds 100 101", 25.0, name="many_choice", by_hand=True),
    bench("many --study --points 1000 100000 --seeds 0 1", 20.0, name="many_study", by_hand=True),
    bench("accuracy FILE", by_hand=True),
    bench("certificate FILE", by_hand=True),
    bench("optuna_conditional", needs=("optuna", "torch", "sklearn"), by_hand=True),
    bench("false_alarms --repeats 2", by_hand=True),
    bench("skopt_parity", needs=("skopt",), by_hand=True),
    bench("kills", by_hand=True),
    bench("faithful reference.jsonl results.db", by_hand=True),
    bench("faithful --speed", name="faithful_speed", by_hand=True, timed=True),
    # Times, for an idle machine.
    bench("pool", timed=True),
    bench("optuna_speed 40", timed=True, needs=("optuna",)),
    bench("report", timed=True),
    bench("store", timed=True, by_hand=True),
    bench("latency", timed=True),
    bench("many --times", 1.5, name="many_times", timed=True),
    bench("price --samplers tpe gp", 3.0, timed=True, needs=("optuna", "torch")),
    bench("overhead peers=peers/bin/python", timed=True, by_hand=True),
    # The comparison and the reproduction; the pages have the commands with all their words.
    Made("compare_functions", "python -m research.compare --systems suffice --seeds 5", None, by_hand=True),
    Made("compare_places", "python -m research.compare --jobs 1 --seeds 1", None, by_hand=True),
    reproduced("main", 56.0),
    *map(reproduced, EXPERIMENTS),
    reproduced("grid-size"),
)
