"""Web application of the game: page, websocket, and identification of participants."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.errors import ArenaError
from evaluation.suites import DEFAULT
from people.pages import GAME, GAME_FILES, file_router
from people.play.client import Client
from people.play.page_protocol import INTERNAL, POLICY, ConnectionRefused
from people.play.players import Players
from people.play.security import COOKIE, COOKIE_AGE_S, Guard, RateLimit, same_origin
from people.play.suite_games import Games, suite_router
from people.play.task_source import Course, TaskList
from people.store import Participant, Store
from people.store.database import check_name
from people.store.store import StoreThread
from people.texts import START_AGAIN

SIGN_UPS_PER_MINUTE, FORMS_PER_MINUTE = 120, 1200
"""Limits per address. They suffice for four classes behind one router that begin in the same minute."""

Identify = Callable[[HTTPConnection], Awaitable[Participant | None]]
"""The participant who sent a request, None if unknown."""

STUDY = "play"
"""The study of everyone who plays without a study."""

PATIENCE_S = 10.0
"""Maximum waiting time, seconds, of a suite's page for a database."""

Names = tuple[str, ...] | None
"""Host names that an application answers to; None for any."""


async def cookie_owner(
    store: StoreThread, connection: HTTPConnection, cookie: str = COOKIE
) -> Participant | None:
    """The participant whose token is in the request's cookie of this name."""
    token = connection.cookies.get(cookie)
    return await store.run(lambda store: store.participant(token)) if token else None


def as_participant(
    response: Response, participant: Participant, request: Request, cookie: str = COOKIE
) -> Response:
    """Add a cookie that identifies the browser as a participant."""
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie, participant.token, COOKIE_AGE_S, httponly=True, samesite="strict", secure=secure
    )
    return response


def play_router(players: Players, identify: Identify, texts: Mapping[str, str] = {}) -> APIRouter:
    """Return the routes of /play and its websocket.

    The application identifies participants itself. `texts` replace some of `page_texts.PAGE_TEXTS`;
    "language" is the code of their language.
    """
    router = _words_router(texts)
    router.include_router(file_router(GAME, *GAME_FILES))

    @router.websocket("/play/socket")
    async def socket(websocket: WebSocket) -> None:
        await _serve(websocket, players, identify)

    return router


def _words_router(texts: Mapping[str, str]) -> APIRouter:
    """Return the texts that replace some of the pages of games."""
    router = APIRouter(include_in_schema=False)

    @router.get("/play.words")
    async def page_texts() -> Response:
        return JSONResponse(dict(texts))

    return router


def base_app(players: Players, names: Names, on_close: Callable[[], None] = lambda: None) -> FastAPI:
    """Yield an application without pages that starts and closes `players`. `names` as for `Guard`."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await players.start()
        yield
        await players.close()
        on_close()

    return _guarded(names, lifespan)


def _guarded(names: Names, lifespan: Any = None) -> FastAPI:
    """An application that checks and limits its requests; `names` as for `Guard`."""
    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, names=names)
    app.state.sign_ups, app.state.forms = RateLimit(SIGN_UPS_PER_MINUTE), RateLimit(FORMS_PER_MINUTE)
    return app


def create_app(players: Players, *, names: Names = None, texts: Mapping[str, str] = {}) -> FastAPI:
    """The application of tasks of the arena; `texts` are those of `play_router`."""
    app = base_app(players, names)
    identify = _add_entrance(app, players.recorder.store, STUDY, "/play", COOKIE)
    app.include_router(play_router(players, identify, texts))
    return app


def create_suite_app(
    store: Store, course: Course, names: Names = None, texts: Mapping[str, str] = {}
) -> tuple[FastAPI, ExitStack]:
    """Create an application of form-played tasks, and its closing function. Raises InvalidRequest if the
    suite's name cannot be that of a study."""
    suite = course.suite.name
    of_arena = suite == DEFAULT
    study, cookie = (STUDY, COOKIE) if of_arena else (f"{STUDY}-{suite}", f"{COOKIE}_{suite}")
    check_name("study", study)
    closing, games, thread = ExitStack(), Games(TaskList(course.every())), StoreThread(store, PATIENCE_S)
    closing.callback(games.close)
    closing.callback(thread.close)
    app = _guarded(names)
    identify = _add_entrance(app, thread, study, "/suite", cookie)
    app.include_router(_words_router(texts))
    app.include_router(suite_router(games, thread, identify))
    return app, closing


def _add_entrance(app: FastAPI, store: StoreThread, study: str, target: str, cookie: str) -> Identify:
    """Add a first page that enrols everyone and leads to `target`."""

    async def identify(connection: HTTPConnection) -> Participant | None:
        found = await cookie_owner(store, connection, cookie)
        return found if found is not None and found.study == study else None

    @app.get("/", include_in_schema=False)
    async def entrance(request: Request) -> Response:
        participant = await identify(request)
        if participant is None:
            app.state.sign_ups.check(request)
            code = f"p{secrets.token_hex(4)}"
            participant = await store.run(lambda store: store.add_participant(code, study))
        return as_participant(RedirectResponse(target, 303), participant, request, cookie)

    return identify


async def _serve(websocket: WebSocket, players: Players, identify: Identify) -> None:
    """Serve a websocket; the close frame says why it ends."""
    await websocket.accept()
    client = Client(websocket)
    sender = asyncio.create_task(client.run_sender())
    try:
        if not same_origin(websocket):
            raise ConnectionRefused(POLICY, "the page comes from another site")
        if (participant := await identify(websocket)) is None:
            raise ConnectionRefused(POLICY, START_AGAIN)
        await players.serve(participant, client)
    except ConnectionRefused as error:
        await client.close(error)
    except ArenaError as error:
        await client.close(ConnectionRefused(INTERNAL, str(error)))
    except WebSocketDisconnect:
        pass
    finally:
        sender.cancel()
