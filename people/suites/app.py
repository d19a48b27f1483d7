"""The page on which people play suites, and the application that shows nothing else."""

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.errors import ArenaError, ConfigError
from people.play.app import PAGE as ARENA_PAGE
from people.play.app import add_entrance, file_router, guarded
from people.play.security import COOKIE, read_form
from people.store import DatabaseUnavailable, Participant, Store
from people.store.database import check_name, clean
from people.store.store import StoreThread
from people.suites.games import Course, CourseSource, Games, State
from people.texts import START_AGAIN

PAGE = Path(__file__).parent / "page"

PATIENCE_S = 10.0
"""A request waits this long for a database that does not respond."""

Sent = Annotated[dict[str, str], Depends(read_form)]
Identify = Callable[[Request], Awaitable[Participant | None]]


def suite_router(games: Games, store: StoreThread, identify: Identify) -> APIRouter:
    """The page at /suite, and what it asks for.

    Episodes are played in the one thread of the store, so that a reply is stored before it is answered.
    """
    router = APIRouter(include_in_schema=False)
    router.include_router(file_router(PAGE, "suite.html", "suite.js", "completions.js", "suite.css"))
    router.include_router(file_router(ARENA_PAGE, "play.css"))

    async def answer(request: Request, call: Callable[[Store, Participant], State]) -> Response:
        person = await identify(request)
        if person is None:
            raise HTTPException(403, START_AGAIN)
        try:
            return JSONResponse(await store.run(lambda store: call(store, person)))
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
        trial, turn, entered = _number(sent, "trial"), _number(sent, "turn"), _entered(sent)
        return await answer(request, lambda store, person: games.reply(store, person, trial, turn, entered))

    @router.post("/suite/stop")
    async def stop(sent: Sent, request: Request) -> Response:
        trial = _number(sent, "trial")
        return await answer(request, lambda store, person: games.stop(store, person, trial))

    @router.post("/suite/next")
    async def following(sent: Sent, request: Request) -> Response:
        trial = _number(sent, "trial")
        return await answer(request, lambda store, person: games.following(store, person, trial))

    return router


class SuiteServer:
    """Serves a course to everyone who opens its page: a cookie makes them a participant.

    Raises InvalidRequest if the suite's name cannot be that of a study.
    """

    def __init__(self, store: Store, course: Course) -> None:
        self._name = course.suite.name
        check_name("study", f"play-{self._name}")
        self._store, self._games = StoreThread(store, PATIENCE_S), Games(CourseSource(course))

    def app(self, names: tuple[str, ...] | None) -> FastAPI:
        """The application; `names` as for `Guard`."""
        app = guarded(FastAPI(docs_url=None, redoc_url=None, openapi_url=None), names)
        identify = add_entrance(app, self._store, f"play-{self._name}", "/suite", f"{COOKIE}_{self._name}")
        app.include_router(suite_router(self._games, self._store, identify))
        return app

    def close(self) -> None:
        """Free all episodes, and end the thread; called when the server has stopped."""
        self._store.close()
        self._games.close()


def _number(sent: Mapping[str, str], name: str) -> int:
    """A number that the page sent. Raises HTTPException."""
    text = sent.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HTTPException(400, f"{name}: got {text[:20]!r}, expected a number; please reload the page")
    return int(text)


def _entered(sent: Mapping[str, str]) -> dict[str, Any]:
    """What was entered, by field. Raises HTTPException."""
    try:
        found = json.loads(sent.get("entered", ""))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise HTTPException(400, "entered: expected a JSON object; please reload the page")
    return {name: clean(value) if isinstance(value, str) else value for name, value in found.items()}
