"""The library's worker processes; if one dies, the others go on.

A standard process pool is lost as a whole when one of its processes dies, and no process can be ended alone. Here every
process answers one call at a time over a pipe, so a process that dies was killed by its own call. A late trial is ended
together with its process and all child processes, and a new process replaces it.
"""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ThreadPoolExecutor
from concurrent.futures import wait as first_of
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from suffice.errors import WorkersLost
from suffice.run.backends import Crew
from suffice.run.evaluation import Evaluator, Sending, fault_of_reading, fault_of_trip, in_words

# Variables that set the number of threads of BLAS libraries before they are loaded.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
# A run ends after so many first evaluations that all raise or kill their worker, or processes that die at the start.
HOPELESS = 3
GUARD = "call under `if __name__ == '__main__':`"
GRACE = 1.0  # seconds for a process to end by itself
HEAD = 8  # each call and each answer begins with the number of the call, in so many bytes


def available() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(eq=False)
class Process:
    """A worker process, the pipe to it, and a thread that makes one call after the other."""

    process: BaseProcess
    pipe: Connection
    calls: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "suffice"))
    greeting: Future[str | None] = field(init=False)  # done when the process is up and has read the objective
    ready: float | None = None  # since when, by the monotonic clock
    future: Future[Any] | None = None  # its last evaluation
    _calls_made: int = 0

    @property
    def free(self) -> bool:
        """Whether it can accept a call."""
        return self.future is None or self.future.done()

    def greet(self, message: bytes) -> None:
        """Make it read the objective."""
        self.greeting = self.calls.submit(self._greeted, message)

    def _greeted(self, message: bytes) -> Any:
        answer = self.call(message)
        self.ready = time.monotonic()
        return answer

    def call(self, message: bytes) -> Any:
        """Send a packed call and wait for the answer; BrokenProcessPool if the process dies."""
        self._calls_made += 1
        head = self._calls_made.to_bytes(HEAD, "big")
        try:
            self.pipe.send_bytes(head + message)
            answer = self.pipe.recv_bytes()
            while answer[:HEAD] != head:  # an answer that belongs to no call
                answer = self.pipe.recv_bytes()
        except (EOFError, OSError) as error:
            self.process.join(GRACE)  # its exit code is available a moment later
            raise BrokenProcessPool("a worker process died") from error
        value, raised = pickle.loads(answer[HEAD:])
        if raised is not None:
            raise raised
        return value

    def kill(self) -> None:
        """Kill the process together with its child processes."""
        if self.process.is_alive() and self.process.pid is not None:
            if sys.platform != "win32":
                with suppress(OSError):  # it has no process group yet
                    os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
        self.calls.shutdown(wait=False)

    def release(self) -> None:
        """End the process: at once if it is busy, otherwise by closing its pipe."""
        if self.free and self.greeting.done():
            self.pipe.close()
            self.calls.shutdown(wait=False)
        else:
            self.kill()


@dataclass(eq=False)
class Processes(Crew):
    """Worker processes of the library that share the processors.

    They are spawned, because a fork of a process with threads, such as those of a BLAS, may hang.
    """

    workers: int
    evaluate: Evaluator
    sending: Sending
    why: str = ""  # why there are processes, if the user has not asked for any
    threads: int | None = None  # of each process; None: its fraction of the processors, or the user's setting
    other: Sending | None = None  # another way to send objectives, if this one fails
    _all: list[Process] = field(default_factory=list, repr=False)
    _busy: "WeakKeyDictionary[Future[Any], Process]" = field(default_factory=WeakKeyDictionary, repr=False)
    _stillborn: int = field(default=0, repr=False)

    @property
    def capacity(self) -> int:
        """One evaluation for each process."""
        return self.workers

    @property
    def starting(self) -> str:
        """The worker processes; each imports the program."""
        return f"{self.workers} worker{'s' * (self.workers != 1)}"

    def receive(self, seconds: float | None) -> None:
        """Start all processes at once, and check that the first one that is up can read the objective."""
        try:
            self._greet(seconds)
        except TypeError as error:
            if self.other is None:
                raise TypeError(f"{self.why}{error}") from error.__cause__
            self.close()
            self.sending, self.other = self.other, None
            self.receive(seconds)
        except BrokenExecutor:
            raise unborn("before the first evaluation") from None  # its output has the cause

    def _greet(self, seconds: float | None) -> None:
        while len(self._all) < self.workers:
            self._all.append(self._new())
        greetings = [process.greeting for process in self._all]
        up = first_of(greetings, seconds, FIRST_COMPLETED).done
        self.sending.check(next(iter(up), greetings[0]), 0.0)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit to a free process; one that has died meanwhile is replaced."""
        try:
            message = self.sending.dumps((f, args))
        except Exception as error:  # as in a standard pool, this call has failed
            unsent: Future[Any] = Future()
            unsent.set_exception(error)
            return unsent
        for dead in [process for process in self._all if process.free and not process.process.is_alive()]:
            self._all.remove(dead)
            dead.release()
        free = next((process for process in self._all if process.free), None)
        if free is None and len(self._all) >= self.workers:
            raise RuntimeError(f"all {self.workers} worker processes are busy")
        if free is None:
            free = self._new()
            self._all.append(free)
        with ctrl_c_waits():
            free.future = free.calls.submit(free.call, message)
            self._busy[free.future] = free
            return free.future

    def begun(self, future: Future[Any], submitted: float) -> float | None:
        """The time when its process was ready for it."""
        process = self._busy.get(future)
        return None if process is None or process.ready is None else max(process.ready, submitted)

    def stop(self, future: Future[Any]) -> bool:
        """Kill its process."""
        process = self._busy[future]
        if process in self._all:
            self._all.remove(process)
        process.kill()
        return True

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """A process that was up was killed by its call."""
        up = self._busy[future].ready is not None
        self._stillborn = 0 if up else self._stillborn + 1
        return up

    def obituary(self, future: Future[Any]) -> str:
        """The exit code of its process."""
        code = self._busy[future].process.exitcode
        return f"its worker process died{'' if code is None else _in_words(code)}"

    def heir(self) -> Crew | None:
        """Itself, unless processes die before their first call."""
        if self._stillborn >= HOPELESS:
            raise unborn(f"at the start, {self._stillborn} times in a row")
        return self

    def close(self) -> None:
        """End all processes, if necessary by force; Ctrl-C must not leave one behind."""
        with ctrl_c_waits():
            for process in self._all:
                process.release()
            until = time.monotonic() + GRACE
            for process in self._all:
                process.process.join(max(0.0, until - time.monotonic()))
                process.kill()
            self._all.clear()

    def _new(self) -> Process:
        if getattr(multiprocessing.current_process(), "_inheriting", False):  # a worker that imports the script
            raise SystemExit(f"suffice: a worker process has imported a script that starts workers: {GUARD}")
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), name="suffice")
        found = Process(process, ours)
        greeting = pickle.dumps((fault_of_reading, (self.sending.packed(self.evaluate),)))
        share = str(self.threads or max(1, available() // self.workers))
        threads = {name: share for name in THREADS if self.threads or name not in os.environ}
        context.Lock()  # start the resource tracker of multiprocessing now, because its start unblocks Ctrl-C
        with environment(threads), ctrl_c_waits():
            process.start()
        theirs.close()  # otherwise the end of the process would not close the pipe
        found.greet(greeting)
        return found


def unborn(when: str) -> WorkersLost:
    """The error of a worker process that died before it could evaluate anything."""
    return WorkersLost(
        f"a worker process died {when}: see its output. In a script, {GUARD}, because the processes import the "
        "script; an initializer must not raise"
    )


# ---------------------------------------------------------------------- in the worker process


def _serve(pipe: Connection) -> None:
    """Answer calls until the pipe is closed. The parent handles Ctrl-C, and child processes end with this process.

    A fork of the objective never answers: it ends when it returns from the objective or raises.
    """
    worker = os.getpid()
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=pipe.close)  # a surviving fork must not hide the death of its worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32":
        with suppress(OSError):
            os.setpgid(0, 0)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # the run is over
        while True:
            call = pipe.recv_bytes()
            answer = _answer(call[HEAD:])
            if os.getpid() != worker:
                _end_fork(answer)
            pipe.send_bytes(call[:HEAD] + answer)


def _end_fork(answer: bytes) -> NoReturn:
    """End a fork that returned from the objective, with its own exit code if it called sys.exit()."""
    code: Any = 1
    try:
        raised = pickle.loads(answer)[1]
        if isinstance(raised, SystemExit):
            code = raised.code
        else:
            print("suffice: a process that the objective forked came back from it, and was ended", file=sys.stderr)
        sys.stdout.flush()
    finally:  # in any case, it must not continue as the worker
        os._exit(code if isinstance(code, int) else int(code is not None))


def _answer(message: bytes) -> bytes:
    """The value or the exception of a call, packed."""
    try:
        f, args = pickle.loads(message)
        return pickle.dumps((f(*args), None))
    except BaseException as error:  # SystemExit in an objective ends the run, as in this process
        raised = error if fault_of_trip(error) is None else RuntimeError(in_words(error))
        return pickle.dumps((None, raised))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        if sys.platform != "win32" and os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


def _in_words(code: int) -> str:
    if code >= 0:
        return f" with exit code {code}"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        return f" by {name}" + (", as when memory runs out" if name == "SIGKILL" else "")
    return f" by signal {-code}"


# ---------------------------------------------------------------------- how processes are started


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set the environment for processes that start inside the block."""
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
    """Delay Ctrl-C, which would leave a worker half-started. Processes started inside ignore it."""
    main = threading.current_thread() is threading.main_thread()  # handlers can be set only there
    came: list[int] = []
    heard = signal.signal(signal.SIGINT, lambda number, _: came.append(number)) if main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if sys.platform != "win32" else None
    try:
        yield
    finally:
        if sys.platform != "win32" and mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if heard is not None:
            signal.signal(signal.SIGINT, heard)
        if came:
            signal.raise_signal(signal.SIGINT)
