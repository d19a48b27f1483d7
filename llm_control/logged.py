"""Arena-specific parts of logs: tasks, recordings and arenas."""

import json
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict

from arena import ArenaSpec, EventKind, Recording
from arena.errors import ArenaError, RecordingError
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.log.schema import Count, Finite, Share
from evaluation.suite import TaskSpec
from llm_control.environment import recording_of
from llm_control.suite import task_spec
from testbed import Task


class HappenedEvent(TypedDict):
    """Logged event; see `arena.Event`."""

    tick: Count
    kind: EventKind
    thing: Count
    name: str
    reward: Finite
    zone: NotRequired[str]
    detail: NotRequired[str]


class Turn(TypedDict):
    """Logged turn; see `llm_control.play.TurnRecord`."""

    turn: Count
    steps: Count
    health: Finite
    reward: Finite
    total_reward: Finite
    position: tuple[Finite, Finite, Finite]
    yaw: Finite
    events: list[HappenedEvent]
    done: bool
    outcome: str | None
    experiments: NotRequired[Count]
    belief: NotRequired[list[Share] | None]


class Logged(TypedDict):
    """Finished episode for reports; its recording is checked when replayed."""

    turns: list[Turn]


def logged_recording(episode: LoggedEpisode) -> Recording | None:
    """Read a logged episode's recording; None if unfinished or broken."""
    try:
        return recording_of(episode.replay) if episode.replay else None
    except RecordingError:
        return None


def logged_specs(log: RunLog) -> dict[str, ArenaSpec]:
    """Load the played arenas by task id, from log or task files. Empty for those that neither has."""
    found = {task_id: task.content.spec for task_id in log.logged_tasks if (task := log.task(task_id))}
    if found:
        return found
    try:
        tasks = log.suite.tasks(log.choices.model_copy(update={"levels": None}), log.folder)
    except ArenaError:
        return {}
    return {task.id: task.content.spec for task in tasks}


def logged_task(plain: Any) -> TaskSpec:
    """Read a logged task, which version 0.2 kept without metadata. Raises ValidationError."""
    content = plain.get("content") or plain
    spec = ArenaSpec.model_validate_json(json.dumps(content["spec"]))
    task = Task(
        str(content["id"]),
        int(content.get("level", 0)),
        Path(str(content["id"])),
        spec,
        str(content["sha256"]),
    )
    return task_spec(task)
