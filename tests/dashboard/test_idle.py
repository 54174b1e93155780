"""Connections that nobody uses make room for others."""

import socket

import pytest

from suffice.dashboard import idle

from .conftest import make

REQUEST = b"GET /api/studies HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def site(tmp_path, serve, monkeypatch):
    monkeypatch.setattr(idle, "ASKING", 0.4)
    monkeypatch.setattr(idle, "TAKING", 0.4)
    make(tmp_path / "a.db", 1)
    return serve(tmp_path)


@pytest.mark.parametrize("said", [b"", REQUEST[:20], REQUEST + REQUEST[:20]])
def test_a_connection_without_a_whole_request_is_closed(site, said):
    with socket.create_connection(("127.0.0.1", site.address.door.port), timeout=20) as connection:
        connection.sendall(said)
        try:
            while connection.recv(10_000):
                pass
        except ConnectionResetError:
            pass
    assert site.request("/api/studies")[0] == 200


class Cycle:
    def __init__(self, path):
        self.scope, self.response_complete = {"path": path}, False


class Connection:
    """As uvicorn has them."""

    def __init__(self, path):
        self.transport, self.cycle, self.aborted = self, Cycle(path), False

    def abort(self):
        self.aborted = True


def test_an_answer_that_is_not_taken_is_given_up_and_a_stream_is_not():
    answer, stream, busy = Connection("/api/studies"), Connection("/api/events"), Connection("/api/studies")
    closer = idle.Idle()
    for second in range(200):
        busy.cycle = Cycle("/api/studies") if second % 50 == 0 else busy.cycle
        assert answer.aborted == (second > idle.TAKING + 1)
        closer.close({answer, stream, busy}, float(second))
    assert not stream.aborted
    assert not busy.aborted


def test_a_stream_goes_on_while_other_connections_are_closed(site, tmp_path):
    summary = site.loaded("a.db")
    with site.events(f"?study={summary['id']}") as events:
        events.until(lambda kind, _: kind == "trials")
        with socket.create_connection(("127.0.0.1", site.address.door.port), timeout=20) as other:
            assert other.recv(1) == b""
        make(tmp_path / "b.db", 1)
        events.until(lambda _, data: any(study["name"] == "b.db" for study in data.get("studies", ())))


def test_connections_of_another_server_are_left_alone():
    watching = idle.Idle()
    for now in (0.0, 1000.0):
        watching.close([object()], now)
