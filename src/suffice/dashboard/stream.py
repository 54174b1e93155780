"""News as server-sent events: what changed since the last message, whenever the reader is ready for it.

A stream keeps no queue. It remembers what its reader knows, and when the watcher has news and the reader has taken the
last message, it sends the difference: a slow reader gets fewer and larger messages, and costs no memory.
"""

import asyncio
import time
from typing import Any

from starlette.types import Receive, Scope, Send

from suffice.dashboard.follow import Watcher
from suffice.dashboard.guard import encoded, trials

STREAMS = 40  # at once: a browser has at most six for one page, and every one holds a connection
BEAT = 10.0  # seconds after which a comment is sent, so that who waits knows that there is somebody
SLOW = 30.0  # seconds for which a message may wait to be taken; then the stream ends, and the reader may come again
TOGETHER = 0.1  # seconds in which news is gathered: a run of fast evaluations is told in a few messages

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class News:
    """The streams that are open, and the bell that wakes them."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.closing = False
        self.open = 0
        self._bells: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Listen to the watcher, from inside the event loop."""
        self._loop = asyncio.get_running_loop()
        self.watcher.listen(self._heard)

    def end(self) -> None:
        """Let every stream end."""
        self.closing = True
        self.ring()

    def _heard(self) -> None:
        assert self._loop is not None
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.ring)

    def ring(self) -> None:
        for bell in self._bells:
            bell.set()

    @property
    def full(self) -> bool:
        """Whether there is no room for another stream."""
        return self.open >= STREAMS


class Stream:
    """One reader: an answer that goes on till the reader leaves.

    study    the id of the study that is open, whose trials are told; None: the list alone
    since    the revision of it that is known; None: all of them come first
    """

    def __init__(self, news: News, study: str | None, since: str | None) -> None:
        self.news, self.study, self.since = news, study, since
        self._known: dict[str, int] = {}  # the versions of summaries that the reader has
        self._left = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        bell, news = asyncio.Event(), self.news
        bell.set()
        news._bells.add(bell)
        news.open += 1
        leaving = asyncio.ensure_future(self._wait_for_end(receive, bell))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await self._tell(bell, send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (TimeoutError, OSError):  # it is not taken, or nobody is there any more
            pass
        finally:
            leaving.cancel()
            news.open -= 1
            news._bells.discard(bell)

    async def _wait_for_end(self, receive: Receive, bell: asyncio.Event) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._left = True
        bell.set()

    async def _tell(self, bell: asyncio.Event, send: Send) -> None:
        body = b"retry: 1000\n\n" + self._begin()
        while not (self._left or self.news.closing):
            if body:
                await asyncio.wait_for(send({"type": "http.response.body", "body": body, "more_body": True}), SLOW)
            try:
                await asyncio.wait_for(bell.wait(), BEAT)
            except TimeoutError:
                body = f": {time.time():.0f}\n\n".encode()
                continue
            await asyncio.sleep(0 if self.news.closing else TOGETHER)
            bell.clear()
            body = b"".join([self._studies(), await asyncio.to_thread(self._trials)])

    def _begin(self) -> bytes:
        """What is there already: a study that is gone by now is no news."""
        studies = self.news.watcher.studies
        self._known = {id: study.version for id, study in studies.items()}
        return message("studies", {"studies": self.news.watcher.present(), "removed": []})

    def _studies(self) -> bytes:
        """The summaries that changed, and the studies that are not followed any more."""
        studies = self.news.watcher.studies
        versions = {id: study.version for id, study in studies.items()}
        changed = [studies[id].summary for id, version in versions.items() if self._known.get(id) != version]
        removed = [id for id in self._known if id not in versions]
        self._known = versions
        return message("studies", {"studies": changed, "removed": removed}) if changed or removed else b""

    def _trials(self) -> bytes:
        """The trials of the open study that changed."""
        watched = self.news.watcher.studies.get(self.study or "")
        if watched is None or watched.columns.revision == self.since:
            return b""
        before = self.since
        found: dict[str, Any] = {"study": watched.id, "since": before, **trials(watched, before)}
        self.since = found["revision"]
        return message("trials", found, self.since)


def message(event: str, data: Any, id: str | None = None) -> bytes:
    """One event; JSON has no line breaks, which would end it."""
    head = f"event: {event}\n" if id is None else f"event: {event}\nid: {id}\n"
    return b"".join([head.encode("ascii"), b"data: ", encoded(data), b"\n\n"])
