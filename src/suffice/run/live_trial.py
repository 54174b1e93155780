"""The trial during its evaluation: the objective calls `report` and `should_prune` in any executor.

The objective receives a `LiveTrial`. A `Line` connects it to the run, and the `Desk` answers in the run. In this
process, a call goes straight to the optimizer. A pickled line contains an address on this machine and a key, and it
connects in the other process on the first report. Messages are JSON, and each side proves that it has the key before it
reads anything (multiprocessing.connection). A worker that cannot reach the run evaluates without reports, and the
reason comes back with its value.
"""

import json
import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from suffice.aliases import of_live_trial
from suffice.checks import as_count, short
from suffice.errors import UnusableFile
from suffice.record.outputs import as_value
from suffice.record.trial import noted
from suffice.space import Choice, Float, Int, Ordinal, Parameter
from suffice.space.parameters import about
from suffice.space.space import drawn_alone
from suffice.study.observations import check_same
from suffice.study.optimizer import Optimizer

log = logging.getLogger("suffice")


Real: TypeAlias = float  # for a class with methods of these names
Whole: TypeAlias = int


class LiveTrial:
    """The trial during its evaluation: the argument `trial` of the objective.

    Attributes
    ----------
    number : int
        The number of the trial, from 0 in the order of the asks.
    point : ndarray, dict or list
        The first argument of the objective. Without a space: the parameters that the objective has asked for.
    """

    def __init__(self, number: int, point: Any, line: "Line", draws: "Draws | None" = None) -> None:
        self.number, self.point = number, point if draws is None else {}
        self.asked: dict[str, tuple[Parameter, Any]] = {}
        self._line, self._draws, self._proposed = line, draws, point
        self._stopping = False

    def report(self, value: Any, step: int) -> None:
        """Report an intermediate value.

        Parameters
        ----------
        value : float
            The value at that step, in the units and with the sign of the objective.
        step : int
            The step, an integer ≥ 0, such as the epoch or the number of the fold.
        """
        number, place = as_value(value, "the value of trial.report"), as_count(step, "the step of trial.report", 0)
        self._line.ask("report", value=number, step=place)
        self._stopping = False  # it goes on, whatever the last answer was

    def should_prune(self) -> bool:
        """Whether to end the evaluation now, given the reports so far; False without a pruner.

        Returns
        -------
        bool
            If True, return any value or none, or raise `sf.Pruned`. The trial is then recorded as pruned.
        """
        self._stopping = self._line.ask("should_prune") is True
        return self._stopping

    def note(self, text: str | None = None, /, **attributes: Any) -> None:
        """Record a note about this trial, and attributes by name: trial.note("unstable", epochs=12, model=path).

        Notes are stored with the trial and exported. Nothing else depends on them.

        Parameters
        ----------
        text : str or None, default: None
            The note. It replaces an earlier one; None keeps that.
        **attributes : object
            Attributes by name. Numbers, strings, True, False, None, and lists and dicts of these are stored as they
            are. Anything else, such as a path, is stored as a string.
        """
        said = noted(self.number, text, attributes)
        self._line.ask("note", note=said.note, attributes=said.attributes)

    def float(self, name: str, low: Real, high: Real, log: bool = False, step: Real | None = None) -> Real:
        """Ask for a real number in a run without a space.

        Parameters
        ----------
        name : str
            The name of the parameter. A name has the same range in every trial.
        low, high, log, step : float, float, bool, float or None
            As in sf.Float.

        Returns
        -------
        float
            Its value in this trial.
        """
        return cast(Real, self._ask(name, Float, low, high, log, step))

    def int(self, name: str, low: Whole, high: Whole, log: bool = False, step: Whole | None = None) -> Whole:
        """Ask for an integer in a run without a space.

        Parameters
        ----------
        name : str
            The name of the parameter.
        low, high, log, step : int, int, bool, int or None
            As in sf.Int.

        Returns
        -------
        int
            Its value in this trial.
        """
        return cast(Whole, self._ask(name, Int, low, high, log, step))

    def choice(self, name: str, *options: Any) -> Any:
        """Ask for one of several options without an order.

        Parameters
        ----------
        name : str
            The name of the parameter.
        *options
            The options, as in sf.Choice, or one list of them, such as ["adam", "sgd"].

        Returns
        -------
        object
            The option of this trial.
        """
        return self._ask(name, Choice, *_listed(name, options))

    def ordinal(self, name: str, *options: Any) -> Any:
        """Ask for one of several options in an order.

        Parameters
        ----------
        name : str
            The name of the parameter.
        *options
            The options, as in sf.Ordinal, or one list of them, such as ["small", "medium", "large"].

        Returns
        -------
        object
            The option of this trial.
        """
        return self._ask(name, Ordinal, *_listed(name, options))

    def _ask(self, name: str, kind: Callable[..., Parameter], *words: Any) -> Any:
        """The value of a parameter: from an earlier call or the proposal, otherwise sampled alone."""
        if not isinstance(name, str) or not name:
            raise TypeError(f'a parameter has a name, as in trial.float("x", 0, 1): got {short(name)}')
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise ValueError(f"a parameter cannot be called {name!r}: leave out halves of surrogate pairs")
        if self._draws is None:
            raise TypeError(
                f"the space of this run was given, so that the objective gets the point: read point[{name!r}]; to ask "
                "for parameters leave the space out: sf.minimize(f, n_trials=50), where f takes the trial alone"
            )
        with about(name):
            parameter = kind(*words)
        check_same(name, parameter, {**self._draws.known, **{said: known for said, (known, _) in self.asked.items()}})
        if name not in self.asked:
            given = name in self._proposed
            value = self._proposed[name] if given else drawn_alone(name, parameter, self._draws.seed, self.number)
            self.asked[name], self.point[name] = (parameter, value), value
        return self.asked[name][1]

    def __repr__(self) -> str:
        return f"<trial {self.number}, being evaluated>"

    @property
    def ended(self) -> bool:
        """Whether the last answer was to prune it."""
        return self._stopping

    if not TYPE_CHECKING:  # type checkers find them as attributes

        def __getattr__(self, name):
            """Raise an error that names the equivalent of another library's attribute."""
            asks = self.__dict__.get("_draws") is not None
            raise AttributeError(f"the trial of an objective has no {name!r}: {of_live_trial(name, asks)}")


def _listed(name: str, options: tuple[Any, ...]) -> Sequence[Any]:
    """Options one by one, or in one list; a string would mean its letters."""
    if len(options) != 1:
        return options
    (several,) = options
    if isinstance(several, str | bytes) or not isinstance(several, Iterable):
        raise TypeError(f'options are a list, as in trial.choice({name!r}, ["a", "b"]): got {short(several)}')
    return list(several)


@dataclass(frozen=True)
class Draws:
    """The data that a define-by-run trial needs."""

    seed: int
    known: Mapping[str, Parameter]  # that earlier trials have asked for


class Line:
    """The way from an evaluation to the run: a call in this process, a connection from another one."""

    def __init__(self, number: int, desk: "Desk | None" = None, address: Any = None, key: bytes = b"") -> None:
        self.number = number
        self.trouble = ""  # why messages no longer arrive
        self._desk, self._address, self._key = desk, address, key
        self._closed = False
        self._connection: Connection | None = None
        self._pid = os.getpid()
        self._lock = threading.Lock()  # an objective may report from its own threads

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle an address in place of the desk, which listens there from now on."""
        address, key = (self._address, self._key) if self._desk is None else self._desk.address()
        return Line, (self.number, None, address, key)

    def ask(self, what: str, **words: Any) -> Any:
        """Send a message and return the answer; None if the run cannot be reached.

        RuntimeError if the evaluation is over, because the message would be lost.
        """
        if self._closed and what != "should_prune":
            raise RuntimeError(
                f"the evaluation of trial {self.number} has ended: call trial.{what} in the objective before it "
                "returns, or add a note to the study by optimizer.note(trial, ...)"
            )
        if self._desk is not None:
            return self._desk.answer(self.number, {"what": what, **words})
        with self._lock:
            if self.trouble:
                return None
            try:
                if self._pid != os.getpid():  # a fork would receive the answers for its parent process
                    self._hang_up()
                    self._pid = os.getpid()
                if self._connection is None:
                    self._connection = Client(self._address, authkey=self._key)
                self._connection.send_bytes(json.dumps({"number": self.number, "what": what, **words}).encode())
                return json.loads(self._connection.recv_bytes())
            except Exception as error:  # any error: the value is more important than the report
                self.trouble = f"{type(error).__name__}: {error}".rstrip(": ")
                self._hang_up()
                return None

    def close(self) -> None:
        """The evaluation is over."""
        self._closed = True
        with self._lock:
            self._hang_up()

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.close()


class Desk:
    """Answers evaluations. It listens from the first time that a line is pickled until it is closed."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self._lock = threading.Lock()
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None
        self._key = os.urandom(32)
        self._closed = False

    def answer(self, number: int, said: Mapping[str, Any]) -> Any:
        """Record a report, or answer whether to stop."""
        trial = self.optimizer.trials[number]
        if said["what"] == "should_prune":
            return self.optimizer.should_prune(trial)
        try:
            if said["what"] == "note":
                self.optimizer.note(trial, said["note"], **said["attributes"])
            else:
                self.optimizer.report(trial, said["value"], said["step"])
        except UnusableFile as error:  # it stays in memory, and the run raises the error with the next value
            log.debug("trial %d: its report is not in the file yet: %s", number, error)
        return None

    def address(self) -> tuple[Any, bytes]:
        """The address and the key for evaluations in other processes."""
        with self._lock:
            if self._listener is None:
                # A local socket, which other machines cannot reach; many workers may connect at once.
                self._listener = Listener(backlog=128, authkey=self._key)
                self._thread = threading.Thread(target=self._accept, args=(self._listener,), daemon=True)
                self._thread.start()
            return self._listener.address, self._key

    def close(self) -> None:
        """Stop answering: later reports find a closed connection."""
        self._closed = True
        if self._listener is not None and self._thread is not None:
            with suppress(OSError, EOFError):
                Client(self._listener.address, authkey=self._key).close()  # wakes up the thread that waits in accept
            self._thread.join()

    def _accept(self, listener: Listener) -> None:
        with listener:
            while not self._closed:
                try:
                    connection = listener.accept()
                except AuthenticationError as error:
                    log.warning("a connection that is not from an evaluation of this run was rejected: %s", error)
                except (OSError, EOFError):  # the other side closed the connection
                    continue
                else:
                    threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        """Serve one evaluation, from its first report to its end."""
        with connection, suppress(EOFError, OSError):  # it is over, or its process has died
            while not self._closed:
                said = json.loads(connection.recv_bytes())
                if self._closed:
                    return
                try:
                    connection.send_bytes(json.dumps(self.answer(int(said["number"]), said)).encode())
                except Exception as error:
                    log.warning("a report of trial %s was rejected: %s: %s", said, type(error).__name__, error)
                    return
