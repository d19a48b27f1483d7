"""Experimenter's pages: progress, records and data of all participants; behind a token."""

import asyncio
import base64
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from arena import ACTIONS, Recording
from arena.errors import ConfigError
from arena.recording import spec_sha256
from people.pages import page
from people.play.worker_protocol import Drawn, Open
from people.play.workers import EpisodeFailed, RemoteEpisode, WorkerPool
from people.store import InvalidRequest, Participant, StoreError, Trial
from people.store.export import export_zip
from people.store.participation import IN_PROGRESS, participation_of
from people.store.quality import MAX_AGE_MS, MIN_FRAMES_PER_S, quality_of_trials
from people.study.flow import free_places, mark_left
from people.study.links import PREVIEW, is_guessable, parents_path, signature
from people.study.progress import KINDS, PAGE_DONE
from people.study.server import Form, Server, StudyServer, counts
from people.texts import DELETED
from testbed import Task

COOKIE = "arena_llm_experimenter"
HOME = "/experimenter"


async def _check_token(request: Request, server: Server) -> None:
    """Without a token the status is 401, with a wrong one 403."""
    given = request.query_params.get("token", request.cookies.get(COOKIE))
    if given is None:
        raise HTTPException(401, "Please open the link that the server printed when it started.")
    if not hmac.compare_digest(given.encode("utf-8", "replace"), server.token.encode()):
        raise HTTPException(
            403,
            "This link is out of date. Please open the link that the server printed when it last started.",
        )


async def _participant(code: str, server: Server) -> Participant:
    person = await server.store.run(lambda store: store.participant_of(server.study.name, code))
    if person is None:
        raise HTTPException(404, "There is no such participant in this study.")
    return person


Person = Annotated[Participant, Depends(_participant)]


async def _finished_trial(trial: str, person: Person, server: Server) -> Trial:
    trials = await server.store.run(lambda store: store.trials(person.id))
    found = next((each for each in trials if str(each.id) == trial), None)
    if found is None or found.finished_at is None:
        raise HTTPException(404, "There is no such finished trial.")
    return found


FinishedTrial = Annotated[Trial, Depends(_finished_trial)]
router = APIRouter(prefix=HOME, include_in_schema=False, dependencies=[Depends(_check_token)])


@router.get("")
async def home(request: Request, server: Server) -> Response:
    """Return the table of participants. A token in the address is stored in a cookie."""
    # Not a redirect: after a link from another site the browser would not send the cookie.
    await server.store.run(lambda store: free_places(server.plan, store))
    response = await _table(server, "table")
    if token := request.query_params.get("token"):
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, token, path=HOME, httponly=True, samesite="strict", secure=secure)
    return response


@router.get("/table")
async def table(server: Server) -> Response:
    """Return the table alone, for automatic updates."""
    return await _table(server, "rows")


@router.post("/reload")
async def read_again(_: Form, server: Server) -> Response:
    """Read the study's file again, and report changes, or an error."""
    try:
        started = await server.read_again()
    except (ConfigError, InvalidRequest) as error:
        return await _table(server, "table", f"The study continues unchanged. {error}", status=422)
    changed = ", ".join(started.changed)
    done = f"Version {started.version}: {changed}" if changed else "Nothing has changed"
    return await _table(server, "table", f"The file was read again. {done}.")


@router.get("/person/{code}")
async def person_page(request: Request, person: Person, server: Server) -> Response:
    """One participant: trials, answers, progress."""
    trials = await server.store.run(lambda store: store.trials(person.id))
    quality = await server.store.run(lambda store: quality_of_trials(store, person.study, person.id))
    answers = await server.store.run(lambda store: store.answers(person.id))
    notes = await server.store.run(lambda store: store.notes(person.id))
    site = f"{request.url.scheme}://{request.headers.get('host', '')}"
    return page(
        "person",
        server.study,
        person=person,
        link=f"{site}/return/{person.token}",
        parents=site + parents_path(server.key, person.code) if server.study.kind == "child" else "",
        trials=trials,
        quality=quality,
        answers=answers,
        in_progress=participation_of(notes).state == IN_PROGRESS,
        notes=[note for note in notes if note.kind in KINDS],
        events={PAGE_DONE: "page done"},
    )


@router.get("/person/{code}/trial/{trial}")
async def replay_page(person: Person, trial: FinishedTrial, server: Server) -> Response:
    """Return the replay of a finished episode."""
    return page("replay", server.study, person=person, trial=trial)


@router.get("/person/{code}/trial/{trial}/frames")
async def replay_frames(trial: FinishedTrial, server: Server) -> Response:
    """Yield the images of a finished episode."""
    recording = await server.store.run(lambda store: store.recording(trial.id))
    same = (task for _, task in server.plan.all_tasks() if task.id == trial.task_id)
    contents = (task if isinstance(task, Task) else task.spec.content for task in same)
    of_arena = (task for task in contents if isinstance(task, Task))
    task = next((task for task in of_arena if spec_sha256(task.spec) == trial.spec_sha256), None)
    if recording is None or task is None:
        raise HTTPException(404, "This episode has no recording, or its task is not in the study.")
    images = replay_images(server.players.workers, task, recording, trial.steps_played)
    # Waits for the first, so that a failure is reported instead of an empty replay.
    first = await anext(images)

    async def stream() -> AsyncIterator[str]:
        yield first
        async for image in images:
            yield image

    return StreamingResponse(stream(), media_type="application/x-ndjson")


@router.get("/export.zip")
async def export(server: Server, bids: str = "", test: str = "") -> Response:
    """Return all data as a ZIP file of CSV tables and recordings. `test` includes those of previews."""
    name, asked = server.study.name, {"bids": bids == "1", "test": test == "1"}
    path = await server.reading.run(lambda store: export_zip(store, name, **asked))
    delete = BackgroundTask(path.unlink)
    return FileResponse(path, media_type="application/zip", filename=f"{name}.zip", background=delete)


@router.post("/person/{code}/left")
async def left(_: Form, person: Person, server: Server) -> Response:
    """Note that a participant has left, which frees the place."""
    if server.is_present(person):
        raise HTTPException(409, f"{person.code} is taking part at this moment. Nothing was changed.")
    if not await server.store.run(lambda store: mark_left(store, person)):
        raise HTTPException(409, f"The study is already over for {person.code}. Nothing was changed.")
    return RedirectResponse(f"{HOME}/person/{person.code}", 303)


@router.get("/person/{code}/delete")
async def confirm_deletion(person: Person, server: Server) -> Response:
    """Ask for confirmation before data are deleted."""
    trials = await server.store.run(lambda store: len(store.trials(person.id)))
    return page("delete", server.study, person=person, trials=trials, problem="")


@router.post("/person/{code}/delete")
async def delete(form: Form, person: Person, server: Server) -> Response:
    """Delete a participant's data for good, if their code was entered."""
    problem = "" if form.get("code") == person.code else "That is a different code. Nothing was deleted."
    if not problem:
        await server.players.leave(person.id, DELETED)
        try:
            await server.store.run(lambda store: store.delete_participant(server.study.name, person.code))
        except StoreError as error:
            problem = str(error)
    if problem:
        return page("delete", server.study, 422, person=person, trials=None, problem=problem)
    return RedirectResponse(HOME, 303)


async def _table(server: StudyServer, template: str, notice: str = "", status: int = 200) -> Response:
    rows = await server.reading.run(server.overview.rows)
    about = await server.store.run(lambda store: store.study_notes(server.study.name))
    refusals = sum(note.data.get("agreed") is False for note in about)
    writer = server.players.recorder.writer.state
    real = [row.participant.code for row in rows if not row.participant.test]
    codes = real if server.study.participants.unsigned else []
    return page(
        template, server.study, status, notice=notice,
        rows=rows, counts=counts(rows), refusals=refusals, writer=writer,
        poor=[row for row in rows if row.poor], limits=(MIN_FRAMES_PER_S, MAX_AGE_MS),
        guessable=[code for code in codes if is_guessable(code)],
        tests=len(rows) > len(real), preview=f"/preview/{signature(server.key, PREVIEW)}",
    )  # fmt: skip


SIZE, QUALITY = 384, 80
"""Pixels per side and JPEG quality of the images."""

MAX_IMAGES = 1200
"""A longer episode is shown with every second step, or fewer."""

TIMEOUT_S = 20.0
"""An image that is not there after so long never comes."""


class _Images(asyncio.Queue[Drawn | EpisodeFailed]):
    """The images that the worker sends, or why there are no more."""

    def drawn(self, drawn: Drawn) -> None:
        self.put_nowait(drawn)

    def lost(self) -> None:
        self.failed("a worker process died")

    def failed(self, reason: str) -> None:
        self.put_nowait(EpisodeFailed(reason))

    async def next(self) -> Drawn:
        """Return the next image. Raises EpisodeFailed if it never comes."""
        try:
            image = await asyncio.wait_for(self.get(), TIMEOUT_S)
        except TimeoutError:
            raise EpisodeFailed("the image was not drawn in time") from None
        if isinstance(image, EpisodeFailed):
            raise image
        return image


async def replay_images(
    workers: WorkerPool, task: Task, recording: Recording, steps: int | None
) -> AsyncIterator[str]:
    """Yield the images of an episode, each as a line of JSON.

    A line has step, health, reward, image (a data URL). Only the first `steps` are shown, those that were
    played; None: all. Raises EpisodeFailed if it cannot be drawn.
    """
    images = _Images()
    start = Open(task, recording.seed, recording.trial)
    with closing(RemoteEpisode(workers, start, images)) as episode:
        state = (await episode.open()).state
        actions = [ACTIONS.index(action) for action in recording.unpacked()[:steps]]
        interval = 1 + len(actions) // MAX_IMAGES
        for first in range(0, len(actions) + interval, interval):
            episode.draw(0.0, "first", SIZE, QUALITY)
            drawn = await images.next()
            image = "data:image/jpeg;base64," + base64.b64encode(drawn.jpeg).decode()
            values = {"step": state.step, "health": state.health, "reward": state.total_reward}
            yield json.dumps({**values, "image": image}) + "\n"
            if first < len(actions):
                state = (await episode.step(tuple(actions[first : first + interval]))).state
