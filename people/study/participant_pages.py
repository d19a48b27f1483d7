"""Participants' pages, from entry to completion. `flow` decides which is shown."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from evaluation.by_hand.form import Item, answer_problems
from people.pages import SHARED, file_url, page, said
from people.play.app import as_participant
from people.play.security import COOKIE, answers_in, link_parameters
from people.play.task_source import SuiteTask
from people.store import Participant, Store
from people.store.participation import COMPLETED, LEFT, Ending
from people.study import flow
from people.study.branching import form_items, given
from people.study.config import SIGNATURE, TEST, Assent, Consent, Study
from people.study.links import PARENT, PREVIEW, is_id, is_preview, is_signed, preview_link, return_link
from people.study.load import TYPES
from people.study.plan import QuestionStage, Stage, TaskStage
from people.study.progress import progress_of
from people.study.server import CurrentSession, Form, Server, Session, StudyServer
from people.study.survey import with_addresses

MEDIA_AGE_S = 600
"""Seconds for which a browser keeps a picture or sound."""

SURVEYJS = SHARED / "surveyjs"
SURVEYJS_FILES = {path.name.removesuffix(".gz") for path in SURVEYJS.glob("*.gz")}
SURVEYJS_AGE_S = 24 * 3600

router = APIRouter(include_in_schema=False)


@router.post("/go")
async def finish_page(form: Form, session: CurrentSession, request: Request, server: Server) -> Response:
    """Return a page was read, a break ended, or questions answered."""
    person, progress, plan = session
    stage, texts = flow.current_stage(plan, progress), plan.study.words
    if form.get("stage") != stage.name:
        return await show_stage(server, request, session, notice=texts.moved)
    if not server.is_newest(person, form.get("tab", "")):
        return said(plan.study, "elsewhere", 409, button=texts.here)
    if isinstance(stage, TaskStage | Ending):
        return RedirectResponse("/", 303)
    answers = answers_in(form)
    asked = flow.asked_on(plan, progress, stage, answers) if isinstance(stage, QuestionStage) else ()
    known = {item.id for item in stage.questionnaire.items} if isinstance(stage, QuestionStage) else set()
    if unknown := answers.keys() - known:
        raise HTTPException(400, f"The page has no question {min(unknown)!r:.80}.")
    if problems := answer_problems(asked, answers, texts):
        return await show_stage(server, request, session, answers=answers, problems=problems, status=422)
    await server.store.run(lambda store: flow.finish_page(plan, store, person, stage, answers))
    return RedirectResponse("/", 303)


@router.post("/asked")
async def asked_now(form: Form, session: CurrentSession) -> Response:
    """Return the ids of a filled-in page's asked items."""
    stage = flow.current_stage(session.plan, session.progress)
    if not isinstance(stage, QuestionStage) or form.get("stage") != stage.name:
        raise HTTPException(409, session.plan.study.words.moved)
    return JSONResponse(_ids(flow.asked_on(session.plan, session.progress, stage, answers_in(form))))


@router.get("/media/{file}")
async def media(file: str, server: Server) -> Response:
    """Return a picture or sound that the study's file names. Other files are not served."""
    files = {file_url(name): path for name, path in server.plan.media.items()}
    path = files.get(f"/media/{file}")
    if path is None or not path.is_file():
        raise HTTPException(404, "Not Found")
    kept = {"cache-control": f"private, max-age={MEDIA_AGE_S}"}
    return FileResponse(path, media_type=TYPES[path.suffix.lower()], headers=kept)


@router.get("/surveyjs/{file}")
async def surveyjs(file: str) -> Response:
    """Return a file of SurveyJS, which is kept compressed."""
    if file not in SURVEYJS_FILES:
        raise HTTPException(404, "Not Found")
    headers = {"content-encoding": "gzip", "cache-control": f"max-age={SURVEYJS_AGE_S}"}
    media_type = "text/css" if file.endswith(".css") else "text/javascript"
    return FileResponse(SURVEYJS / f"{file}.gz", media_type=media_type, headers=headers)


@router.get("/play.words")
async def game_texts(request: Request, server: Server) -> Response:
    """Return the texts of the game's page in the participant's condition."""
    session = await server.session(await server.identify(request))
    study = session.plan.study if session else server.study
    return JSONResponse({**study.play_words, "language": study.language, "speech": study.speech})


@router.get("/here")
async def is_newest_window(request: Request, server: Server, tab: str = "") -> Response:
    """Return whether a window is still the newest of its participant."""
    person = await server.identify(request)
    return JSONResponse({"here": person is not None and server.is_newest(person, tab)})


@router.get("/withdraw")
async def confirm_withdrawal(session: CurrentSession) -> Response:
    """Ask for confirmation before a participant leaves the study."""
    return page("withdraw", session.plan.study)


@router.post("/withdraw")
async def withdraw(_: Form, session: CurrentSession, server: Server) -> Response:
    """Return the participant leaves the study."""
    await _end_participation(server, session)
    return RedirectResponse("/", 303)


async def _end_participation(server: StudyServer, session: Session, **note: str) -> None:
    stage = flow.current_stage(session.plan, session.progress)
    if not isinstance(stage, Ending):
        # Steps taken after this would be stored, but not counted.
        await server.players.halt(session.person.id)
        await server.players.recorder.flush()
        await server.store.run(lambda store: flow.withdraw(store, session.person, stage, **note))
        await server.players.leave(session.person.id, session.plan.study.words.withdrawn_title)


async def _child(code: str, signed: str, server: Server) -> Session | None:
    """Return the session of a parent's child; None before it has begun."""
    if not is_signed(server.key, f"{PARENT}/{code}", signed) or server.study.kind != "child":
        raise HTTPException(404, server.study.words.link_incomplete)

    def find(store: Store) -> Session | None:
        person = store.participant_of(server.study.name, code)
        if person is None:
            return None
        progress = progress_of(store, person)
        return Session(person, progress, server.plan.of(progress.condition))

    return await server.store.run(find)


Child = Annotated[Session | None, Depends(_child)]


@router.get("/parent/{code}/{signed}")
async def parents_page(child: Child, server: Server) -> Response:
    """Show a parent the child's progress, and a button that ends it."""
    if child is None:
        return page("parent", server.study, progress=None, ended=False)
    stage = flow.current_stage(child.plan, child.progress)
    return page("parent", child.plan.study, progress=_place(child, stage), ended=isinstance(stage, Ending))


@router.post("/parent/{code}/{signed}")
async def stop_for_child(_: Form, child: Child, server: Server, request: Request) -> Response:
    """Return a parent ends their child's part in the study."""
    if child is not None:
        await _end_participation(server, child, by="parent")
    return RedirectResponse(request.url.path, 303)


def _ids(items: Iterable[Item]) -> list[str]:
    return [item.id for item in items]


def _place(session: Session, stage: Stage) -> tuple[int, int] | None:
    """Return a stage's place from 0, and the number of stages. None for an ending before the last."""
    _, progress, plan = session
    names = [each.name for each in plan.stages(progress.order, progress.blocks)]
    return (names.index(stage.name), len(names) - 1) if stage.name in names[:-1] else None


async def show_stage(
    server: StudyServer, request: Request, session: Session, *, status: int = 200, notice: str = "",
    answers: Mapping[str, str] = {}, problems: Mapping[str, str] = {},
) -> Response:  # fmt: skip
    """Show the participant's present stage; this window is now the newest."""
    person, progress, plan = session
    study, stage, tab = plan.study, flow.current_stage(plan, progress), server.open_window(person)
    place: dict[str, Any] = {"tab": tab, "stage": stage, "notice": notice, "progress": _place(session, stage)}
    response: Response
    match stage:
        case TaskStage():
            response = RedirectResponse("/suite" if isinstance(stage.task, SuiteTask) else "/play", 303)
        case QuestionStage():
            found = form_items(study, stage.questionnaire, given(progress.answers))
            items = [item for item, _ in found]
            place["dependent"] = {item.id for item, depends_on in found if depends_on}
            place["decisive"] = set().union(*(depends_on for _, depends_on in found))
            place["asked"] = _ids(flow.asked_on(plan, progress, stage, answers))
            place["survey"] = with_addresses(stage.questionnaire.survey)
            place |= {"items": items, "answers": answers, "problems": problems}
            response = page("survey" if place["survey"] else "questions", study, status, **place)
        case Ending():
            await server.store.run(lambda store: flow.advance(plan, store, person))
            response = _end_page(study, stage, person)
        case _:
            response = page("reading", study, **place)
    return as_participant(response, person, request)


def _end_page(study: Study, ending: Ending, person: Participant) -> Response:
    target = return_link(study, ending, person.code, person.link)
    if ending.page == COMPLETED:
        return page("completion", study, target=target)
    return said(study, "full" if ending.page == LEFT else ending.page, target=target)


@router.get("/")
async def entrance(request: Request, server: Server) -> Response:
    """Return the address of the study, which shows the participant's present stage."""
    link = _identifying_link(server, request.query_params)
    session = await server.session(await _arrived(server, request, link))
    if session is not None:
        return await show_stage(server, request, session)
    if server.study.participants.from_ == "link" and not _names_condition(server, link):
        return said(server.study, "link_incomplete", 400)
    if await _is_full(server, link):
        return said(server.study, "full")
    return _form_page(server, server.study.consent, link)


@router.get("/preview/{signature}")
async def preview(signature: str, server: Server) -> Response:
    """Show the study to a new test participant. The data are marked as test data."""
    if not is_signed(server.key, PREVIEW, signature):
        return said(server.study, "link_incomplete", 404)
    return RedirectResponse(f"/?{urlencode(preview_link(server.study, server.key))}", 303)


@router.get("/return/{token}")
async def personal_link(token: str, request: Request, server: Server) -> Response:
    """Show the experimenter a participant's personal link. It gets them back in."""
    person = await server.store.run(lambda store: store.participant(token))
    session = await server.session(person)
    if session is None or session.person.study != server.study.name:
        return said(server.study, "link_incomplete", 404)
    return await show_stage(server, request, session)


@router.post("/consent")
async def consent(form: Form, request: Request, server: Server) -> Response:
    """Return the answer to the consent page."""
    consent, assent = server.study.consent, server.study.assent
    if form.get("answer") != "agree":
        return await _refuse(server, request, form, consent)
    if assent is not None:
        return _form_page(server, assent, _identifying_link(server, form), consented=consent.version)
    return await _agreed(server, request, form)


@router.post("/assent")
async def assent(form: Form, request: Request, server: Server) -> Response:
    """Return the answer of a child, after consent was given."""
    assent = server.study.assent
    if assent is None or form.get("consented") != server.study.consent.version:
        return RedirectResponse("/", 303)
    if form.get("answer") != "agree":
        return await _refuse(server, request, form, assent)
    return await _agreed(server, request, form)


async def _refuse(
    server: StudyServer, request: Request, form: Mapping[str, str], refused: Consent
) -> Response:
    if form.get("answer") != "refuse":
        raise HTTPException(400, "Expected agreement or refusal.")
    request.app.state.sign_ups.check(request)
    link = _identifying_link(server, form)
    if not is_preview(server.key, link.get(_id_name(server), ""), link):
        await server.store.run(lambda store: flow.refuse(server.plan, store, refused))
    study, first_page = server.study, f"/?{urlencode(link)}" if link else "/"
    target = return_link(study, None, link.get(study.participants.id, ""), link)
    # The same link identifies people who change their mind.
    return said(study, "refused", button=study.words.changed_mind, first_page=first_page, target=target)


async def _agreed(server: StudyServer, request: Request, form: Mapping[str, str]) -> Response:
    """Return the next page for someone who has agreed to everything."""
    people = server.study.participants
    if people.from_ == "link":
        request.app.state.sign_ups.check(request)
        link = _identifying_link(server, form)
        return await _enrol(server, request, link.get(people.id, ""), link)
    if await server.session(await server.identify(request)) is not None:
        return RedirectResponse("/", 303)
    return _code_page(server, form)


@router.post("/id")
async def enter_code(form: Form, request: Request, server: Server) -> Response:
    """Return the code that a participant enters."""
    if form.get("agreed") != _agreed_to(server.study) or server.study.participants.from_ == "link":
        return RedirectResponse("/", 303)
    request.app.state.sign_ups.check(request)
    if problem := _code_problem(server, form):
        return _code_page(server, form, problem)
    return await _enrol(server, request, form.get("code", ""), link_parameters(form, (TEST,)))


@router.post("/another")
async def start_next_person(_: Form) -> Response:
    """Someone else sits down at the same computer."""
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


async def _is_full(server: StudyServer, link: Mapping[str, str]) -> bool:
    """Return whether somebody without a session cannot take part. Who has a listed code may be back."""
    code = link.get(_id_name(server), "")
    if server.study.participants.from_ == "codes" or is_preview(server.key, code, link):
        return False
    return await server.store.run(lambda store: flow.is_full(server.plan, store))


def _code_page(server: StudyServer, form: Mapping[str, str], problem: str = "") -> Response:
    hidden = {"agreed": _agreed_to(server.study), **link_parameters(form, (TEST,))}
    code, status = form.get("code", ""), 422 if problem else 200
    return page("id", server.study, status, code=code, problem=problem, hidden=hidden)


def _id_name(server: StudyServer) -> str:
    """Return the parameter of the first page's address that names a participant."""
    people = server.study.participants
    return people.id if people.from_ == "link" else "code"


def _form_page(server: StudyServer, form: Consent, link: Mapping[str, str], **hidden: str) -> Response:
    address = "/assent" if isinstance(form, Assent) else "/consent"
    return page("consent", server.study, form=form, address=address, hidden={**link, **hidden})


def _agreed_to(study: Study) -> str:
    """Return the versions of forms agreed to before entering a code."""
    return " ".join(form.version for form in (study.consent, study.assent) if form is not None)


def _identifying_link(server: StudyServer, given: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a link that the study knows. Empty if the link does not identify anyone."""
    people = server.study.participants
    if people.from_ != "link":
        return link_parameters(given, ("code", TEST))
    link = link_parameters(given, (SIGNATURE, TEST, *people.parameters))
    return link if server.admits(link) else {}


async def _arrived(server: StudyServer, request: Request, link: Mapping[str, str]) -> Participant | None:
    """Return the participant named by the link or else by the cookie.

    A code alone, which others may know or guess, does not identify anyone; a code or id other than that of
    the cookie's participant means that someone else uses the computer now.
    """
    people = server.study.participants
    name = _id_name(server)
    if people.from_ == "link" and link:
        return await server.store.run(lambda store: store.participant_of(server.study.name, link[people.id]))
    person = await server.identify(request)
    given = link_parameters(request.query_params, (name,))
    return person if person is not None and given.get(name, person.code) == person.code else None


def _names_condition(server: StudyServer, link: Mapping[str, str]) -> bool:
    """Return whether a link has everything that it must have. Those of previews need no condition."""
    people = server.study.participants
    if people.from_ != "link" or people.condition is None or not link:
        return people.from_ != "link" or bool(link)
    given = link.get(people.condition)
    return given in server.study.conditions or is_preview(server.key, link[people.id], link)


async def _enrol(server: StudyServer, request: Request, code: str, link: Mapping[str, str]) -> Response:
    if not is_id(code) or not _names_condition(server, link):
        return said(server.study, "link_incomplete", 400)
    stored = {name: value for name, value in link.items() if name not in (SIGNATURE, TEST)}
    present, test = await server.identify(request), is_preview(server.key, code, link)
    way_in = server.study.participants.from_

    def enrol(store: Store) -> Participant | Response:
        # Calls of the store come one after another: of several who enter the same code, one is the first.
        owner = store.participant_of(server.study.name, code)
        elsewhere = owner is not None and (present is None or present.id != owner.id)
        # With free codes another browser never continues as somebody, otherwise not while they take part.
        if owner is not None and elsewhere and (way_in == "free" or server.is_present(owner)):
            if way_in == "link":
                return said(server.study, "code_taken", 409)
            return _code_page(server, {"code": code, **link}, server.study.words.code_taken)
        if owner is None and not test and flow.is_full(server.plan, store):
            return said(server.study, "full")
        person = flow.enrol(server.plan, store, code, stored, test=test)
        server.seen(person)
        return person

    person = await server.store.run(enrol)
    if isinstance(person, Response):
        return person
    return as_participant(RedirectResponse("/", 303), person, request)


def _code_problem(server: StudyServer, form: Mapping[str, str]) -> str:
    people, texts, code = server.study.participants, server.study.words, form.get("code", "")
    if not is_id(code):
        return texts.code_form
    if TEST in form:
        return "" if is_preview(server.key, code, form) else texts.code_unknown
    return texts.code_unknown if people.from_ == "codes" and code not in people.codes else ""
