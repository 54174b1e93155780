"""What the dashboard takes with 20 studies of 5 000 trials: `python -m research.benchmarks.dashboard [--folder PATH]`.

-   seconds from the start of the program to its address, to the list of all studies, and till all of them are read;
-   seconds to open a study, and the size of the answer;
-   seconds from a value that is told to a study till a stream of events has it;
-   seconds to what the model says of a study;
-   memory of the server, now and at most, before and after that.

The studies are written event by event, with reports of real searches, since to run them would take days.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table
from suffice.record.study_file import KIND
from suffice.store.sqlite import Book, Database, Fact

SPACE = sf.Space(
    rate=sf.Float(1e-5, 1, log=True),
    momentum=sf.Float(0, 1),
    decay=sf.Float(1e-6, 1e-1, log=True),
    width=sf.Int(8, 512),
    depth=sf.Int(1, 12),
    loss=sf.Choice("squared", "absolute", "huber"),
)
REAL = 40  # trials of a real run, whose reports the others have


def value(point: dict[str, Any]) -> float:
    rate = (np.log10(point["rate"]) + 2) ** 2
    return float(rate + (point["momentum"] - 0.9) ** 2 + (point["depth"] - 5) ** 2 / 20 + (point["loss"] == "huber"))


def real_facts(path: Path) -> list[Fact]:
    """The events of a run."""
    with sf.Optimizer(
        SPACE, seed=0, n_initial=10, solver=sf.solvers.Grid(size=sf.solvers.Fixed(100)), storage=path
    ) as opt:
        for _ in range(REAL):
            trial = opt.ask()
            opt.tell(trial, value(trial.point), seconds=1.0)
    with Database(path, KIND) as database:
        return Book(database).read()


def written(path: Path, start: Fact, reports: list[Any], trials: int, seed: int) -> None:
    """A study of so many trials, a tenth of which failed."""
    rng = np.random.default_rng(seed)
    facts = [start]
    for number, point in enumerate(SPACE.points(SPACE.sample(trials, rng))):
        plain, report = list(point.values()), reports[number % len(reports)]
        facts.append(Fact("asked", {"number": number, "point": plain, "origin": "model", "report": report}))
        told = {"number": number, "values": {"value": value(point)}, "noise_var": None, "seconds": rng.random()}
        why = {"number": number, "reason": "it broke", "cause": "raised", "seconds": None, "traceback": None}
        facts.append(Fact("failed", why) if number % 10 == 9 else Fact("told", told))
    with Database(path, KIND, at_once=False) as database:
        Book(database).append(facts)


class Site:
    """A dashboard in a process of its own."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "suffice", "dashboard", str(folder), "--port", "0"]
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]

    def said(self) -> str:
        """How long it runs, and what it took of the processor meanwhile, which other programs delay less."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        worked = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        return f"{time.perf_counter() - self.begun:.2f} s, {worked:.2f} s of the processor"

    def body(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url + path) as answer:
            content: bytes = answer.read()
            return content

    def get(self, path: str) -> Any:
        return json.loads(self.body(path))

    def studies(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get("api/studies")["studies"]
        return found

    def memory(self) -> str:
        """What it has of the machine's memory, now and at most; Linux says so."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith("Vm")}
        return f"{sizes['VmRSS']:.0f} MB, at most {sizes['VmHWM']:.0f} MB"


@contextmanager
def site_of(folder: Path) -> Iterator[Site]:
    site = Site(folder)
    try:
        yield site
    finally:
        site.process.terminate()
        site.process.wait(20)


def delays(site: Site, path: Path, id: str, count: int) -> list[float]:
    """Seconds from the telling of a value to the event that has it."""
    revision, found = site.get(f"api/studies/{id}/trials?since=x")["revision"], []
    with (
        sf.Optimizer.resume(path) as opt,
        urllib.request.urlopen(f"{site.url}api/events?study={id}&since={revision}") as events,
    ):
        for i in range(count):
            time.sleep(1.0 + 0.37 * i % 1.0)  # at any moment between two looks
            trial = opt.tell({**SPACE.from_unit(SPACE.sample(1, np.random.default_rng(i))[0])}, -float(i))
            begun = time.perf_counter()
            for line in events:
                if line.startswith(b"data: ") and trial.number in json.loads(line[6:]).get("trials", {}).get(
                    "number", ()
                ):
                    break
            found.append(time.perf_counter() - begun)
    return found


def measured(folder: Path, studies: int, trials: int) -> Iterator[tuple[str, str, str]]:
    with site_of(folder) as site:
        yield "to the address", site.said(), ""
        while len(site.studies()) < studies:
            time.sleep(0.01)
        yield f"to the list of {studies} studies", site.said(), "< 2 s"
        while any(study["state"] == "loading" for study in site.studies()):
            time.sleep(0.05)
        yield "till all are read", site.said(), ""
        id, begun = site.studies()[0]["id"], time.perf_counter()
        size = len(site.body(f"api/studies/{id}"))
        yield f"to open one of {trials} trials", f"{time.perf_counter() - begun:.2f} s, {size / 1e6:.1f} MB", ""
        yield "memory", site.memory(), "< 300 MB"
        seconds = delays(site, folder / site.studies()[0]["name"], id, 10)
        yield "a value told is seen after", f"{np.median(seconds):.2f} s, at most {max(seconds):.2f} s", "< 2 s"
        begun = time.perf_counter()
        while (found := site.get(f"api/studies/{id}/model"))["wait"]:
            time.sleep(0.05)
        yield f"to the model with {len(found['slices'])} slices", f"{time.perf_counter() - begun:.1f} s", ""
        yield "memory with the model", site.memory(), "< 300 MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=None, help="where to write (default: that of temporary files)")
    parser.add_argument("--studies", type=int, default=20)
    parser.add_argument("--trials", type=int, default=5000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder = Path(name)
        start, *facts = real_facts(folder / "real.db")
        reports = [fact.data["report"] for fact in facts if fact.data.get("report")]
        for i in range(chosen.studies):
            written(folder / "runs" / f"study{i:02}.db", start, reports, chosen.trials, i)
        rows = list(measured(folder / "runs", chosen.studies, chosen.trials))
    print_table("the dashboard", ("what", "measured", "target"), rows)


if __name__ == "__main__":
    main()
