"""`python -m research.exactness [small|medium|full]`: measure the solves of libraries, and what they cost.

`small` takes minutes, `medium` half an hour, `full` two or three hours on two cores. Runs that are in the folder are
not made again.
"""

import csv
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from research.exactness import regret, solves

FOLDER = Path("exactness")
HEADS = {
    "solves": ("problem", "library", "solves", "eta < 0.99", "< 0.9", "< 0.5", "M_T of 50 solves", "ms a solve"),
    "regret": ("problem", "solver", "seeds", "simple regret", "less own's", "cumulative regret", "less own's"),
}
PLANS = {  # libraries, problems, seeds, trials, each so many solves; and problems, seeds, trials of the second part
    "small": (tuple(solves.LIBRARIES), ("branin", "hartmann6"), 1, 30, 3, ("hartmann6",), 1, 30),
    "medium": (tuple(solves.LIBRARIES), ("branin", "hartmann6"), 3, 50, 2, ("hartmann6",), 3, 60),
    "full": (
        tuple(solves.LIBRARIES),
        (*solves.PAPER, *solves.FURTHER, *solves.NOISY),
        10,
        50,
        3,
        ("branin", "hartmann4", "levy5", "hartmann6"),
        10,
        60,
    ),
}


def main(words: Sequence[str]) -> None:
    plan = words[0] if words else "small"
    folder = FOLDER / plan
    if plan in PLANS:
        libraries, problems, seeds, trials, every, second, times, length = PLANS[plan]
        chosen = product(range(seeds), problems, libraries)
        solves.carry_out((solves.Run(lib, name, seed, trials, every) for seed, name, lib in chosen), folder / "solves")
        cells = product(range(times), second, regret.SOLVERS)
        regret.carry_out((regret.Run(s, name, seed, length) for seed, name, s in cells), folder / "regret")
    for part, make in (("solves", solves.table), ("regret", regret.table)):
        lines = make(folder / part)
        print(f"\n{' | '.join(HEADS[part])}", *(" | ".join(line) for line in lines), sep="\n")
        with (folder / f"{part}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEADS[part], *lines])


if __name__ == "__main__":
    main(sys.argv[1:])
