"""Which figures a plan gets, and what to see in them: decided by what is known, not by the plan's name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from suffice.lab.plan import Plan
from suffice.lab.plots import Table, cumulative_regret, simple_regret
from suffice.lab.report import Chart
from suffice.lab.tables import Cell, Grouped
from suffice.page.formats import digits
from suffice.paper import accuracy_plots, plots
from suffice.paper.accuracy_plots import ETA, GAP
from suffice.paper.bound import Sides
from suffice.paper.published import SOURCE, Published
from suffice.paper.verdict import lowest, runs_per_cell
from suffice.problems.titles import title
from suffice.study.audit import RESOLUTION

AUDITED = (
    "Each panel says whether its values were audited, the maximum being found again by a heavy solver, or are those "
    "that the runs reported."
)


@dataclass(frozen=True)
class Findings:
    """All that figures are made of."""

    plan: Plan
    groups: Grouped
    cells: Table[Cell]
    published: Table[Published]
    sums: Table[Sides]
    holes: Sequence[tuple[int, int, float]] = ()  # dimension, points and fill distance of grids


def charts(found: Findings) -> list[Chart]:
    """The figures of a plan, in the order of the report; none without runs."""
    if not found.cells:
        return []
    return [*_of_regret(found), *_of_time(found), *_of_accuracy(found)]


def _of_regret(found: Findings) -> Iterator[Chart]:
    plan, groups, cells, published = found.plan, found.groups, found.cells, found.published
    lowest_on: dict[str, list[str]] = {}
    for problem, name in lowest(plan, cells).items():
        lowest_on.setdefault(plan.labels[name], []).append(title(problem))
    best = "; ".join(f"{label} on {', '.join(names)}" for label, names in lowest_on.items())
    yield Chart(
        "regret",
        "Cumulative regret",
        f"Mean over {runs_per_cell(cells)}; the bands are ± one standard error. Lower is better, and a curve that "
        "flattens has found the optimum."
        + (" Open markers at the right end are the published final values." if published else "")
        + (f" Lowest at the end: {best}." if best else ""),
        _alt(plan, "Cumulative regret against iterations"),
        partial(cumulative_regret, plan, groups, {key: cell.regret for key, cell in published.items()}),
    )
    if published:
        yield Chart(
            "published",
            "Published and reproduced",
            f"Final cumulative regret. Pale bars are the paper's, {SOURCE}; full bars are these runs, with one "
            "standard error. The two bars of a method should be about as long.",
            _alt(plan, "Final cumulative regret, published bars above reproduced bars"),
            partial(plots.published_and_reproduced, plan, cells, published),
        )
    yield Chart(
        "simple-regret",
        "Simple regret",
        "Regret of the best point so far, initial design included, on a logarithmic scale: median over the runs, the "
        "bands from quartile to quartile. How far a method gets, whatever it paid on the way.",
        _alt(plan, "Simple regret against iterations"),
        partial(simple_regret, plan, groups),
    )
    if plots.is_about_dimension(plan):
        yield Chart(
            "dimension",
            "Regret and dimension",
            "Final cumulative regret divided by the number of steps, against the dimension; the bands are ± one "
            "standard error. A line that climbs away from another one pays more for each dimension.",
            f"Regret per step against the dimension, {plan.tasks[0].problem} to {plan.tasks[-1].problem}.",
            partial(plots.regret_against_dimension, plan, cells),
        )
    if found.holes:
        said = ", ".join(f"{digits(radius)} in {d}" for d, _, radius in found.holes)
        yield Chart(
            "holes",
            "Why: the holes of the grid",
            f"Fill distance of {found.holes[-1][1]} uniform points in the unit cube, the size of the grid of the last "
            "step: the farthest that a point of the cube can be from all of them. The more dimensions, the less the "
            "grid sees of the acquisition function. Beyond four dimensions, the largest hole that a search finds.",
            f"Radius of the largest hole against the dimension: {said} dimensions.",
            partial(plots.holes_against_dimension, found.holes),
        )


def _of_time(found: Findings) -> Iterator[Chart]:
    plan, cells = found.plan, found.cells
    yield Chart(
        "seconds",
        "Time",
        "Mean seconds of a run, without the objective and the audit, and one standard error. Compare methods, not "
        "machines: published times are those of another one.",
        _alt(plan, "Seconds of a run, as bars in three parts: fit of the surrogate, search for the maximum, other"),
        partial(plots.seconds_by_phase, plan, cells),
    )
    if len({method for _, method in cells}) > 1:
        yield Chart(
            "regret-and-time",
            "Regret and time",
            "Mean final cumulative regret against mean seconds of a run, with standard errors. Lower left is better: "
            "a method with another one to its lower left is not worth its time.",
            _alt(plan, "Final cumulative regret against seconds, a point for each method"),
            partial(plots.regret_against_seconds, plan, cells),
        )


def _of_accuracy(found: Findings) -> Iterator[Chart]:
    plan, groups, cells, sums = found.plan, found.groups, found.cells, found.sums
    if accuracy_plots.known_steps(groups, GAP):
        yield _gaps(found)
    if accuracy_plots.has_course(groups, ETA):
        yield Chart(
            "eta",
            "The paper's η",
            "1 − η of each step, averaged over runs and short blocks of steps, on a logarithmic scale that ends at "
            f"{RESOLUTION:g}. The shift in η makes any step look accurate. {AUDITED}",
            _alt(plan, "One minus eta of each step on a logarithmic scale"),
            partial(accuracy_plots.accuracy_of_steps, plan, groups, ETA),
        )
    if accuracy_plots.known_steps(groups, ETA):
        yield Chart(
            "accumulated-inaccuracy",
            "Accumulated inaccuracy",
            "M = Σ (1 − η), which the paper's theorems want to grow more slowly than the number of steps: a curve that "
            "bends is what they ask for. Between audited steps it is interpolated. " + AUDITED,
            _alt(plan, "Accumulated inaccuracy against iterations"),
            partial(accuracy_plots.accumulated_inaccuracy, plan, groups),
        )
    if len({method for (_, method), cell in cells.items() if cell.m_audited >= 0.0}) > 1:
        yield Chart(
            "regret-and-inaccuracy",
            "Regret and inaccuracy",
            "Final cumulative regret against the audited M, one point for each method, with standard errors. If exact "
            "maximization mattered most, the points would climb from lower left to upper right.",
            _alt(plan, "Final cumulative regret against audited accumulated inaccuracy"),
            partial(accuracy_plots.regret_against_inaccuracy, plan, cells),
        )
    if sums and {method for _, method in sums} == {method for _, method in cells}:  # all models keep the units
        within = sum(both.regret <= both.widths + both.inaccuracies for both in sums.values())
        yield Chart(
            "bound",
            "The two sums of Theorem 1",
            "Over the audited runs: the widths Σ w and, on top of them, the inaccuracies Σ g; below, the regret that "
            "they bound while the objective stays within μ ± βσ. A regret beyond the sums says that it did not: β is "
            f"too small there. Here {within} of {len(sums)} regrets are within the sums.",
            _alt(plan, "Sum of widths and sum of inaccuracies, stacked, above the regret"),
            partial(accuracy_plots.sums_of_the_bound, plan, sums),
        )


def _gaps(found: Findings) -> Chart:
    """Relative gaps along the run if there are enough of them for a curve, else how they are spread."""
    plan, groups = found.plan, found.groups
    left = "How much of the way from a median point to the maximum of the acquisition function was left"
    below = f"below {RESOLUTION:g}, drawn there, all is rounding"
    if accuracy_plots.has_course(groups, GAP):
        return Chart(
            "relative-gap",
            "Accuracy of each step",
            f"{left}, averaged over runs and short blocks of steps; {below}. {AUDITED}",
            _alt(plan, "Relative gap of each step on a logarithmic scale"),
            partial(accuracy_plots.accuracy_of_steps, plan, groups, GAP),
        )
    return Chart(
        "relative-gap",
        "Accuracy of the steps",
        f"{left}, as a distribution: in what share of the steps it was at most so much; {below}. A curve further up "
        f"and left belongs to the more exact method. {AUDITED}",
        _alt(plan, "Share of the steps whose relative gap is at most the value on the logarithmic axis"),
        partial(accuracy_plots.shares_of_steps, plan, groups, GAP),
    )


def _alt(plan: Plan, what: str) -> str:
    names = ", ".join(title(task.problem) for task in plan.tasks)
    return f"{what}; methods {', '.join(method.label for method in plan.methods)}; panels {names}."
