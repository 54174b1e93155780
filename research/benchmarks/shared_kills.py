"""A shared study whose workers are killed, whose server crashes and whose connections are cut: what becomes of it.

    python -m research.benchmarks.shared_kills [seeds [workers [trials]]]

For every seed, 16 processes evaluate 400 trials. At random moments 6 of them are killed by SIGKILL, once the server is
restarted as by `pg_ctl restart -m immediate`, and three times every connection is cut. In the end there have to be 400
values, each once and of its own point, and no point twice; and suggestions that are picked at random are rebuilt from
the record, bit for bit. It needs Debian's postgresql.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table
from suffice.record.history import History
from suffice.record.trial import Asked
from suffice.store.journal import Memory
from tests.servers import PostgreSQL

WORKERS, TRIALS, KILLS, CUTS = 16, 400, 6, 3
SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
SECONDS = 0.05  # of an evaluation
LEASE = 5.0  # seconds: the dead are missed soon
CHECKED = 12  # suggestions that are rebuilt
PROGRAMS = Path("/usr/lib/postgresql")


def objective(point: dict[str, float]) -> float:
    """A valley with ripples."""
    time.sleep(SECONDS)
    x, y = point["x"], point["y"]
    return (x - 0.3) ** 2 + (y - 0.6) ** 2 + 0.05 * np.sin(20 * x) * np.cos(17 * y)


def value(point: dict[str, float]) -> float:
    """The same without the wait."""
    x, y = point["x"], point["y"]
    return float((x - 0.3) ** 2 + (y - 0.6) ** 2 + 0.05 * np.sin(20 * x) * np.cos(17 * y))


def work(storage: str, trials: int) -> None:
    """One worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sf.minimize(objective, SPACE, trials, storage=storage, seed=0)


def disturb(server: PostgreSQL, workers: list[Any], rng: random.Random, done: Any) -> dict[str, int]:
    """Kill, restart and cut at random numbers of values; workers that were killed are not replaced."""
    trials = done.trials
    what = ["kill"] * min(KILLS, len(workers) - 2) + ["crash"] + ["cut"] * CUTS
    rng.shuffle(what)
    moments = sorted(rng.sample(range(trials // 20, trials * 9 // 10), len(what)))
    happened: Counter[str] = Counter()
    for moment, event in zip(moments, what, strict=True):
        while (there := done()) < moment and any(worker.is_alive() for worker in workers):
            time.sleep(0.02)
        if there >= trials:
            break
        if event == "kill":
            victim = rng.choice([worker for worker in workers if worker.is_alive()])
            os.kill(victim.pid, signal.SIGKILL)
        elif event == "crash":
            server.crash()
        else:
            server.cut()
        happened[event] += 1
    return dict(happened)


class Done:
    """How many values there are."""

    def __init__(self, server: PostgreSQL, trials: int) -> None:
        self.server, self.trials = server, trials

    def __call__(self) -> int:
        try:
            with self.server.connect() as connection:
                return int(connection.execute("SELECT count(*) FROM suffice.trials WHERE state = 'done'").fetchone()[0])
        except Exception:  # no table yet, or just cut off
            return 0


def faults(result: sf.Result, trials: int) -> list[str]:
    """What is wrong with the record."""
    kinds = Counter(type(event).__name__ for event in result.history.events)
    told = Counter(event.number for event in result.history.events if type(event).__name__ == "Told")
    points = Counter(json.dumps(trial.point) for trial in result.trials)
    found = []
    if result.nfev != trials or len(result.trials) != trials or kinds["Told"] != trials:
        found.append(f"{result.nfev} evaluated, {len(result.trials)} trials, {kinds['Told']} values")
    if max(told.values(), default=1) > 1:
        found.append("a value twice")
    if max(points.values(), default=1) > 1:
        found.append("a point twice")
    if any(trial.value != value(trial.point) for trial in result.trials):
        found.append("a value of another point")
    return found


def rebuilt(history: History, number: int) -> bool:
    """Whether a suggestion follows from the record alone, to the last bit."""
    event = next(e for e in history.events if isinstance(e, Asked) and e.number == number)
    assert event.basis is not None
    start = number - event.basis.place
    polish = any(trial.origin == "polish" for trial in history.trials[start : number + 1])  # of one ask
    first = history.before(start)
    optimizer = sf.Optimizer(history.settings.space)
    optimizer._begin(Memory(list(first.events)), history.settings)
    return bool(optimizer.ask(event.basis.size, polish=polish)[event.basis.place].point == event.point)


def run(seed: int, count: int, trials: int) -> tuple[list[str], float, dict[str, int], int, int]:
    """One study; what is wrong, seconds, what happened, how many claims were given to others, how many rebuilt."""
    rng = random.Random(seed)
    bin_folder = sorted(PROGRAMS.glob("*/bin"))[-1]
    with PostgreSQL(str(bin_folder / "initdb"), str(bin_folder / "postgres")) as server:
        storage = f"{server.address()}?study=kills&lease={LEASE:g}"
        context = get_context("fork")  # the library is loaded once
        workers = [context.Process(target=work, args=(storage, trials)) for _ in range(count)]
        start = time.monotonic()
        for worker in workers:
            worker.start()
        happened = disturb(server, workers, rng, Done(server, trials))
        for worker in workers:
            worker.join(600)
        took = time.monotonic() - start
        wrong = [f"a worker ended with {w.exitcode}" for w in workers if w.exitcode not in (0, -signal.SIGKILL)]
        result = sf.load(storage)
    claims = Counter(event.number for event in result.history.events if type(event).__name__ == "Claimed")
    again = sum(n > 1 for n in claims.values())
    modelled = [trial.number for trial in result.trials if trial.origin in ("model", "polish")]
    picked = rng.sample(modelled, min(CHECKED, len(modelled)))
    same = sum(rebuilt(result.history, number) for number in picked)
    if same < len(picked):
        wrong.append(f"{len(picked) - same} of {len(picked)} suggestions do not follow from the record")
    return faults(result, trials) + wrong, took, happened, again, same


def main() -> None:
    """The table."""
    given = [int(word) for word in sys.argv[1:]]
    seeds, workers, trials = (*given, *(20, WORKERS, TRIALS)[len(given) :])
    rows = []
    for seed in range(seeds):
        wrong, took, happened, again, same = run(seed, workers, trials)
        said = ", ".join(f"{n} × {word}" for word, n in sorted(happened.items()))
        rows.append([str(seed), said, str(again), f"{took:.0f}", str(same), "; ".join(wrong) or "nothing"])
        print(*rows[-1], sep="  ", flush=True)
    header = ["seed", "what happened", "evaluated by a second worker", "seconds", "rebuilt", "wrong"]
    print_table("A study is disturbed", header, rows)


if __name__ == "__main__":
    main()
