"""How close proofs come, and whether they hold: python -m research.benchmarks.certificate FILE [seconds …]

FILE has frozen scores of real runs with their maxima (`python -m research.benchmarks.surfaces FILE`), of both halves:
nothing about the certificate was chosen on them. The relative gap is (limit − α*)/(α* − median of α over uniform
draws); the proof starts from the answer of the default solver. "closed" are gaps below 1e-6, "violated" limits below a
value that was found. One thread.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import sys  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.surfaces import Surface, load  # noqa: E402
from suffice.accuracy.certificate import certify  # noqa: E402

SECONDS = (0.05, 0.2, 1.0)
MOST = 8  # columns: beyond, a second proves next to nothing
HEADER = ("scores", "columns", "surfaces", "seconds", "median gap", "75 %", "90 %", "closed", "violated")


def proven(surface: Surface, seconds: float) -> tuple[float, bool]:
    """The relative gap, and whether a larger value than the limit is known."""
    rng = np.random.default_rng(0)
    value = sf.solvers.Adaptive()(surface.alpha, surface.domain, step=surface.step, rng=rng).value
    found = certify(surface.alpha, surface.domain, value=value, seconds=seconds)
    best = max(surface.best, value, found.value)
    return (found.upper - best) / max(best - surface.median, 1e-300), found.upper < max(surface.best, value)


def main(path: str, *given: str) -> None:
    surfaces = [s for s in load(path) if s.alpha.bounded and s.domain.dim <= MOST]
    groups: dict[tuple[str, str], list[Surface]] = {}
    for s in surfaces:
        kind = s.acquisition if s.acquisition != "default" else str(s.kind)
        groups.setdefault((kind, "mixed" if s.mixed else str(s.domain.dim)), []).append(s)
    table = []
    for (kind, columns), chosen in groups.items():
        for seconds in map(float, given) if given else SECONDS:
            rows = [proven(surface, seconds) for surface in chosen]
            gaps, violated = (np.array(column) for column in zip(*rows, strict=True))
            numbers = [f"{np.quantile(gaps, q):.1e}" for q in (0.5, 0.75, 0.9)]
            closed = f"{np.mean(gaps < 1e-6):.0%}"
            table.append([kind, columns, len(chosen), f"{seconds:g}", *numbers, closed, violated.sum()])
    print_table("Proven relative gaps", HEADER, table)


if __name__ == "__main__":
    main(*sys.argv[1:])
