"""The experimenter's pages: who is where, what they did, and their data; behind a token."""

import hmac
from collections.abc import AsyncIterator
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from human_data.people.play.players import Players
from human_data.people.store import Participant, Store, Trial
from human_data.people.store.errors import StoreError
from human_data.people.study.archive import archive
from human_data.people.study.desk import Desk
from human_data.people.study.facts import KINDS, OURS
from human_data.people.study.film import film
from human_data.people.study.forms import FormRefused, read_form
from human_data.people.study.pages import page
from human_data.people.study.plan import Plan
from human_data.people.study.watch import counts, rows, told

COOKIE = "arena_llm_experimenter"
HOME = "/experimenter"


class Experimenter:
    """Routes under /experimenter. Without the token they say 401, with a wrong one 403, and no more."""

    def __init__(self, plan: Plan, desk: Desk, players: Players, token: str) -> None:
        self._plan, self._study = plan, plan.study
        self._desk, self._players, self._token = desk, players, token

    async def entrance(self, request: Request) -> Response:
        """The table; with the token in the address it is kept in a cookie."""
        given = request.query_params.get("token")
        if given is not None:
            self._check(given)
            # Not a redirect: after a link from elsewhere the browser would leave the cookie out.
            response = await self._table(page_name="table")
            secure = request.url.scheme == "https"
            response.set_cookie(COOKIE, given, path=HOME, httponly=True, samesite="strict", secure=secure)
            return response
        self._check(request.cookies.get(COOKIE))
        return await self._table(page_name="table")

    async def table(self, request: Request) -> Response:
        """The table alone, for the page that keeps it up to date."""
        self._check(request.cookies.get(COOKIE))
        return await self._table(page_name="rows")

    async def person(self, request: Request) -> Response:
        """One person: trials, answers, notes."""
        self._check(request.cookies.get(COOKIE))
        person = await self._person(str(request.path_params["code"]))
        values = await self._desk.do(lambda store: self._of(store, person))
        base = f"{request.url.scheme}://{request.headers.get('host', '')}"
        return page(
            "person", self._study, person=person, link=f"{base}/return/{person.token}", told=told, **values
        )

    async def replay(self, request: Request) -> Response:
        """A page that plays a finished episode."""
        self._check(request.cookies.get(COOKIE))
        person, trial = await self._trial(request)
        return page("replay", self._study, person=person, trial=trial, told=told)

    async def frames(self, request: Request) -> Response:
        """The pictures of a finished episode."""
        self._check(request.cookies.get(COOKIE))
        _, trial = await self._trial(request)
        recording = await self._desk.do(lambda store: store.recording(trial.id))
        tasks = {task.id: task for part in self._plan.tasks.values() for task in part}
        if recording is None or trial.task_id not in tasks:
            raise FormRefused(404, "This episode has no recording, or its task is not in the study.")
        pictures = film(self._players.workers, tasks[trial.task_id], recording)
        # Waits for the first, so that an arena that cannot be drawn is told and not sent as an empty film.
        first = await anext(pictures)
        return StreamingResponse(_after(first, pictures), media_type="application/octet-stream")

    async def export(self, request: Request) -> Response:
        """All data as a ZIP file of CSV tables and recordings."""
        self._check(request.cookies.get(COOKIE))
        bids = request.query_params.get("bids") == "1"
        path = await self._desk.do(lambda store: archive(store, self._study.name, bids=bids))
        name = f"{self._study.name}.zip"
        return FileResponse(
            path, media_type="application/zip", filename=name, background=BackgroundTask(path.unlink)
        )

    async def ask_to_delete(self, request: Request) -> Response:
        """Ask again before data are deleted."""
        self._check(request.cookies.get(COOKIE))
        person = await self._person(str(request.path_params["code"]))
        trials = await self._desk.do(lambda store: len(store.trials(person.id)))
        return page("delete", self._study, person=person, trials=trials, problem="")

    async def delete(self, request: Request) -> Response:
        """Delete a person's data for good, where their code was written once more."""
        self._check(request.cookies.get(COOKIE))
        form = await read_form(request)
        person = await self._person(str(request.path_params["code"]))
        problem = "" if form.get("code") == person.code else "That is another code; nothing was deleted."
        if not problem:
            self._players.dismiss(person.id, "your data were deleted, as was asked for")
            try:
                await self._desk.do(lambda store: store.delete_participant(self._study.name, person.code))
            except StoreError as error:
                problem = str(error)
        if problem:
            return page("delete", self._study, 422, person=person, trials="", problem=problem)
        return RedirectResponse(HOME, 303)

    def _check(self, given: str | None) -> None:
        if given is None:
            raise FormRefused(401, "This page needs the link that the server printed when it was started.")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode()):
            raise FormRefused(
                403, "This is not the server's present token; it changes when the server is started."
            )

    async def _table(self, page_name: str) -> Response:
        table = await self._desk.do(lambda store: rows(self._plan, store))
        refusals = await self._desk.do(self._refusals)
        writer = self._players.records.writer_state
        return page(
            page_name, self._study, rows=table, counts=counts(table), refusals=refusals, writer=writer
        )

    def _refusals(self, store: Store) -> int:
        ours = store.add_participant(OURS, self._study.name)
        return sum(note.data.get("agreed") is False for note in store.notes(ours.id))

    def _of(self, store: Store, person: Participant) -> dict[str, Any]:
        notes = [note for note in store.notes(person.id) if note.kind in KINDS]
        return {"trials": store.trials(person.id), "answers": store.answers(person.id), "notes": notes}

    async def _person(self, code: str) -> Participant:
        people = await self._desk.do(lambda store: store.participants(self._study.name))
        found = next((person for person in people if person.code == code and code != OURS), None)
        if found is None:
            raise FormRefused(404, "There is no such participant in this study.")
        return found

    async def _trial(self, request: Request) -> tuple[Participant, Trial]:
        person = await self._person(str(request.path_params["code"]))
        trials = await self._desk.do(lambda store: store.trials(person.id))
        number = str(request.path_params["trial"])
        found = next((trial for trial in trials if str(trial.id) == number), None)
        if found is None or found.finished_at is None:
            raise FormRefused(404, "There is no such finished trial.")
        return person, found


async def _after(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for picture in rest:
        yield picture
