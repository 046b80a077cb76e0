"""Who may talk to the server: only pages that this server sent, and only with the token.

The server listens on the loopback address, but every page that the person's browser has open can
send requests there, and so can other users of the machine. Four checks keep them out.

- ``Host`` must be the server's own address. A foreign domain that resolves to 127.0.0.1 (DNS
  rebinding) has a name of its own there.
- ``Origin``, where a browser sends one, must be the server's own; a request that changes something
  must have one.
- The interface needs the token in a header of its own. The browser sends no such header for a
  foreign page unless the server agrees beforehand, which it never does. There are no cookies,
  which any other server on 127.0.0.1 could read, whatever its port.
- The content security policy lets a page load and contact nothing but this server, run no script
  in the page itself, and be shown in no frame.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-lovasz-token"
"""The header that carries the token."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy."""
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers of every response."""
SAFE = ("GET", "HEAD")
"""The methods that change nothing."""
HTTP_PORT = 80
"""The port that browsers leave out of an address."""


class Guard:
    """Refuses a request that did not come from a page of this server; adds :data:`HEADERS`."""

    def __init__(self, app: ASGIApp, *, port: int, token: str, private: str = "/api/") -> None:
        self.app, self.token, self.private = app, token.encode(), private
        names = ("127.0.0.1", "localhost")
        self.hosts = {f"{name}:{port}".encode() for name in names}
        if port == HTTP_PORT:
            self.hosts |= {name.encode() for name in names}
        self.origins = {b"http://" + host for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets; uvicorn closes the connection

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [
                    (name, value)
                    for name, value in message.get("headers", [])
                    if name.decode("latin-1").lower() not in HEADERS
                ]
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": kept + own}
            await send(message)

        problem = self._refuse(scope)
        if problem is None:
            await self.app(scope, receive, send_guarded)
            return
        from starlette.responses import PlainTextResponse

        await PlainTextResponse(problem, status_code=403)(scope, receive, send_guarded)

    def _refuse(self, scope: Scope) -> str | None:
        """Return why a request is refused, or None if it is not."""
        given: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.lower(), []).append(value)
        host, origin = given.get(b"host", []), given.get(b"origin", [])
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return "this server answers only to the address that it printed"
        if origin and (len(origin) != 1 or origin[0].lower() not in self.origins):
            return "this request comes from a page of another server"
        if not origin and scope["method"] not in SAFE:
            return "a request that changes something needs an Origin"
        if scope["path"].startswith(self.private):
            token = given.get(TOKEN_HEADER.encode(), [b""])[0]
            if not secrets.compare_digest(token, self.token):
                return "the token is missing or not that of this server; open the printed address"
        return None
