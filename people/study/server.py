"""Shared dependencies of a study's pages, as in FastAPI. They include the continuation of a study."""

import asyncio
import hashlib
import json
import math
import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, get_args

from fastapi import Depends
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from people.play.app import cookie_owner
from people.play.players import Players
from people.play.security import read_form
from people.play.suite_games import Games
from people.store import Participant, Store
from people.store.database import InvalidRequest
from people.store.participation import WITHDRAWN, Ending, EndPage
from people.store.quality import poor_trials
from people.store.store import StoreThread
from people.store.tables import CONFIG, STUDY_CODE
from people.study.config import SIGNATURE, Study
from people.study.flow import StudyTaskSource, come_back, current_stage, free_places
from people.study.links import is_id, is_preview, is_signed, signed_text
from people.study.plan import Plan, QuestionStage, Stage, TaskStage
from people.study.progress import Mark, Progress, all_marks, all_progress
from people.texts import START_AGAIN

ONLINE_S = 60.0
"""Participants who did something so recently count as online."""


@dataclass(frozen=True, slots=True)
class Row:
    """A participant's row in the experimenter's table.

    A description of their stage, condition, test tasks done, of all, and passed, the time of their last
    action, whether the study is over for them, and number of trials with a poor picture.
    """

    participant: Participant
    stage: str
    condition: str
    done: int
    count: int
    passed: int
    last_at: float
    ended: bool
    poor: int = 0

    @property
    def idle_s(self) -> float:
        """Seconds since their last action."""
        return max(0.0, time.time() - self.last_at)

    @property
    def online(self) -> bool:
        """True if the participant is online now."""
        return not self.ended and self.idle_s < ONLINE_S

    @property
    def idle(self) -> str:
        """The time since their last action, with a unit."""
        for unit, seconds in (("d", 86400), ("h", 3600), ("min", 60)):
            if self.idle_s >= 2 * seconds:
                return f"{self.idle_s / seconds:.0f} {unit}"
        return f"{self.idle_s:.0f} s"


class Overview:
    """Table of a study, updated only for participants with news."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rows: dict[int, Row] = {}
        self._marks: dict[int, Mark] = {}

    def rows(self, store: Store) -> list[Row]:
        """Return all participants: those in progress first, then by their last action."""
        study, marks = self._plan.study.name, all_marks(store, self._plan.study.name)
        changed = [person for person, mark in marks.items() if self._marks.get(person) != mark]
        poor = poor_trials(store, changed)
        for progress in all_progress(store, study, test=True, only=changed):
            person = progress.participant.id
            self._rows[person] = _row(self._plan, progress, poor.get(person, 0))
        self._marks, self._rows = marks, {id: row for id, row in self._rows.items() if id in marks}
        return sorted(self._rows.values(), key=lambda row: (row.ended, -row.last_at))


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """Return the number of people: all, online, and by their ending. Without those who only try it out."""
    rows = [row for row in rows if not row.participant.test and row.participant.agent is None]
    return {
        "agreed": len(rows),
        "online": sum(row.online for row in rows),
        **{name: sum(row.stage == name for row in rows) for name in get_args(EndPage)},
    }


def _row(plan: Plan, progress: Progress, poor: int) -> Row:
    # Agents have no stages with people's pages.
    plays = progress.order and (progress.participant.agent is None or progress.ending)
    stage = current_stage(plan, progress) if plays else None
    test = [trial for trial in progress.trials if trial.position >= 0]
    return Row(
        participant=progress.participant,
        stage=description(stage) if stage is not None else "in progress" if progress.order else "consent",
        done=sum(trial.finished_at is not None for trial in test),
        condition=progress.condition or "",
        count=len(plan.of(progress.condition).test),
        passed=sum(bool(trial.passed) for trial in test),
        last_at=progress.last_at,
        ended=isinstance(stage, Ending),
        poor=poor,
    )


def description(stage: Stage) -> str:
    """Return a stage as shown to the experimenter."""
    match stage:
        case TaskStage():
            return f"{stage.phase}, task {stage.number} of {stage.count}: {stage.task.id}"
        case QuestionStage():
            return f"questionnaire {stage.page}"
        case Ending():
            return stage.page
        case _:
            return stage.name.replace("-", " ")


CHANGEABLE = re.compile(
    r"(conditions\.[^.]+\.)?((completion|words|play_words)(\..*)?|language|(con|as)sent\.version"
    r"|participants\.(unsigned|quota|timeout)|(.*\.)?(title|text|contact|ask|help|low|high|unit|agree|refuse))"
)
"""Parts of the file that may change during a study. `participants.codes` may grow."""

CODES = "participants.codes"


class Started(NamedTuple):
    """Participants in progress, file version from 1, and its changes."""

    in_progress: int
    version: int
    changed: tuple[str, ...] = ()


def start_or_resume(store: Store, plan: Plan) -> Started:
    """Store the study's file if it is new or has changed. Raises InvalidRequest if the experiment has changed
    since participants in progress started it."""
    study = store.add_participant(STUDY_CODE, plan.study.name)
    stored = [note.data for note in store.study_notes(plan.study.name) if note.kind == CONFIG]
    free_places(plan, store)
    people = all_progress(store, plan.study.name, test=True)
    now = plan.described()
    was = _completed(stored[-1]["study"]) if stored else {}
    changed = tuple(_changes(was, now)) if stored else ()
    refused = [path for path in changed if not _may_change(path, was, now)]
    going = [each for each in people if each.ending is None]
    real = [each for each in going if not each.participant.test]
    if refused and real:
        everyone = sum(not each.participant.test for each in people)
        raise InvalidRequest(
            f"{plan.source}: {len(real)} of {everyone} participants in "
            f"{store.database.name} are in the middle of the study {plan.study.name}, which has "
            f"changed since: {', '.join(refused)}. Undo the change, or use another name or another --db"
        )
    for each in going if refused else []:
        store.note(each.participant.id, WITHDRAWN, {"stage": "the study was changed"})
    version = len(stored)
    if changed or not stored:
        version += 1
        sha256 = hashlib.sha256(json.dumps(now, sort_keys=True).encode()).hexdigest()
        file = {"version": version, "changed": changed, "sha256": sha256, "study": now}
        store.note(study.id, CONFIG, file)
    return Started(len(real), version, changed)


def _completed(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored file completed by defaults of newer keys."""
    keys = {field.alias or name for name, field in Study.model_fields.items()}
    try:
        study = Study.model_validate({key: value for key, value in stored.items() if key in keys})
    except ValidationError:
        return dict(stored)
    return {**stored, **study.model_dump(mode="json", by_alias=True)}


def _changes(was: Any, now: Any, path: str = "") -> Iterator[str]:
    """The places that differ, as keys and numbers with points in between."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted({*was, *now}):
            yield from _changes(was.get(key), now.get(key), f"{path}.{key}" if path else key)
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now) and path != CODES:
        for number, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from _changes(one, other, f"{path}.{number}")
    elif was != now:
        yield path


def _may_change(path: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    if path == CODES:
        codes = [set(each["participants"]["codes"]) for each in (was, now)]
        return now["participants"]["from"] == "codes" and codes[0] <= codes[1]
    return CHANGEABLE.fullmatch(path) is not None


PRESENT_S = 60.0
"""A browser sends requests of hidden pages once a minute only."""


class Session(NamedTuple):
    """A participant, their progress, and the study in their condition."""

    person: Participant
    progress: Progress
    plan: Plan


@dataclass
class StudyServer:
    """A study in progress. `token` gives access to the experimenter's pages, `key` signs links. `reading` is
    for the experimenter's tables and exports, which participants need not wait for."""

    plan: Plan
    players: Players
    store: StoreThread
    reading: StoreThread
    token: str
    key: bytes
    overview: Overview
    games: Games
    _windows: dict[int, str] = field(default_factory=dict)
    _seen_at: dict[int, float] = field(default_factory=dict)

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
        """Read the study's file again, and continue with it. Raises ConfigError if it is wrong,
        InvalidRequest if something else has changed than may change."""
        plan = await asyncio.to_thread(self.plan.read_again)
        started = await self.store.run(lambda store: start_or_resume(store, plan))
        self.plan, self.overview = plan, Overview(plan)
        self.players.recorder.task_source = self.games.source = StudyTaskSource(plan)
        await self.store.run(lambda _: self.games.close())
        return started

    def admits(self, link: Mapping[str, str]) -> bool:
        """Return whether a link names a participant, and is signed if necessary."""
        people = self.study.participants
        code, given = link.get(people.id, ""), link.get(SIGNATURE)
        if given is None:
            return is_id(code) and people.unsigned
        signed = is_signed(self.key, signed_text(self.study, link), given)
        return is_id(code) and (signed or is_preview(self.key, code, link))

    def open_window(self, person: Participant) -> str:
        """Return the name of a participant's new window. Older ones may no longer send forms."""
        self._windows[person.id] = name = secrets.token_urlsafe(9)
        return name

    def is_newest(self, person: Participant, window: str) -> bool:
        """Return whether a window is the newest. After a restart of the server any window is."""
        return self._windows.get(person.id, window) == window

    def seen(self, person: Participant) -> None:
        """A request of a participant has come. An open page of the study sends one every 3 s."""
        self._seen_at[person.id] = time.monotonic()

    def is_present(self, person: Participant) -> bool:
        """Return whether a participant plays, or was heard within the last minute."""
        ago_s = time.monotonic() - self._seen_at.get(person.id, -math.inf)
        return ago_s < PRESENT_S or self.players.is_connected(person.id)

    async def identify(self, connection: HTTPConnection) -> Participant | None:
        """Return the participant of this study whose cookie a request has."""
        found = await cookie_owner(self.store, connection)
        if found is None or found.study != self.study.name:
            return None
        self.seen(found)
        return found

    async def enrolled(self, connection: HTTPConnection) -> Participant | None:
        """Return the participant who sent a request, if they have been enrolled."""
        session = await self.session(await self.identify(connection))
        return session.person if session is not None else None

    async def session(self, person: Participant | None) -> Session | None:
        """Return the participant with their progress; None before enrolment."""
        if person is None:
            return None
        progress = await self.store.run(lambda store: come_back(self.plan, store, person))
        return Session(person, progress, self.plan.of(progress.condition)) if progress.order else None


async def _server(request: Request) -> StudyServer:
    # Not async, it would be called in another thread.
    return request.app.state.study


Server = Annotated[StudyServer, Depends(_server)]
Form = Annotated[dict[str, str], Depends(read_form)]


async def _session(request: Request, server: Server) -> Session:
    session = await server.session(await server.identify(request))
    if session is None:
        raise HTTPException(403, START_AGAIN)
    return session


CurrentSession = Annotated[Session, Depends(_session)]
"""The session of the participant who sent a request. Others get the status 403."""
