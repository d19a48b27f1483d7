"""The application of `arena-llm play`: everyone who opens its page can play, one task after another."""

import secrets
from collections.abc import Mapping
from contextlib import ExitStack

from fastapi import FastAPI
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from people.play.app import Identify, as_participant, base_app, cookie_owner, guarded, play_router
from people.play.players import Players
from people.play.security import COOKIE
from people.play.task_source import TaskList
from people.store import Participant, Store
from people.store.database import check_name
from people.store.store import StoreThread
from people.suites.app import suite_router
from people.suites.course import Course
from people.suites.games import Games

STUDY = "play"
"""The study of everyone who plays without a study."""

PATIENCE_S = 10.0
"""A request of a suite's page waits this long for a database that does not respond."""

Names = tuple[str, ...] | None
"""The host names that an application answers to, None for any."""


def create_app(players: Players, *, names: Names = None, texts: Mapping[str, str] = {}) -> FastAPI:
    """The application of tasks of the arena; `texts` are those of `play_router`."""
    app = base_app(players, names)
    identify = _add_entrance(app, players.recorder.store, STUDY, "/play", COOKIE)
    app.include_router(play_router(players, identify, texts))
    return app


def create_suite_app(store: Store, course: Course, names: Names = None) -> tuple[FastAPI, ExitStack]:
    """The application of a suite's tasks, and what is to be closed when it has stopped.

    Raises InvalidRequest if the suite's name cannot be that of a study.
    """
    suite = course.suite.name
    check_name("study", f"{STUDY}-{suite}")
    closing, games, thread = ExitStack(), Games(TaskList(course.every())), StoreThread(store, PATIENCE_S)
    closing.callback(games.close)
    closing.callback(thread.close)
    app = guarded(FastAPI(docs_url=None, redoc_url=None, openapi_url=None), names)
    identify = _add_entrance(app, thread, f"{STUDY}-{suite}", "/suite", f"{COOKIE}_{suite}")
    app.include_router(suite_router(games, thread, identify))
    return app, closing


def _add_entrance(app: FastAPI, store: StoreThread, study: str, target: str, cookie: str) -> Identify:
    """A first page that makes everyone a participant of a study and leads to `target`."""

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
