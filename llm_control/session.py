"""One conversation's episodes, one after another: replies in, what is answered to them out.

No model and no provider here, so that any solver can play: ours, or an agent that calls the tools.
"""

from collections.abc import Callable, Sequence

from inspect_ai.model import ChatMessage, ChatMessageUser, ContentText

from arena import Episode
from llm_control.conversation import Parts, first_content, opening, turn_content
from llm_control.observations import View, eye, words
from llm_control.play import EpisodeRecord, Play, Turn
from llm_control.played import PLAYED, Seat
from llm_control.prompts import PromptSet
from llm_control.protocol import Protocol
from testbed import Task


class Session:
    """Plays tasks in order; the next begins when the model's part in the one before has ended.

    `records` holds the finished episodes by task id, in the order in which they were played. `battery` are
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
        self._trial, self._prompts, self._battery = trial, prompts, battery
        self._play: Play | None = None
        self._seat: Seat | None = None

    @property
    def wants_reply(self) -> bool:
        """Whether the model is asked again."""
        return len(self.records) < len(self.tasks)

    def opening(self) -> list[ChatMessage]:
        """The first messages, up to the first view of the first episode."""
        before = opening(self.protocol, self._prompts, len(self.tasks))
        return [*before, ChatMessageUser(content=list(self._begin("")))]

    def reply(self, text: str) -> Parts:
        """Play a reply and answer it."""
        return self._answer(lambda play: play.reply(text))

    def refuse(self, text: str) -> Parts:
        """Answer a reply that calls no tool where it should."""
        return self._answer(lambda play: play.refuse(text, self._prompts.no_call.fill()))

    def finish(self) -> None:
        """Let the clock of the present episode run down; the tasks after it stay unplayed."""
        if self._play is not None:
            self._end(self._play)

    def close(self) -> None:
        """Free the physics of an episode that was broken off."""
        if self._play is not None:
            self._play.episode.close()
            self._play = None

    def _answer(self, act: Callable[[Play], Turn]) -> Parts:
        play = self._play
        if play is None:
            return [ContentText(text=self._prompts.episode_last.fill())]
        turn = act(play)
        if play.wants_reply:
            return turn_content(self.protocol, self._prompts, turn, self._view(play))
        return self._after(self._end(play))

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
        episode = Episode(task.spec, task_id=task.id, seed=self.protocol.seed, trial=self._trial)
        self._sit(episode)
        self._play = play = Play(episode, eye(self.protocol, task, self._battery, self._trial), self.protocol)
        view = View(play.begin(), words(self.protocol, episode.scene()))
        content = first_content(self.protocol, self._prompts, episode.health, view, before)
        # A short clock may run down before the first reply.
        return content if play.wants_reply else [*content, *self._after(self._end(play))]

    def _sit(self, episode: Episode) -> None:
        if self._seat is None:
            self._seat = Seat(episode, self.protocol)
            PLAYED.set(self._seat)
        self._seat.episode = episode

    def _view(self, play: Play) -> View:
        frames = (*play.along, play.frame()) if self.protocol.shows_images else ()
        return View(frames, words(self.protocol, play.episode.scene()))

    def _end(self, play: Play) -> EpisodeRecord:
        record = play.finish()
        self.records[play.episode.task_id] = record
        self._play = None
        return record
