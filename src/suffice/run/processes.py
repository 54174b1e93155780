"""Worker processes of the library, each of which dies alone.

A standard process pool is lost as a whole when one of its processes dies, and none of them can be ended without the
others. Here every process answers one call at a time over a pipe. A process that dies has died of its own call, a trial
that takes too long is ended with its process and all that this has started, and a new process takes its place.
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

# How BLAS libraries are told their number of threads, before they are loaded.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
# Evaluations that all raise or kill their worker, or processes that all die at the start: more would burn the budget.
HOPELESS = 3
GRACE = 1.0  # seconds that a process gets to end by itself
HEAD = 8  # bytes before each call and each answer: the number of the call


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
    future: Future[Any] | None = None  # the evaluation that it was given last
    _calls_made: int = 0

    @property
    def free(self) -> bool:
        """Whether it can take a call."""
        return self.future is None or self.future.done()

    def greet(self, message: bytes) -> None:
        """Let it read the objective."""
        self.greeting = self.calls.submit(self._greeted, message)

    def _greeted(self, message: bytes) -> Any:
        answer = self.call(message)
        self.ready = time.monotonic()
        return answer

    def call(self, message: bytes) -> Any:
        """Send a packed call and wait for what comes back; BrokenProcessPool if the process dies."""
        self._calls_made += 1
        head = self._calls_made.to_bytes(HEAD, "big")
        try:
            self.pipe.send_bytes(head + message)
            answer = self.pipe.recv_bytes()
            while answer[:HEAD] != head:  # a stray one, which belongs to no call
                answer = self.pipe.recv_bytes()
        except (EOFError, OSError) as error:
            self.process.join(GRACE)  # its exit code is known a moment later
            raise BrokenProcessPool("a worker process died") from error
        value, raised = pickle.loads(answer[HEAD:])
        if raised is not None:
            raise raised
        return value

    def kill(self) -> None:
        """End the process, whatever it is doing, together with what it has started."""
        if self.process.is_alive() and self.process.pid is not None:
            if sys.platform != "win32":
                with suppress(OSError):  # it has no group of its own yet
                    os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
        self.calls.shutdown(wait=False)

    def release(self) -> None:
        """End the process: at once if it is busy, else by closing the pipe that it reads from."""
        if self.free and self.greeting.done():
            self.pipe.close()
            self.calls.shutdown(wait=False)
        else:
            self.kill()


@dataclass(eq=False)
class Processes(Crew):
    """So many processes of the library, which share the processors.

    They are spawned: a forked copy of a process with threads, such as those of a BLAS, may hang.
    """

    workers: int
    evaluate: Evaluator
    sending: Sending
    why: str = ""  # there are processes, where the user has not asked for any
    threads: int | None = None  # of each process; None: as many as there are processors for it, or as the user set it
    other: Sending | None = None  # another way to send what this one cannot
    _all: list[Process] = field(default_factory=list, repr=False)
    _busy: "WeakKeyDictionary[Future[Any], Process]" = field(default_factory=WeakKeyDictionary, repr=False)
    _stillborn: int = field(default=0, repr=False)

    @property
    def capacity(self) -> int:
        """One evaluation for each process."""
        return self.workers

    def receive(self, seconds: float | None) -> None:
        """Start the processes, all at once, and hear from the first that is up whether it can read the objective."""
        try:
            self._greet(seconds)
        except TypeError as error:
            if self.other is None:
                raise TypeError(f"{self.why}{error}") from error.__cause__
            self.close()
            self.sending, self.other = self.other, None
            self.receive(seconds)
        except BrokenExecutor as error:
            raise unborn("before the first evaluation") from error

    def _greet(self, seconds: float | None) -> None:
        while len(self._all) < self.workers:
            self._all.append(self._new())
        greetings = [process.greeting for process in self._all]
        up = first_of(greetings, seconds, FIRST_COMPLETED).done
        self.sending.check(next(iter(up), greetings[0]), 0.0)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """To a process that is free; one that has died meanwhile is replaced."""
        try:
            message = self.sending.dumps((f, args))
        except Exception as error:  # as in a standard pool, it is this call that has failed
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
        """When its process was ready for it."""
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
        """A process that was up died of what it did."""
        up = self._busy[future].ready is not None
        self._stillborn = 0 if up else self._stillborn + 1
        return up

    def obituary(self, future: Future[Any]) -> str:
        """With the exit code."""
        code = self._busy[future].process.exitcode
        return f"its worker process died{'' if code is None else _in_words(code)}"

    def heir(self) -> Crew | None:
        """Itself, unless processes die before they can do anything."""
        if self._stillborn >= HOPELESS:
            raise unborn(f"at the start, {self._stillborn} times in a row")
        return self

    def close(self) -> None:
        """End all processes, those that do not end by themselves by force; Ctrl-C must not leave one behind."""
        with ctrl_c_waits():
            for process in self._all:
                process.release()
            until = time.monotonic() + GRACE
            for process in self._all:
                process.process.join(max(0.0, until - time.monotonic()))
                process.kill()
            self._all.clear()

    def _new(self) -> Process:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), name="suffice")
        found = Process(process, ours)
        greeting = pickle.dumps((fault_of_reading, (self.sending.packed(self.evaluate),)))
        share = str(self.threads or max(1, available() // self.workers))
        threads = {name: share for name in THREADS if self.threads or name not in os.environ}
        context.Lock()  # starts the resource tracker of multiprocessing, which would unblock Ctrl-C below
        with environment(threads), ctrl_c_waits():
            process.start()
        theirs.close()  # else the end of the process would not close the pipe
        found.greet(greeting)
        return found


def unborn(when: str) -> WorkersLost:
    """The error of a worker process that died before it could evaluate anything."""
    return WorkersLost(
        f"a worker process died {when}: see its output. In a script, call under "
        "`if __name__ == '__main__':`, because the processes import the script; an initializer must not raise"
    )


# ---------------------------------------------------------------------- in the worker process


def _serve(pipe: Connection) -> None:
    """Answer calls until the pipe is closed. Ctrl-C is the parent's to handle; what is started here ends with it.

    A fork that the objective makes never answers: where it returns from the objective, or raises, it ends.
    """
    worker = os.getpid()
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=pipe.close)  # a fork that lives on does not hide the death of its worker
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
    """End a fork that came back from the objective: by its own exit code if it has called sys.exit()."""
    code: Any = 1
    try:
        raised = pickle.loads(answer)[1]
        if isinstance(raised, SystemExit):
            code = raised.code
        else:
            print("suffice: a process that the objective forked came back from it, and was ended", file=sys.stderr)
        sys.stdout.flush()
    finally:  # whatever happens, it must not go on as the worker
        os._exit(code if isinstance(code, int) else int(code is not None))


def _answer(message: bytes) -> bytes:
    """The value of a call, or what it raised, packed."""
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
