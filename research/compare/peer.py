"""The other end of `host.py`: start an interpreter, send it requests, wait for the answers, but not for ever."""

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from suffice.errors import SufficeError
from suffice.run.processes import THREADS

HOST = Path(__file__).parent / "host.py"
LOADING = 600.0  # seconds at most for the first answer: imports from a cold disk, on a busy machine
LEAVING = 5.0  # seconds to end by itself
LAST_LINES, LAST_LETTERS = 8, 1000  # of what it wrote to stderr, in the message of a failure
ENVIRONMENT = {**dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0"}  # one thread, and the same order in every set


class PeerFailed(SufficeError):
    """The process of an optimizer crashed, hung, raised an error or could not be started."""


@contextmanager
def hosted(python: str) -> Iterator["Peer"]:
    """A process of this interpreter that runs `host.py`, in a folder of its own; it ends with the block."""
    with (
        tempfile.TemporaryDirectory(prefix="suffice-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryFile() as errors,
        _started(python, folder, errors) as process,
    ):
        peer = Peer(process, errors)
        try:
            yield peer
        finally:
            peer.end(0.0)


class Peer:
    """A process that answers requests, one at a time."""

    def __init__(self, process: "subprocess.Popen[str]", errors: IO[bytes]) -> None:
        self._process, self._errors = process, errors
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)  # a pipe cannot be read with a time limit
        self._reader.start()

    def request(self, what: str, timeout: float, **words: Any) -> dict[str, Any]:
        """The answer, if it comes within so many seconds."""
        with suppress(OSError):  # it has died, and the end of its answers will say so
            _pipe(self._process.stdin).write(json.dumps({"do": what, **words}) + "\n")
            _pipe(self._process.stdin).flush()
        try:
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            self.end(0.0)
            raise PeerFailed(f"no answer within {timeout:g} s, so it was ended{self._last_words()}") from None
        if not line:
            self.end(LEAVING)
            raise PeerFailed(f"its process ended with exit code {self._process.returncode}{self._last_words()}")
        answer = _understood(line)
        if "error" in answer:
            raise PeerFailed(f"{answer['error']}{self._last_words()}")
        return answer

    def end(self, patience: float) -> None:
        """Wait for so many seconds, then end it and whatever it started."""
        with suppress(OSError):
            _pipe(self._process.stdin).close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        if self._process.poll() is None:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
            self._process.wait()
        self._reader.join(LEAVING)

    def _read(self) -> None:
        """Pass the answers on; an empty one is the end."""
        for line in _pipe(self._process.stdout):
            self._answers.put(line)
        self._answers.put("")

    def _last_words(self) -> str:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 4 * LAST_LETTERS))
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        last = "\n".join([line for line in lines if line.strip()][-LAST_LINES:])[-LAST_LETTERS:]
        return f"; its last words:\n{last}" if last else ""


def _started(python: str, folder: str, errors: IO[bytes]) -> "subprocess.Popen[str]":
    try:
        return subprocess.Popen(
            [python, str(HOST)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            errors="replace",  # what is no Python may say anything
            cwd=folder,  # some optimizers leave files where they are
            env={**os.environ, **ENVIRONMENT},
            start_new_session=True,  # Ctrl-C is not for it, and all it starts can be ended together
        )
    except OSError as error:
        raise PeerFailed(f"the interpreter {python} cannot be started: {error}") from error


def _understood(line: str) -> dict[str, Any]:
    """The answer in a line, or the error that it is none."""
    with suppress(ValueError):
        answer = json.loads(line)
        if isinstance(answer, dict):
            return answer
    return {"error": f"wanted an answer in JSON, got {line[:LAST_LETTERS]!r}; is it a Python interpreter?"}


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "every stream of the process is a pipe"
    return stream
