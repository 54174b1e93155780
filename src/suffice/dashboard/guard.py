"""The rules for requests, and the security headers of every answer.

-   Only GET and HEAD are allowed, so nothing can be changed.
-   The Host header must be a name of the server. This rejects foreign pages that point their own name to this address
(DNS
    rebinding). A server that listens on every address of the machine accepts any name, because it always requires a
    token, and such a page does not have it.
-   Origin and Sec-Fetch-Site reject requests from pages of another origin. Links to the front page work from anywhere.
-   If the server can be reached from other machines, or with `--token`, a token is required: once in the address, then
in
    a cookie that scripts cannot read and other sites cannot send, or as `Authorization: Bearer …`.
-   No other origin can read an answer, frame the page, or run anything in it.
"""

import hmac
import re
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The page loads nothing from elsewhere, and no other page can read or frame it.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# A page without a script, for messages before the dashboard is available.
NOTICE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{head}<title>suffice</title>
<h1>suffice dashboard</h1>
<p>{words}</p>
"""


def refusal(status: int, sentence: str, front: bool = False, **headers: str) -> Response:
    """An error answer: JSON, or a page in place of the front page."""
    words = {"Cache-Control": "no-store"} | {name.replace("_", "-"): value for name, value in headers.items()}
    if front:
        text = f"{sentence[0].upper()}{sentence[1:]}."
        return Response(NOTICE.format(head="", words=escape(text)), status, words, "text/html")
    return JSONResponse({"error": sentence}, status, words)


def _in_between() -> Response:
    """A page that redirects to the front page. A browser does not send the cookie after a link on another site, even
    through HTTP redirects, but it does so from this page."""
    onward = '<meta http-equiv="refresh" content="0; url=/">\n'
    words = NOTICE.format(head=onward, words='<a href="/">To the dashboard</a>')
    return Response(words, 200, {"Cache-Control": "no-store"}, "text/html")


@dataclass(frozen=True)
class Door:
    """The names and secrets of the server.

    hosts      allowed names and addresses in a Host header, in lower case; ("*",): any
    port       of the server; it distinguishes the cookies of two dashboards on one machine
    token      the secret of readers; None: everybody who reaches the server may read
    tickets    accepted once in place of the token, because other users of a machine see a browser's command line
    """

    hosts: tuple[str, ...]
    port: int
    token: str | None = None
    tickets: set[str] = field(default_factory=set)

    @property
    def anywhere(self) -> bool:
        """Whether the server listens on every address of this machine."""
        return self.hosts == ("*",)

    def knows(self, host: str) -> bool:
        """Whether a Host header, with or without a port, has a name of the server."""
        return self.anywhere or re.sub(r":\d+$", "", host.lower()) in self.hosts

    @property
    def cookie(self) -> str:
        return f"suffice-{self.port}"

    def opens(self, given: str | None) -> bool:
        """Whether a token is correct; the time of the comparison does not depend on it."""
        if self.token is None:
            return True
        return given is not None and hmac.compare_digest(given.encode(), self.token.encode())

    def admits(self, given: str) -> bool:
        """The same for the token in an address; a ticket is used up."""
        if given in self.tickets:
            self.tickets.discard(given)
            return True
        return self.opens(given)


class Guard:
    """Lets allowed requests through, and adds security headers to every answer."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"there is nothing here for {scope['type']}")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        answer = self._refusal(scope) or self._admission(scope)
        await (answer or self.app)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Why the request is rejected; None if it is not."""
        headers, front = Headers(scope=scope), scope["path"] == "/"
        if not self.door.knows(headers.get("host", "")):
            return refusal(400, "this is not an address of the dashboard: open the one that it has printed", front)
        if scope["method"] not in ("GET", "HEAD"):
            return refusal(405, "the dashboard is read-only: only GET and HEAD are allowed", Allow="GET, HEAD")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and not _is_same(origin, headers.get("host", "")):
            return refusal(403, "requests from other origins are not allowed")
        if site is not None and site not in ("same-origin", "none") and not (front and _is_navigation(headers)):
            return refusal(403, "requests from other sites are not allowed")
        return None

    def _admission(self, scope: Scope) -> Response | None:
        """The answer to a request without the token, or with the token in the address; None if it is allowed."""
        door, headers = self.door, Headers(scope=scope)
        if door.token is None:
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["path"] == "/" and "token" in query:
            if not door.admits(query["token"][0]):
                return _unknown(front=True)
            answer = RedirectResponse("/", 303, {"Cache-Control": "no-store"})  # not in the address and the history
            answer.set_cookie(door.cookie, door.token, path="/", httponly=True, samesite="strict")
            return answer
        kind, _, given = headers.get("authorization", "").partition(" ")
        if door.opens(given.strip() if kind.lower() == "bearer" else _cookie(headers, door.cookie)):
            return None
        front = scope["path"] == "/"
        if front and headers.get("sec-fetch-site") == "cross-site":
            return _in_between()
        return _unknown(front)


def _unknown(front: bool) -> Response:
    sentence = "a token is needed: open the address that suffice dashboard printed, which ends with it"
    return refusal(401, sentence, front, WWW_Authenticate="Bearer")


def _cookie(headers: Headers, name: str) -> str | None:
    """A cookie, even if other programs on this machine have set invalid cookies."""
    return cookie_parser("; ".join(headers.getlist("cookie"))).get(name)


def _is_same(origin: str, host: str) -> bool:
    """Whether an Origin matches the Host; a proxy may use https to the browser."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def _is_navigation(headers: Headers) -> bool:
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
