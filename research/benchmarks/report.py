"""What a report costs: `python -m research.benchmarks.report [--trials 5000]`.

Studies of random points, told: seconds of `suffice report` in a process of its own, from the start of Python to its
end, and the size of the page. The best of three, since other programs can only make it slower.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table

SPACES = {
    "5 real numbers": sf.Space({f"x{i}": sf.Float(-1, 1) for i in range(5)}),
    "mixed, conditional": sf.Space(
        rate=sf.Float(1e-4, 1, log=True),
        x=sf.Float(0, 1),
        y=sf.Float(-5, 5),
        depth=sf.Int(1, 9),
        loss=sf.Choice("a", "b", "c"),
        k=sf.Float(0, 1, when={"loss": "b"}),
    ),
    "20 real numbers": sf.Space({f"x{i}": sf.Float(-1, 1) for i in range(20)}),
}


def study(path: Path, space: sf.Space, trials: int) -> None:
    """Told values with noise, one in a hundred failed."""
    rng = np.random.default_rng(0)
    X = space.sample(trials, rng)
    values = np.sum((X - 0.3) ** 2, axis=1) + rng.normal(0, 0.05, trials)
    values[:: trials // max(1, trials // 100)] = np.nan
    with sf.Optimizer(space, seed=0, storage=path) as opt, opt.together():
        for x, value in zip(X, values.tolist(), strict=True):
            opt.tell(space.from_unit(x), value, seconds=1.0)


def measured(path: Path) -> tuple[float, float]:
    """Seconds on the clock and of the processor that the command takes."""
    before, start = os.times(), time.perf_counter()
    subprocess.run([sys.executable, "-m", "suffice", "report", str(path)], check=True, capture_output=True)
    seconds, after = time.perf_counter() - start, os.times()
    return seconds, after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=5000)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, space) in enumerate(SPACES.items()):
            path = Path(folder) / f"{number}.db"
            study(path, space, given.trials)
            seconds, cpu = min(measured(path) for _ in range(3))
            size = path.with_suffix(".html").stat().st_size / 1e6
            rows.append((name, f"{seconds:.1f} s", f"{cpu:.1f} s", f"{size:.2f} MB"))
    header = ("space", "on the clock", "of the processor", "size of the page")
    print_table(f"The report of {given.trials} trials", header, rows)


if __name__ == "__main__":
    main()
