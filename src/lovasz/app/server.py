"""The routes of the app."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lovasz.app.desk import Desk
from lovasz.app.guard import Guard
from lovasz.app.hub import Hub
from lovasz.app.map import GraphMap
from lovasz.app.messages import Answer, Failed, Progress
from lovasz.app.trainer import Trainer
from lovasz.base.errors import LovaszError
from lovasz.base.text import pluralize
from lovasz.graphs.node_tables import match_labels, parse_labels, word_labels
from lovasz.pages.viewer import viewer_script, viewer_style

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

STATIC = Path(__file__).parent / "static"
"""The folder of the page, its style and its scripts."""
MOST_BYTES = 1 << 26
"""Size of the largest request that is read, which is an import of labels."""
LOOKOUT = 1.0
"""Seconds between two looks at the file for labels from another process."""
PATIENCE = 60.0
"""Seconds that a question about an answer waits for the process that trains."""
LONGEST_CLIENT = 64
"""Number of characters of the name of a window that are kept."""

Handler = Callable[["Request"], Awaitable["Response"]]


class Server:
    """The app around one :class:`Desk`."""

    def __init__(
        self,
        desk: Desk,
        features: Any = None,
        *,
        port: int,
        token: str,
        title: str,
        once: str | None = None,
        seed: int = 0,
        trainer: Callable[..., Trainer] = Trainer,
    ) -> None:
        self.desk, self.project, self.hub = desk, desk.project, Hub()
        self.title, self.port, self.token = title, port, token
        self._once = once
        self.map = GraphMap(desk.graph)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lookout: asyncio.Task[None] | None = None
        self._trainer = trainer(desk.graph, features, seed, self._hear)

    def app(self) -> Any:
        """Return the ASGI application."""
        from starlette.applications import Starlette
        from starlette.routing import Mount, Route
        from starlette.staticfiles import StaticFiles

        def route(path: str, handler: Handler, *methods: str) -> Route:
            return Route(path, partial(_answer_errors, handler), methods=list(methods or ("GET",)))

        routed = Starlette(
            routes=[
                Route("/", self._page),
                route("/enter", self._enter, "POST"),
                Route("/theme.css", self._theme),
                Mount("/static", StaticFiles(directory=STATIC)),
                Route("/viewer.js", self._viewer_script),
                Route("/viewer.css", self._viewer_style),
                route("/api/state", self._state),
                route("/api/events", self._events),
                route("/api/next", self._next, "POST"),
                route("/api/card", self._card),
                route("/api/show", self._show, "POST"),
                route("/api/label", self._label, "POST"),
                route("/api/skip", self._skip, "POST"),
                route("/api/cannot", self._cannot, "POST"),
                route("/api/undo", self._undo, "POST"),
                route("/api/class", self._add_class, "POST"),
                route("/api/import", self._import, "POST"),
                route("/api/export", self._export),
                route("/api/map", self._map),
                route("/api/explain", self._explain),
            ],
            lifespan=self._lifespan,
        )
        return Guard(routed, port=self.port, token=self.token)

    @asynccontextmanager
    async def _lifespan(self, _: Any) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self._lookout = asyncio.create_task(self._look_out())
        self._trainer.submit(self.desk.task())
        try:
            yield
        finally:
            self._lookout.cancel()
            self.hub.close()
            await asyncio.to_thread(self._trainer.close)
            self.project.close()

    def let_go(self) -> None:
        """End what windows wait for, so that the server can end in order while they are open."""
        self.hub.close()
        self._trainer.drop_questions()

    def _hear(self, message: Progress | Answer | Failed) -> None:
        """Take a message of the trainer, in a thread of the trainer, to the event loop."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, message)

    def _take(self, message: Progress | Answer | Failed) -> None:
        self.desk.take(message)
        if isinstance(message, Progress):
            self.hub.publish("progress", {"share": message.share})
        else:
            self.hub.publish("state", self.desk.snapshot())

    async def _look_out(self) -> None:
        """Notice labels that another process wrote to the same project."""
        while True:
            await asyncio.sleep(LOOKOUT)
            if await asyncio.to_thread(self.project.refresh):
                self._changed()

    def _changed(self) -> None:
        """Tell the windows and the trainer that the log has grown."""
        self.desk.progress = self.desk.progress or 0.0
        self._trainer.submit(self.desk.task())
        self.hub.publish("state", self.desk.snapshot())

    async def _page(self, _: Request) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse((STATIC / "index.html").read_text(encoding="utf-8"))

    async def _enter(self, request: Request) -> Response:
        """Give the token for the code that the browser was started with, once."""
        given = _text(await _body(request), "once").encode("utf-8", "replace")
        if self._once is None or not secrets.compare_digest(given, self._once.encode()):
            return _json({"problem": "this code is not good, or was used before"}, status=403)
        self._once = None
        return _json({"token": self.token})

    async def _theme(self, _: Request) -> Response:
        return _text_file(theme(), "text/css")

    async def _viewer_script(self, _: Request) -> Response:
        return _text_file(viewer_script(), "text/javascript")

    async def _viewer_style(self, _: Request) -> Response:
        return _text_file(viewer_style(), "text/css")

    async def _state(self, _: Request) -> Response:
        return _json({"title": self.title, "file": self.project.path.name, **self.desk.snapshot()})

    async def _events(self, request: Request) -> Response:
        from starlette.responses import StreamingResponse

        client = _client(request.query_params.get("client"))
        first = {"title": self.title, "file": self.project.path.name, **self.desk.snapshot()}
        return StreamingResponse(
            self._watched(client, self.hub.stream(client, first)), media_type="text/event-stream"
        )

    async def _watched(self, client: str, stream: AsyncIterator[str]) -> AsyncIterator[str]:
        """Yield a stream; when the window is closed, its node is free for others."""
        try:
            async for text in stream:
                yield text
        finally:
            if client not in self.hub.present:
                self.desk.shown.pop(client, None)

    async def _next(self, request: Request) -> Response:
        body = await _body(request)
        return _json({"card": self.desk.next_card(_client(body.get("client")))})

    async def _card(self, request: Request) -> Response:
        return _json({"card": self.desk.look(self._row(dict(request.query_params)))})

    async def _show(self, request: Request) -> Response:
        body = await _body(request)
        row = self._row(body)
        return _json({"card": self.desk.show(_client(body.get("client")), row)})

    async def _label(self, request: Request) -> Response:
        return await self._change(request, self.project.label, "class")

    async def _skip(self, request: Request) -> Response:
        return await self._change(request, self.project.skip)

    async def _cannot(self, request: Request) -> Response:
        return await self._change(request, self.project.set_aside)

    async def _change(self, request: Request, change: Callable[..., None], *keys: str) -> Response:
        """Write something about a node to the log, and return the card of the next one."""
        body = await _body(request)
        client, row = _client(body.get("client")), self._row(body)
        words = [_text(body, key) for key in keys]
        await asyncio.to_thread(change, row, *words, client)
        card = self.desk.next_card(client)
        self._changed()
        return _json({"card": card})

    async def _undo(self, request: Request) -> Response:
        client = _client((await _body(request)).get("client"))
        batch = await asyncio.to_thread(self.project.undo, client, self.hub.present)
        if not batch:
            raise LovaszError("there is nothing to undo in this window")
        row = next((event.row for event in batch if event.row is not None), None)
        card = self.desk.next_card(client) if row is None else self.desk.show(client, row)
        self._changed()
        return _json({"card": card, "undone": pluralize(len(batch), "entry", "entries")})

    async def _add_class(self, request: Request) -> Response:
        body = await _body(request)
        client, name = _client(body.get("client")), _text(body, "class")
        await asyncio.to_thread(self.project.add_class, name, client)
        self._changed()
        return _json({})

    async def _import(self, request: Request) -> Response:
        body = await _body(request)
        client, text = _client(body.get("client")), _text(body, "text")
        graph = self.desk.graph
        labels = await asyncio.to_thread(lambda: match_labels(parse_labels(text), graph))
        rows = {graph.positions[node]: label for node, label in labels.items()}
        news = await asyncio.to_thread(self.project.label_all, rows, client)
        self._changed()
        return _json({"read": len(rows), "news": news})

    async def _export(self, _: Request) -> Response:
        labels = sorted(self.project.state.labels.items())
        text = word_labels({self.project.text_of(row): label for row, label in labels})
        return _text_file(text, "text/csv")

    async def _map(self, request: Request) -> Response:
        whole = request.query_params.get("part") is None
        draw = partial(self.map.draw, self.project, self.desk.answer, whole=whole)
        text = await asyncio.to_thread(draw)
        return _text_file(text, "application/json")

    async def _explain(self, request: Request) -> Response:
        row = self._row(dict(request.query_params))
        question = asyncio.wrap_future(self._trainer.ask(row))
        try:
            content = await asyncio.wait_for(question, PATIENCE)
        except TimeoutError:
            content = None
        if content is not None:
            for piece in content.get("evidence", ()):
                piece["names"] = [self.desk.cards.name(row) for row in piece["rows"]]
        return _json({"row": row, "explanation": content})

    def _row(self, body: dict[str, Any]) -> int:
        """Return the row that a request names, or raise."""
        try:
            row = int(body["row"])
        except (KeyError, TypeError, ValueError, OverflowError):
            raise LovaszError("the request names no row; send a whole number") from None
        if not 0 <= row < self.desk.graph.n:
            raise LovaszError(f"there is no row {row}; rows are 0 to {self.desk.graph.n - 1}")
        return row


def theme() -> str:
    """Return the colours of all pages as a style sheet: those of the theme, and of the classes."""
    from lovasz.pages import style

    colors = "".join(f"--class-{k}: {color}; " for k, color in enumerate(style.PALETTE))
    sheet = (Path(style.__file__).parent / "theme.css").read_text(encoding="utf-8")
    return f"{sheet}\n:root {{ {colors}--fonts: {style.FONTS}; }}\n"


async def _answer_errors(handler: Handler, request: Request) -> Response:
    """Answer a request; bad input becomes one line with status 400."""
    try:
        return await handler(request)
    except LovaszError as problem:
        return _json({"problem": str(problem)}, status=400)


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request carries, or raise."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise LovaszError(f"the request is larger than {MOST_BYTES:,} bytes; send less")
        parts.append(part)
    try:
        body = json.loads(b"".join(parts) or b"{}")
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise LovaszError("the request is not a JSON object")
    return body


def _text(body: dict[str, Any], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str):
        raise LovaszError(f"the request has no text {key!r}")
    return value


def _client(name: Any) -> str:
    return str(name or "")[:LONGEST_CLIENT].encode("utf-8", "replace").decode()


def _text_file(text: str, kind: str) -> Response:
    from starlette.responses import Response

    return Response(text, media_type=kind)


def _json(content: Any, status: int = 200) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(content, status_code=status)
