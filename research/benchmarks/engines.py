"""What becomes of 50 evaluations when one of two workers is killed in the middle of one.

    python -m research.benchmarks.engines [executor ...]

For every kind of executor, twice: the 50 calls submitted to the executor itself, and as a run of sf.minimize over it.
Once ten are done, a worker that is in the middle of a call is killed. Counted are the evaluations with a value and the
calls (files that the objective leaves, one for each).

MPI is started anew: `mpiexec` runs the same program twice, because the job dies with the rank, and the second one
resumes. It needs Debian's openmpi-bin; the other engines need their packages.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table

N, WORKERS, KILL_AT = 50, 2, 10
SQUARE = [(0.0, 1.0), (0.0, 1.0)]


@dataclass(frozen=True)
class Bowl:
    """A bowl that takes 50 ms and leaves a file for each call: when it began, in which process, and that it ended."""

    folder: Path

    def __call__(self, x: Any) -> float:
        call = self.folder / f"{time.time_ns()}-{os.getpid()}"
        call.touch()
        time.sleep(0.05)
        call.rename(call.with_suffix(".done"))
        return float(((np.asarray(x) - 0.3) ** 2).sum())

    def calls(self) -> int:
        """How many there were."""
        return len(list(self.folder.iterdir()))

    def kill(self) -> bool:
        """Kill the process that is busy with the latest call; whether there is one."""
        busy = [path for path in sorted(self.folder.iterdir()) if path.suffix != ".done"]
        if busy:
            os.kill(int(busy[-1].name.partition("-")[2]), signal.SIGKILL)
        return bool(busy)


@contextmanager
def own() -> Iterator[Executor | None]:
    """Processes of our own."""
    yield None


@contextmanager
def pool() -> Iterator[Executor | None]:
    """The standard process pool."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as executor:
        yield executor


@contextmanager
def loky() -> Iterator[Executor | None]:
    """The process pool of joblib."""
    from joblib.externals.loky import get_reusable_executor

    yield get_reusable_executor(WORKERS)


@contextmanager
def dask() -> Iterator[Executor | None]:
    """A Dask cluster in this machine."""
    from distributed import Client, LocalCluster

    words: dict[str, Any] = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(silence_logs=50, **words) as cluster, Client(cluster) as client:
        yield client.get_executor(pure=False)


@contextmanager
def factory() -> Iterator[Any]:
    """A function that makes a standard process pool."""
    yield lambda: ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn"))


@contextmanager
def submitit() -> Iterator[Any]:
    """Jobs of submitit, on this machine."""
    from submitit import AutoExecutor

    with tempfile.TemporaryDirectory() as folder:
        yield AutoExecutor(folder=folder, cluster="local")


@contextmanager
def executorlib() -> Iterator[Any]:
    """Processes of executorlib."""
    from executorlib import SingleNodeExecutor

    with SingleNodeExecutor(max_workers=WORKERS) as executor:
        yield executor


@contextmanager
def ray() -> Iterator[Any]:
    """A Ray cluster in this machine."""
    import ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    yield sf.executors.Ray()
    ray.shutdown()


@contextmanager
def mpi() -> Iterator[Any]:
    """The command that starts a program on ranks of MPI: one that asks, and the workers."""
    words = ["--oversubscribe", "-n", str(WORKERS + 1), sys.executable, "-m", "mpi4py.futures"]
    yield ["mpiexec", *words, str(Path(__file__).resolve())]


def ranks(f: Bowl, kill: bool) -> None:
    """What the first rank does."""
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as pool:
        ours(pool, f, kill, storage=str(f.folder) + ".db")


def twice(command: list[str], f: Bowl) -> int:
    """How many trials have a value when the job was killed with a rank, and the same line has resumed."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for kill in ("kill", "finish"):
        subprocess.run([*command, "--rank", str(f.folder), kill], env={**os.environ, **root}, check=False)
    return sum(trial.state == "done" for trial in sf.load(str(f.folder) + ".db").trials)


def alone(executor: Executor, f: Bowl) -> int:
    """How many of the calls have a value, submitted to the executor itself."""
    jobs: list[Any] = [executor.submit(f, x) for x in np.random.default_rng(0).random((N, 2))]
    good, killed = 0, False
    while jobs:
        for job in [job for job in jobs if job.done()]:
            jobs.remove(job)
            good += job.exception() is None
            killed = killed or (good >= KILL_AT and f.kill())
        time.sleep(0.01)
    return good


def ours(executor: Any, f: Bowl, kill: bool = True, **words: Any) -> int:
    """How many of the trials have a value, in a run of sf.minimize."""

    killed: list[bool] = []

    def callback(result: sf.Result) -> None:
        if kill and result.nfev >= KILL_AT and not killed and f.kill():
            killed.append(True)

    result = sf.minimize(f, SQUARE, N, executor=executor, n_parallel=WORKERS, callback=callback, seed=0, **words)
    return sum(trial.state == "done" for trial in result.trials)


def measure(make: Callable[[], Any], run: Callable[[Any, Bowl], int]) -> str:
    """One cell of the table."""
    with tempfile.TemporaryDirectory() as folder, make() as executor:
        f = Bowl(Path(folder))
        return f"{run(executor, f)} of {N} with a value, {f.calls()} calls"


KINDS: dict[str, tuple[str, Callable[[], Any]]] = {
    "own": ("processes of the library", own),
    "pool": ("`ProcessPoolExecutor`", pool),
    "loky": ("joblib's loky", loky),
    "factory": ("a function that makes a `ProcessPoolExecutor`", factory),
    "dask": ("Dask", dask),
    "ray": ("`sf.executors.Ray()`", ray),
    "submitit": ("submitit, on this machine", submitit),
    "executorlib": ("executorlib, on this machine", executorlib),
    "mpi": ("`MPIPoolExecutor`, `mpiexec` called twice", mpi),
}
# What has no pool to submit to: processes of the library, a function, and what dies with the first rank.
INDIRECT = (own, factory, mpi)


def main() -> None:
    """The table."""
    rows = []
    for name in sys.argv[1:] or KINDS:
        words, make = KINDS[name]
        run = twice if make is mpi else ours
        rows.append([words, "" if make in INDIRECT else measure(make, alone), measure(make, run)])
    print_table("A worker is killed", ["executor", "submitted to it directly", "`sf.minimize`"], rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        ranks(Bowl(Path(sys.argv[2])), sys.argv[3] == "kill")
    else:
        main()
