"""Course of an episode: reply, refusal or action, observation, and record.

A suite opens an `Environment`. Its first observation is shown to the model, whose reply is either an action,
which the environment plays, or refused; its result is the next observation, until no reply is wanted any
more. Then the environment makes the `Record`, which a log keeps and a judge may complete. A conversation over
several tasks continues with the next one.

Messages, requests and tools are those of Inspect AI: a `Dialogue` of `evaluation.inspect_task.dialogue`. The
suites describe their environments; for the arena see `llm_control.environment`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.seeds import episode_rng
from evaluation.capabilities import judged
from evaluation.engines.backend import CURRENT, CurrentEpisode, backend, in_thread
from evaluation.prompts import PromptSet
from evaluation.suite import Ask, Environment, EpisodeSetup, Observation, Part, Record, Suite, TaskSpec

Shown = tuple[Part, ...]
"""Next content for the model: texts and pictures in order."""


class Reply(NamedTuple):
    """Reply of a model; tools in `calls` play by `Session.reply` themselves. `action` is the played part of
    `text`; None if a required tool call is missing."""

    text: str
    action: str | None
    calls: bool


class Session:
    """Plays tasks in order; the next begins after the model's last reply.

    `records` holds the finished episodes by task id, in playing order; `judged` are those that were judged by
    a second model, or need not be. `now` is the present observation, and `drawn_by` the renderer of the
    pictures, None without pictures. `all_tasks` are those of the run.
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
        self.now = Observation()
        self.prompts = prompts
        # Other tasks are sent to workers only if they are shown.
        self._all = tuple(all_tasks) if choices.needs_all_tasks else ()
        self._current: CurrentEpisode | None = None
        self._environment: Environment | None = None

    @property
    def wants_reply(self) -> bool:
        """Return whether the model is asked again."""
        return len(self.records) < len(self.tasks)

    def setup(self, task: TaskSpec) -> EpisodeSetup:
        """Set up an episode of a task."""
        return EpisodeSetup(self.suite, task, self.trial, self.choices, self.prompts, self._all)

    def begin(self, before: str = "") -> Shown:
        """Open the next environment; show its first observation after a text."""
        setup = self.setup(self.tasks[len(self.records)])
        self._environment = environment = backend().open(setup)
        if self._current is None:
            self._current = CurrentEpisode(setup, environment)
            CURRENT.set(self._current)
        self._current.setup, self._current.environment = setup, environment
        observation = self._noted(environment.begin())
        shown = after_text(before, observation.parts)
        # A short episode may be over before the first reply.
        return (*shown, *self._continued(self._end(environment))) if observation.done else shown

    def reply(self, text: str) -> Shown:
        """Apply a reply."""
        return self._answer(lambda environment: environment.reply(text))

    def refuse(self, text: str) -> Shown:
        """Answer a reply that lacks its tool call."""
        return self._answer(lambda environment: environment.refuse(text, self.prompts["no_call"].fill()))

    def _answer(self, act: Callable[[Environment], Observation]) -> Shown:
        environment = self._environment
        if environment is None:
            return (self.prompts["episode_last"].fill(),)
        observation = self._noted(act(environment))
        return self._continued(self._end(environment)) if observation.done else observation.parts

    def _noted(self, observation: Observation) -> Observation:
        self.now, self.drawn_by = observation, observation.drawn_by or self.drawn_by
        return observation

    def _end(self, environment: Environment) -> Record:
        task = self.tasks[len(self.records)]
        self.records[task.id] = record = environment.finish()
        self._environment = None
        return record

    def _continued(self, record: Record) -> Shown:
        """Compose an episode's end: its outcome, and the next one's beginning."""
        if not self.wants_reply:
            return (f"{record.summary}\n\n{self.prompts['episode_last'].fill()}",)
        following = self.prompts["episode_next"].fill(number=len(self.records) + 1, count=len(self.tasks))
        return self.begin(f"{record.summary}\n\n{following}")

    async def judge(self, noted: Callable[[Record], Record], ask: Ask) -> None:
        """Let the suite complete finished records that it has not judged yet. `noted` adds facts of the
        model's side on the last one."""
        for task in self.tasks:
            if task.id in self.records and task.id not in self.judged:
                record = noted(self.records[task.id])
                self.records[task.id] = await judged(self.setup(task), record, ask)
                self.judged.add(task.id)

    def finish(self) -> None:
        """End the present episode; later tasks stay unplayed."""
        if self._environment is not None:
            self._end(self._environment)

    def close(self) -> None:
        """Free the resources of an interrupted episode."""
        if self._environment is not None:
            self._environment.close()
            self._environment = None

    async def in_thread(self, act: Callable[..., Any], *args: str) -> Any:
        """Call a method of this session while other episodes continue."""
        made = await in_thread(act, *args)
        # What a thread sets of its context is lost.
        if self._current is not None:
            CURRENT.set(self._current)
        return made


def after_text(text: str, parts: Shown) -> Shown:
    """Put a text before the first part, or before all."""
    if not text:
        return parts
    for place, part in enumerate(parts):
        if isinstance(part, str):
            return (*parts[:place], f"{text}\n\n{part}", *parts[place + 1 :])
    return (text, *parts)


def conversation_order(choices: Any, tasks: tuple[TaskSpec, ...], trial: int) -> tuple[TaskSpec, ...]:
    """Order the tasks of one conversation."""
    if choices.order == "listed":
        return tasks
    rng: np.random.Generator = episode_rng(choices.seed, "conversation", trial)
    return tuple(tasks[i] for i in rng.permutation(len(tasks)))
