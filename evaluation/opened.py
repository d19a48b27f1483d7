"""Episodes of any suite by task id, for other harnesses."""

from collections.abc import Iterator
from itertools import count, cycle
from typing import Any, NamedTuple

from arena.errors import ConfigError, EvaluationError
from evaluation.capabilities import brought, prompts_of
from evaluation.choices.effective import effective
from evaluation.episode import Shown
from evaluation.suite import EpisodeSetup, Observation, Record, Suite
from evaluation.suites import chosen_tasks, find_task, get_suite, unknown_task

SPLITS = ("train", "test")


class Opened(NamedTuple):
    """Suite with its choices; `setup` makes an episode for `suite.open(setup)`."""

    suite: Suite
    choices: Any

    @classmethod
    def named(cls, name: str, **choices: Any) -> "Opened":
        """Open a suite by name. Raises ConfigError for an unknown name or choice, or a wrong value."""
        suite = get_suite(name)
        return cls(suite, effective(suite, choices.pop("protocol", None), choices).choices)

    def split(self, name: str) -> Iterator[str]:
        """Yield the suite's task ids of the split `train` or `test`. Raises ConfigError for another name, or
        if the suite has no splits."""
        if name not in SPLITS:
            raise ConfigError(f"split: got {name!r}, expected one of: {', '.join(SPLITS)}")
        suite, choices = self
        found = brought(suite, "splits", "split")
        if found is None:
            raise ConfigError(f"suite {suite.name}: it has no splits; its folder needs a function `split`")
        return found(name, choices)

    def episodes(self, split: str) -> Iterator[tuple[str, int]]:
        """Yield task and trial of a split's episodes endlessly. Each round is a further trial."""
        return ((task_id, trial) for trial in count() for task_id in self.split(split))

    def setup(self, task_id: str, trial: int = 0) -> EpisodeSetup:
        """Set up an episode of a task. Raises ConfigError if the task does not exist."""
        task = find_task(self.suite, task_id, self.choices, None)
        if task is None:
            raise unknown_task(task_id, [task.id for task in chosen_tasks(*self, None)])
        suite, choices = self
        every = chosen_tasks(suite, choices, None) if choices.needs_all_tasks else ()
        suite.check("", (task,), choices)
        return EpisodeSetup(suite, task, trial, choices, prompts_of(suite, choices), every)


class OpenEpisode:
    """Episode played by another program's replies; it occupies a place until closed.

    `said` has each reply, first None, with its result; `reward` is that of the last one. `record` is None
    until the episode ends; `abandoned` marks an early end.
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
        """Current observation: at first with the rules, after the end the outcome."""
        return self.said[-1][1]

    def reply(self, text: str) -> None:
        """Play a reply. Raises EvaluationError if the episode has ended."""
        if self.record is not None:
            raise EvaluationError(f"the episode of {self.setup.task.id} has ended: begin another one")
        now = self.environment.reply(text)
        self._show(text, now, () if now.done else now.parts)

    def finish(self) -> Record:
        """End the episode, as abandoned if unfinished, and return its record."""
        if self.record is None:
            self.abandoned, self.record = True, self.environment.finish()
        return self.record

    def close(self) -> None:
        """Give up the place, and an unrecorded episode's resources."""
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
    """Episodes played by other programs on a server, at most `limit` concurrently.

    `rules` precede each, `tasks` are the ids to choose from; unless the choices name them, any other task of
    the suite can be begun, such as one of the split `train`. Raises ConfigError for choices that need the
    runner's own conversation.
    """

    def __init__(self, opened: Opened, limit: int) -> None:
        self.opened, self.rules, self._limit = opened, _rules(*opened), limit
        self.tasks = tuple(task.id for task in chosen_tasks(*opened, None))
        self._open, self._turns = list[OpenEpisode](), cycle(self.tasks)

    def begin(self, task_id: str = "") -> OpenEpisode:
        """Begin a task, or the next. Raises ConfigError if unknown, EvaluationError above the limit."""
        self._open = [each for each in self._open if each.is_open]
        if len(self._open) >= self._limit:
            raise EvaluationError(
                f"{self._limit} episodes are in progress, the maximum (--sessions); try later"
            )
        task_id = task_id or next(self._turns)
        if self.opened.choices.tasks is not None and task_id not in self.tasks:
            raise unknown_task(task_id, self.tasks)
        self._open.append(OpenEpisode(self.opened.setup(task_id), self.rules))
        return self._open[-1]


def _rules(suite: Suite, choices: Any) -> str:
    """Compose the texts before an episode, without a demonstration (a conversation)."""
    opening = suite.opening(choices, prompts_of(suite, choices), 1)
    ours = choices.replies, choices.conversation, choices.agent, len(opening), choices.judges
    if ours != ("text", "episode", "direct", 1, ()):
        raise ConfigError(
            "other programs reply by text, one task at a time, without further models: leave out replies, "
            "conversation, agent, demonstrations, and models that judge or speak"
        )
    return opening[0].text
