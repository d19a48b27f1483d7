"""The pages of a participant who has agreed, up to completion; `flow` decides which is shown."""

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from people.play.app import as_participant
from people.store.participation import COMPLETED
from people.study import flow
from people.study.branching import form_items, given
from people.study.links import return_link
from people.study.media import TYPES, file_url
from people.study.plan import EndStage, QuestionStage, SuiteTask, TaskStage
from people.study.questions import Item, answer_problems
from people.study.server import CurrentSession, Form, Server, Session, StudyServer
from people.study.templates import message, page

MEDIA_AGE_S = 600
"""How long a browser keeps a picture or sound."""

router = APIRouter(include_in_schema=False)


@router.post("/go")
async def finish_page(form: Form, session: CurrentSession, request: Request, server: Server) -> Response:
    """A page was read, a break ended, or questions answered."""
    person, progress, plan = session
    stage, texts = flow.current_stage(plan, progress), plan.study.words
    if form.get("stage") != stage.name:
        return await show_stage(server, request, session, notice=texts.moved)
    if not server.tabs.is_newest(person.id, form.get("tab", "")):
        return message(plan.study, texts.elsewhere_title, texts.elsewhere, 409, button=texts.here)
    if isinstance(stage, TaskStage | EndStage):
        return RedirectResponse("/", 303)
    answers = _answers(form)
    asked = flow.asked_on(plan, progress, stage, answers) if isinstance(stage, QuestionStage) else ()
    if problems := answer_problems(asked, answers, texts):
        return await show_stage(server, request, session, answers=answers, problems=problems, status=422)
    await server.store.run(lambda store: flow.finish_page(plan, store, person, stage, answers))
    return RedirectResponse("/", 303)


@router.post("/asked")
async def asked_now(form: Form, session: CurrentSession) -> Response:
    """The ids of the items that are asked if the page is filled in like this."""
    stage = flow.current_stage(session.plan, session.progress)
    if not isinstance(stage, QuestionStage) or form.get("stage") != stage.name:
        raise HTTPException(409, session.plan.study.words.moved)
    return JSONResponse(_ids(flow.asked_on(session.plan, session.progress, stage, _answers(form))))


@router.get("/media/{file}")
async def media(file: str, server: Server) -> Response:
    """A picture or sound that the study's file names; other files are not served."""
    files = {file_url(name): path for name, path in server.plan.media.items()}
    path = files.get(f"/media/{file}")
    if path is None or not path.is_file():
        raise HTTPException(404, "Not Found")
    kept = {"cache-control": f"private, max-age={MEDIA_AGE_S}"}
    return FileResponse(path, media_type=TYPES[path.suffix.lower()], headers=kept)


@router.get("/play.words")
async def game_texts(request: Request, server: Server) -> Response:
    """The texts of the game's page in the participant's condition."""
    session = await server.session(await server.identify(request))
    study = session.plan.study if session else server.study
    return JSONResponse({**study.play_words, "language": study.language})


@router.get("/here")
async def is_newest_window(request: Request, server: Server, tab: str = "") -> Response:
    """Whether a window is still the newest of its participant."""
    person = await server.identify(request)
    return JSONResponse({"here": person is not None and server.tabs.is_newest(person.id, tab)})


@router.get("/withdraw")
async def confirm_withdrawal(session: CurrentSession) -> Response:
    """Ask for confirmation before a participant leaves the study."""
    return page("withdraw", session.plan.study)


@router.post("/withdraw")
async def withdraw(_: Form, session: CurrentSession, server: Server) -> Response:
    """The participant leaves the study."""
    stage = flow.current_stage(session.plan, session.progress)
    if not isinstance(stage, EndStage):
        # Steps taken after this would be stored, but not counted.
        await server.players.halt(session.person.id)
        await server.players.recorder.flush()
        await server.store.run(lambda store: flow.withdraw(store, session.person, stage))
        await server.players.leave(session.person.id, session.plan.study.words.withdrawn_title)
    return RedirectResponse("/", 303)


def _answers(form: Mapping[str, str]) -> dict[str, str]:
    """The answers in a form, by the ids of the items."""
    return {key.removeprefix("item-"): value for key, value in form.items() if key.startswith("item-")}


def _ids(items: Iterable[Item]) -> list[str]:
    return [item.id for item in items]


async def show_stage(
    server: StudyServer, request: Request, session: Session, *, status: int = 200, notice: str = "",
    answers: Mapping[str, str] = {}, problems: Mapping[str, str] = {},
) -> Response:  # fmt: skip
    """The page of the participant's present stage, in a window that is the newest from now on."""
    person, progress, plan = session
    study, stage, tab = plan.study, flow.current_stage(plan, progress), server.tabs.open(person.id)
    names = [each.name for each in plan.stages(progress.order, progress.blocks)]
    place: dict[str, Any] = {"tab": tab, "stage": stage, "notice": notice}
    if stage.name in names:
        place["progress"] = (names.index(stage.name), len(names) - 1)
    response: Response
    match stage:
        case TaskStage():
            response = RedirectResponse("/suite" if isinstance(stage.task, SuiteTask) else "/play", 303)
        case QuestionStage():
            items = form_items(study, stage.questionnaire, given(progress.answers))
            place["decisive"] = frozenset().union(*(item.depends_on for item in items))
            place["asked"] = _ids(flow.asked_on(plan, progress, stage, answers))
            response = page(
                "questions", study, status, items=items, answers=answers, problems=problems, **place
            )
        case EndStage("completed"):
            ending = await server.store.run(lambda store: flow.advance(plan, store, person))
            target = return_link(study, ending or COMPLETED, person.code, person.link)
            response = page("completion", study, target=target)
        case EndStage("screened" | "failed" as ending):
            await server.store.run(lambda store: flow.advance(plan, store, person))
            title, text = getattr(study.words, f"{ending}_title"), getattr(study.words, ending)
            target = return_link(study, ending, person.code, person.link)
            response = message(study, title, text, target=target)
        case EndStage("left"):
            target = return_link(study, "stopped", person.code, person.link)
            response = message(study, study.words.full_title, study.words.full, target=target)
        case EndStage():
            target = return_link(study, "stopped", person.code, person.link)
            response = message(study, study.words.withdrawn_title, study.words.withdrawn, target=target)
        case _:
            response = page("reading", study, **place)
    return as_participant(response, person, request)
