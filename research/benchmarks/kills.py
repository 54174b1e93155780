"""Kill a stored study at random moments, and run it again until it is done: `python -m research.benchmarks.kills`.

A child process minimizes with storage=…, and writes down every value that was told, after `tell` has returned. It is
killed (SIGKILL) at a random moment and started again, until it ends by itself. After each kill:

-   the file can be read;
-   every value that was written down is in it, under the same number and at the same point;
-   no number is there twice.

At the end the sequence of points and values is that of a run that was never killed. Where several evaluations are
under way at a time their order is chance, so there every point is compared with what an optimizer in memory proposes,
which hears of the same values in the same order and was never interrupted.
"""

import argparse
import os
import random
import signal
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import suffice as sf
from suffice.record.trial import (
    Asked,
    Cancelled,
    Failed,
    Told,
)

SPACE = sf.Space(rate=sf.Float(1e-3, 1.0, log=True), depth=sf.Int(1, 9), loss=sf.Choice("a", "b", "c"))
TRIALS = 40
SOLVER = sf.solvers.Grid(size=sf.solvers.Fixed(200))  # fast, so that more of the time is spent in the store
KILLS = 4  # wanted of each run, about


def objective(point: dict[str, Any]) -> float:
    """A bowl with a crash in one corner."""
    if point["depth"] > 8:
        raise ValueError("too deep")
    return float((point["rate"] - 0.1) ** 2 + (point["depth"] - 4) ** 2 / 9 + "abc".index(point["loss"]))


def study(path: Path, seed: int, width: int, acknowledged: Path | None = None) -> sf.Result:
    """The run that is killed."""
    told = set[int]()

    def write_down(result: sf.Result) -> None:
        if acknowledged is None:
            return
        with open(acknowledged, "a") as file:
            for trial in result.trials:
                if trial.state == "done" and trial.number not in told:
                    told.add(trial.number)
                    file.write(f"{trial.number} {trial.value!r}\n")

    options: dict[str, Any] = {"seed": seed, "storage": path, "callback": write_down, "solver": SOLVER}
    if width == 1:
        return sf.minimize(objective, SPACE, TRIALS, **options)
    with ThreadPoolExecutor(width) as pool:
        return sf.minimize(objective, SPACE, TRIALS, executor=pool, n_parallel=width, **options)


def killed_after(seconds: float, path: Path, seed: int, width: int, acknowledged: Path) -> bool:
    """Whether the run ended by itself before."""
    child = os.fork()
    if child == 0:
        try:
            study(path, seed, width, acknowledged)
            os._exit(0)
        except BaseException as error:
            print("the run raised", repr(error), flush=True)
            os._exit(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0, "the run ended with an error"
            return True
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def check(path: Path, acknowledged: Path) -> int:
    """What must be true after each kill; how many values are there."""
    lines = acknowledged.read_text().splitlines() if acknowledged.exists() else []
    whole = [line.split() for line in lines if line.count(" ") == 1]
    if not path.exists() or (not whole and not path.stat().st_size):
        return 0
    try:
        trials = sf.load(path).trials
    except sf.errors.SufficeError as error:
        if "holds no study yet" in str(error) and not whole:
            return 0
        raise
    assert [trial.number for trial in trials] == list(range(len(trials)))
    for number, value in whole:
        assert trials[int(number)].value == float(value), (number, value, trials[int(number)])
    return sum(trial.state == "done" for trial in trials)


def told_again(path: Path) -> None:
    """Every point of the record is what an optimizer that was never interrupted proposes after the same events."""
    history = sf.load(path).history
    settings = history.settings
    opt = sf.Optimizer(SPACE, seed=settings.seed, n_initial=settings.n_initial, solver=SOLVER)
    for event in history.events:
        match event:
            case Asked(number, point):
                assert opt.ask().point == point, number
            case Told(number, values):
                opt.tell(opt.trials[number], values["value"], seconds=event.seconds)
            case Failed(number, reason):
                opt.fail(opt.trials[number], reason, cause=event.cause, seconds=event.seconds)
            case Cancelled(number, reason):
                opt.cancel(opt.trials[number], reason)


def points(result: sf.Result) -> list[Any]:
    return [(trial.point, trial.value, trial.state) for trial in result.trials]


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=200)
    arguments.add_argument("--first", type=int, default=0, help="the first seed")
    arguments.add_argument("--width", type=int, default=1, help="evaluations under way at a time, in threads")
    chosen = arguments.parse_args()
    draw, kills, places = random.Random(chosen.first), 0, Counter[int]()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        study(Path(folder, "study.db"), 0, chosen.width)
    longest = 1.5 * (time.monotonic() - start) / KILLS
    for run in range(chosen.first, chosen.first + chosen.runs):
        with tempfile.TemporaryDirectory() as folder:
            path, acknowledged = Path(folder, "study.db"), Path(folder, "acknowledged")
            least = 0
            while True:
                ended = killed_after(draw.uniform(0.0, longest), path, run, chosen.width, acknowledged)
                there = check(path, acknowledged)
                assert there >= least, "values have gone"
                least = there
                if ended:
                    break
                kills += 1
                places[there] += 1
            if chosen.width == 1:
                whole = study(Path(folder, "whole.db"), run, 1)
                assert points(sf.load(path)) == points(whole), f"run {run}: another sequence"
            else:
                told_again(path)
        done, seconds = run + 1 - chosen.first, time.monotonic() - start
        if done % 10 == 0:
            print(f"{done} runs, {kills} kills with {len(places)} numbers of values, {seconds:.0f} s", flush=True)
    print(f"{chosen.runs} runs of {TRIALS} trials, {kills} kills: nothing lost, nothing twice, the same sequences")


if __name__ == "__main__":
    main()
