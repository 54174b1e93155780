"""The trial as its objective sees it while it is evaluated: `report` and `should_stop`, wherever an executor runs it.

In this process a call goes straight to the optimizer. A line that is pickled, to get to another process, takes along an
address on the loopback interface and a key; there it connects on the first report. What is sent is JSON, and each side
proves that it knows the key before anything is read (the challenge of multiprocessing.connection). A worker that cannot
reach the run goes on and is told nothing, and what kept it from reporting comes back with its value.
"""

import json
import logging
import math
import operator
import os
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

from suffice.errors import UnusableFile
from suffice.study.optimizer import Optimizer

PATIENCE = 10.0  # seconds for a connection to be made, which takes a thousandth
ANSWER = 600.0  # seconds for an answer: the run may be busy with the choice of a point


class LiveTrial:
    """The trial that is being evaluated: what the objective gets as its second argument, `trial`.

    Attributes
    ----------
    number : int
        Its place in the order of asking, from 0.
    point : ndarray, dict or list
        Where to evaluate: the first argument of the objective.
    """

    def __init__(self, number: int, point: Any, line: "Line") -> None:
        self.number, self.point = number, point
        self._line = line
        self._stopping = False

    def report(self, value: Any, step: int) -> None:
        """Say what the evaluation has come to.

        Parameters
        ----------
        value : float
            Its value at that step, in the units and the sense of the objective.
        step : int
            How far it is: a whole number ≥ 0, such as the epoch or the number of the fold.
        """
        self._line.ask("report", value=_as_number(value), step=_as_step(step))
        self._stopping = False  # it goes on, whatever was said before

    def should_stop(self) -> bool:
        """Whether to end the evaluation now, by what it and others have reported; False without a rule `early_stop`.

        Returns
        -------
        bool
            True: return, with any value or none, or raise `sf.Stopped`; the trial is recorded as stopped.
        """
        self._stopping = self._line.ask("should_stop") is True
        return self._stopping

    def __repr__(self) -> str:
        return f"<trial {self.number}, being evaluated>"

    @property
    def ended(self) -> bool:
        """Whether the last answer was that it should stop."""
        return self._stopping


class Line:
    """From an evaluation to the run: a call in this process, a connection from another one."""

    def __init__(self, number: int, desk: "Desk | None" = None, address: Any = None, key: bytes = b"") -> None:
        self.number = number
        self.trouble = ""  # why nothing arrives any more
        self._desk, self._address, self._key = desk, address, key
        self._connection: Connection | None = None
        self._lock = threading.Lock()  # an objective may report from threads of its own

    def __reduce__(self) -> tuple[Any, ...]:
        """For the way to another process: an address in place of the desk, at which somebody listens from now on."""
        address, key = (self._address, self._key) if self._desk is None else self._desk.address()
        return Line, (self.number, None, address, key)

    def ask(self, what: str, **words: Any) -> Any:
        """Say something, and hear the answer; None where nobody can be reached, now or any more."""
        if self._desk is not None:
            return self._desk.answer(self.number, {"what": what, **words})
        with self._lock:
            if self.trouble:
                return None
            try:
                if self._connection is None:
                    self._connection = connected(self._address, self._key)
                self._connection.send_bytes(json.dumps({"number": self.number, "what": what, **words}).encode())
                if not self._connection.poll(ANSWER):
                    raise TimeoutError(f"no answer within {ANSWER:g} s")
                return json.loads(self._connection.recv_bytes())
            except Exception as error:  # whatever it is: the value is worth more than the report
                self.trouble = f"{type(error).__name__}: {error}".rstrip(": ")
                self._hang_up()
                return None

    def close(self) -> None:
        """The evaluation is over."""
        with self._lock:
            self._hang_up()

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.close()


def connected(address: Any, key: bytes) -> Connection:
    """A connection to whoever listens at the address and has the key."""
    found = socket.create_connection(tuple(address), PATIENCE)
    found.setblocking(True)
    connection = Connection(found.detach())
    try:
        if not connection.poll(PATIENCE):
            raise TimeoutError(f"what listens at {address} is not the run")
        answer_challenge(connection, key)
        deliver_challenge(connection, key)
    except BaseException:
        connection.close()
        raise
    return connection


def _as_number(value: Any) -> float:
    """One real number; nan and the infinities are reports as well."""
    if isinstance(value, Mapping | str | bytes) or value is None:
        raise TypeError(
            f"trial.report takes one real number and its step: got {value!r} of type {type(value).__name__}"
        )
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError) as error:
        kind = type(value).__name__
        raise TypeError(f"trial.report takes one real number and its step: got a value of type {kind}") from error


def _as_step(step: Any) -> int:
    try:
        whole = operator.index(step)
    except TypeError:
        raise TypeError(
            f"trial.report(value, step): the step must be a whole number, such as the epoch: got {step!r}"
        ) from None
    if whole < 0 or isinstance(step, bool):
        raise ValueError(f"trial.report(value, step): the step must be a whole number ≥ 0: got {step!r}")
    return whole


#| -- run.desk: Where the reports of evaluations arrive in a run, from threads of this process and from other
#| processes.

log = logging.getLogger("suffice")

LOCAL = "127.0.0.1"  # workers of this machine; those of others cannot reach it, and say so


class Desk:
    """Answers evaluations; it listens from the first time that a line is sent to another process until it is closed."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        self._key = b""
        self._open: set[Connection] = set()
        self._closed = False

    def answer(self, number: int, said: Mapping[str, Any]) -> Any:
        """Take in a report, or say whether to stop."""
        trial = self.optimizer.trials[number]
        if said["what"] == "should_stop":
            return self.optimizer.should_stop(trial)
        try:
            self.optimizer.report(trial, said["value"], said["step"])
        except UnusableFile as error:  # it is held in memory, and the run hears of it when the value is told
            log.debug("trial %d: a report is not in the file yet: %s", number, error)
        return None

    def address(self) -> tuple[Any, bytes]:
        """Where evaluations in other processes reach this one, and the key that they need."""
        with self._lock:
            if self._listener is None:
                self._key = os.urandom(32)
                self._listener = socket.create_server((LOCAL, 0), backlog=128)
                threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
            return self._listener.getsockname(), self._key

    def close(self) -> None:
        """Nobody is answered any more."""
        with self._lock:
            self._closed = True
            listener, connections = self._listener, list(self._open)
        if listener is not None:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # wakes up who waits in accept
            listener.close()
        for connection in connections:
            with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as same:
                same.shutdown(socket.SHUT_RDWR)  # wakes up who waits for a report

    def _accept(self, listener: socket.socket) -> None:
        while not self._closed:
            try:
                found, _ = listener.accept()
            except OSError:
                if self._closed:
                    return
                continue
            found.setblocking(True)
            threading.Thread(target=self._serve, args=(Connection(found.detach()),), daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        """One evaluation, from its first report to its end."""
        with self._lock:
            self._open.add(connection)
        try:
            deliver_challenge(connection, self._key)
            answer_challenge(connection, self._key)
            while not self._closed:
                said = json.loads(connection.recv_bytes())
                connection.send_bytes(json.dumps(self.answer(int(said["number"]), said)).encode())
        except (EOFError, OSError):  # it is over, or its process has died
            pass
        except Exception as error:
            log.warning("somebody who is no evaluation of this run connected: %s: %s", type(error).__name__, error)
        finally:
            with self._lock:
                self._open.discard(connection)
            with suppress(OSError):
                connection.close()
