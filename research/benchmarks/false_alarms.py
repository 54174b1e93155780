"""How often does `result.diagnose()` raise a false alarm?

    python -m research.benchmarks.false_alarms [--trials N] [--repeats R]

Runs with the default settings on the functions of the registry, and on problems with choices, whole numbers and
conditions drawn with a seed. None of them is noisy, constant or without effect of a parameter, so that the findings
about the model are false alarms; those about bounds, options and the budget may be true. And runs in which a finding is
true, to see how often it is made:

A second table: in how many of these runs the best value is within 1 % of the optimum (as shares of the regret of a
random point), by what was found about the predictions of their models.

idle      Branin with a third parameter that nothing depends on
noise     a bowl with noise of five times its deviation
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import argparse  # noqa: E402
from collections import Counter  # noqa: E402
from collections.abc import Callable  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import PROBLEMS, find  # noqa: E402
from research.problems.typical import typical_regret  # noqa: E402
from suffice.result.findings import Finding  # noqa: E402

MODEL = ("noise", "model", "effect", "constant", "outliers", "search", "predictions", "repeats", "bounds", "budget")

MIXED = (
    *("reaction_small1", "reaction3", "which_model2", "svm1", "boosting1"),
    *("permutation1", "staircase1", "many_options1"),
)


def problem(name: str) -> Callable[[int, int], sf.Result]:
    """A run on a problem with this name, on its own space where it has one."""
    given = find(name)
    if given.native is not None:
        function, space = given.native.function, given.native.space
        return lambda n, seed: sf.minimize(function, space, n, seed=seed)
    return lambda n, seed: sf.minimize(given, list(given.bounds), n, seed=seed)


def surprise(findings: tuple[Finding, ...]) -> str:
    """What was found about the predictions: a warning, a note or nothing."""
    return next((finding.severity for finding in findings if finding.name == "predictions"), "nothing")


def within(name: str, result: sf.Result) -> bool | None:
    """Whether the best value is within 1 % of the optimum; None where that is not known to be attained."""
    given = find(name)
    return result.fun - given.optimum <= 0.01 * typical_regret(given) if given.minimizers else None


def idle(n: int, seed: int) -> sf.Result:
    """A parameter without effect."""
    branin = find("branin")
    return sf.minimize(lambda x: branin(x[:2]), [*branin.bounds, (0.0, 1.0)], n, seed=seed)


def noise(n: int, seed: int) -> sf.Result:
    """Mostly noise."""
    rng = np.random.default_rng(seed)
    return sf.minimize(lambda x: float(((x - 0.4) ** 2).sum()) + rng.standard_normal(), [(0.0, 1.0)] * 2, n, seed=seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    ordinary = (*PROBLEMS, *MIXED)
    runs = {**{name: problem(name) for name in ordinary}, "idle": idle, "noise": noise}
    rows, total, solved = [], Counter[str](), Counter[tuple[str, bool | None]]()
    for name, run in runs.items():
        found = Counter[str]()
        for seed in range(given.repeats):
            result = run(given.trials, seed)
            findings = result.diagnose()
            found.update({finding.name for finding in findings})
            if name in ordinary:
                solved[surprise(findings), within(name, result)] += 1
        rows.append((name, *(str(found[kind] or "") for kind in MODEL)))
        print(*rows[-1], flush=True)
        if name in ordinary:
            total.update(found)
    rows.append(("all problems", *(str(total[kind]) for kind in MODEL)))
    kinds = ("warning", "note", "nothing")
    counts = [(kind, *(str(solved[kind, yes]) for yes in (True, False, None))) for kind in kinds]
    print_table("what the predictions said", ("found", "within 1 %", "not", "unknown"), counts)
    print_table(f"findings in {given.repeats} runs of {given.trials} trials each", ("problem", *MODEL), rows)


if __name__ == "__main__":
    main()
