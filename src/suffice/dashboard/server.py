"""The requests to the dashboard's server. All are read-only. A request names a study by its id, never by a path.

    GET /                      the page                    GET /static/NAME      a file of the page

    GET /api/studies           {"version", "searching": bool, "note": str|null, "studies": [Summary]}
    GET /api/studies/ID        {"summary": Summary, "revision", "parameters": [Parameter], "timed": bool,
                                "settings": {label: text}, "trials": Columns}
    GET /api/studies/ID/trials?since=REVISION
                               {"revision", "trials": Columns}: the trials that changed since; all of them, and
                               "reset": true, if the revision is unknown (the file or the server is new)
    GET /api/studies/ID/trials/NUMBER
                               one trial: a row of the Columns by word, "point" {name: value}, "fixed", "noise_var",
                               "predicted" and "predicted_sd" (of the value, when the point was proposed),
                               "traceback", "notes": [str], "reports": [[step, value]], "problem", and
                               "solve": [{"label", "value", "meaning"}], the report of the search for
                               the point; null if no model proposed it
    GET /api/studies/ID/model  {"revision", "wait": bool, "problem": str|null, "note": str|null,
                                "summary": [[label, text]]: the lines of print(result),
                                "recommended": null or {"number", "value", "low", "high": 95 %, "said"},
                                "importance": [{"output", "names", "total", "error", "first", "sure"}],
                                "slices": [{"name", "output", "kind", "x", "median", "low", "high", "at", "height",
                                "through"}]}. The band of a slice holds 95 %. "wait" announces a newer answer:
                               ask again
    GET /api/studies/ID/contour?x=NAME&y=NAME&output=PLACE
                               the same with "contour": null or {"x", "y": {"name", "places", "at"}, "shades": [[0 …]],
                               "ends", "unlikely": [[bool]]|null, "through"}; without names, for the two most
                               important parameters. The largest shade is the best; the ends are ascending values
    GET /api/events?study=ID&since=REVISION
                               server-sent events

Summary    {"id", "name": path below the folder, "state", "problem": str|null, "direction": "minimize|maximize", "best",
           "best_number", "trials", "done", "failed", "pruned", "pending", "cancelled", "changed": seconds since 1970
           (null: the file is gone), "revision", "spark": the best so far, at most 60 values}. The state is "loading"
           (being read for the first time, the numbers are those so far), "running" (written within the last minute,
           or a process has it open for writing), "quiet", "empty" (no trial yet), "damaged" (only the data before the
           damage are shown) or "gone". A problem is a sentence with advice.
Parameter  {"name", "kind": "float|int|choice|ordinal|constant|other", "low", "high", "log", "step", "options": [str],
           "when": str|null}; "other" is for pools and custom spaces: numbers or texts.
Columns    {"number", "state": "done|failed|pruned|pending|cancelled", "value", "seconds", "gap": the relative gap,
           "enough": whether the search was accurate enough, "looked_elsewhere", "origin", "reason", "cause", "begun"
           and "ended": seconds since 1970, or numbers of events if the file has no times ("timed" of the study);
           "worker" and "note", if there are any: one list each, and "params": {name: list}}; null for unknown values
           and missing parameters. The number identifies a row.
Events     `studies` {"studies": [changed Summary], "removed": [id]}, at first with every study; `trials` {"study",
           "since", "revision", "reset", "trials": Columns} for the named study: from the revision `since` on,
           or everything ("reset": true) without one. The id of the event is the revision, so a browser that reconnects
           continues from there. A comment comes every ten seconds.

After its file is deleted, a study is "gone" for open streams and leaves the list. Errors are {"error": sentence} with a
status: 401 (no token), 403 (see guard.py), 404, 405; in place of the front page, the sentence is a page. Answers under
/api are not cached; the page's files are revalidated each time.
"""

import asyncio
import hashlib
import json
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

import suffice
from suffice.dashboard.detail import detail
from suffice.dashboard.follow import Watched, Watcher
from suffice.dashboard.guard import Door, Guard, refusal
from suffice.dashboard.model import Models, names_of
from suffice.dashboard.table import Columns
from suffice.result.display import described, settings_facts

BEAT = 10.0  # seconds after which a comment is sent, so that clients know that the server is alive
GATHER = 0.1  # seconds to collect news, so that a run with fast evaluations needs few messages


class Server:
    """The answers to requests about the studies of a watcher."""

    def __init__(self, watcher: Watcher, news: "News") -> None:
        self.watcher, self.news = watcher, news
        self.models, self.files = Models(), _files()

    def app(self, door: Door) -> ASGIApp:
        """The ASGI application behind a guard."""
        zipped = [Middleware(GZipMiddleware, compresslevel=1)]  # a third of the size, and fast
        routes = [
            *(
                Route(path, answer, middleware=zipped)
                for path, answer in (
                    ("/", self.front),
                    ("/static/{name}", self.static),
                    ("/api/studies", self.studies),
                    ("/api/studies/{id}", self.study),
                    ("/api/studies/{id}/trials", self.trials),
                    ("/api/studies/{id}/trials/{number}", self.trial),
                    ("/api/studies/{id}/model", self.model),
                    ("/api/studies/{id}/contour", self.contour),
                )
            ),
            Route("/api/events", self.events),
        ]
        handlers: dict[Any, Any] = {HTTPException: _refused, Exception: _failed}
        return Guard(Starlette(routes=routes, exception_handlers=handlers), door)

    async def front(self, request: Request) -> Response:
        return self._file(request, "index.html")

    async def static(self, request: Request) -> Response:
        return self._file(request, request.path_params["name"])

    def _file(self, request: Request, name: str) -> Response:
        """A file of the page. All files are in memory, so no name can reach another file."""
        found = self.files.get(name)
        if found is None:
            raise HTTPException(404, "there is no such file")
        body, kind, tag = found
        headers = {"Cache-Control": "no-cache", "ETag": tag}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(body, headers=headers, media_type=kind)

    async def studies(self, request: Request) -> Response:  # noqa: ARG002
        watcher = self.watcher
        about = {"version": suffice.__version__, "searching": not watcher.searched, "note": watcher.note}
        return await _answer(lambda: {**about, "studies": watcher.present()})

    async def study(self, request: Request) -> Response:
        watched = self._watched(request)
        return await _answer(lambda: study_answer(watched))

    async def trials(self, request: Request) -> Response:
        watched, since = self._watched(request), request.query_params.get("since")
        return await _answer(lambda: trials_answer(watched, since))

    async def trial(self, request: Request) -> Response:
        watched, number = self._watched(request), request.path_params["number"]
        whole = int(number) if number.isdecimal() and number.isascii() and len(number) < 16 else -1
        found = await asyncio.to_thread(detail, watched, whole)
        if found is None:
            raise HTTPException(404, "there is no trial of this number")
        return await _answer(lambda: found)

    async def model(self, request: Request) -> Response:
        watched = self._watched(request)
        return await _answer(lambda: self.models.ask(watched))

    async def contour(self, request: Request) -> Response:
        watched, asked = self._watched(request), request.query_params
        settings, output = watched.columns.settings, asked.get("output", "0")
        places = [] if settings is None else [str(place) for place in range(len(settings.outputs))]
        if output not in places:
            raise HTTPException(404, "there is no such output")
        wish = asked.get("x", ""), asked.get("y", ""), int(output)
        known = {"", *names_of(watched.columns).values()}
        if not known.issuperset(wish[:2]):
            raise HTTPException(404, "there is no such parameter")
        return await _answer(lambda: self.models.ask(watched, wish))

    async def events(self, request: Request) -> "Response | Stream":
        study = request.query_params.get("study") or None
        if study is not None:
            self._named(study)
        if request.method == "HEAD":
            return Response(media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        since = request.headers.get("last-event-id") or request.query_params.get("since")
        return Stream(self.news, study, since)

    def _watched(self, request: Request) -> Watched:
        return self._named(request.path_params["id"])

    def _named(self, id: str) -> Watched:
        watched = self.watcher.studies.get(id)
        if watched is None:
            raise HTTPException(404, "there is no such study: its file may have been deleted; reload the page")
        watched.wanted = True
        return watched


async def _answer(make: Callable[[], Any]) -> Response:
    """JSON, encoded outside of the event loop."""
    body = await asyncio.to_thread(lambda: encoded(make()))
    return Response(body, headers={"Cache-Control": "no-store"}, media_type="application/json")


async def _refused(request: Request, error: Exception) -> Response:  # noqa: ARG001
    assert isinstance(error, HTTPException)
    default = "there is nothing at this address"
    return refusal(error.status_code, default if error.detail == "Not Found" else error.detail)


async def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001
    traceback.print_exception(error)
    return refusal(500, f"internal error of the server: {type(error).__name__}; see its output")


def encoded(answer: Any) -> bytes:
    """JSON in ASCII, because names of files may have invalid characters. It has no nan: null is unknown."""
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode("ascii")


def _files() -> dict[str, tuple[bytes, str, str]]:
    """The files of the page by name: content, media type and tag."""
    kinds = {  # independent of the machine's media types
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".svg": "image/svg+xml",
    }
    found = {}
    for path in (Path(__file__).parent / "static").iterdir():
        if path.suffix in kinds:
            body = path.read_bytes()
            tag = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'  # weak: it is the same with compression
            found[path.name] = (body, kinds[path.suffix], tag)
    return found


def study_answer(watched: Watched) -> dict[str, Any]:
    """The data of a study page."""
    with watched.lock:
        columns, summary = watched.columns, watched.summary
        return {
            "summary": summary,
            "revision": columns.revision,
            "parameters": [about for about, _ in columns.parameters()],
            "outputs": columns.output_list(),
            "front": columns.front(),
            "timed": columns.timed,
            "settings": _settings(columns),
            "trials": columns.json(range(len(columns))),
        }


def trials_answer(watched: Watched, since: str | None) -> dict[str, Any]:
    """The trials that changed since a revision, or all (`reset`) if the revision belongs to another file."""
    with watched.lock:
        columns = watched.columns
        rows = columns.since(since)
        reset = {"reset": True} if rows is None else {}
        return {
            "revision": columns.revision,
            **reset,
            "front": columns.front(),
            "trials": columns.json(range(len(columns)) if rows is None else rows),
        }


def _settings(columns: Columns) -> dict[str, str]:
    """The settings of the study by label."""
    settings = columns.settings
    if settings is None:
        return {}
    space = {} if settings.space.params else {"Space": described(settings.space)}
    for _, label, said in settings_facts(settings):  # there may be several constraints
        space[label] = f"{space[label]}; {said}" if label in space else said
    return space


class News:
    """The open streams of server-sent events, and the event that wakes them.

    A stream has no queue. It stores what its reader has received. When the watcher has news and the reader has taken
    the last message, it sends the difference. A slow reader gets fewer and larger messages and needs no memory.
    """

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.closing = False
        self.bells: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Listen to the watcher; called inside the event loop."""
        self._loop = asyncio.get_running_loop()
        self.watcher.listen(self._heard)

    def end(self) -> None:
        """End every stream."""
        self.closing = True
        self.ring()

    def _heard(self) -> None:
        assert self._loop is not None
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.ring)

    def ring(self) -> None:
        for bell in self.bells:
            bell.set()


class Stream:
    """One reader: an answer that continues until the reader leaves.

    study    the id of the open study, to send its trials; None: only the list
    since    the revision that the reader has; None: send all trials first
    """

    def __init__(self, news: News, study: str | None, since: str | None) -> None:
        self.news, self.study, self.since = news, study, since
        self._known: dict[str, int] = {}  # the versions of summaries that the reader has
        self._left = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        bell, news = asyncio.Event(), self.news
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        bell.set()
        news.bells.add(bell)
        leaving = asyncio.ensure_future(self._wait_for_end(receive, bell))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._tell(bell, send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except OSError:  # the reader has left
            pass
        finally:
            leaving.cancel()
            news.bells.discard(bell)

    async def _wait_for_end(self, receive: Receive, bell: asyncio.Event) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._left = True
        bell.set()

    async def _tell(self, bell: asyncio.Event, send: Send) -> None:
        body = b"retry: 1000\n\n" + self._begin()
        while not (self._left or self.news.closing):
            if body:
                await send({"type": "http.response.body", "body": body, "more_body": True})
            try:
                await asyncio.wait_for(bell.wait(), BEAT)
            except TimeoutError:
                body = f": {time.time():.0f}\n\n".encode()
                continue
            await asyncio.sleep(0 if self.news.closing else GATHER)
            bell.clear()
            body = b"".join([self._studies(), await asyncio.to_thread(self._trials)])

    def _begin(self) -> bytes:
        """The present state: a study that is gone by now is no news."""
        studies = self.news.watcher.studies
        self._known = {id: study.version for id, study in studies.items()}
        return message("studies", {"studies": self.news.watcher.present(), "removed": []})

    def _studies(self) -> bytes:
        """The changed summaries, and the studies that are no longer followed."""
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
        found: dict[str, Any] = {"study": watched.id, "since": before, **trials_answer(watched, before)}
        self.since = found["revision"]
        return message("trials", found, self.since)


def message(event: str, data: Any, id: str | None = None) -> bytes:
    """One event; line breaks would end it, but JSON has none."""
    head = f"event: {event}\n" if id is None else f"event: {event}\nid: {id}\n"
    return b"".join([head.encode("ascii"), b"data: ", encoded(data), b"\n\n"])
