"""What may be given as an executor, and how many evaluations it gets at a time."""

from concurrent.futures import Executor

from suffice.checks import as_count
from suffice.run.workers import available


def check_executor(executor: Executor | None, repeat: bool) -> None:
    """Refuse what is no executor, and one that would give the first measurement of a point for the second."""
    if executor is None:
        return
    if isinstance(executor, type) or not callable(getattr(executor, "submit", None)):
        raise TypeError(f"executor must be one of concurrent.futures, like ThreadPoolExecutor(4): got {executor!r}")
    dask = type(executor).__module__.partition(".")[0] == "distributed"
    if repeat and dask and getattr(executor, "_kwargs", {}).get("pure", True):
        raise ValueError(
            "with repeat=True a point may be measured twice, but Dask takes a second call with the same argument for "
            "the first one; make the executor with client.get_executor(pure=False)"
        )


def width(executor: Executor | None, n_parallel: int | None) -> int:
    """How many evaluations are under way at a time."""
    if n_parallel is None:
        return 1 if executor is None else _workers(executor)
    count = as_count(n_parallel, "n_parallel", 1)
    if executor is None:
        raise ValueError(f"n_parallel={count} needs an executor, for instance ThreadPoolExecutor({count})")
    return count


def _workers(executor: Executor) -> int:
    workers = getattr(executor, "_max_workers", None)  # private, but all of the standard library have it
    return workers if isinstance(workers, int) and workers >= 1 else available()
