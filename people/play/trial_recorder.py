"""Starting, recording and finishing trials without ever blocking the loop that steps the episodes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from people.play.task_source import Assignment, TaskSource
from people.play_end import PlayEnd
from people.store import ActionRow, Participant, Store, StretchRow, Trial, Writer, WriterState
from people.store.store import StoreThread

SCRIPT_NOTE = "script"
"""Kind of the notes that contain the text of a script and its trial."""


class OpenTrial(NamedTuple):
    """A trial to be played, or resumed after the actions and scripts so far."""

    trial: Trial
    assignment: Assignment
    actions: tuple[int, ...] = ()
    scripts: tuple[str, ...] = ()


class TrialRecorder:
    """Stores trials, actions and notes. Calls that are awaited wait until the database responds."""

    def __init__(self, store: Store, task_source: TaskSource) -> None:
        self.store, self.task_source = StoreThread(store), task_source
        self._writer = Writer(store)

    async def begin(self, participant: Participant, fresh: bool = False) -> OpenTrial | None:
        """The participant's unfinished trial or, always if `fresh`, a new one; None if there are no more.

        Everything recorded before is committed first, so that an episode is rebuilt from all its actions.
        """
        await self.flush()
        return await self.store.run(lambda store: self._begin(store, participant, fresh))

    def put(self, rows: Sequence[ActionRow]) -> None:
        """Record actions; they are committed within 100 ms."""
        for row in rows:
            self._writer.put(row)

    def put_stretch(self, row: StretchRow) -> None:
        """Record what a page displayed."""
        self._writer.put_stretch(row)

    async def finish(self, participant: Participant, trial: Trial, end: PlayEnd) -> None:
        """Record the end of a trial; returns when it and all its actions are committed."""
        self._writer.finish_trial(trial.id, end)
        await self.flush()
        recording = end.recording
        await self.store.run(lambda store: self.task_source.finished(store, participant, trial, recording))

    def note(self, participant: Participant, kind: str, data: Mapping[str, Any]) -> None:
        """Record an event of now."""
        self._writer.note(participant.id, kind, data)

    @property
    def writer_state(self) -> WriterState:
        """The state of writing actions and notes."""
        return self._writer.state

    def close(self) -> None:
        """Commit what is waiting. Raises StoreError if the database stays unavailable."""
        self.store.close()
        self._writer.close()

    async def flush(self) -> None:
        """Wait until everything that was recorded before this call is committed."""
        while not await self.store.run(lambda _: self._writer.flush()):
            pass

    def _begin(self, store: Store, participant: Participant, fresh: bool) -> OpenTrial | None:
        trial = None if fresh else store.open_trial(participant.id)
        assignment = trial and self.task_source.resumed(store, participant, trial)
        if trial and assignment:
            scripts = tuple(
                str(note.data["text"])
                for note in store.notes(participant.id)
                if note.kind == SCRIPT_NOTE and note.data["trial"] == trial.id
            )
            # Up to the first step that is missing.
            rows = enumerate(store.actions(trial.id))
            actions = tuple(row.action for place, row in rows if row.step == place)
            return OpenTrial(trial, assignment, actions, scripts)
        assignment = self.task_source.next_task(store, participant)
        if assignment is None:
            return None
        task, seed, mode = assignment.task, assignment.seed, assignment.mode
        position, block = assignment.position, assignment.block
        trial = store.begin_trial(participant.id, position, task, seed, mode, block)
        return OpenTrial(trial, assignment)
