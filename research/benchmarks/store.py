"""What a store costs: `python -m research.benchmarks.store [--folder PATH]`, on the disk of the folder.

-   milliseconds that an event takes with a store: asks and tells of a run, beside the same run in memory;
-   seconds to open, list and search a study of 100 000 trials, and to read it by `sf.load`;
-   seconds to tell 10 000 points from elsewhere, one by one and together, and for the ask after them.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table
from suffice.study.optimizer import Optimizer

SPACE = sf.Space(rate=sf.Float(1e-4, 1, log=True), x=sf.Float(0, 1), depth=sf.Int(1, 9), loss=sf.Choice("a", "b", "c"))
FAST = sf.solvers.Grid(size=sf.solvers.Fixed(100))


def value(point: dict[str, float]) -> float:
    return float(np.log10(point["rate"]) ** 2 + (point["x"] - 0.3) ** 2 + point["depth"])


@contextmanager
def timed(rows: list[tuple[str, ...]], what: str, target: str = "") -> Iterator[None]:
    start, worked = time.perf_counter(), time.process_time()
    yield
    seconds, cpu = time.perf_counter() - start, time.process_time() - worked
    rows.append((what, f"{seconds:.2f} s, {cpu:.2f} s of the processor", target))


def per_event(folder: Path, trials: int) -> Iterator[tuple[str, ...]]:
    """The median and the mean time in the store of an event, as the store sees it: encoding included."""
    with sf.Optimizer(SPACE, seed=0, n_initial=10, solver=FAST, storage=folder / "events.db") as opt:
        spent: dict[str, list[tuple[float, float]]] = {"ask": [], "tell": []}
        journal = opt._record.journal
        append = journal.append

        def measured(*facts: object, hold: bool = True) -> None:
            start, worked = time.perf_counter(), time.thread_time()
            append(*facts, hold=hold)  # type: ignore[arg-type]
            kind = "tell" if hold else "ask"
            spent[kind].append((time.perf_counter() - start, time.thread_time() - worked))

        journal.append = measured  # type: ignore[method-assign]
        for _ in range(trials):
            trial = opt.ask()
            opt.tell(trial, value(trial.point))
    for kind, pairs in spent.items():
        seconds, cpu = (1e3 * np.array(column) for column in zip(*pairs, strict=True))
        said = f"median {np.median(seconds):.2f} ms, mean {np.mean(seconds):.2f} ms"
        yield f"an event of {kind}", f"{said}, {np.median(cpu):.2f} ms of the processor", "< 2 ms"
    size = (folder / "events.db").stat().st_size
    yield f"the file of {trials} trials", f"{size / 1024:.0f} KiB", ""


def many(folder: Path, n: int, rows: list[tuple[str, ...]]) -> None:
    """A study of n trials."""
    path, rng = folder / "many.db", np.random.default_rng(0)
    points = [SPACE.from_unit(x) for x in SPACE.sample(n, rng)]
    with sf.Optimizer(SPACE, seed=0, storage=path) as opt, timed(rows, f"tell {n} points together"), opt.together():
        for point in points:
            opt.tell(point, value(point))
    with timed(rows, f"open a study of {n} trials", "seconds"):
        opt = Optimizer.resume(path)
    with timed(rows, "list them"):
        assert len(opt.trials) == n
    with timed(rows, "its best"):
        assert opt.best.value is not None
    with timed(rows, "its next point, with the first fit"):
        opt.tell(opt.ask(), 1.0)
    with timed(rows, "and the one after"):
        opt.ask()
    opt.close()
    with timed(rows, "sf.load"):
        sf.load(path)


def foreign(folder: Path, n: int, rows: list[tuple[str, ...]]) -> None:
    """n points from elsewhere."""
    rng = np.random.default_rng(1)
    points = [SPACE.from_unit(x) for x in SPACE.sample(n, rng)]

    def tell(opt: Optimizer) -> None:
        for point in points:
            opt.tell(point, value(point))

    def together(opt: Optimizer) -> None:
        with opt.together():
            tell(opt)

    ways: dict[str, Callable[[Optimizer], None]] = {"one by one": tell, "together": together}
    for name, way in ways.items():
        with sf.Optimizer(SPACE, seed=0, storage=folder / f"{name}.db") as opt:
            with timed(rows, f"tell {n} points, {name}", "seconds"):
                way(opt)
            with timed(rows, "the ask after them"):
                opt.ask()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=None, help="where to write (default: that of temporary files)")
    parser.add_argument("--trials", type=int, default=100_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder = Path(name)
        rows = list(per_event(folder, 150))
        foreign(folder, 10_000, rows)
        many(folder, chosen.trials, rows)
    print_table("the store", ("what", "measured", "target"), rows)


if __name__ == "__main__":
    main()
