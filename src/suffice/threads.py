"""One BLAS thread while the matrices are small.

There more threads wait longer than they work, above all on a busy machine, and rounding depends on their number.
OpenBLAS keeps that number for the whole process: the first who wants one thread sets it, the last one puts the former
number back, and a product that another thread of the program starts in between has one thread as well. MKL keeps it for
each thread. Other libraries are left alone.

There NumPy also treats underflows, overflows and the like as by default, whatever the user has set.
"""

import ctypes
import importlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

SMALL = 2000  # rows of a matrix that one thread is for: it factorizes them in less than a second
CALLERS = ("numpy.linalg._umath_linalg", "scipy.linalg.cython_blas")  # each may have a BLAS of its own
PTHREADS = 1  # what openblas_get_parallel() says of threads of its own; 0: none, 2: those of OpenMP


@dataclass(frozen=True)
class OpenBLAS:
    """The number of threads of a loaded library, for the whole process."""

    get: Callable[[], int]
    set: Callable[[int], object]


# Of MKL: sets the number of threads of the calling thread, 0 being the number of the process; returns the former one.
Exchange: TypeAlias = Callable[[int], int]


@dataclass
class _Users:
    """Who wants one thread now, and what to put back after the last of them."""

    present: set[object] = field(default_factory=set)
    former: tuple[int, ...] = ()
    lock: Any = field(default_factory=threading.RLock)  # a finalizer may run while its own thread holds it

    def enter(self, user: object, libraries: Sequence[OpenBLAS]) -> None:
        with self.lock:
            first = not self.present
            if first:
                self.former = tuple(library.get() for library in libraries)
            self.present.add(user)  # before anything is set: an interruption from here on is undone by `leave`
            if first:
                for library in libraries:
                    library.set(1)

    def leave(self, user: object, libraries: Sequence[OpenBLAS]) -> None:
        """Also for a user whose entering, or whose leaving, was interrupted; once more changes nothing."""
        with self.lock:
            if self.present == {user}:
                for library, number in zip(libraries, self.former, strict=True):
                    library.set(number)
            self.present.discard(user)


class _Frame:
    """Lives as long as the block that wants one thread."""


# By process: a fork may copy the lock while it is held.
_USERS: dict[int, _Users] = {}


@contextmanager
def usual_errors() -> Iterator[None]:
    """Within, NumPy's floating-point errors are as by default: the user may have set np.seterr(all="raise").

    A density far from everything underflows to zero, which is the right answer. The objective keeps the user's setting.
    """
    with np.errstate(all="warn", under="ignore"):
        yield


@contextmanager
def one_thread(rows: int = 0) -> Iterator[None]:
    """Within, BLAS works with one thread if its matrices have few rows; about 5 µs. As `usual_errors`, too."""
    with usual_errors():
        if rows > SMALL:
            yield
        else:
            with _one_thread():
                yield


@contextmanager
def _one_thread() -> Iterator[None]:
    openblas, mkl = loaded()
    users, user = _USERS.setdefault(os.getpid(), _Users()), object()  # atomic
    former: list[int] = []
    frame = _Frame()
    weakref.finalize(frame, users.leave, user, openblas).atexit = False  # if an interruption comes while we leave
    try:
        users.enter(user, openblas)
        former.extend(exchange(1) for exchange in mkl)
        yield
    finally:
        for exchange, number in zip(mkl, former, strict=False):  # fewer, if an interruption came in between
            exchange(number)
        users.leave(user, openblas)


@cache
def loaded() -> tuple[tuple[OpenBLAS, ...], tuple[Exchange, ...]]:
    """The BLAS libraries of NumPy and SciPy whose threads can be counted; one that both use may be there twice."""
    handles = [handle for caller in CALLERS for handle in _handles(caller)]
    openblas = (_openblas(handle) for handle in handles)
    exchanges = (getattr(handle, "MKL_Set_Num_Threads_Local", None) for handle in handles)  # a symbol of the library
    return tuple(filter(None, openblas)), tuple(filter(None, exchanges))


def _handles(caller: str) -> list[ctypes.CDLL]:
    """Handles in which the symbols of a module's BLAS are found."""
    try:
        file = importlib.import_module(caller).__file__ or ""
        if os.name != "nt":
            return [ctypes.CDLL(file)]  # a symbol is looked for in what the module is linked to, too
        package = caller.partition(".")[0]
        folder = next(parent for parent in Path(file).parents if parent.name == package)
        return [ctypes.CDLL(str(path)) for path in folder.with_name(f"{package}.libs").glob("*openblas*.dll")]
    except (ImportError, OSError, StopIteration):  # another build than is known here
        return []


def _openblas(handle: ctypes.CDLL) -> OpenBLAS | None:
    for prefix, suffix in product(("scipy_", ""), ("64_", "", "_64")):
        names = (f"{prefix}openblas_{word}{suffix}" for word in ("get_parallel", "get_num_threads", "set_num_threads"))
        parallel, get, set_ = (getattr(handle, name, None) for name in names)
        if parallel and get and set_:
            return OpenBLAS(get, set_) if parallel() == PTHREADS else None
    return None
