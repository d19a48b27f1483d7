"""The pages before a participant is let in: links, consent, assent, codes."""

import hmac
from collections.abc import Mapping
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from people.play.app import as_participant
from people.play.security import COOKIE
from people.store import Participant, Store
from people.study import flow
from people.study.config import SIGNATURE, TEST, Assent, Consent, Study
from people.study.forms import link_parameters
from people.study.links import is_id, is_preview, preview_link, preview_signature, return_link
from people.study.participant_pages import show_stage
from people.study.server import Form, Server, StudyServer
from people.study.templates import message, page

router = APIRouter(include_in_schema=False)


@router.get("/")
async def entrance(request: Request, server: Server) -> Response:
    """The address of the study, which shows the participant's present stage."""
    link = _identifying_link(server, request.query_params)
    session = await server.session(await _arrived(server, request, link))
    if session is not None:
        return await show_stage(server, request, session)
    if server.study.participants.from_ == "link" and not _names_condition(server, link):
        return _incomplete_link(server, 400)
    if await _is_full(server, link):
        return _full(server)
    return _form_page(server, server.study.consent, link)


@router.get("/preview/{signature}")
async def preview(signature: str, server: Server) -> Response:
    """The study as somebody new sees it, whose data are marked as test data."""
    if not hmac.compare_digest(signature.encode("utf-8", "replace"), preview_signature(server.key).encode()):
        return _incomplete_link(server, 404)
    return RedirectResponse(f"/?{urlencode(preview_link(server.study, server.key))}", 303)


@router.get("/return/{token}")
async def personal_link(token: str, request: Request, server: Server) -> Response:
    """The link that the experimenter gives to a participant who cannot get back in otherwise."""
    person = await server.store.run(lambda store: store.participant(token))
    session = await server.session(person)
    if session is None or session.person.study != server.study.name:
        return _incomplete_link(server, 404)
    return await show_stage(server, request, session)


@router.post("/consent")
async def consent(form: Form, request: Request, server: Server) -> Response:
    """The answer to the consent page."""
    consent, assent = server.study.consent, server.study.assent
    if form.get("answer") != "agree":
        return await _refuse(server, request, form, consent)
    if assent is not None:
        return _form_page(server, assent, _identifying_link(server, form), consented=consent.version)
    return await _agreed(server, request, form)


@router.post("/assent")
async def assent(form: Form, request: Request, server: Server) -> Response:
    """The answer of a child, after consent was given."""
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
    return _refused(server, link)


async def _agreed(server: StudyServer, request: Request, form: Mapping[str, str]) -> Response:
    """The next page for someone who has agreed to everything."""
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
    """The code that a participant enters."""
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


def _refused(server: StudyServer, link: Mapping[str, str]) -> Response:
    """The page of someone who does not agree; who changes their mind is identified by the same link."""
    study, texts = server.study, server.study.words
    target = return_link(study, "refused", link.get(study.participants.id, ""), link)
    first_page = f"/?{urlencode(link)}" if link else "/"
    return message(
        study, texts.refused_title, texts.refused,
        button=texts.changed_mind, first_page=first_page, target=target,
    )  # fmt: skip


async def _is_full(server: StudyServer, link: Mapping[str, str]) -> bool:
    """Whether somebody without a session cannot take part; who has a listed code may be back."""
    code = link.get(_id_name(server), "")
    if server.study.participants.from_ == "codes" or is_preview(server.key, code, link):
        return False
    return await server.store.run(lambda store: flow.is_full(server.plan, store))


def _full(server: StudyServer) -> Response:
    return message(server.study, server.study.words.full_title, server.study.words.full)


def _incomplete_link(server: StudyServer, status: int) -> Response:
    return message(server.study, server.study.title, server.study.words.link_incomplete, status)


def _code_page(server: StudyServer, form: Mapping[str, str], problem: str = "") -> Response:
    hidden = {"agreed": _agreed_to(server.study), **link_parameters(form, (TEST,))}
    code, status = form.get("code", ""), 422 if problem else 200
    return page("id", server.study, status, code=code, problem=problem, hidden=hidden)


def _id_name(server: StudyServer) -> str:
    """The parameter of the first page's address that names a participant."""
    people = server.study.participants
    return people.id if people.from_ == "link" else "code"


def _form_page(server: StudyServer, form: Consent, link: Mapping[str, str], **hidden: str) -> Response:
    address = "/assent" if isinstance(form, Assent) else "/consent"
    return page("consent", server.study, form=form, address=address, hidden={**link, **hidden})


def _agreed_to(study: Study) -> str:
    """The versions of the forms that participants agree to before they enter a code."""
    return " ".join(form.version for form in (study.consent, study.assent) if form is not None)


def _identifying_link(server: StudyServer, given: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a link that the study knows; empty if the link does not identify anyone."""
    people = server.study.participants
    if people.from_ != "link":
        return link_parameters(given, ("code", TEST))
    link = link_parameters(given, (SIGNATURE, TEST, *people.parameters))
    return link if server.admits(link) else {}


async def _arrived(server: StudyServer, request: Request, link: Mapping[str, str]) -> Participant | None:
    """The participant named by the link or else by the cookie.

    A code alone, which others may know or guess, does not identify anyone; a code or id other than that of
    the cookie's participant means that someone else uses the computer now.
    """
    people = server.study.participants
    name = _id_name(server)
    if people.from_ == "link" and link:
        return await server.store.run(
            lambda store: flow.find_participant(server.plan, store, link[people.id])
        )
    person = await server.identify(request)
    given = link_parameters(request.query_params, (name,))
    return person if person is not None and given.get(name, person.code) == person.code else None


def _names_condition(server: StudyServer, link: Mapping[str, str]) -> bool:
    """Whether a link has everything that it must have; those of previews need no condition."""
    people = server.study.participants
    if people.from_ != "link" or people.condition is None or not link:
        return people.from_ != "link" or bool(link)
    given = link.get(people.condition)
    return given in server.study.conditions or is_preview(server.key, link[people.id], link)


async def _enrol(server: StudyServer, request: Request, code: str, link: Mapping[str, str]) -> Response:
    if not is_id(code) or not _names_condition(server, link):
        return _incomplete_link(server, 400)
    stored = {name: value for name, value in link.items() if name not in (SIGNATURE, TEST)}
    present, test = await server.identify(request), is_preview(server.key, code, link)

    def enrol(store: Store) -> Participant | Response:
        # Calls of the store come one after another: of several who enter the same code, one is the first.
        owner = flow.find_participant(server.plan, store, code)
        if owner is not None and (present is None or present.id != owner.id) and server.is_taken(owner):
            return _code_taken(server, {"code": code, **link})
        if owner is None and not test and flow.is_full(server.plan, store):
            return _full(server)
        person = flow.enrol(server.plan, store, code, stored, test=test)
        server.presence.note(person.id)
        return person

    person = await server.store.run(enrol)
    if isinstance(person, Response):
        return person
    return as_participant(RedirectResponse("/", 303), person, request)


def _code_taken(server: StudyServer, given: Mapping[str, str]) -> Response:
    study, texts = server.study, server.study.words
    if study.participants.from_ == "link":
        return message(study, study.title, texts.code_taken, 409)
    return _code_page(server, given, texts.code_taken)


def _code_problem(server: StudyServer, form: Mapping[str, str]) -> str:
    people, texts, code = server.study.participants, server.study.words, form.get("code", "")
    if not is_id(code):
        return texts.code_form
    if TEST in form:
        return "" if is_preview(server.key, code, form) else texts.code_unknown
    return texts.code_unknown if people.from_ == "codes" and code not in people.codes else ""
