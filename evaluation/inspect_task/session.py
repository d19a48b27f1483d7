"""One conversation's episodes, one after another: replies in, what is answered to them out.

No model and no provider here, so that any solver can play: ours, or an agent that calls the tools.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from anyio import to_thread
from inspect_ai.model import ChatMessage, ChatMessageUser, ContentText

from evaluation.current import PLAYED, Seat
from evaluation.engines.backend import Shown, Stage, is_far, staged
from llm_control.choices import Protocol
from llm_control.conversation import Parts, first_content, opening, turn_content
from llm_control.play import EpisodeRecord
from llm_control.prompts import PromptSet
from testbed import Task

Made = TypeVar("Made")


class Session:
    """Plays tasks in order; the next begins when the model's part in the one before has ended.

    `records` holds the finished episodes by task id, in the order in which they were played. `drawn_by` is
    what drew the pictures, None where there are none. `battery` are
    all tasks of the run, from which the shuffled control takes its pictures.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        trial: int,
        protocol: Protocol,
        prompts: PromptSet,
        battery: Sequence[Task],
    ) -> None:
        self.tasks = tuple(tasks)
        self.records: dict[str, EpisodeRecord] = {}
        self.protocol = protocol
        self.drawn_by: str | None = None
        self.trial, self._prompts, self._battery = trial, prompts, battery
        # Made here, because a demonstration's pictures are drawn by this thread.
        self._before = opening(protocol, prompts, len(self.tasks))
        self._stage: Stage | None = None
        self._seat: Seat | None = None
        self._far = is_far()

    @property
    def wants_reply(self) -> bool:
        """Whether the model is asked again."""
        return len(self.records) < len(self.tasks)

    def opening(self) -> list[ChatMessage]:
        """The first messages, up to the first view of the first episode."""
        return [*self._before, ChatMessageUser(content=list(self._begin("")))]

    def reply(self, text: str) -> Parts:
        """Play a reply and answer it."""
        return self._answer(lambda stage: stage.reply(text))

    def refuse(self, text: str) -> Parts:
        """Answer a reply that calls no tool where it should."""
        return self._answer(lambda stage: stage.refuse(text, self._prompts.no_call.fill()))

    def finish(self) -> None:
        """Let the clock of the present episode run down; the tasks after it stay unplayed."""
        if self._stage is not None:
            self._end(self._stage)

    def close(self) -> None:
        """Free the physics of an episode that was broken off."""
        if self._stage is not None:
            self._stage.close()
            self._stage = None

    async def apart(self, act: Callable[..., Made], *args: str) -> Made:
        """Call a method of this session; where another process plays its episodes, others go on meanwhile.

        Physics and drawing of this process must not change threads; they keep state.
        """
        if not self._far:
            return act(*args)
        made = await to_thread.run_sync(act, *args, abandon_on_cancel=True)
        # What a thread sets of its context is lost.
        if self._seat is not None:
            PLAYED.set(self._seat)
        return made

    def _answer(self, act: Callable[[Stage], Shown]) -> Parts:
        stage = self._stage
        if stage is None:
            return [ContentText(text=self._prompts.episode_last.fill())]
        shown = self._noted(act(stage))
        if shown.turn is not None and shown.view is not None:
            return turn_content(self.protocol, self._prompts, shown.turn, shown.view)
        return self._after(self._end(stage))

    def _noted(self, shown: Shown) -> Shown:
        self.drawn_by = shown.drawn_by or self.drawn_by
        return shown

    def _after(self, record: EpisodeRecord) -> Parts:
        """What is told at the end of an episode: how it ended, and the next one's first view."""
        told = self._prompts.episode_end.fill(
            outcome=record.recording.outcome, total_reward=record.recording.total_reward
        )
        if not self.wants_reply:
            return [ContentText(text=f"{told}\n\n{self._prompts.episode_last.fill()}")]
        number, count = len(self.records) + 1, len(self.tasks)
        return self._begin(f"{told}\n\n{self._prompts.episode_next.fill(number=number, count=count)}")

    def _begin(self, before: str) -> Parts:
        task = self.tasks[len(self.records)]
        self._stage = stage = staged(task, self.trial, self.protocol, self._battery)
        self._sit(stage)
        shown = self._noted(stage.begin())
        assert shown.view is not None, "the beginning is always shown"
        content = first_content(self.protocol, self._prompts, shown.health, shown.view, before)
        # A short clock may run down before the first reply.
        return content if shown.wants_reply else [*content, *self._after(self._end(stage))]

    def _sit(self, stage: Stage) -> None:
        if self._seat is None:
            self._seat = Seat(stage.episode, self.protocol)
            PLAYED.set(self._seat)
        self._seat.episode = stage.episode
        self._seat.far = stage if self._far else None

    def _end(self, stage: Stage) -> EpisodeRecord:
        record = stage.finish()
        self.records[stage.episode.task_id] = record
        self._stage = None
        return record
