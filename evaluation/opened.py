"""An episode of any suite by the id of its task: what every other harness than the runner begins with."""

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from arena.errors import ConfigError, EvaluationError
from evaluation.capabilities import brought, prompts_of
from evaluation.choices.effective import effective
from evaluation.episode import Shown
from evaluation.suite import EpisodeSetup, Observation, Record, Suite
from evaluation.suites import chosen_tasks, find_task, get_suite, unknown_task

SPLITS = ("train", "test")


class Opened(NamedTuple):
    """A suite with the choices of its episodes; `setup` is that of one, which `suite.open(setup)` plays."""

    suite: Suite
    choices: Any

    @classmethod
    def named(cls, name: str, **choices: Any) -> "Opened":
        """A suite by its name. Raises ConfigError for an unknown name or choice, or a wrong value."""
        suite = get_suite(name)
        return cls(suite, effective(suite, choices.pop("protocol", None), choices).choices)

    def split(self, name: str) -> Iterator[str]:
        """Ids of the suite's tasks to train on (`train`) or to test with (`test`), which share none.

        Raises ConfigError for another name, or if the suite says nothing of splits.
        """
        if name not in SPLITS:
            raise ConfigError(f"split: got {name!r}, expected one of: {', '.join(SPLITS)}")
        suite, choices = self
        found = brought(suite, "splits", "split")
        if found is None:
            raise ConfigError(f"suite {suite.name}: it has no splits; its folder needs a function `split`")
        return found(name, choices)

    def episodes(self, split: str) -> Iterator[tuple[str, int]]:
        """Task and trial of the episodes of a split, without end: all its tasks, then again as trial 1."""
        return ((task_id, trial) for trial in count() for task_id in self.split(split))

    def setup(self, task_id: str, trial: int = 0) -> EpisodeSetup:
        """What an episode of a task depends on. Raises ConfigError if there is no such task."""
        task = find_task(self.suite, task_id, self.choices, None)
        if task is None:
            raise unknown_task(task_id, [task.id for task in chosen_tasks(*self, None)])
        suite, choices = self
        every = chosen_tasks(suite, choices, None) if choices.needs_all_tasks else ()
        suite.check("", (task,), choices)
        return EpisodeSetup(suite, task, trial, choices, prompts_of(suite, choices), every)


class OpenEpisode:
    """An episode that another program plays, by replies as a model writes them; it has a place until closed.

    `said` has each reply, first None, and what was shown after it; `reward` is that of the last one. `record`
    is None until the episode ends; `abandoned` says that it was ended before it was over.
    """

    def __init__(self, setup: EpisodeSetup, rules: str) -> None:
        self.setup, self.is_open, self.abandoned = setup, True, False
        self.record: Record | None = None
        self.drawn_by: str | None = None
        self.reward = 0.0
        self.said: list[tuple[str | None, Shown]] = []
        self.environment = setup.suite.open(setup)
        first = self.environment.begin()
        self._show(None, first, (rules, *first.parts))

    @property
    def shown(self) -> Shown:
        """What is shown now: first the rules too, and of an episode that is over how it ended."""
        return self.said[-1][1]

    def reply(self, text: str) -> None:
        """Play a reply. Raises EvaluationError if the episode has ended."""
        if self.record is not None:
            raise EvaluationError(f"the episode of {self.setup.task.id} has ended: begin another one")
        now = self.environment.reply(text)
        self._show(text, now, () if now.done else now.parts)

    def finish(self) -> Record:
        """End the episode, as abandoned if it is not over, and return its record."""
        if self.record is None:
            self.abandoned, self.record = True, self.environment.finish()
        return self.record

    def close(self) -> None:
        """Give up the place, and the resources of an episode that has no record."""
        if self.is_open and self.record is None:
            self.environment.close()
        self.is_open = False

    def _show(self, reply: str | None, now: Observation, parts: Shown) -> None:
        self.drawn_by, self.reward = now.drawn_by or self.drawn_by, now.reward
        if now.done:
            self.record = self.environment.finish()
            parts = (*parts, self.record.summary)
        self.said.append((reply, parts))


class Episodes:
    """The episodes that other programs play on a server, at most `limit` at a time.

    `rules` are told before each, `tasks` are the ids to choose from; unless the choices name them, any other
    task of the suite can be begun, such as one of the split `train`. Raises ConfigError for choices that need
    the runner's own conversation.
    """

    def __init__(self, opened: Opened, limit: int) -> None:
        self.opened, self.rules, self._limit = opened, _rules(*opened), limit
        self.tasks = tuple(task.id for task in chosen_tasks(*opened, None))
        self._open: list[OpenEpisode] = []

    def begin(self, task_id: str) -> OpenEpisode:
        """Begin a task. Raises ConfigError if there is none, EvaluationError if too many are played."""
        self._open = [each for each in self._open if each.is_open]
        if len(self._open) >= self._limit:
            raise EvaluationError(f"{self._limit} episodes are played, the most here (--sessions); try later")
        if self.opened.choices.tasks is not None and task_id not in self.tasks:
            raise unknown_task(task_id, self.tasks)
        self._open.append(OpenEpisode(self.opened.setup(task_id), self.rules))
        return self._open[-1]


def _rules(suite: Suite, choices: Any) -> str:
    """The texts before an episode, without a demonstration, which is a conversation."""
    opening = suite.opening(choices, prompts_of(suite, choices), 1)
    ours = choices.replies, choices.conversation, choices.agent, len(opening), choices.judges
    if ours != ("text", "episode", "direct", 1, ()):
        raise ConfigError(
            "other programs reply by texts, one task at a time, and nobody else is asked: leave out replies, "
            "conversation, agent, demonstrations, and models that judge or speak"
        )
    return opening[0].text
