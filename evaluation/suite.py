"""The contract between a suite of tasks and the runner.

A suite is one folder with a subclass of `Suite`, whose instance is registered by the entry-point group
`arena_llm.suites`. The runner never knows what an episode is about: it opens an `Environment`, shows the
model its observations, passes the replies on and keeps the `Record`. `docs/add-suite.md` builds one.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from evaluation.by_hand.form import Form
from evaluation.choices.run_choices import RunChoices
from evaluation.engines.player import Player
from evaluation.generation.judge import Ask
from evaluation.prompts import NO_FILES, PromptFiles, PromptSet, runner_prompts
from evaluation.prompts.folder import with_files

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import Tool

Frame = npt.NDArray[np.uint8]
"""A picture: uint8 (H, W, 3), RGB, row 0 on top."""

Part = str | Frame
"""A piece of an observation; neighbouring parts are shown in order."""


@dataclass(frozen=True)
class TaskSpec:
    """One task: `id` is unique in its suite, `group` is what reports group by (the arena: the level).

    `sha256` is that of what defines the task, so that a changed task is another one. `target` says briefly
    what passes. Logs keep `metadata`, plain values; `content`, ready for JSON by pydantic, opens the task.
    """

    id: str
    group: str | int
    sha256: str
    target: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    content: Any = None


@dataclass(frozen=True, slots=True)
class Observation:
    """What a model is shown next: texts and pictures in order.

    With `done` no reply is wanted any more, and the parts are not shown. What asks for a prediction (`kind`)
    is not sent again, nor is the answer; with `fresh` it is also sent alone, to one of `choices.judges` if
    `model` names it. `told` is the line that stands for it in an earlier turn, if an agent leads the
    model. `reward` is that of the last reply, `drawn_by` the renderer; `data` is for `Suite.form`.
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
    """Why the model was not asked any more."""

    EPISODE = "episode"
    """The episode was over."""
    MAX_SCRIPTS = "max_scripts"
    """The maximum number of replies was reached."""
    LOOP = "loop"
    SOLVER = "solver"
    """Whatever asked the model stopped: a limit, an error, or another solver."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a log keeps of a finished episode; plain values, ready for JSON.

    Every entry of `turns` has the model's `reply` and an `error`: what the model was shown about an
    unusable reply, otherwise None. `score` is from 0 to 1 and `passed` the verdict; both are None for a task
    without a criterion. `metrics` are further numbers, the total reward among them. `replay` is what
    reproduces the episode without a model, and `summary` what the model is shown at its end.
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
        """Plain values."""
        parts = {"turns": [dict(turn) for turn in self.turns], "model_end": str(self.model_end)}
        return {**self.row(), **parts, "replay": dict(self.replay)}

    def row(self) -> dict[str, Any]:
        """What a table of results has of the episode."""
        verdict = {"score": self.score, "passed": self.passed, "outcome": self.outcome}
        return {**self.metrics, **verdict, "turns": len(self.turns)}


class Environment(Protocol):
    """One episode, played by replies. It is used by one thread at a time."""

    @property
    def known(self) -> Any:
        """What offline agents may know besides the observations; can be pickled."""

    def begin(self) -> Observation:
        """The first observation."""

    def reply(self, text: str) -> Observation:
        """Play a reply. An unusable one is a turn with an `error`, never an exception."""

    def refuse(self, text: str, reason: str) -> Observation:
        """Count a reply that called no tool although it should have; `reason` is what the model is shown."""

    def finish(self) -> Record:
        """End the episode, whatever is left of it, and free its resources."""

    def close(self) -> None:
        """Free the resources of an episode that was interrupted."""


class EpisodeSetup(NamedTuple):
    """Everything an episode depends on besides the replies.

    `choices.seed`, `task.id` and `trial`, from 0, seed the episode's one random generator. `tasks` are all
    tasks of the run if `choices.needs_all_tasks`, else empty. Without `draws`, blank pictures suffice.
    """

    suite: "Suite"
    task: TaskSpec
    trial: int
    choices: Any
    prompts: PromptSet
    tasks: tuple[TaskSpec, ...] = ()
    draws: bool = True


class AgentTurn(NamedTuple):
    """What an offline agent gets to answer: the messages so far, and the names of the tools it may call.

    `name` is the agent's own, behind the slash; `seed` that of its episode.
    """

    name: str
    messages: "Sequence[ChatMessage]"
    tools: tuple[str, ...]
    seed: int


Agent = Callable[[AgentTurn], Awaitable["str | tuple[str, dict[str, Any]]"]]
"""An offline agent: answers with a text, or with the name and arguments of a tool to call."""


class Suite(ABC):
    """A suite of tasks.

    `name` is that of the entry point and the provider of the offline agents (`NAME/agent`), `task_name` that
    of the task for `inspect eval arena_llm/TASK`, `group_name` the heading of groups. `headline` names the
    metrics that reports show first, each with what it is in a record: `passed`, `score` or one of `metrics`
    from 0 to 1. `agents` are the names of offline agents for messages, with a word in capitals for what a
    user fills in.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    task_name: ClassVar[str]
    group_name: ClassVar[str] = "group"
    headline: ClassVar[Mapping[str, str]] = MappingProxyType({"pass rate": "passed"})
    choices: ClassVar[type[RunChoices]] = RunChoices
    presets: ClassVar[Path | None] = None
    agents: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def tasks(self, choices: Any, folder: Path | None) -> Sequence[TaskSpec]:
        """The tasks of a run, in their order; `folder` holds task files of the user's own.

        Raises ConfigError for a folder or a name that it does not know; the runner refuses an empty result.
        """

    def find_task(self, task_id: str, choices: Any, folder: Path | None) -> TaskSpec | None:
        """The task of an id as it is now; None if there is none. Raises ConfigError."""
        every = choices.model_copy(update={"tasks": None})
        return next((task for task in self.tasks(every, folder) if task.id == task_id), None)

    def task_version(self, folder: Path | None = None) -> str:
        """The version of all tasks: another one whenever one is changed, added or removed. See `tasks`."""
        listed = "".join(f"{task.id} {task.sha256}\n" for task in self.tasks(self.choices(), folder))
        return hashlib.sha256(listed.encode()).hexdigest()[:12]

    def files(self, choices: Any) -> dict[str, str]:
        """The SHA-256 of each file that the choices name, by the choice. Raises ConfigError."""
        return {}

    @abstractmethod
    def open(self, setup: EpisodeSetup) -> Environment:
        """A new episode."""

    def prompts(self, files: PromptFiles = NO_FILES, choices: Any = None) -> PromptSet:
        """All texts of a run, the user's own too; without `choices` to hold a log's. Raises ConfigError."""
        return with_files(runner_prompts(), files, choices)

    def remarks(self, choices: Any, prompts: PromptSet, protocol: str | None) -> Sequence[str]:
        """Sentences on a run that `eval --show` prints below its choices; `protocol` names its preset."""
        return ()

    def opening(self, choices: Any, prompts: PromptSet, episodes: int) -> "list[ChatMessage]":
        """The messages before the first of `episodes`; `inspect_task.content.joined` may join them with "
        "it."""
        from inspect_ai.model import ChatMessageSystem

        return [ChatMessageSystem(content=prompts["system"].fill())]

    def tools(self) -> "Mapping[str, Callable[[], Tool]]":
        """What makes each tool by which a model can act, by its name."""
        return {}

    def called(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The reply that a call of a tool stands for; empty if its arguments are wrong."""
        return ""

    def register(self) -> None:
        """Import whatever else Inspect AI should know by the name `arena_llm/...`."""
        self.tools()

    def agent(self, name: str) -> Agent | None:
        """The offline agent of a name; None if there is none. Raises ConfigError for a wrong argument."""
        return None

    def player(self, name: str) -> Player | None:
        """The agent of a name that plays whole episodes; None if there is none. Raises EvaluationError."""
        return None

    def model_name(self, name: str) -> str | None:
        """The `provider/model` for a short name of the suite's own; None for others."""
        return None

    def check(self, model: str, tasks: Sequence[TaskSpec], choices: Any) -> None:
        """Raise ArenaError for an agent that cannot play these tasks, before anything is spent."""
        return None

    def most_replies(self, task: TaskSpec, choices: Any) -> int | None:
        """The most replies that an episode of a task can have, for estimates; None if nothing bounds them."""
        return choices.bounds().replies  # type: ignore[no-any-return]

    def form(self, task: TaskSpec, choices: Any, observation: Observation) -> Form | None:
        """What a person answers an observation with; None for what people cannot play."""
        return None

    async def judge(self, setup: EpisodeSetup, record: Record, ask: Ask) -> Record:
        """The record of a finished episode with what other models say of it; by default as it is."""
        return record

    def versions(self) -> dict[str, str]:
        """The software that decides an episode's bits, and its versions."""
        return {"arena-llm": version("arena-llm")}

    def renderer(self, choices: Any) -> str | None:
        """What draws a run's pictures here; None if it has none. Raises RenderError if nothing can draw."""
        return None

    def logged_task(self, plain: Mapping[str, Any]) -> TaskSpec:
        """A task as a log has it. Raises ArenaError, or as `TaskSpec`, if this version cannot read it."""
        return TaskSpec(**plain)

    def replayed(self, setup: EpisodeSetup, record: Mapping[str, Any]) -> Record:
        """The episode of a player again, from what the log has of it. Raises RecordingError."""
        raise NotImplementedError(f"{self.name} has no agents that play whole episodes")

    def panels(self, record: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """What an episode's page shows above the transcript of the logged record: titles, and HTML as is."""
        return ()

    def run_panels(self, records: Mapping[str, Sequence[Mapping[str, Any]]]) -> Sequence[tuple[str, str]]:
        """The same for a report's first page, from the records of finished episodes by agent."""
        return ()

    def __reduce__(self) -> tuple[Callable[[str], "Suite"], tuple[str]]:
        """Pickled by name, so that a worker uses its own installation."""
        from evaluation.suites import get_suite

        return get_suite, (self.name,)
