"""Studies to be followed, what follows them, and a dashboard on a port of its own, asked as a browser would ask."""

import asyncio
import http.client
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

import suffice as sf
from suffice.dashboard.follow import Watched, Watcher
from suffice.dashboard.serving import Address, answer, bind

SPACE = {"x": sf.Float(0, 1), "rate": sf.Float(1e-4, 1, log=True), "n": sf.Int(1, 9), "c": sf.Choice("a", "b")}


def objective(point):
    return (point["x"] - 0.3) ** 2 + point["n"] + (point["c"] == "a")


def grow(optimizer, count):
    """Ask and tell so many more trials."""
    for _ in range(count):
        trial = optimizer.ask()
        optimizer.tell(trial, objective(trial.point), seconds=0.5)


def make(path, count=8, **words):
    """A study of so many trials, of which the design makes ten; closed."""
    words = {"seed": 1, "n_initial": 10, "solver": sf.solvers.Grid(size=sf.solvers.Fixed(20)), **words}
    with sf.Optimizer(SPACE, storage=path, **words) as optimizer:
        grow(optimizer, count)
    return path


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A study of thirty trials, most of which a model asked for."""
    return make(tmp_path_factory.mktemp("long") / "a.db", 30, n_initial=4)


def followed(path):
    """A file that was read to its end."""
    watched = Watched(path, path.name)
    watched.look()
    while watched.behind:
        watched.work()
    return watched


class Followed:
    """A folder, or a file, that is looked at when the test says so."""

    def __init__(self, path):
        self.watcher = Watcher(path)

    def look(self):
        """The summaries by name, once everything is read; gone ones too."""
        self.watcher._next_search = 0.0
        self.watcher.step()
        while any(study.behind for study in self.watcher.studies.values()):
            self.watcher.step()
        return {study.name: study.summary for study in self.watcher.studies.values()}

    def columns(self, name):
        (study,) = (study for study in self.watcher.studies.values() if study.name == name)
        return study.columns


@dataclass
class Site:
    """A server that runs."""

    address: Address
    ended: threading.Event

    def end(self):
        """Let it end."""
        self.ended.set()

    def request(self, path, method="GET", **headers):
        """The answer: status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.address.door.port, timeout=20)
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def get(self, path, **headers):
        """What it says, as JSON."""
        status, _, body = self.request(path, **headers)
        assert status == 200, body
        return json.loads(body)

    def studies(self):
        """The summaries by name."""
        return {study["name"]: study for study in self.get("/api/studies")["studies"]}

    def until(self, met, seconds=20):
        """The summaries, once they are as wanted."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            studies = self.studies()
            if met(studies):
                return studies
            time.sleep(0.05)
        raise AssertionError(f"still {studies}")

    def loaded(self, name):
        """The summary of a study that was read as far as possible."""
        return self.until(lambda studies: name in studies and studies[name]["state"] != "loading")[name]

    @contextmanager
    def events(self, query="", **headers):
        """A stream of events."""
        connection = http.client.HTTPConnection("127.0.0.1", self.address.door.port, timeout=20)
        connection.request("GET", f"/api/events{query}", headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        try:
            yield Events(answer)
        finally:
            answer.close()
            connection.close()


@dataclass
class Events:
    """What comes out of a stream."""

    answer: http.client.HTTPResponse

    def next(self):
        """Kind, id and data of the next event; None at the end of the stream."""
        kind, id, data = None, None, None
        while line := self.answer.readline():
            name, _, value = line.decode("ascii").rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "id":
                id = value
            elif name == "data":
                data = json.loads(value)
            elif not line.strip() and data is not None:
                return kind, id, data
        return None

    def until(self, met):
        """The first event of which `met(kind, data)` holds."""
        while (event := self.next()) is not None:
            if met(event[0], event[2]):
                return event
        raise AssertionError("the stream has ended")


@contextmanager
def serving():
    """serve(path) is the site of a folder or a file; all of them end with the block."""
    running = []

    def serve(path, host="127.0.0.1"):
        address, ended = bind(host, 0), threading.Event()
        thread = threading.Thread(target=lambda: asyncio.run(answer(path, address, ended)))
        thread.start()
        running.append((thread, ended))
        return Site(address, ended)

    try:
        yield serve
    finally:
        for _, ended in running:
            ended.set()
        for thread, _ in running:
            thread.join(20)
            assert not thread.is_alive()


@pytest.fixture
def serve():
    """serve(path) is the site of a folder or a file, till the test is over."""
    with serving() as serve:
        yield serve
