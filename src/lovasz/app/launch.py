"""Starting the app: a free port on the loopback address, a token, and a browser."""

from __future__ import annotations

import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable
from threading import Timer
from typing import Any

from lovasz.app.cards import Cards
from lovasz.app.desk import Desk
from lovasz.app.project import Project
from lovasz.app.server import Server
from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for

ADDRESS = "127.0.0.1"
"""The only address that the server listens on."""
FAREWELL = 1
"""Seconds that open connections have to end when the server ends."""


def listen(port: int) -> socket.socket:
    """Return a socket on the loopback address; port 0 takes any free one."""
    place = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let two servers share the port
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((ADDRESS, port))
        place.listen()  # a browser that comes before the server is ready waits
    except OSError as error:
        place.close()
        reason = error.strerror or error
        raise LovaszError(f"cannot listen on port {port} ({reason}); use --port 0") from None
    return place


def serve(
    project: Project,
    features: Any = None,
    columns: tuple[str, ...] | None = None,
    *,
    title: str,
    port: int = 0,
    seed: int = 0,
    browser: bool = True,
    announce: Callable[[str], None],
) -> None:
    """Serve a project until a signal asks to end; ``announce`` is given the address."""
    with needed_for("lovasz label"):
        import uvicorn

    place = listen(port)
    number, token = place.getsockname()[1], secrets.token_urlsafe(24)
    desk = Desk(project, Cards(project, features, columns))
    once = secrets.token_urlsafe(24) if browser else None
    server = Server(desk, features, port=number, token=token, once=once, title=title, seed=seed)
    announce(f"http://{ADDRESS}:{number}/?token={token}")
    if browser:  # others on this machine may see how the browser is called, so not with the token
        opening = Timer(0.5, webbrowser.open, [f"http://{ADDRESS}:{number}/?once={once}"])
        opening.daemon = True
        opening.start()
    settings = uvicorn.Config(
        server.app(),
        log_level="warning",
        access_log=False,  # it would print the token
        server_header=False,
        timeout_graceful_shutdown=FAREWELL,
        lifespan="on",
        ws="none",
    )

    class Runner(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            server.let_go()  # uvicorn waits for open windows first, and then complains about them
            await super().shutdown(sockets)

    with place:
        Runner(settings).run(sockets=[place])
