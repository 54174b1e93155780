"""`python -m research.exactness [small|full]`: measure the solves of libraries, and what they cost.

    small                      minutes; its tables are in build/exactness
    full                       hours; its tables are in the repository, and runs that they have are not made again
    full --seeds 3             of the first seeds only
    full --parts solves        how exactly libraries solve; `regret`, `members` and `reference` are the others
    full --without suffice     all but the runs of one library or solver

Seed after seed, so that a study that was stopped has every kind of run equally often.
"""

import argparse
from pathlib import Path
from typing import Any

from research.exactness import members, reference, regret, report, solves
from research.exactness.runs import carry_out

PARTS: dict[str, Any] = {"solves": solves, "regret": regret, "members": members, "reference": reference}
TABLES = Path(__file__).parent / "tables"
SMALL = Path(__file__).parents[2] / "build" / "exactness"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", nargs="?", choices=("small", "full"), default="small")
    parser.add_argument("--seeds", type=int, help="how many (default: 1 of small, 10 of full)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--without", metavar="NAME", help="a library or solver that is left out")
    given = parser.parse_args()
    small = given.plan == "small"
    folder = SMALL if small else TABLES
    words: dict[str, Any] = {"problems": ("branin", "hartmann6"), "trials": 30} if small else {}
    for seed in range(given.seeds or (1 if small else 10)):
        for name in given.parts:
            runs = (run for run in PARTS[name].runs(seed, **words) if given.without not in vars(run).values())
            carry_out(runs, PARTS[name].made, folder / f"{name}.csv")
    if given.parts == list(PARTS) and not given.without:
        report.show(folder)


if __name__ == "__main__":
    main()
