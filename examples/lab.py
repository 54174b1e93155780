"""A lab: experiments in batches of four, a table that somebody fills in, and a study in a file.

Each round is what would be a visit on another day: the study is opened, the table that was filled in is read, the
next four experiments are asked for, and everything is closed again. Here a function with noise plays the technician
who fills in the column `value`; one experiment of the second day goes wrong, and is marked so.

python lab.py
"""

import csv
import math
from pathlib import Path

import numpy as np

import suffice as sf

SPACE = sf.Space(
    temperature=sf.Float(20, 80, step=0.5),  # a step is what the thermostat can be set to
    minutes=sf.Int(5, 60),
    solvent=sf.Choice("water", "ethanol", "acetone"),
)
STUDY, TABLE = Path("yield.db"), Path("batch.csv")
DAYS, EXPERIMENTS = 5, 4


def yield_of(temperature, minutes, solvent):
    """The truth, in per cent, which nobody in the lab knows."""
    warm, best = {"water": (45, 60), "ethanol": (60, 85), "acetone": (35, 70)}[solvent]
    return best * math.exp(-(((temperature - warm) / 25) ** 2)) * (1 - math.exp(-minutes / 12))


def technician(day, rng):
    """Make the experiments of the table and write down what came out, give or take one per cent."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        made = yield_of(float(row["temperature"]), int(row["minutes"]), row["solvent"])
        row["value"] = f"{made + rng.normal(0, 1):.1f}"
    if day == 2:
        rows[0]["value"], rows[0]["reason"] = "failed", "the flask broke"
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def main():
    rng = np.random.default_rng(0)
    for day in range(1, DAYS + 1):
        with sf.Optimizer(
            SPACE, direction="maximize", seed=0, storage=STUDY
        ) as opt:  # makes the study, or goes on with it
            opt.ask(EXPERIMENTS)
            sf.exchange.write(opt, TABLE, pending=True)
        technician(day, rng)
        with sf.Optimizer(SPACE, storage=STUDY) as opt:
            read = sf.exchange.read(TABLE, opt)
            print(f"day {day}: {read}; best so far {opt.best.value:.1f} %")

    result = sf.load(STUDY)
    said, sure = result.fun_recommended, result.fun_recommended_sd
    print(f"\nRecommended after {result.nfev} experiments: {result.x_recommended}")
    print(f"Expected there: {said:.1f} ± {sure:.1f} %; in truth {yield_of(**result.x_recommended):.1f} %")
    return result


if __name__ == "__main__":
    main()
