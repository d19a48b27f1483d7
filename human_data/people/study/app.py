"""The web application of a study."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from human_data.people.play.app import play_router
from human_data.people.play.players import Players
from human_data.people.play.security import Guard
from human_data.people.store import DatabaseAway, Store
from human_data.people.study.desk import Desk
from human_data.people.study.experimenter import HOME, Experimenter
from human_data.people.study.forms import FormRefused
from human_data.people.study.pages import FOLDER, STATIC, message
from human_data.people.study.plan import Plan
from human_data.people.study.site import Site

AWAY = "The database does not answer just now. Nothing is lost. Please load this page again in a moment."
_Page = Callable[[Request], Awaitable[Response]]


def create_study_app(
    plan: Plan, players: Players, store: Store, token: str, *, names: tuple[str, ...] | None = None
) -> FastAPI:
    """The pages of a study, its game, and the experimenter's pages behind `token`.

    `names`: the host names that it answers to, None for any.
    """
    desk = Desk(store)
    site, experimenter = Site(plan, desk), Experimenter(plan, desk, players, token)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        players.start()
        yield
        await players.close()
        desk.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, names=names)
    app.include_router(
        play_router(players, site.who, {**plan.study.play_words, "language": plan.study.language})
    )
    for path, show in _pages(site, experimenter).items():
        app.add_route(path, show, methods=["GET"], include_in_schema=False)
    for path, take in _forms(site, experimenter).items():
        app.add_route(path, take, methods=["POST"], include_in_schema=False)
    for name, kind in STATIC.items():
        app.add_route(f"/{name}", _sender((FOLDER / name).read_bytes(), kind), methods=["GET"])
    _tell_errors(app, plan)
    return app


def _pages(site: Site, experimenter: Experimenter) -> dict[str, _Page]:
    return {
        "/": site.entrance,
        "/here": site.here,
        "/withdraw": site.ask_to_withdraw,
        "/return/{token}": site.come_back,
        HOME: experimenter.entrance,
        f"{HOME}/table": experimenter.table,
        f"{HOME}/export.zip": experimenter.export,
        f"{HOME}/person/{{code}}": experimenter.person,
        f"{HOME}/person/{{code}}/delete": experimenter.ask_to_delete,
        f"{HOME}/person/{{code}}/trial/{{trial}}": experimenter.replay,
        f"{HOME}/person/{{code}}/trial/{{trial}}/frames": experimenter.frames,
    }


def _forms(site: Site, experimenter: Experimenter) -> dict[str, _Page]:
    return {
        "/consent": site.consent,
        "/id": site.identify,
        "/go": site.go,
        "/withdraw": site.withdraw,
        "/another": site.another,
        f"{HOME}/person/{{code}}/delete": experimenter.delete,
    }


def _sender(content: bytes, kind: str) -> _Page:
    async def send(_: Request) -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return send


def _tell_errors(app: FastAPI, plan: Plan) -> None:
    """Every error of ours becomes a page with a sentence."""
    title = plan.study.title

    @app.exception_handler(FormRefused)
    async def refused(_: Request, error: FormRefused) -> Response:
        return message(plan.study, title, error.reason, error.status)

    @app.exception_handler(HTTPException)
    async def absent(_: Request, error: HTTPException) -> Response:
        text = "There is no such page." if error.status_code == 404 else str(error.detail)
        return message(plan.study, title, text, error.status_code)

    @app.exception_handler(DatabaseAway)
    async def away(_: Request, __: DatabaseAway) -> Response:
        return message(plan.study, title, AWAY, 503)

    @app.exception_handler(ArenaError)
    async def failed(_: Request, error: ArenaError) -> Response:
        return message(plan.study, title, str(error), 503)
