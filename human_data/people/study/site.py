"""The pages that a participant sees, from consent to completion."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from human_data.people.play.app import give_cookie
from human_data.people.play.security import COOKIE
from human_data.people.store import Participant, Store
from human_data.people.store.text import NAME
from human_data.people.study import flow
from human_data.people.study.desk import Desk, Tabs
from human_data.people.study.facts import Facts, facts_of
from human_data.people.study.forms import FormRefused, link_parameters, read_form
from human_data.people.study.pages import filled, message, page
from human_data.people.study.plan import Plan
from human_data.people.study.stages import Asking, End, Playing, Reading, Stage

PLAY = "/play"


class Site:
    """Routes of a study's participants; the state machine is `flow`, and here is only what it looks like."""

    def __init__(self, plan: Plan, desk: Desk) -> None:
        self.plan, self.study, self._desk = plan, plan.study, desk
        self._tabs = Tabs()

    async def who(self, connection: HTTPConnection) -> Participant | None:
        """The participant of this study whose cookie a request has."""
        token = connection.cookies.get(COOKIE, "")
        found = await self._desk.do(lambda store: store.participant(token)) if token else None
        return found if found is not None and found.study == self.study.name else None

    async def entrance(self, request: Request) -> Response:
        """The one address of the study: it shows where the person is."""
        link = self._link(request.query_params)
        person = await self._arrived(request, link)
        if person is not None and (facts := await self._entered(person)) is not None:
            return await self._show(request, person, facts)
        if self.study.participants.from_ == "link" and not link:
            return message(self.study, self.study.title, self.study.words.link_incomplete, 400)
        return page("consent", self.study, link=link)

    async def come_back(self, request: Request) -> Response:
        """A personal link, as the experimenter gives it to somebody who has lost their way in."""
        token = str(request.path_params["token"])
        person = await self._desk.do(lambda store: store.participant(token))
        if (
            person is None
            or person.study != self.study.name
            or (facts := await self._entered(person)) is None
        ):
            return message(self.study, self.study.title, self.study.words.link_incomplete, 404)
        return await self._show(request, person, facts)

    async def consent(self, request: Request) -> Response:
        """The answer to the consent page."""
        form = await read_form(request)
        words = self.study.words
        if form.get("answer") == "refuse":
            await self._desk.do(lambda store: flow.refuse(self.plan, store))
            return message(self.study, words.refused_title, words.refused, button=words.changed_mind)
        if form.get("answer") != "agree":
            raise FormRefused(400, "Expected agreement or refusal.")
        if self.study.participants.from_ == "link":
            link = self._link(form)
            return await self._enter(request, link.get(self.study.participants.id, ""), link)
        if (person := await self.who(request)) is not None and await self._entered(person):
            return RedirectResponse("/", 303)
        return page(
            "id", self.study, code=form.get("code", ""), problem="", version=self.study.consent.version
        )

    async def identify(self, request: Request) -> Response:
        """The code that a person gives."""
        form = await read_form(request)
        if form.get("agreed") != self.study.consent.version or self.study.participants.from_ == "link":
            return RedirectResponse("/", 303)
        code = form.get("code", "")
        if problem := await self._code_problem(code, await self.who(request)):
            return page("id", self.study, 422, code=code, problem=problem, version=self.study.consent.version)
        return await self._enter(request, code, {})

    async def go(self, request: Request) -> Response:
        """A page was read, a break ended, or questions answered."""
        form = await read_form(request)
        person, facts = await self._present(request)
        stage = flow.where(self.plan, facts)
        if form.get("stage") != stage.name:
            return await self._show(request, person, facts, notice=self.study.words.moved)
        if not self._tabs.is_newest(person.id, form.get("tab", "")):
            words = self.study.words
            return message(self.study, words.elsewhere_title, words.elsewhere, 409, button=words.here)
        if isinstance(stage, Playing | End):
            return RedirectResponse("/", 303)
        if isinstance(stage, Asking):
            answers = {
                name.removeprefix("item-"): value for name, value in form.items() if name.startswith("item-")
            }
            if problems := stage.questionnaire.problems(answers, self.study.words):
                return await self._show(
                    request, person, facts, answers=answers, problems=problems, status=422
                )
            await self._desk.do(lambda store: self._answered(store, person, stage, answers))
        else:
            await self._desk.do(lambda store: self._read(store, person, stage))
        return RedirectResponse("/", 303)

    async def here(self, request: Request) -> Response:
        """Whether a window is still the newest of its person."""
        person = await self.who(request)
        tab = request.query_params.get("tab", "")
        return JSONResponse({"here": person is not None and self._tabs.is_newest(person.id, tab)})

    async def ask_to_withdraw(self, request: Request) -> Response:
        """Ask again before somebody stops."""
        await self._present(request)
        return page("withdraw", self.study)

    async def withdraw(self, request: Request) -> Response:
        """Somebody stops taking part."""
        await read_form(request)
        person, facts = await self._present(request)
        stage = flow.where(self.plan, facts)
        if not isinstance(stage, End):
            await self._desk.do(lambda store: flow.withdraw(store, person, stage))
        return RedirectResponse("/", 303)

    async def another(self, request: Request) -> Response:
        """Somebody else sits down at the same computer."""
        await read_form(request)
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    async def _show(
        self, request: Request, person: Participant, facts: Facts, *, status: int = 200, notice: str = "",
        answers: Mapping[str, str] = {}, problems: Mapping[str, str] = {},
    ) -> Response:  # fmt: skip
        """The page of the stage that a person is at, in a window that is the newest from now on."""
        stage, tab = flow.where(self.plan, facts), self._tabs.open(person.id)
        place: dict[str, Any] = {
            "tab": tab,
            "stage": stage,
            "notice": notice,
            "progress": self._progress(facts, stage),
        }
        response: Response
        match stage:
            case Playing():
                response = RedirectResponse(PLAY, 303)
            case Asking():
                response = page("questions", self.study, status, answers=answers, problems=problems, **place)
            case End("completed"):
                await self._desk.do(lambda store: flow.settle(self.plan, store, person))
                response = page("completion", self.study, target=self._target(person))
            case End():
                words = self.study.words
                response = message(self.study, words.withdrawn_title, words.withdrawn)
            case _:
                response = page("reading", self.study, **place)
        give_cookie(response, person, secure=request.url.scheme == "https")
        return response

    def _progress(self, facts: Facts, stage: Stage) -> tuple[int, int]:
        names = [each.name for each in self.plan.stages(facts.order)]
        return (names.index(stage.name) if stage.name in names else len(names) - 1), len(names) - 1

    def _target(self, person: Participant) -> str:
        completion = self.study.completion
        return filled(completion.link or "", {"participant": person.code, "code": completion.code})

    def _link(self, given: Mapping[str, str]) -> dict[str, str]:
        """What is to be kept of a link; empty where it does not say who comes."""
        people = self.study.participants
        if people.from_ != "link":
            return link_parameters(given, ("code",))
        link = link_parameters(given, (people.id, *people.keep))
        return link if _possible(link.get(people.id, "")) else {}

    async def _arrived(self, request: Request, link: Mapping[str, str]) -> Participant | None:
        """Who comes: whom the link names, else whom the cookie does.

        A code alone, which others may know or guess, lets nobody in; one of another person than the cookie's
        says that somebody else sits at the computer now.
        """
        people = self.study.participants
        if people.from_ == "link" and link:
            return await self._desk.do(lambda store: flow.known(self.plan, store, link[people.id]))
        person = await self.who(request)
        return person if person is not None and link.get("code", person.code) == person.code else None

    async def _entered(self, person: Participant) -> Facts | None:
        facts = await self._desk.do(lambda store: facts_of(store, person))
        return facts if facts.order else None

    async def _present(self, request: Request) -> tuple[Participant, Facts]:
        person = await self.who(request)
        facts = await self._entered(person) if person is not None else None
        if person is None or facts is None:
            raise FormRefused(403, "Nobody is known by this cookie. Open the first page of the study again.")
        return person, facts

    async def _enter(self, request: Request, code: str, link: Mapping[str, str]) -> Response:
        if not _possible(code):
            return message(self.study, self.study.title, self.study.words.link_incomplete, 400)
        person = await self._desk.do(lambda store: flow.enter(self.plan, store, code, link))
        response = RedirectResponse("/", 303)
        give_cookie(response, person, secure=request.url.scheme == "https")
        return response

    async def _code_problem(self, code: str, present: Participant | None) -> str:
        people, words = self.study.participants, self.study.words
        if not _possible(code):
            return words.code_form
        if people.from_ == "codes" and code not in people.codes:
            return words.code_unknown
        if people.from_ == "free" and (present is None or present.code != code):
            taken = await self._desk.do(lambda store: flow.known(self.plan, store, code))
            return words.code_taken if taken is not None else ""
        return ""

    def _answered(self, store: Store, person: Participant, stage: Asking, answers: Mapping[str, str]) -> None:
        flow.keep_answers(store, person, stage, answers)
        flow.settle(self.plan, store, person)

    def _read(self, store: Store, person: Participant, stage: Reading) -> None:
        flow.read_on(store, person, stage)
        flow.settle(self.plan, store, person)


def _possible(code: str) -> bool:
    return NAME.fullmatch(code) is not None and not code.startswith("_")
