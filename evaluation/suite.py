"""Contract between a suite of tasks and the runner.

A suite is one folder with a subclass of `Suite`, whose instance `SUITE` is registered by the entry-point
group `arena_llm.suites`. The runner is independent of an episode's topic: it opens an `Environment`, shows
the model its observations, passes the replies on and keeps the `Record`. Optional parts, such as offline
agents or a form for people, are found by name next to the suite: see `evaluation.capabilities`.
`docs/add-suite.md` builds a suite, and `evaluation.check_suite` reports the faults of one.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.packages import beside
from evaluation.choices.run_choices import RunChoices
from evaluation.prompts import PromptSet

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

Frame = npt.NDArray[np.uint8]
"""Picture: uint8 (H, W, 3), RGB, row 0 on top."""

Part = str | Frame
"""Piece of an observation; neighbouring parts are shown in order."""

Message: TypeAlias = "ChatMessage"
"""Message of Inspect AI, imported only where messages are made."""


@dataclass(frozen=True)
class TaskSpec:
    """Task with an `id` unique in its suite, and a report `group`.

    The arena's groups are levels. `sha256` is that of the definition, so that a changed task is another one.
    `target` says briefly what passes. Logs keep `metadata`, plain values; `content`, ready for JSON by
    pydantic, opens the task.
    """

    id: str
    group: str | int
    sha256: str
    target: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    content: Any = None


@dataclass(frozen=True, slots=True)
class Observation:
    """Texts and pictures for the model, in order.

    With `done` no reply is wanted any more, and the parts are not shown. A request for a prediction (`kind`)
    is not sent again, nor is the answer; with `fresh` it is also sent alone, to one of `choices.judges` if
    `model` names it. `told` is the line that replaces it in an earlier turn, if an agent leads the model.
    `reward` is that of the last reply, `drawn_by` the renderer; `data` is for forms.
    """

    parts: tuple[Part, ...] = ()
    done: bool = False
    kind: Literal["act", "predict", "explain"] = "act"
    fresh: bool = False
    model: str | None = None
    told: str | None = None
    reward: float = 0.0
    drawn_by: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


class ModelEnd(StrEnum):
    """Reason for the end of the model's requests."""

    EPISODE = "episode"
    """The episode was over."""
    MAX_SCRIPTS = "max_scripts"
    """The maximum number of replies was reached."""
    LOOP = "loop"
    SOLVER = "solver"
    """The model's solver stopped: a limit, an error, or another solver."""


@dataclass(frozen=True, slots=True)
class Record:
    """Logged record of a finished episode; plain values, ready for JSON.

    Every entry of `turns` has the model's `reply` and an `error`: the message to the model about an unusable
    reply, otherwise None. `score` is from 0 to 1 and `passed` the verdict; both are None for a task without a
    criterion. `metrics` are further numbers, the total reward among them. `replay` reproduces the episode
    without a model, and `summary` is shown to the model at its end.
    """

    turns: tuple[Mapping[str, Any], ...]
    outcome: str
    passed: bool | None
    score: float | None
    metrics: Mapping[str, float | int]
    model_end: ModelEnd
    replay: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain values."""
        parts = {"turns": [dict(turn) for turn in self.turns], "model_end": str(self.model_end)}
        return {**self.row(), **parts, "replay": dict(self.replay)}

    def row(self) -> dict[str, Any]:
        """Build the episode's row of results."""
        verdict = {"score": self.score, "passed": self.passed, "outcome": self.outcome}
        return {**self.metrics, **verdict, "turns": len(self.turns)}


class Environment(Protocol):
    """One episode, played by replies. It is used by one thread at a time."""

    @property
    def known(self) -> Any:
        """Facts for offline agents in addition to observations; can be pickled."""
        return None

    def begin(self) -> Observation:
        """Return the first observation."""

    def reply(self, text: str) -> Observation:
        """Play a reply. An unusable one is a turn with an `error`, never an exception."""

    def refuse(self, text: str, reason: str) -> Observation:
        """Count a reply that lacks its tool call. `reason` is shown to the model."""

    def finish(self) -> Record:
        """End the episode at any time, and free its resources."""

    def close(self) -> None:
        """Free the resources of an interrupted episode."""


class EpisodeSetup(NamedTuple):
    """Setup of an episode, which its replies complete.

    `choices.seed`, `task.id` and `trial`, from 0, seed the episode's one random generator. `tasks` are all
    tasks of the run if `choices.needs_all_tasks`, otherwise empty. Without `draws`, blank pictures suffice.
    """

    suite: "Suite"
    task: TaskSpec
    trial: int
    choices: Any
    prompts: PromptSet
    tasks: tuple[TaskSpec, ...] = ()
    draws: bool = True


class TurnByTurn(Environment):
    """Base of episodes whose `turns` are named tuples. Those that open something have a `close`. `_seed` is
    that of the episode's random generator."""

    def __init__(self, setup: EpisodeSetup) -> None:
        self.choices, self._prompts, self._content = setup.choices, setup.prompts, setup.task.content
        self._seed = agent_seed(setup.choices.seed, setup.task.id, setup.trial)
        self.turns: list[Any] = []

    def close(self) -> None:
        """Free nothing; nothing is kept open."""

    def _record(
        self,
        outcome: str,
        passed: bool | None,
        score: float,
        metrics: Mapping[str, float | int],
        replay: Mapping[str, Any],
        /,
        *,
        over: bool,
        **said: object,
    ) -> Record:
        """Make the record of the turns; `said` fills the text `episode_end`."""
        turns = tuple(turn._asdict() for turn in self.turns)
        end = ModelEnd.EPISODE if over else ModelEnd.SOLVER
        summary = self._prompts["episode_end"].fill(**said)
        return Record(turns, outcome, passed, score, metrics, end, replay, summary)


class AgentTurn(NamedTuple):
    """Input of an offline agent: messages so far, and callable tools' names. `name` is the agent's own, after
    the slash; `seed` that of its episode."""

    name: str
    messages: Sequence[Message]
    tools: tuple[str, ...]
    seed: int


Agent = Callable[[AgentTurn], Awaitable["str | tuple[str, dict[str, Any]]"]]
"""Offline agent: answers with a text, or a tool's name and arguments."""

Ask = Callable[[str, str], Awaitable[str]]
"""Function that asks a second model about a text.

The first argument is the model's name as a user writes it; the answer is returned.

A suite's `judge` is called with it once for each finished episode; the models of `choices.judges` were found
to exist before the run. The record that it returns may have further `metrics` and entries of `replay`. Raises
EvaluationError if the model cannot be asked or a limit of the run is reached; who does not catch it loses the
episode.
"""


class Player(Protocol):
    """Agent that plays whole episodes without messages, such as a learned policy."""

    def play(self, setup: EpisodeSetup) -> Record:
        """Play an episode to its end; called in other processes too."""

    def describe(self, task: TaskSpec) -> str:
        """Describe the task for the log, instead of a first message."""

    def facts(self) -> dict[str, Any]:
        """Logged facts of the agent, including the SHA-256 of a file."""


def rules(choices: Any, prompts: PromptSet, **values: Any) -> list[Message]:
    """Fill the text `system`, and `note_tools` if present and tools are called."""
    from inspect_ai.model import ChatMessageSystem

    noted = "note_tools" in prompts.prompts and choices.replies == "tools"
    notes = [prompts["note_tools"].fill()] if noted else []
    return [ChatMessageSystem(content="\n\n".join([prompts["system"].fill(**values), *notes]))]


class Suite(ABC):
    """Suite of tasks.

    `name` is that of the entry point and the provider of the offline agents (`NAME/agent`), `task_name` that
    of the task for `inspect eval arena_llm/TASK`, `group_name` the heading of groups. `headline` names the
    metrics that reports show first, each with what it is in a record: `passed`, `score` or one of `metrics`
    from 0 to 1. `choices` are those of its runs; presets of them are files in the folder `presets`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    task_name: ClassVar[str]
    group_name: ClassVar[str] = "group"
    headline: ClassVar[Mapping[str, str]] = MappingProxyType({"pass rate": "passed"})
    choices: ClassVar[type[RunChoices]] = RunChoices
    has_files: ClassVar[bool] = False
    """True if tasks are files, so that users may give a folder."""

    @abstractmethod
    def tasks(self, choices: Any, folder: Path | None) -> Sequence[TaskSpec]:
        """List the default tasks of a run in order. `folder` holds the user's task files. Raises ConfigError
        for choices that exclude all; the runner selects, and refuses an empty result."""

    def named(self, name: str, choices: Any, folder: Path | None) -> Sequence[TaskSpec] | None:
        """Find the tasks of a name in the choice `tasks`. By default by id. None for an unknown name, empty
        if the choices exclude them. Raises ConfigError."""
        return [task for task in self.tasks(choices, folder) if task.id == name] or None

    def task_version(self, folder: Path | None = None) -> str:
        """Version of all tasks, changed whenever one is changed, added or removed. See `tasks`."""
        return version_of(self.tasks(self.choices(), folder))

    def open(self, setup: EpisodeSetup) -> Environment:
        """Open an episode; by default the class `Episode` of the module `episode`. Raises EvaluationError if
        it cannot begin."""
        made: Callable[[EpisodeSetup], Environment] | None = beside(type(self), Suite, "episode", "Episode")
        if made is None:
            raise NotImplementedError(f"{type(self).__name__}: give it a method open, or a class Episode")
        return made(setup)

    def opening(self, choices: Any, prompts: PromptSet, episodes: int) -> list[Message]:
        """Compose the messages before the first of `episodes`. By default those of `rules`."""
        return rules(choices, prompts)

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: Any) -> None:
        """Raise ArenaError for excluded tasks, or an agent that cannot play them. Called before anything is
        spent; `model` is empty if unknown."""
        return None

    def versions(self) -> dict[str, str]:
        """Versions of the software that decides an episode's bits."""
        return {"arena-llm": version("arena-llm")}

    def __reduce__(self) -> str:
        """Pickle as the module's `SUITE`, so that workers use their own installation."""
        return "SUITE"


def version_of(tasks: Iterable[TaskSpec]) -> str:
    """Hash the ids and digests of tasks to twelve hexadecimal digits."""
    listed = "".join(f"{task.id} {task.sha256}\n" for task in tasks)
    return hashlib.sha256(listed.encode()).hexdigest()[:12]


def agent_seed(seed: int, task_id: str, trial: int) -> int:
    """Derive a 31-bit seed for one episode of an offline agent."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{task_id}/{trial}".encode()).digest()[:4], "big") >> 1
