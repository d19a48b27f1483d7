"""The web application by which people play a suite: one page, and a request for each reply."""

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from arena.errors import ArenaError, ConfigError
from people.play.app import PAGE as ARENA_PAGE
from people.play.app import as_participant, cookie_owner, file_router, guarded
from people.play.page_texts import START_AGAIN
from people.play.security import COOKIE
from people.store import DatabaseUnavailable, Participant, Store
from people.store.errors import check_name, clean
from people.store.store import StoreThread
from people.study.forms import read_form
from people.suites.games import Course, Games

PAGE = Path(__file__).parent / "page"

PATIENCE_S = 10.0
"""A request waits this long for a database that does not respond."""

Sent = Annotated[dict[str, str], Depends(read_form)]


class SuiteServer:
    """Serves a course to everyone who opens its page: a cookie makes them a participant.

    Episodes are played in the one thread of the store, so that a reply is stored before it is answered.
    Raises InvalidRequest if the suite's name cannot be that of a study.
    """

    def __init__(self, store: Store, course: Course) -> None:
        check_name("study", course.study)
        self._course, self._store = course, StoreThread(store, PATIENCE_S)
        self._games = Games(course)
        self._cookie = f"{COOKIE}_{course.suite.name}"

    def app(self, names: tuple[str, ...] | None) -> FastAPI:
        """The application; `names` as for `Guard`."""
        app = guarded(FastAPI(docs_url=None, redoc_url=None, openapi_url=None), names)
        app.include_router(file_router(PAGE, "suite.js", "completions.js", "suite.css"))
        app.include_router(file_router(ARENA_PAGE, "play.css"))
        for method, address, answer in (
            ("GET", "/", self.page),
            ("GET", "/state", self.state),
            ("POST", "/reply", self.reply),
            ("POST", "/stop", self.stop),
            ("POST", "/next", self.following),
        ):
            app.add_api_route(address, answer, methods=[method], response_class=Response)
        return app

    def close(self) -> None:
        """Free all episodes, and end the thread; called when the server has stopped."""
        self._store.close()
        self._games.close()

    async def page(self, request: Request) -> Response:
        """The page; whoever opens it for the first time becomes a participant."""
        person = await self._identify(request)
        if person is None:
            request.app.state.sign_ups.check(request)
            code = f"p{secrets.token_hex(4)}"
            person = await self._store.run(lambda store: store.add_participant(code, self._course.study))
        return as_participant(FileResponse(PAGE / "suite.html"), person, request, self._cookie)

    async def state(self, request: Request) -> Response:
        """Everything that the page shows."""
        return await self._answer(request, lambda store, person: self._games.state(store, person))

    async def reply(self, sent: Sent, request: Request) -> Response:
        """What was entered in the form after a turn of a trial."""
        trial, turn, entered = _number(sent, "trial"), _number(sent, "turn"), _entered(sent)
        return await self._answer(
            request, lambda store, person: self._games.reply(store, person, trial, turn, entered)
        )

    async def stop(self, sent: Sent, request: Request) -> Response:
        """The participant ends a trial."""
        trial = _number(sent, "trial")
        return await self._answer(request, lambda store, person: self._games.stop(store, person, trial))

    async def following(self, sent: Sent, request: Request) -> Response:
        """The participant wants the task after a trial that has ended."""
        trial = _number(sent, "trial")
        return await self._answer(request, lambda store, person: self._games.following(store, person, trial))

    async def _identify(self, request: Request) -> Participant | None:
        found = await cookie_owner(self._store, request, self._cookie)
        return found if found is not None and found.study == self._course.study else None

    async def _answer(
        self, request: Request, call: Callable[[Store, Participant], dict[str, Any]]
    ) -> Response:
        person = await self._identify(request)
        if person is None:
            raise HTTPException(403, START_AGAIN)
        try:
            return JSONResponse(await self._store.run(lambda store: call(store, person)))
        except ConfigError as error:
            raise HTTPException(422, str(error)) from None
        except DatabaseUnavailable:
            raise HTTPException(503, "Your answer could not be stored. Please try again.") from None
        except ArenaError as error:
            raise HTTPException(500, str(error)) from None


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
