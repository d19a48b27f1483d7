"""The web application: the page, its websocket, and who is who."""

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from importlib.resources import files

from fastapi import APIRouter, FastAPI
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.errors import ArenaError
from human_data.people.play.link import Link
from human_data.people.play.messages import POLICY, Refused
from human_data.people.play.players import Players
from human_data.people.play.security import COOKIE, COOKIE_AGE_S, Guard, same_origin
from human_data.people.store import Participant

Who = Callable[[HTTPConnection], Awaitable[Participant | None]]
"""Tells which participant a request comes from, None where from nobody that is known."""

STUDY = "play"
"""The study of people who just play."""

_SCRIPTS = ("play.js", "play_stage.js", "play_wire.js", "play_words.js", "play_scripts.js")
_PAGE = {"play": "text/html", "play.css": "text/css", **dict.fromkeys(_SCRIPTS, "text/javascript")}
_FILES = {"play": "play.html"}
INTERNAL = 1011
"""Close code of RFC 6455: the server met something that it cannot go on with."""


def by_cookie(players: Players) -> Who:
    """Who has the token of the request's cookie."""

    async def who(connection: HTTPConnection) -> Participant | None:
        token = connection.cookies.get(COOKIE)
        return await players.records.participant(token) if token else None

    return who


def play_router(players: Players, who: Who, words: Mapping[str, str] = {}) -> APIRouter:
    """The page at /play and its websocket, for an application that decides itself who gets there.

    `words`: what to say in the place of some of `phrases.PHRASES`; "language" is the code of their language.
    """
    router = APIRouter()
    for name, kind in _PAGE.items():
        content = (files(__package__) / "page" / _FILES.get(name, name)).read_bytes()
        router.add_api_route(f"/{name}", _sender(content, kind), methods=["GET"], include_in_schema=False)

    content = json.dumps(dict(words)).encode()
    router.add_api_route(
        "/play.words", _sender(content, "application/json"), methods=["GET"], include_in_schema=False
    )

    @router.websocket("/play/socket")
    async def socket(websocket: WebSocket) -> None:
        await _converse(websocket, players, who)

    return router


def create_app(players: Players, *, names: tuple[str, ...] | None = None) -> FastAPI:
    """An application in which everybody who opens it plays: they become a participant by a cookie.

    `names`: the host names that it answers to, None for any.
    """
    who = by_cookie(players)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        players.start()
        yield
        await players.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, names=names)
    app.include_router(play_router(players, who))

    @app.get("/", include_in_schema=False)
    async def entrance(request: Request) -> Response:
        participant = await who(request) or await _newcomer(players)
        response = RedirectResponse("/play", status_code=303)
        give_cookie(response, participant, secure=request.url.scheme == "https")
        return response

    return app


def give_cookie(response: Response, participant: Participant, *, secure: bool) -> None:
    """Let the browser be this participant."""
    response.set_cookie(
        COOKIE, participant.token, COOKIE_AGE_S, httponly=True, samesite="strict", secure=secure
    )


async def _newcomer(players: Players) -> Participant:
    return await players.records.add_participant(f"p{secrets.token_hex(4)}", STUDY)


def _sender(content: bytes, kind: str) -> Callable[[], Awaitable[Response]]:
    async def send() -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return send


async def _converse(websocket: WebSocket, players: Players, who: Who) -> None:
    """Play over a websocket; whatever ends it is said in its close frame."""
    await websocket.accept()
    link = Link(websocket)
    sender = asyncio.create_task(link.run_sender())
    try:
        if not same_origin(websocket):
            raise Refused(POLICY, "the page comes from another site")
        if (participant := await who(websocket)) is None:
            raise Refused(POLICY, "nobody is known by this cookie; open the first page again")
        await players.serve(participant, link)
    except Refused as error:
        await link.close(error)
    except ArenaError as error:
        await link.close(Refused(INTERNAL, str(error)))
    except WebSocketDisconnect:
        pass
    finally:
        sender.cancel()
