"""Worker processes of one thread each, replaced by fresh ones after a crash.

A worker is started with one thread for the linear algebra, since the workers share the cores; it does not hear Ctrl-C,
which is the parent's to handle, and it ends with its parent, even if that is killed.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def available() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class Workers:
    """A process pool for tasks that may kill their process: after `close` the next task starts a fresh pool."""

    count: int
    _pool: ProcessPoolExecutor | None = field(default=None, repr=False)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As executors have it; a worker is started if there are not enough yet."""
        if self._pool is None:
            # A forked copy of a process with threads, such as those of a BLAS, may hang.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_begin)
        with environment(dict.fromkeys(THREADS, "1")), ctrl_c_waits():
            return self._pool.submit(f, *args)

    def close(self) -> None:
        """End the workers, whatever they are doing, and settle all their futures."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list(pool._processes.values()):
                process.terminate()
            pool.shutdown(cancel_futures=True)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """The environment that a process started meanwhile inherits."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Hear Ctrl-C at the end only: it would leave a worker half-started. A process started meanwhile is born deaf."""
    main = threading.current_thread() is threading.main_thread()  # only there may handlers be set
    came: list[int] = []
    heard = signal.signal(signal.SIGINT, lambda number, _: came.append(number)) if main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if heard is not None:
            signal.signal(signal.SIGINT, heard)
        if came:
            signal.raise_signal(signal.SIGINT)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
