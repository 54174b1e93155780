"""What can be asked of the dashboard's server. Everything is read; a study is named by an id, never by a path.

    GET /                      the page                    GET /static/NAME      a file of the page

    GET /api/studies           {"version", "searching": bool, "note": str|null, "studies": [Summary]}
    GET /api/studies/ID        {"summary": Summary, "revision", "parameters": [Parameter], "settings": {label: text},
                                "trials": Columns}
    GET /api/studies/ID/trials?since=REVISION
                               {"revision", "trials": Columns}: the trials that changed since; all of them, and
                               "reset": true, where the revision is not known (the file or the server is another one)
    GET /api/studies/ID/trials/NUMBER
                               one trial: a row of the Columns by word, "point" {name: value}, "fixed", "noise_var",
                               "predicted" and "predicted_sd" (of the value, when the model asked for it),
                               "traceback", "notes": [str], "reports": [[step, value]], "problem", and
                               "solve": [{"label", "value", "meaning"}], what is known of the search for
                               the point; null where no model proposed it
    GET /api/studies/ID/slices {"revision", "wait": bool, "problem": str|null, "note": str|null, "at": {name: value},
                               "slices": [{"name", "kind", "x", "median", "low", "high"}]}: what the model says along
                               each parameter through the best point, `at`, or the best that has the parameter. The
                               band holds 95 %. With "wait" a newer answer will come: ask again
    GET /api/events?study=ID&since=REVISION
                               server-sent events

Summary    {"id", "name": path below the folder, "state", "problem": str|null, "sense": "minimize|maximize", "best",
           "best_number", "trials", "done", "failed", "stopped", "pending", "cancelled", "changed": seconds since 1970
           (null: the file is gone), "revision", "spark": the best so far, at most 60 values}. The state is "loading"
           (being read for the first time, the numbers are those so far), "running" (written within the last minute,
           or a process has it open for writing), "quiet", "empty" (no trial yet), "damaged" (what was read before the
           damage is shown) or "gone". A problem is a sentence with what to do.
Parameter  {"name", "kind": "float|int|choice|ordinal|constant|other", "low", "high", "log", "step", "options": [str],
           "when": str|null}; "other" is what the points of a pool or a space of one's own have: numbers or texts.
Columns    {"number", "state": "done|failed|stopped|pending|cancelled", "value", "seconds", "gap": the relative gap,
           "enough": whether the search was exact enough, "looked_elsewhere", "origin", "reason", "cause": one list
           each, and "params": {name: list}}; null where something is not known, or a point lacks a parameter. A row is
           known by its number.
Events     `studies` {"studies": [changed Summary], "removed": [id]}, at first with every study; `trials` {"study",
           "since", "revision", "reset", "trials": Columns} for the study that is named: from the revision `since` on,
           or everything ("reset": true) without one. The id of the event is the revision, so that a browser that
           reconnects goes on where it was. A comment comes every ten seconds.

A study whose file is deleted is "gone" for streams that are open, and not in the list any more.
Errors are {"error": sentence} with a status: 400, 401 (no token), 403 and 421 (see guard.py), 404, 405, 503 (too many
streams); in place of the front page the sentence is a page. Answers under /api are not to be stored; the page's files
are to be asked for again each time.
"""

import asyncio
import hashlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

import suffice
from suffice.dashboard import guard as answers
from suffice.dashboard.detail import detail
from suffice.dashboard.follow import Watched, Watcher
from suffice.dashboard.guard import Door, Guard, refusal
from suffice.dashboard.slices import Slicer
from suffice.dashboard.stream import News, Stream

STATIC = Path(__file__).parent / "static"
FRONT = "index.html"
BYTES = "application/octet-stream"
KINDS = {  # what the machine believes about the ends of names does not matter
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


class Server:
    """The answers to what can be asked about the studies of a watcher."""

    def __init__(self, watcher: Watcher, news: News) -> None:
        self.watcher, self.news = watcher, news
        self.slicer, self.files = Slicer(), _files(STATIC)

    def app(self, door: Door) -> ASGIApp:
        """As an ASGI application behind a guard."""
        routes = [
            Route("/", self.front),
            Route("/static/{name}", self.static),
            Route("/api/studies", self.studies),
            Route("/api/studies/{id}", self.study),
            Route("/api/studies/{id}/trials", self.trials),
            Route("/api/studies/{id}/trials/{number}", self.trial),
            Route("/api/studies/{id}/slices", self.slices),
            Route("/api/events", self.events),
        ]
        handlers: dict[Any, Any] = {HTTPException: _refused, Exception: _failed}
        return Guard(Starlette(routes=routes, exception_handlers=handlers), door)

    async def front(self, request: Request) -> Response:
        return self._file(request, FRONT)

    async def static(self, request: Request) -> Response:
        return self._file(request, request.path_params["name"])

    def _file(self, request: Request, name: str) -> Response:
        """A file of the page. All of them are in memory: no name leads anywhere else."""
        found = self.files.get(name)
        if found is None:
            raise HTTPException(404, "there is no such file")
        headers = {"Cache-Control": "no-cache", "ETag": found.tag, "Vary": "Accept-Encoding"}
        if found.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if _takes_gzip(request):
            headers["Content-Encoding"] = "gzip"
        return Response(found.zipped if _takes_gzip(request) else found.body, headers=headers, media_type=found.kind)

    async def studies(self, request: Request) -> Response:
        watcher = self.watcher
        about = {"version": suffice.__version__, "searching": not watcher.searched, "note": watcher.note}
        return await _answer(request, lambda: {**about, "studies": watcher.present()})

    async def study(self, request: Request) -> Response:
        watched = self._watched(request)
        return await _answer(request, lambda: answers.study(watched))

    async def trials(self, request: Request) -> Response:
        watched, since = self._watched(request), request.query_params.get("since")
        return await _answer(request, lambda: answers.trials(watched, since))

    async def trial(self, request: Request) -> Response:
        watched, number = self._watched(request), request.path_params["number"]
        whole = int(number) if number.isdecimal() and number.isascii() and len(number) < 16 else -1
        found = await asyncio.to_thread(detail, watched, whole)
        if found is None:
            raise HTTPException(404, "there is no trial of this number")
        return await _answer(request, lambda: found)

    async def slices(self, request: Request) -> Response:
        watched = self._watched(request)
        return await _answer(request, lambda: self.slicer.ask(watched))

    async def events(self, request: Request) -> Response | Stream:
        study = request.query_params.get("study") or None
        if study is not None:
            self._named(study)
        if self.news.full or self.news.closing:
            return refusal(503, "there are too many streams of events: close a page", Retry_After="10")
        if request.method == "HEAD":
            return Response(media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        since = request.headers.get("last-event-id") or request.query_params.get("since")
        return Stream(self.news, study, since)

    def _watched(self, request: Request) -> Watched:
        return self._named(request.path_params["id"])

    def _named(self, id: str) -> Watched:
        watched = self.watcher.studies.get(id)
        if watched is None:
            raise HTTPException(404, "there is no such study: its file may have been deleted; load the page anew")
        watched.wanted = True
        return watched


async def _answer(request: Request, make: Callable[[], Any]) -> Response:
    """JSON, made outside of the event loop, and compressed where it is long."""
    zipped = _takes_gzip(request)

    def body() -> tuple[bytes, bool]:
        plain = answers.encoded(make())
        return (answers.compressed(plain), True) if zipped and len(plain) > answers.LONG else (plain, False)

    content, is_zipped = await asyncio.to_thread(body)
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if is_zipped:
        headers["Content-Encoding"] = "gzip"
    return Response(content, headers=headers, media_type="application/json")


def _takes_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


async def _refused(request: Request, error: Exception) -> Response:  # noqa: ARG001
    assert isinstance(error, HTTPException)
    default = "there is nothing at this address"
    return refusal(error.status_code, default if error.detail == "Not Found" else error.detail)


async def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001
    traceback.print_exception(error)
    return refusal(500, f"the server has a fault: {type(error).__name__}; what it printed says more")


@dataclass(frozen=True)
class File:
    """A file of the page."""

    body: bytes
    zipped: bytes
    kind: str
    tag: str


def _files(folder: Path) -> dict[str, File]:
    """The files of the page by name."""
    found = {}
    for path in sorted(folder.glob("*")) if folder.is_dir() else []:
        if path.is_file() and not path.name.startswith("."):
            body = path.read_bytes()
            tag = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'  # weak: the same in both forms
            found[path.name] = File(body, answers.compressed(body), KINDS.get(path.suffix, BYTES), tag)
    return found
