"""The page on which people play tasks of suites."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.errors import ArenaError, ConfigError
from evaluation.by_hand.form import WrongAnswer
from people.pages import GAME, SHARED, SHARED_FILES, file_router
from people.play.security import answers_in, read_form
from people.play.suite_games import Games, State
from people.store import DatabaseUnavailable, Participant, Store
from people.store.store import StoreThread
from people.texts import START_AGAIN

Sent = Annotated[dict[str, str], Depends(read_form)]
Identify = Callable[[Request], Awaitable[Participant | None]]


def suite_router(games: Games, store: StoreThread, identify: Identify) -> APIRouter:
    """The page at /suite, and what it asks for.

    Episodes are played in the one thread of the store, so that a reply is stored before it is answered.
    """
    router = APIRouter(include_in_schema=False)
    router.include_router(file_router(GAME, "suite.html", "suite.js", "suite.css", "play.css"))
    router.include_router(file_router(SHARED, *SHARED_FILES))

    async def answer(request: Request, call: Callable[[Store, Participant], State]) -> Response:
        person = await identify(request)
        if person is None:
            raise HTTPException(403, START_AGAIN)
        try:
            return JSONResponse(await store.run(lambda store: call(store, person)))
        except WrongAnswer as error:
            return JSONResponse({"detail": str(error), "open": error.question}, 422)
        except ConfigError as error:
            status, text = 422, str(error)
        except DatabaseUnavailable:
            status, text = 503, "Your answer could not be stored. Please try again."
        except ArenaError as error:
            status, text = 500, str(error)
        return JSONResponse({"detail": text}, status)

    @router.get("/suite/state")
    async def state(request: Request) -> Response:
        return await answer(request, games.state)

    @router.post("/suite/reply")
    async def reply(sent: Sent, request: Request) -> Response:
        trial, turn, answers = _number(sent, "trial"), _number(sent, "turn"), answers_in(sent)
        return await answer(request, lambda store, person: games.reply(store, person, trial, turn, answers))

    @router.post("/suite/stop")
    async def stop(sent: Sent, request: Request) -> Response:
        trial = _number(sent, "trial")
        return await answer(request, lambda store, person: games.stop(store, person, trial))

    @router.post("/suite/next")
    async def following(sent: Sent, request: Request) -> Response:
        trial = _number(sent, "trial")
        return await answer(request, lambda store, person: games.following(store, person, trial))

    return router


def _number(sent: Mapping[str, str], name: str) -> int:
    """A number that the page sent. Raises HTTPException."""
    text = sent.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HTTPException(400, f"{name}: got {text[:20]!r}, expected a number; please reload the page")
    return int(text)
