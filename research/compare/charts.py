"""Which figures a comparison gets, and what to see in them."""

from collections.abc import Iterator, Sequence
from functools import partial

from research.compare import plots as own
from research.compare.profiles import Field, fields
from research.compare.ranks import cumulative, simple
from research.compare.standings import Standing
from suffice.lab.plan import Plan
from suffice.lab.report import BANDS, Chart, Grouped, cumulative_regret, simple_regret
from suffice.plot.style import OURS
from suffice.problems.titles import title


def charts(plan: Plan, groups: Grouped, standings: Sequence[Standing]) -> list[Chart]:
    """The figures, in the order of the report; none without runs."""
    if not standings:
        return []
    systems = ", ".join(method.label for method in plan.methods)
    panels = f"{systems}; panels {', '.join(title(task.problem) for task in plan.tasks)}"
    order = ", ".join(f"{plan.labels[row.system]} {row.rank:.1f}" for row in standings)
    bands = (
        f", of {OURS} alone, since those of so many systems would hide each other" if len(plan.methods) > BANDS else ""
    )
    return [
        Chart(
            "rank-and-overhead",
            "Rank and overhead",
            "Mean rank by simple regret, ± one standard error, against the mean seconds in ask and tell for one "
            "suggestion. Lower left is better: a system with another one to its lower left costs more and finds less.",
            f"Mean rank against overhead; ranks: {order}.",
            partial(own.rank_against_overhead, plan, standings),
        ),
        *_profiles(plan, fields([run for cell in groups.values() for run in cell])),
        Chart(
            "regret-and-overhead",
            "Regret and overhead",
            "Simple regret against the seconds spent in ask and tell so far, the objective being free: medians over "
            "the runs. A curve ends with its iterations. If your objective takes much longer than the suggestions, "
            "look at the next figure instead.",
            f"Simple regret against overhead on logarithmic scales; systems {panels}.",
            partial(own.regret_against_overhead, plan, groups),
        ),
        Chart(
            "simple-regret",
            "Simple regret",
            "Regret of the best point so far, initial design included: median over the runs, the bands from quartile "
            f"to quartile{bands}.",
            f"Simple regret against iterations; systems {panels}.",
            partial(simple_regret, plan, groups),
        ),
        Chart(
            "regret",
            "Cumulative regret",
            f"Mean over the runs; the bands are ± one standard error{bands}. Lower is better, and a curve that "
            "flattens has found the optimum. Sobol and random points never do.",
            f"Cumulative regret against iterations; systems {panels}.",
            partial(cumulative_regret, plan, groups, {}),
        ),
    ]


def _profiles(plan: Plan, competing: Sequence[Field]) -> Iterator[Chart]:
    """Where there are systems with runs in common."""
    if not competing:
        return
    sizes = ", ".join(f"{len(field.runs)} systems on {field.size}" for field in competing)
    for word, judge in (("simple", simple), ("cumulative", cumulative)):
        yield Chart(
            f"profiles-{word}",
            f"Performance profiles, {word} regret",
            f"In what share of the runs a system's {word} regret is at most so many times that of the best system in "
            "the panel, on the same problem and seed after as many iterations. At 1: how often it is the best; a curve "
            "that is high further right is never far from it. All systems of a panel have the same runs: those that "
            "take part in less are compared on less.",
            f"Share of the runs within a factor of the lowest {word} regret; panels: {sizes} runs.",
            partial(own.performance_profiles, plan, competing, judge),
        )
