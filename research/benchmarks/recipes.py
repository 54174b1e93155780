"""How accurate is the search for the next point? Every recipe on the same surfaces.

    python -m research.benchmarks.recipes

A surface is a frozen alpha_t of a real GP-UCB run. α* is the best value that anything found there: a heavy reference
(20 000 uniform and 2 000 local draws; the 50 best of them and all observed points climbed to 1e-10) or a recipe itself.

gap      (α* − α(x)) / (α* − median of α over the uniform draws): 0 is the maximum, 1 an average point
evals    value rows + (d + 1) × gradient rows
found    the share of solves with a gap of at most 1e-3

Prints the tables of research/measurements/recipes.md and writes recipes.csv (every solve) and recipes.svg beside it;
--quick takes half a minute and writes to out/ instead; --redraw makes tables and figure again from the CSV file.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import argparse  # noqa: E402
import csv  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterable, Sequence  # noqa: E402
from dataclasses import asdict, dataclass, field, fields, replace  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.imitations import RECIPES  # noqa: E402
from research.problems import PROBLEMS  # noqa: E402
from suffice.candidates import local, uniform  # noqa: E402
from suffice.solvers import Adaptive  # noqa: E402
from suffice.solvers.record import largest  # noqa: E402
from suffice.solvers.search.mixed import polish  # noqa: E402
from suffice.types import Domain, Score, Solution, Solver, Step  # noqa: E402

ROOT = Path(__file__).parents[2]
OURS: dict[str, Callable[[], Solver]] = {  # `paper` among the recipes is Grid(size=Linear(100))
    "LBFGSB": sf.solvers.LBFGSB,
    "Polished": lambda: sf.solvers.Polished(sf.solvers.Grid(size=sf.solvers.Fixed(1000))),
    "Adaptive": Adaptive,
}
WARM = "botorch + incumbent"  # what one more start, the best observed point, would bring
SOLVERS = {**RECIPES, WARM: lambda: replace(RECIPES["botorch"](), incumbent=True), **OURS}
GROUPS = {"d = 2–3": (2, 3), "d = 4–6": (4, 6), "d = 8–10": (8, 10)}
FOUND = 1e-3
FLOOR = 1e-9  # gaps below it are rounding


@dataclass(frozen=True)
class Plan:
    """What is judged."""

    problems: tuple[str, ...] = (
        *("branin", "rastrigin3", "hartmann3", "hartmann4", "levy5", "hartmann6"),  # the paper's
        *("six_hump_camel", "ackley5", "cosine_mixture8", "michalewicz10"),
    )
    steps: tuple[int, ...] = (5, 20, 60, 120)
    seeds: tuple[int, ...] = (0, 1, 2)
    repeats: int = 2


QUICK = Plan(("branin", "rastrigin3", "ackley5", "hartmann6", "michalewicz10"), (5, 20, 60), (0,), 2)


@dataclass(frozen=True)
class Solve:
    """One row of the CSV file."""

    problem: str
    d: int
    t: int
    seed: int
    solver: str
    repeat: int
    gap: float
    evals: int
    grads: int
    seconds: float


# ---------------------------------------------------------------------- surfaces


@dataclass(frozen=True)
class Frozen:
    """alpha_t with what a solver may know."""

    alpha: Score
    domain: Domain
    step: Step


@dataclass(frozen=True)
class Recorder:
    """The default solver, keeping the surfaces of some steps."""

    steps: tuple[int, ...]
    kept: list[Frozen] = field(default_factory=list)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: np.random.Generator) -> Solution:
        if step.t in self.steps:
            self.kept.append(Frozen(alpha, domain, step))
        return sf.solvers.Polished(sf.solvers.Grid(size=sf.solvers.Fixed(1000)))(alpha, domain, step=step, rng=rng)


def surfaces(name: str, seed: int, steps: tuple[int, ...]) -> list[Frozen]:
    """alpha_t of one GP-UCB run, refitted at every growth by 30 %."""
    problem, recorder = PROBLEMS[name], Recorder(steps)
    n_initial = 2 * (problem.dim + 1)
    sf.minimize(
        problem,
        problem.bounds,
        n_initial + max(steps),
        seed=seed,
        aim="regret",
        n_initial=n_initial,
        model=sf.GP(refit=sf.gp.Refit(0.3)),
        solver=recorder,
    )
    return recorder.kept


def reference(surface: Frozen, rng: np.random.Generator) -> tuple[float, float]:
    """The best value that a heavy search finds, and the median of alpha."""
    alpha, domain, design = surface.alpha, surface.domain, surface.step.design
    draws = uniform(20_000, domain, design=design, rng=rng)
    X = np.concatenate((draws, local(2_000, domain, design=design, rng=rng)))
    values = alpha(X)
    starts = np.concatenate((X[largest(values, 50)], design))
    ends = polish(alpha, domain, starts, tol=1e-10, max_iter=1000)
    return max(float(values.max()), float(ends.values.max())), float(np.median(values[: len(draws)]))


# ---------------------------------------------------------------------- the judge


def judge(surface: Frozen, labels: tuple[str, int, int], repeats: int) -> list[Solve]:
    """Every solver on one surface; labels: problem, its index, seed."""
    problem, index, seed = labels
    step, solutions = surface.step, []
    for name, make in SOLVERS.items():
        solver = make()
        for repeat in range(repeats):
            rng = np.random.default_rng((index, seed, step.t, repeat))
            start = time.perf_counter()
            solution = solver(surface.alpha, surface.domain, step=step, rng=rng)
            solutions.append((name, repeat, solution, time.perf_counter() - start))
    top, median = reference(surface, np.random.default_rng((index, seed, step.t)))
    top = max(top, *(solution.value for _, _, solution, _ in solutions))
    return [
        Solve(
            problem=problem,
            d=surface.domain.dim,
            t=step.t,
            seed=seed,
            solver=name,
            repeat=repeat,
            gap=(top - solution.value) / (top - median),
            evals=solution.n_evals,
            grads=solution.n_grads,
            seconds=seconds,
        )
        for name, repeat, solution, seconds in solutions
    ]


def run(plan: Plan) -> list[Solve]:
    """All surfaces of a plan."""
    solves: list[Solve] = []
    for index, name in enumerate(plan.problems):
        for seed in plan.seeds:
            kept = surfaces(name, seed, plan.steps)
            if not solves:
                judge(kept[0], (name, index, seed), 1)  # the first calls import and allocate
            for surface in kept:
                solves += judge(surface, (name, index, seed), plan.repeats)
        print(f"  {name} done", file=sys.stderr, flush=True)
    return solves


# ---------------------------------------------------------------------- tables


def of(solves: Iterable[Solve], solver: str) -> list[Solve]:
    return [solve for solve in solves if solve.solver == solver]


def group_of(solves: Iterable[Solve], group: str) -> list[Solve]:
    low, high = GROUPS[group]
    return [solve for solve in solves if low <= solve.d <= high]


def shown(gap: float) -> str:
    return f"{gap:.0e}" if gap >= FLOOR else "0"


def accuracy(solves: list[Solve]) -> list[str]:
    """Median gap, mean gap, share found."""
    gaps = np.array([solve.gap for solve in solves])
    return [shown(float(np.median(gaps))), shown(float(gaps.mean())), f"{100 * np.mean(gaps <= FOUND):.0f} %"]


def cost(solves: list[Solve]) -> list[str]:
    """Median evaluations and milliseconds."""
    evals, seconds = (np.median([getattr(solve, name) for solve in solves]) for name in ("evals", "seconds"))
    return [f"{evals:.0f}", f"{1e3 * seconds:.2g}"]


Table = tuple[str, list[str], list[list[str]]]


def tables(solves: list[Solve]) -> list[Table]:
    """By dimension, with the cost; and by iteration."""
    header = ["recipe", "evals", "ms", "median gap", "mean gap", "found"]
    found: list[Table] = []
    for group in GROUPS:
        some = group_of(solves, group)
        if some:
            rows = [[name, *cost(of(some, name)), *accuracy(of(some, name))] for name in SOLVERS]
            found.append((f"{group}: {', '.join(sorted({solve.problem for solve in some}))}", header, rows))
    steps = sorted({solve.t for solve in solves})
    by_step = [[[s for s in of(solves, name) if s.t == t] for t in steps] for name in SOLVERS]
    rows = [
        [name, *(" / ".join(accuracy(cell)[1:]) for cell in cells)]
        for name, cells in zip(SOLVERS, by_step, strict=True)
    ]
    found.append(("By iteration: mean gap / found", ["recipe", *(f"t = {t}" for t in steps)], rows))
    return found


# ---------------------------------------------------------------------- files


def write_csv(solves: Sequence[Solve], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(f.name for f in fields(Solve))
        for solve in solves:
            row = asdict(solve) | {"gap": f"{max(solve.gap, 0.0):.3g}", "seconds": f"{solve.seconds:.3g}"}
            writer.writerow(row.values())


def read_csv(path: Path) -> list[Solve]:
    with path.open(newline="", encoding="utf-8") as file:
        return [Solve(**{f.name: f.type(row[f.name]) for f in fields(Solve)}) for row in csv.DictReader(file)]


# ---------------------------------------------------------------------- figure

# Okabe and Ito's colours say how the starts are chosen, the markers whose recipe it is.
FAMILIES = {
    "no local runs": ("#D55E00", ("paper", "lagp", "turbo")),
    "Boltzmann starts": ("#0072B2", ("baybe", "botorch", "ax", WARM)),
    "roulette, incumbent": ("#CC79A7", ("optuna",)),
    "best starts": ("#009E73", ("trieste", "skopt", "bayes_opt")),
    "suffice": ("#000000", tuple(OURS)),
}


def draw(solves: list[Solve], path: Path) -> None:
    """Gap and share missed against evaluations, a column of panels for each group of dimensions."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update(
        {"font.size": 8, "svg.hashsalt": "recipes", "axes.spines.top": False, "axes.spines.right": False}
    )
    groups = [group for group in GROUPS if group_of(solves, group)]
    figure, axes = plt.subplots(
        2, len(groups), figsize=(7.2, 5.4), sharex=True, sharey="row", squeeze=False, layout="constrained"
    )
    for (gaps, missed), group in zip(axes.T, groups, strict=True):
        for colour, names in FAMILIES.values():
            for name, marker in zip(names, "os^D", strict=False):
                style = {"color": colour, "marker": marker, "markersize": 5, "markerfacecolor": "none", "lw": 1}
                some = of(group_of(solves, group), name)
                evals = np.median([solve.evals for solve in some])
                gap = np.array([solve.gap for solve in some])
                low, mid, high = np.maximum(np.quantile(gap, [0.25, 0.5, 0.75]), FLOOR)
                gaps.errorbar(evals, mid, [[mid - low], [high - mid]], capsize=2, **style)
                missed.plot(evals, 100 * np.mean(gap > FOUND), ls="", label=name, clip_on=False, **style)
        gaps.set(title=group, xscale="log", yscale="log")
        gaps.set_yticks([1e-9, 1e-6, 1e-3, 1.0], ["≤ 1e-9", "1e-6", "1e-3", "1"])
        missed.set_yscale("symlog", linthresh=1.0, linscale=0.4)
        missed.set(xlabel="evaluations of α", ylim=(0, 100))
        missed.set_yticks([0, 1, 3, 10, 30, 100], ["0", "1", "3", "10", "30", "100"])
        for panel in (gaps, missed):
            panel.grid(alpha=0.25, lw=0.5)
    axes[0, 0].set_ylabel("relative gap: median, quartiles")
    axes[1, 0].set_ylabel("solves that miss (gap > 1e-3), %")
    lines = {line.get_label(): line for line in axes[1, 0].get_lines()}
    blank, height = plt.Line2D([], [], ls=""), 1 + max(len(names) for _, names in FAMILIES.values())
    entries: list[str] = []  # the legend fills column by column: a family each
    for family, (_, names) in FAMILIES.items():
        entries += [f"{family}:", *names, *[" "] * (height - 1 - len(names))]
    handles = [lines.get(entry, blank) for entry in entries]
    figure.legend(handles, entries, loc="outside lower center", ncols=len(FAMILIES), frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=200)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m research.benchmarks.recipes", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="half a minute; writes to out/ instead")
    parser.add_argument("--redraw", action="store_true", help="no runs: tables and figure from the CSV file")
    options = parser.parse_args()
    folder = ROOT / "out" if options.quick else ROOT / "research" / "measurements"
    if not options.redraw:
        write_csv(run(QUICK if options.quick else Plan()), folder / "recipes.csv")
    solves = read_csv(folder / "recipes.csv")  # rounded, so that --redraw prints the same
    found = tables(solves)
    for table in found:
        print_table(*table)
    draw(solves, folder / "recipes.svg")


if __name__ == "__main__":
    main()
