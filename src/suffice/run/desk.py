"""Where the reports of evaluations arrive in a run, from threads of this process and from other processes."""

import json
import logging
import os
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

from suffice.errors import UnusableFile
from suffice.study.optimizer import Optimizer

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
