"""One conversation's episodes, one after another: replies in, what answers them out."""

from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser, ContentText
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolError, ToolResult
from inspect_ai.util import store

from evaluation.agents.agents import opening
from evaluation.engines.backend import CURRENT, CurrentEpisode, backend, in_thread
from evaluation.generation.memory import ALONE, ONCE, SENT, TOLD
from evaluation.inspect_task.content import Content, content, joined
from evaluation.prompts import PromptSet
from evaluation.suite import Environment, EpisodeSetup, Observation, Record, Suite, TaskSpec


class Session:
    """Plays tasks in order; the next begins when the model's part in the one before has ended.

    `records` holds the finished episodes by task id, in the order in which they were played; `judged` are
    those that were judged by a second model, or need not be. `drawn_by` is the renderer of the pictures, None
    if there are none. `asks` is the other model that the present observation is for, None for that of the
    run, `about` the metadata of its message. `all_tasks` are those of the run.
    """

    def __init__(
        self,
        suite: Suite,
        tasks: Sequence[TaskSpec],
        trial: int,
        choices: Any,
        prompts: PromptSet,
        all_tasks: Sequence[TaskSpec],
    ) -> None:
        self.suite, self.tasks, self.trial, self.choices = suite, tuple(tasks), trial, choices
        self.records: dict[str, Record] = {}
        self.judged: set[str] = set()
        self.drawn_by: str | None = None
        self.asks: str | None = None
        self.prompts = prompts
        # Other tasks are sent to workers only if they are shown.
        self._all = tuple(all_tasks) if choices.needs_all_tasks else ()
        # Made here, because a demonstration's pictures are drawn by this thread.
        self._before = opening(suite, choices, prompts, len(self.tasks))
        self._current: CurrentEpisode | None = None
        self._environment: Environment | None = None
        self.about: dict[str, str] | None = None

    @property
    def wants_reply(self) -> bool:
        """Whether the model is asked again."""
        return len(self.records) < len(self.tasks)

    def setup(self, task: TaskSpec) -> EpisodeSetup:
        """What an episode of a task depends on."""
        return EpisodeSetup(self.suite, task, self.trial, self.choices, self.prompts, self._all)

    @property
    def most_replies(self) -> int | None:
        """The most replies of its first episode; None if nothing bounds them."""
        return self.choices.bounds(self.tasks[0].content).replies  # type: ignore[no-any-return]

    def opening(self) -> list[ChatMessage]:
        """The first messages, up to the first observation of the first episode."""
        first = self.message(self._begin(""))
        return joined([*self._before, first], self.prompts.layout)

    def message(self, shown: Content) -> ChatMessageUser:
        """The message that shows what was made of the last observation."""
        return ChatMessageUser(content=list(shown), metadata=self.about)

    def reply(self, text: str) -> Content:
        """Play a reply and answer it."""
        return self._answer(lambda environment: environment.reply(text))

    def refuse(self, text: str) -> Content:
        """Answer a reply that calls no tool although it should."""
        return self._answer(lambda environment: environment.refuse(text, self.prompts["no_call"].fill()))

    def finish(self) -> None:
        """End the present episode; the tasks after it stay unplayed."""
        if self._environment is not None:
            self._end(self._environment)

    def close(self) -> None:
        """Free the resources of an episode that was interrupted."""
        if self._environment is not None:
            self._environment.close()
            self._environment = None

    async def in_thread(self, act: Callable[..., Any], *args: str) -> Any:
        """Call a method of this session; other episodes continue while it waits for another process."""
        made = await in_thread(act, *args)
        # What a thread sets of its context is lost.
        if self._current is not None:
            CURRENT.set(self._current)
        return made

    def _answer(self, act: Callable[[Environment], Observation]) -> Content:
        environment = self._environment
        if environment is None:
            return [ContentText(text=self.prompts["episode_last"].fill())]
        observation = self._noted(act(environment))
        return self._after(self._end(environment)) if observation.done else self._content(observation)

    def _content(self, observation: Observation, before: str = "") -> Content:
        return content(observation.parts, self.choices, before)

    def _noted(self, observation: Observation) -> Observation:
        self.drawn_by = observation.drawn_by or self.drawn_by
        self.asks = None if observation.done else observation.model
        once = observation.kind == "predict" and not observation.done
        sent = ALONE if observation.fresh else ONCE if once else None
        told = None if observation.done else observation.told
        self.about = {key: text for key, text in ((SENT, sent), (TOLD, told)) if text is not None} or None
        return observation

    def _after(self, record: Record) -> Content:
        """What the model is shown at the end of an episode: how it ended, and the next one's beginning."""
        if not self.wants_reply:
            return [ContentText(text=f"{record.summary}\n\n{self.prompts['episode_last'].fill()}")]
        following = self.prompts["episode_next"].fill(number=len(self.records) + 1, count=len(self.tasks))
        return self._begin(f"{record.summary}\n\n{following}")

    def _begin(self, before: str) -> Content:
        setup = self.setup(self.tasks[len(self.records)])
        self._environment = environment = backend().open(setup)
        if self._current is None:
            self._current = CurrentEpisode(setup, environment)
            CURRENT.set(self._current)
        self._current.setup, self._current.environment = setup, environment
        observation = self._noted(environment.begin())
        shown = self._content(observation, before)
        # A short episode may be over before the first reply.
        return [*shown, *self._after(self._end(environment))] if observation.done else shown

    def _end(self, environment: Environment) -> Record:
        task = self.tasks[len(self.records)]
        self.records[task.id] = record = environment.finish()
        self._environment = None
        return record


_KEY = "arena_session"

_sessions: dict[str, Session] = {}
"""The running samples' sessions by sample id; physics cannot lie in the store, which goes to the log."""


def open_session(state: TaskState, session: Session) -> None:
    """Make a session the one that the sample's tools play."""
    state.store.set(_KEY, state.uuid)
    _sessions[state.uuid] = session


def session_of(state: TaskState) -> Session:
    """The session of a sample. Raises KeyError if none is open."""
    return _sessions[state.uuid]


def close_session(state: TaskState) -> bool:
    """Forget a sample's session and free its resources; says whether its episodes were finished."""
    session = _sessions.pop(state.uuid, None)
    if session is not None:
        session.close()
    return session is not None and not session.wants_reply


async def play_reply(text: str) -> ToolResult:
    """Play a reply in the sample whose tool calls this; for the tools of suites."""
    session = _sessions.get(store().get(_KEY, ""))
    if session is None:
        raise ToolError("no episode is open: this tool works only in a task of arena_llm")
    return list(await session.in_thread(session.reply, text))
