"""The web application of a study."""

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from people.pages import STUDY, STUDY_FILES, file_router, message, said
from people.play.app import base_app, play_router
from people.play.players import Players
from people.play.suite_games import Games, suite_router
from people.store import DatabaseUnavailable, Store
from people.store.store import StoreThread
from people.study import experimenter_pages, participant_pages
from people.study.flow import StudyTaskSource
from people.study.links import signing_key
from people.study.plan import Plan
from people.study.server import Overview, StudyServer

PATIENCE_S = 5.0
"""Maximum wait, seconds, of a page for a database. Then it reports the problem."""


def create_study_app(
    plan: Plan, players: Players, store: Store, token: str, *, names: tuple[str, ...] | None = None
) -> FastAPI:
    """Create the pages of a study, its game, and the experimenter's pages. The last are behind `token`.
    `names`: the host names that it answers to, None for any."""
    key = signing_key(store, plan.study.name)
    threads = (StoreThread(store, PATIENCE_S), StoreThread(store, PATIENCE_S))
    games = Games(StudyTaskSource(plan))
    server = StudyServer(plan, players, *threads, token, key, Overview(plan), games)
    app = base_app(players, names, server.close)
    app.state.study = server
    # Before the game's own, which has the same texts for everyone.
    app.include_router(participant_pages.router)
    app.include_router(play_router(players, server.identify))
    app.include_router(suite_router(games, server.store, server.enrolled))
    app.include_router(experimenter_pages.router)
    app.include_router(file_router(STUDY, *STUDY_FILES))
    _show_errors(app, server)
    return app


def _show_errors(app: FastAPI, server: StudyServer) -> None:
    """Let every error become a page with a sentence."""

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Response:
        study = server.study
        text = study.words.no_page if error.detail == "Not Found" else str(error.detail)
        page = message(study, study.title, study.play_words.get(text, text), error.status_code)
        page.headers.update(error.headers or {})
        return page

    @app.exception_handler(DatabaseUnavailable)
    async def unavailable(_: Request, __: DatabaseUnavailable) -> Response:
        return said(server.study, "unavailable", 503)

    @app.exception_handler(ArenaError)
    async def failed(_: Request, error: ArenaError) -> Response:
        return message(server.study, server.study.title, str(error), 503)
