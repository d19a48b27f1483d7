"""The store as the server uses it: never waiting for it in the loop that steps the episodes."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from arena import Recording
from arena.recording import spec_sha256
from human_data.people.play.course import Assignment, Course
from human_data.people.store import ActionRow, DatabaseAway, Participant, Store, Trial, Writer, WriterState

AGAIN_S = 0.5
"""How long to wait before a database that is away is asked again."""

SCRIPT_NOTE = "script"
"""Kind of the notes that hold a script's text and its trial."""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Begun:
    """A trial to be played, or gone on with from what was done so far."""

    trial: Trial
    assignment: Assignment
    actions: tuple[int, ...] = ()
    scripts: tuple[str, ...] = ()


class Records:
    """Participants' trials, actions and notes; every call waits until the database has answered."""

    def __init__(self, store: Store, course: Course) -> None:
        self._store, self.course = store, course
        self._writer = Writer(store)
        self._thread = ThreadPoolExecutor(1, "records")

    async def participant(self, token: str) -> Participant | None:
        """Who has this token."""
        return await self._do(lambda: self._store.participant(token))

    async def add_participant(self, code: str, study: str) -> Participant:
        """A new participant."""
        return await self._do(lambda: self._store.add_participant(code, study))

    async def begin(self, participant: Participant, fresh: bool = False) -> Begun | None:
        """The trial that this participant is in, or a new one; None where there is nothing more to play.

        `fresh`: a new one in any case. All that was put before is committed first: an episode that is built
        again has every action.
        """
        await self._flush()
        return await self._do(lambda: self._begin(participant, fresh))

    def put(self, rows: Iterable[ActionRow]) -> None:
        """Actions that were taken: committed within 100 ms, and this does not wait for it."""
        for row in rows:
            self._writer.put(row)

    async def finish(self, participant: Participant, trial: Trial, recording: Recording) -> None:
        """Keep how a trial ended, after all its actions; returns when all of it is committed."""
        self._writer.finish_trial(trial.id, recording)
        await self._flush()
        await self._do(lambda: self.course.finished(self._store, participant, trial, recording))

    def note(self, participant: Participant, kind: str, data: Mapping[str, Any]) -> None:
        """Keep that something happened now."""
        self._writer.note(participant.id, kind, data)

    @property
    def writer_state(self) -> WriterState:
        """How writing actions and notes goes."""
        return self._writer.state

    def close(self) -> None:
        """Commit what waits. Raises StoreError where the database stays away."""
        self._thread.shutdown()
        self._writer.close()

    async def _flush(self) -> None:
        while not await self._do(self._writer.flush):
            pass

    async def _do(self, call: Callable[[], _Result]) -> _Result:
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, call)
            except DatabaseAway:
                await asyncio.sleep(AGAIN_S)

    def _begin(self, participant: Participant, fresh: bool) -> Begun | None:
        store = self._store
        trial = None if fresh else store.open_trial(participant.id)
        assignment = trial and self.course.resumed(store, participant, trial)
        if trial and assignment:
            actions = _without_gap(store.actions(trial.id))
            scripts = tuple(
                str(note.data["text"])
                for note in store.notes(participant.id)
                if note.kind == SCRIPT_NOTE and note.data["trial"] == trial.id
            )
            return Begun(trial, assignment, () if assignment.mode == "scripts" else actions, scripts)
        assignment = self.course.next_task(store, participant)
        return None if assignment is None else Begun(_new_trial(store, participant, assignment), assignment)


def _without_gap(rows: list[ActionRow]) -> tuple[int, ...]:
    """The actions from the first step on for as long as none is missing."""
    return tuple(row.action for place, row in enumerate(rows) if row.step == place)


def _new_trial(store: Store, participant: Participant, assignment: Assignment) -> Trial:
    spec = assignment.task.spec
    return store.begin_trial(
        participant.id,
        assignment.position,
        assignment.task.id,
        spec_sha256(spec),
        assignment.seed,
        spec.version,
        assignment.mode,
        spec.pass_mark,
    )
