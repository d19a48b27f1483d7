"""The web application of the game: its page, its websocket, and the identification of participants."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.errors import ArenaError
from people.play.client import Connection
from people.play.page_protocol import INTERNAL, POLICY, ConnectionRefused
from people.play.players import Players
from people.play.security import COOKIE, COOKIE_AGE_S, Guard, RateLimit, same_origin
from people.store import Participant
from people.store.store import StoreThread
from people.texts import START_AGAIN

SIGN_UPS_PER_MINUTE, FORMS_PER_MINUTE = 120, 1200
"""From one address: enough for four classes behind the same router that begin in the same minute."""

Identify = Callable[[HTTPConnection], Awaitable[Participant | None]]
"""The participant who sent a request, None if unknown."""

PAGE = Path(__file__).parent / "page"
FILES = (
    *("play.html", "play.css", "game.css", "play.js", "play_stage.js", "play_wire.js", "play_words.js"),
    "play_scripts.js",
)


async def cookie_owner(
    store: StoreThread, connection: HTTPConnection, cookie: str = COOKIE
) -> Participant | None:
    """The participant whose token is in the request's cookie of this name."""
    token = connection.cookies.get(cookie)
    return await store.run(lambda store: store.participant(token)) if token else None


def as_participant(
    response: Response, participant: Participant, request: Request, cookie: str = COOKIE
) -> Response:
    """The response with a cookie that identifies the browser as this participant from now on."""
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie, participant.token, COOKIE_AGE_S, httponly=True, samesite="strict", secure=secure
    )
    return response


def file_router(folder: Path, *names: str) -> APIRouter:
    """Routes to files of a folder; the address of an HTML page is without its ending."""
    router = APIRouter()
    for name in names:
        address = "/" + name.removesuffix(".html")
        router.add_api_route(address, _sender(folder / name), include_in_schema=False)
    return router


def play_router(players: Players, identify: Identify, texts: Mapping[str, str] = {}) -> APIRouter:
    """The page at /play and its websocket, for an application that identifies participants itself.

    `texts` replace some of `page_texts.PAGE_TEXTS`; "language" is the code of their language.
    """
    router = APIRouter()
    router.include_router(file_router(PAGE, *FILES))

    @router.get("/play.words", include_in_schema=False)
    async def page_texts() -> Response:
        return JSONResponse(dict(texts))

    @router.websocket("/play/socket")
    async def socket(websocket: WebSocket) -> None:
        await _serve(websocket, players, identify)

    return router


def base_app(
    players: Players, names: tuple[str, ...] | None, on_close: Callable[[], None] = lambda: None
) -> FastAPI:
    """An application without pages that starts and closes `players`; `names` as for `Guard`."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await players.start()
        yield
        await players.close()
        on_close()

    return guarded(FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None), names)


def guarded(app: FastAPI, names: tuple[str, ...] | None) -> FastAPI:
    """The application with checks and limits of its requests; `names` as for `Guard`."""
    app.add_middleware(Guard, names=names)
    app.state.sign_ups, app.state.forms = RateLimit(SIGN_UPS_PER_MINUTE), RateLimit(FORMS_PER_MINUTE)
    return app


def _sender(path: Path) -> Callable[[], Awaitable[Response]]:
    async def send() -> Response:
        return FileResponse(path)

    return send


async def _serve(websocket: WebSocket, players: Players, identify: Identify) -> None:
    """Serve a websocket; the close frame says why it ends."""
    await websocket.accept()
    connection = Connection(websocket)
    sender = asyncio.create_task(connection.run_sender())
    try:
        if not same_origin(websocket):
            raise ConnectionRefused(POLICY, "the page comes from another site")
        if (participant := await identify(websocket)) is None:
            raise ConnectionRefused(POLICY, START_AGAIN)
        await players.serve(participant, connection)
    except ConnectionRefused as error:
        await connection.close(error)
    except ArenaError as error:
        await connection.close(ConnectionRefused(INTERNAL, str(error)))
    except WebSocketDisconnect:
        pass
    finally:
        sender.cancel()
