"""Tables and figures of docs/reproduction from the numbers kept beside it.

    python -m research.benchmarks.reproduction_figures

Nothing is run: docs/reproduction/tables has what `suffice reproduce` wrote of each experiment, means over the seeds.
Tables, and the figures that are made of means, are made from them by the present code; figures of whole runs are as
they were drawn when the runs were made.
"""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from research.benchmarks.timing import print_table
from suffice.lab.report import Cell
from suffice.paper import plots
from suffice.paper.presets import PRESETS
from suffice.paper.published import PUBLISHED
from suffice.problems.functions import title
from suffice.text import digits, with_error

FOLDER = Path(__file__).parents[2] / "docs" / "reproduction"
Cells = Mapping[tuple[str, str], Cell]  # by problem and method

SOLVERS = {
    "enough": "`Adaptive`",
    "lbfgsb": "`LBFGSB`",
    "nelder_mead": "`NelderMead`",
    "cg": "`CG`",
    "polished": "`Polished` grid",
    "restarts_lbfgsb": "the paper's L-BFGS-B",
    "restarts_nm": "the paper's NM",
    "restarts_cg": "the paper's CG",
    "grid": "`Grid`, 100 t",
}
GRIDS = {"fixed": "100", "linear": "100 t", "square": "100 t²", "volume": "100 t^d"}
SURROGATE = {
    "random": "random search",
    "uniform": "Uniform",
    "uniform_plain": "Uniform, f* unknown",
    "enough": "Adaptive",
    "suffice": "suffice",
}


def kept(name: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with (FOLDER / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def cells(name: str) -> dict[tuple[str, str], Cell]:
    """The cells of an experiment, in the order of the file."""
    kinds = {
        field.name: {"str": str, "int": int, str: str, int: int}.get(field.type, _number) for field in fields(Cell)
    }
    rows = ({key: kinds[key](value) for key, value in row.items()} for row in kept(f"{name}-cells"))
    return {(row["problem"], row["method"]): Cell(**row) for row in rows}


def _number(text: str) -> float:
    return float(text) if text else math.nan


def problems(found: Mapping[tuple[str, str], Any]) -> list[str]:
    return list(dict.fromkeys(problem for problem, _ in found))


def beside_published(name: str) -> None:
    """Final mean cumulative regret, published / reproduced; a cell that differs by more than chance is bold."""
    found, plan = cells(name), PRESETS[name]
    differs = {(row["problem"], row["method"]) for row in kept(f"{name}-published") if row["verdict"] != "agrees"}
    methods, rows = list(dict.fromkeys(method for _, method in found)), []
    for problem in problems(found):
        row = [title(problem)]
        for method in methods:
            cell, published = found[problem, method], PUBLISHED[name].get((problem, method))
            shown = with_error(cell.regret, cell.regret_se)
            shown = f"{digits(published.regret)} / {shown}" if published else shown
            row.append(f"**{shown}**" if (problem, method) in differs else shown)
        rows.append(row)
    print_table(f"{name}: published / reproduced", ["problem", *(plan.labels[method] for method in methods)], rows)


def by_method(name: str, words: Mapping[str, str], shown: Callable[[Cell], Sequence[str]], head: Sequence[str]) -> None:
    """A row for each method, so many columns for each problem."""
    found = cells(name)
    named = [[title(problem), *head] for problem in problems(found)]
    rows = []
    for method, label in words.items():
        of = [found.get((problem, method)) for problem in problems(found)]
        rows.append([label, *(part for cell in of for part in (shown(cell) if cell else [""] * (1 + len(head))))])
    print_table(f"{name}: by method", ["", *(cell for each in named for cell in each)], rows)


def surrogate() -> None:
    """A row for each problem."""
    found = cells("surrogate")
    rows = [[title(problem), *(_regret(found[problem, method]) for method in SURROGATE)] for problem in problems(found)]
    print_table("surrogate: by problem", ["problem", *SURROGATE.values()], rows)


def _regret(cell: Cell) -> str:
    return with_error(cell.regret, cell.regret_se)


def against_the_best() -> None:
    """suffice beside the best of the paper's four solvers, on each problem of the main experiment."""
    found, rows, ratios = cells("main"), [], []
    for problem in problems(found):
        four = {method: found[problem, method] for p, method in PUBLISHED["main"] if p == problem}
        best = min(four, key=lambda method: four[method].regret)
        ours = found[problem, "suffice"]
        ratios.append(ours.regret / four[best].regret)
        published = digits(PUBLISHED["main"][problem, best].regret)
        simple = min(cell.simple_regret for cell in four.values())
        row = [title(problem), f"{published} / {_regret(four[best])} ({PRESETS['main'].labels[best]})", _regret(ours)]
        rows.append([*row, f"{ratios[-1]:.2f}", f"{simple:.2g} / {ours.simple_regret:.2g}"])
    head = ["problem", "best of the four: published / reproduced", "suffice", "ratio"]
    print_table("main: the best of the four", [*head, "median simple regret, best of the four / suffice"], rows)
    print(f"\nThe geometric mean of the ratios is {math.exp(math.fsum(map(math.log, ratios)) / len(ratios)):.2f}.")


def draw() -> None:
    """The figures that are made of means."""
    for name in ("main", "small"):
        found = cells(name)
        save(plots.published_and_reproduced(PRESETS[name], found, PUBLISHED[name]), f"{name}-published")
    save(plots.seconds_by_phase(PRESETS["main"], cells("main")), "main-seconds")
    save(plots.regret_against_dimension(PRESETS["dimension"], cells("dimension")), "dimension")


def save(figure: Any, name: str) -> None:
    figure.savefig(FOLDER / "figures" / f"{name}.png", dpi=200)


def tables() -> None:
    """All tables of the page, and the one of research/comparison/README.md."""
    beside_published("main")
    against_the_best()
    beside_published("small")
    surrogate()
    by_method("growth", GRIDS, lambda c: [_regret(c), f"{c.simple_regret:.2g}", f"{c.seconds:.1f}"], ["simple", "s"])
    by_method("solvers", SOLVERS, lambda c: [f"{digits(c.regret)} ({c.m_audited:.2g})"], [])


def main() -> None:
    tables()
    draw()


if __name__ == "__main__":
    main()
