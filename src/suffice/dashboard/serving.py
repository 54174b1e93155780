"""The port of the dashboard: opened on the loopback interface or elsewhere, closed by Ctrl-C or SIGTERM."""

import asyncio
import errno
import gc
import ipaddress
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from suffice.dashboard.follow import Watcher
from suffice.dashboard.guard import Door
from suffice.dashboard.server import News, Server

CONNECTIONS = 200  # connections at once; others get an answer that the server is busy
WAITING = 50  # connections without a complete request; for one more, the oldest one is closed
ENDING = 3  # seconds for running answers when the server ends
SWITCH = 0.001  # seconds that a thread computes while another waits, so that answers come while files are read


@dataclass(frozen=True)
class Address:
    """Where the server listens."""

    socket: socket.socket
    door: Door
    host: str  # as the user typed it

    @property
    def url(self) -> str:
        """The address for a browser, with the token if required; for other machines with this machine's name."""
        return self._at(socket.gethostname() if self.door.anywhere else self.host, self.door.token)

    @property
    def here(self) -> str:
        """The address on this machine."""
        return self._at(self._near, self.door.token)

    def once(self) -> str:
        """The same for a command line; its token works once, because other users of this machine can read it."""
        ticket = None if self.door.token is None else secrets.token_urlsafe(24)
        self.door.tickets.update(() if ticket is None else {ticket})
        return self._at(self._near, ticket)

    @property
    def _near(self) -> str:
        return "127.0.0.1" if self.door.anywhere else self.host

    def _at(self, name: str, token: str | None) -> str:
        host = f"[{name}]" if ":" in name else name
        return f"http://{host}:{self.door.port}/{'' if token is None else f'?token={token}'}"


def bind(host: str, port: int, token: bool = False) -> Address:
    """Bind the port, 0 for any free one; OSError with advice if that is not possible.

    token    whether a token is required on this machine, too, because its other users can reach the port
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise OSError(
            f"{host!r} is not an address of this machine: {error}; leave --host out, or name one that is"
        ) from error
    listening = socket.socket(family, kind, protocol)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise _unusable(host, port, error) from error
    listening.setblocking(False)
    taken = listening.getsockname()
    return Address(listening, _door(host, taken[0], taken[1], token), host)


def _unusable(host: str, port: int, error: OSError) -> OSError:
    if error.errno == errno.EADDRINUSE:
        return OSError(
            f"port {port} of {host} is in use, perhaps by another dashboard: stop that one, or choose another port, "
            "--port 0 for any free one"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return OSError(f"port {port} may not be used: choose one above 1023, --port 0 for any free one")
    return OSError(f"the server cannot listen on port {port} of {host}: {error.strerror}; leave --host out")


def _door(host: str, bound: str, port: int, token: bool) -> Door:
    address = ipaddress.ip_address(bound.partition("%")[0])
    names = sorted({"localhost", "127.0.0.1", "::1", host.lower(), str(address)})
    hosts = tuple(f"[{name}]" if ":" in name else name for name in names)  # as in a Host header
    needed = token or not address.is_loopback
    return Door(("*",) if address.is_unspecified else hosts, port, secrets.token_urlsafe(24) if needed else None)


def serve(path: Path, address: Address, started: Callable[[], None] = lambda: None) -> None:
    """Follow the studies at a path and answer requests until SIGINT or SIGTERM."""
    sys.setswitchinterval(SWITCH)
    gc.freeze()  # exclude loaded modules from garbage collection: scanning them takes a sixth of the reading time
    ended = threading.Event()  # signals arrive here before uvicorn listens and when uvicorn raises them again
    before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        started()
        asyncio.run(answer(path, address, ended))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def answer(path: Path, address: Address, ended: threading.Event) -> None:
    """The same until an event is set, or uvicorn receives a signal."""
    watcher = Watcher(path)
    news = News(watcher)
    server = uvicorn.Server(_config(Server(watcher, news).app(address.door)))
    try:
        news.begin()
        watcher.start()
        ending = asyncio.ensure_future(_end(server, news, ended))
        await server.serve(sockets=[address.socket])
        ending.cancel()
    finally:
        address.socket.close()
        watcher.stop()


class Lobby:
    """Connections without a complete request; those that never send one must not keep others out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._waiting: dict[Any, asyncio.Transport] = {}  # by the remote address, oldest first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Remove the connection of a complete request."""
        self._waiting.pop(scope["client"], None)
        await self.app(scope, receive, send)

    def enter(self, transport: asyncio.Transport) -> None:
        if (end := _other_end(transport)) is not None:
            self._waiting.setdefault(end, transport)
        if len(self._waiting) > WAITING:
            self._waiting.pop(next(iter(self._waiting))).abort()

    def leave(self, transport: asyncio.Transport) -> None:
        self._waiting.pop(_other_end(transport), None)

    def protocol(self) -> type[H11Protocol]:
        """The server's side of a connection, which waits in the lobby from the start."""
        lobby = self

        class Protocol(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                self.way = transport
                lobby.enter(self.way)

            def data_received(self, data: bytes) -> None:
                lobby.enter(self.way)
                super().data_received(data)

            def connection_lost(self, exc: Exception | None) -> None:
                lobby.leave(self.way)
                super().connection_lost(exc)

        return Protocol


def _other_end(transport: asyncio.Transport) -> tuple[str, int] | None:
    """The remote address of a connection; None if it has ended already."""
    end = transport.get_extra_info("peername")
    return None if end is None else (end[0], end[1])


def _config(app: ASGIApp) -> uvicorn.Config:
    lobby = Lobby(app)
    return uvicorn.Config(
        lobby,
        http=lobby.protocol(),
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_level="critical",  # errors are printed where they happen
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=ENDING,
    )


async def _end(server: uvicorn.Server, news: News, ended: threading.Event) -> None:
    """End the streams when the server should end, because it waits for them."""
    while not (ended.is_set() or server.should_exit):
        await asyncio.sleep(0.1)
    news.end()
    server.should_exit = True
