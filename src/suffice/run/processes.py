"""Worker processes that die alone: each evaluation has a pool of one process to itself.

A standard process pool is lost as a whole when one of its processes dies, and a process of it cannot be ended without
the others. So here every process is a pool of its own, a slot. What kills its process is known by that; an evaluation
that takes too long is ended with its process and with what that has started; a fresh process takes the place.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as first_of
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from suffice.errors import WorkersLost
from suffice.run.backends import Crew
from suffice.run.evaluation import Evaluation, answer, greet

#| -- run.workers: Worker processes of one thread each, replaced by fresh ones after a crash.
#|
#| A worker is started with one thread for the linear algebra, since the workers share the cores; it does not hear
#| Ctrl-C,
#| which is the parent's to handle, and it ends with its parent, even if that is killed.

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


STILLBORN = 3  # processes in a row that die before they can do anything: there is no use in starting more
BIRTH = 30.0  # seconds after which a forked process that has not begun hangs: it has nothing to import
GRACE = 1.0  # seconds that idle processes get to end by themselves


@dataclass(frozen=True)
class Recipe:
    """How to make a pool of one process."""

    make: Callable[[], Executor]
    plain: bool = True  # whether it sends objectives by the standard pickle
    environment: Mapping[str, str] = field(default_factory=dict)  # of the process, beside what it inherits
    why: str = ""  # there are processes, where the user has not said so
    forked: bool = False  # a copy of this process, which may hang if another thread held a lock


@dataclass(eq=False)
class Slot:
    """A pool of one process, and what it does."""

    pool: Executor
    greeting: Future[str | None]  # done when the process is up and has seen the objective
    processes: tuple[Any, ...]
    born: float = field(default_factory=time.monotonic)
    ready: float | None = None  # since when, by the monotonic clock
    future: Future[Any] | None = None

    def __post_init__(self) -> None:
        self.greeting.add_done_callback(self._greeted)

    def _greeted(self, greeting: Future[str | None]) -> None:
        if not greeting.cancelled() and greeting.exception() is None:
            self.ready = time.monotonic()

    @property
    def free(self) -> bool:
        """Whether it can take a call."""
        return self.future is None or self.future.done()

    def kill(self) -> None:
        """End the process, whatever it is doing, together with what it has started."""
        now: dict[int, Any] = getattr(self.pool, "_processes", None) or {}  # another, if each makes a few calls only
        for process in {*self.processes, *now.values()}:
            if not process.is_alive():
                continue
            with suppress(OSError, AttributeError):  # it has no group of its own yet, or there are no groups
                os.killpg(process.pid, signal.SIGKILL)
            process.terminate()  # asks where it cannot be forced, as on Windows, where that is the same
            with suppress(OSError, AttributeError):
                os.kill(process.pid, signal.SIGKILL)
        self.pool.shutdown(wait=False)

    def release(self) -> None:
        """End the process: at once if it is busy, else by its own will, for which it takes a moment."""
        if self.free:
            self.pool.shutdown(wait=False)
        else:
            self.kill()


@dataclass(eq=False)
class Slots:
    """So many processes, each a pool of its own, replaced when it dies."""

    recipe: Recipe
    count: int
    evaluate: Evaluation
    shared: ClassVar[bool] = False
    _slots: list[Slot] = field(default_factory=list, repr=False)
    _busy: "WeakKeyDictionary[Future[Any], Slot]" = field(default_factory=WeakKeyDictionary, repr=False)
    _stillborn: int = field(default=0, repr=False)

    @property
    def capacity(self) -> int:
        """One evaluation for each process."""
        return self.count

    def receive(self, seconds: float | None) -> None:
        """Start the processes, all at once, and hear from the first that is up whether it can read the objective."""
        try:
            while len(self._slots) < self.count:
                self._slots.append(self._new())
            greetings = [slot.greeting for slot in self._slots]
            patience = [limit for limit in (seconds, BIRTH if self.recipe.forked else None) if limit is not None]
            up = first_of(greetings, min(patience, default=None), FIRST_COMPLETED).done
            answer(next(iter(up), greetings[0]), self.recipe.plain, 0.0)
        except TypeError as error:
            raise TypeError(f"{self.recipe.why}{error}") from error.__cause__
        except BrokenExecutor as error:
            raise self._unborn("before the first evaluation") from error

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """To a process that is free; one that has died meanwhile is replaced."""
        for slot in [slot for slot in self._slots if slot.free]:
            try:
                return self._give(slot, f, *args)
            except (BrokenExecutor, OSError):  # or its pipes are closed, where it breaks at this moment
                self._slots.remove(slot)
                slot.kill()
        if len(self._slots) >= self.count:
            raise RuntimeError(f"all {self.count} worker processes are busy")
        self._slots.append(self._new())
        return self._give(self._slots[-1], f, *args)

    def _give(self, slot: Slot, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        with ctrl_c_waits():
            slot.future = slot.pool.submit(f, *args)
            self._busy[slot.future] = slot
            return slot.future

    def begun(self, future: Future[Any], submitted: float) -> float | None:
        """When its process was ready for it."""
        ready = self._busy[future].ready
        return None if ready is None else max(ready, submitted)

    def stop(self, future: Future[Any]) -> bool:
        """Kill its process."""
        slot = self._busy[future]
        if slot in self._slots:
            self._slots.remove(slot)
        slot.kill()
        return True

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """A process that was up died of what it did."""
        slot = self._busy[future]
        if slot.ready is None:
            self._stillborn += 1
            return False
        self._stillborn = 0
        return True

    def obituary(self, future: Future[Any]) -> str:
        """With the exit code, if it can be had."""
        codes = [code for process in self._busy[future].processes if (code := _exit_code(process)) is not None]
        return f"its worker process died{_in_words(codes[0]) if codes else ''}"

    def heir(self) -> Crew | None:
        """Itself, unless processes die before they can do anything."""
        if self._stillborn >= STILLBORN:
            raise self._unborn(f"at the start, {self._stillborn} times in a row")
        return self

    @property
    def pulse(self) -> float | None:
        """Forked processes are looked at."""
        return BIRTH / 3 if self.recipe.forked else None

    def look(self) -> None:
        """What dies is heard of; what hangs before it has begun is killed, and so heard of."""
        for slot in self._slots:
            if self.recipe.forked and slot.ready is None and time.monotonic() - slot.born > BIRTH:
                slot.kill()

    def close(self) -> None:
        """End all processes, those that do not end by themselves by force."""
        ending = list(self._slots)
        for slot in ending:
            slot.release()
        sentinels = {process.sentinel for slot in ending for process in slot.processes}
        until = time.monotonic() + GRACE
        while sentinels and time.monotonic() < until:
            sentinels -= set(wait(sentinels, until - time.monotonic()))
        for slot in ending:
            if any(process.sentinel in sentinels for process in slot.processes):
                slot.kill()
            self._slots.remove(slot)

    def _new(self) -> Slot:
        with environment(self.recipe.environment), ctrl_c_waits():
            pool: Any = self.recipe.make()
            greeting = greet(pool, self.evaluate, self.recipe.plain)
            return Slot(pool, greeting, tuple(pool._processes.values()))

    def _unborn(self, when: str) -> WorkersLost:
        return WorkersLost(
            f"a worker process died {when}: see what it printed. In a script, call under "
            "`if __name__ == '__main__':`, because the processes import the script; an initializer must not raise"
        )


def begin(initializer: Callable[..., Any] | None, initargs: tuple[Any, ...]) -> None:
    """What a process of a slot does first: it hears no Ctrl-C, and what it starts can be ended with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "setpgid"):
        with suppress(OSError):
            os.setpgid(0, 0)
    threading.Thread(target=_end_with_parent_slots, daemon=True).start()
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()  # a forked process has the generator of its parent, and so would its sisters
    if initializer is not None:
        initializer(*initargs)


def _end_with_parent_slots() -> None:
    parent, number = multiprocessing.parent_process(), os.getppid()
    try:
        if parent is not None:
            parent.join()
    except ValueError:  # loky's processes have nothing to wait for
        while os.getppid() == number:
            time.sleep(1.0)
    if parent is not None:
        if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


def _exit_code(process: Any) -> int | None:
    until = time.monotonic() + GRACE
    while process.exitcode is None and time.monotonic() < until:
        time.sleep(0.005)  # the thread of the pool fetches it at this moment
    code: int | None = process.exitcode
    return code


def _in_words(code: int) -> str:
    if code >= 0:
        return f" with exit code {code}"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        return f" by {name}" + (", as when memory runs out" if name == "SIGKILL" else "")
    return f" by signal {-code}"
