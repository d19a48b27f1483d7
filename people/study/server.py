"""What the pages of a study share, and how they get it: dependencies in the sense of FastAPI."""

import asyncio
import math
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from people.play.app import cookie_owner
from people.play.page_texts import START_AGAIN
from people.play.players import Players
from people.store import Participant
from people.store.store import StoreThread
from people.study.config import SIGNATURE, Study
from people.study.flow import come_back
from people.study.forms import read_form
from people.study.links import is_id, is_preview, is_signed, signed_text
from people.study.overview import Overview
from people.study.plan import Plan
from people.study.progress import Progress
from people.study.resume import Started, start_or_resume
from people.study.task_source import StudySuiteSource, StudyTaskSource
from people.suites.games import Games

PRESENT_S = 60.0
"""A browser sends requests of hidden pages once a minute only."""


class Tabs:
    """The newest window of each participant; only that one may send forms."""

    def __init__(self) -> None:
        self._newest: dict[int, str] = {}

    def open(self, participant_id: int) -> str:
        """The name of a new window, which is the newest from now on."""
        self._newest[participant_id] = name = secrets.token_urlsafe(9)
        return name

    def is_newest(self, participant_id: int, name: str) -> bool:
        """Whether a window is the newest; after a restart of the server any window is."""
        return self._newest.get(participant_id, name) == name


class Presence:
    """Who has sent a request within the last minute, which an open page of the study does every 3 s."""

    def __init__(self) -> None:
        self._last_at: dict[int, float] = {}

    def note(self, participant_id: int) -> None:
        """A request of a participant has come."""
        self._last_at[participant_id] = time.monotonic()

    def __contains__(self, participant_id: int) -> bool:
        return time.monotonic() - self._last_at.get(participant_id, -math.inf) < PRESENT_S


class Session(NamedTuple):
    """A participant, their progress, and the study in their condition."""

    person: Participant
    progress: Progress
    plan: Plan


@dataclass
class StudyServer:
    """A study in progress; `token` gives access to the experimenter's pages, `key` signs links.

    `reading` is for the experimenter's tables and exports, which participants need not wait for.
    """

    plan: Plan
    players: Players
    store: StoreThread
    reading: StoreThread
    token: str
    key: bytes
    overview: Overview
    games: Games
    tabs: Tabs = field(default_factory=Tabs)
    presence: Presence = field(default_factory=Presence)

    def close(self) -> None:
        """End the threads of the store."""
        self.store.close()
        self.reading.close()
        self.games.close()

    @property
    def study(self) -> Study:
        """The study's file."""
        return self.plan.study

    async def read_again(self) -> Started:
        """Read the study's file again, and continue with it.

        Raises ConfigError if it is wrong, InvalidRequest if something else has changed than may change.
        """
        plan = await asyncio.to_thread(self.plan.read_again)
        started = await self.store.run(lambda store: start_or_resume(store, plan))
        self.plan, self.overview = plan, Overview(plan)
        self.players.recorder.task_source = StudyTaskSource(plan)
        self.games.source = StudySuiteSource(plan)
        await self.store.run(lambda _: self.games.close())
        return started

    def admits(self, link: Mapping[str, str]) -> bool:
        """Whether a link names a participant, and is signed unless others are accepted."""
        people = self.study.participants
        code, given = link.get(people.id, ""), link.get(SIGNATURE)
        if given is None:
            return is_id(code) and people.unsigned
        signed = is_signed(self.key, signed_text(self.study, link), given)
        return is_id(code) and (signed or is_preview(self.key, code, link))

    def is_taken(self, owner: Participant) -> bool:
        """Whether another browser may not continue as a participant: always with free codes, otherwise while
        somebody takes part as them.
        """
        if self.study.participants.from_ == "free":
            return True
        return owner.id in self.presence or self.players.is_connected(owner.id)

    async def identify(self, connection: HTTPConnection) -> Participant | None:
        """The participant of this study whose cookie a request has."""
        found = await cookie_owner(self.store, connection)
        if found is None or found.study != self.study.name:
            return None
        self.presence.note(found.id)
        return found

    async def enrolled(self, connection: HTTPConnection) -> Participant | None:
        """The participant who sent a request, if they have been enrolled."""
        session = await self.session(await self.identify(connection))
        return session.person if session is not None else None

    async def session(self, person: Participant | None) -> Session | None:
        """The participant with their progress, None if they have not been enrolled."""
        if person is None:
            return None
        progress = await self.store.run(lambda store: come_back(self.plan, store, person))
        return Session(person, progress, self.plan.of(progress.condition)) if progress.order else None


async def _server(request: Request) -> StudyServer:
    # Not async, it would be called in another thread.
    server: StudyServer = request.app.state.study
    return server


Server = Annotated[StudyServer, Depends(_server)]
Form = Annotated[dict[str, str], Depends(read_form)]


async def _session(request: Request, server: Server) -> Session:
    session = await server.session(await server.identify(request))
    if session is None:
        raise HTTPException(403, START_AGAIN)
    return session


CurrentSession = Annotated[Session, Depends(_session)]
"""The session of the participant who sent a request; others get the status 403."""
