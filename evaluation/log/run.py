"""Read an evaluation's log: what was asked once, then one episode at a time."""

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena import ArenaSpec
from arena.errors import ArenaError
from evaluation.generation.budget import NOT_PLAYED
from evaluation.inspect_task.task import CONVERSATION
from evaluation.log.episodes import (
    NOT_RUN,
    LoggedEpisode,
    logged_conversation,
    logged_episode,
)
from evaluation.log.exchanges import resolved
from evaluation.log.files import read_header, read_sample, read_summaries
from evaluation.results import TrialResult
from llm_control.choices import Protocol

_LARGE = frozenset({"events", "messages", "attachments", "store"})
"""Parts of a sample that are read only where they are needed."""

_LEVEL = re.compile(r"(\d{2})-\d{2}-\d{2}.*")


class RunLog:
    """A log of `arena-llm eval`, of which only one episode at a time is in memory.

    `agent` is the model's name unless another is given. Raises EvaluationError where the file cannot be read
    or is no such log.
    """

    def __init__(self, path: Path, agent: str | None = None) -> None:
        self.path = path
        self.header = read_header(path)
        self.agent: str = agent or self.header.eval.model
        self.model: str = self.header.eval.model
        self.arguments: dict[str, Any] = dict(self.header.eval.task_args)
        self.trials: int = self.header.eval.config.epochs or 1
        self.solver: dict[str, Any] = _solver_parameters(self.header)
        self._summaries = read_summaries(path)
        self.together: bool = self.protocol.conversation == "run"
        self._tasks = {str(task["id"]): task for task in self.solver.get("tasks") or () if "id" in task}
        self.task_ids: tuple[str, ...] = self._task_ids()

    def _task_ids(self) -> tuple[str, ...]:
        if not self.together:
            ids = self.header.eval.dataset.sample_ids or [key[0] for key in self._summaries]
        else:
            ids = list(self._tasks) or [
                i for s in self._summaries.values() for i in s.metadata.get("tasks", ())
            ]
        return tuple(dict.fromkeys(map(str, ids)))

    @property
    def planned(self) -> int:
        """Number of planned trials."""
        return len(self.task_ids) * self.trials

    @cached_property
    def finished(self) -> int:
        """Number of trials with a score; of a conversation, of its episodes that were finished."""
        if self.together:
            return sum(map(self._finished_together, self._summaries.values()))
        return sum(bool(s.scores) and not s.error for s in self._summaries.values())

    def _finished_together(self, summary: Any) -> int:
        return len(read_sample(self.path, summary, _LARGE).metadata.get("episodes") or {})

    @property
    def complete(self) -> bool:
        """Whether the run came to its end with a score of every planned trial."""
        return self.header.status == "success" and self.finished == self.planned

    @property
    def cap(self) -> str:
        """A sentence on the cap of the run that kept episodes from being played; empty where none did."""
        kept = [s.error for s in self._summaries.values() if (s.error or "").find(NOT_PLAYED) >= 0]
        count = self.planned - self.finished if self.together else len(kept)
        return f"{count} were {kept[0][kept[0].find(NOT_PLAYED) :].splitlines()[0]}. " if kept else ""

    @property
    def protocol(self) -> Protocol:
        """The protocol as logged; what this version does not know of it is left out."""
        known = {
            k: v for k, v in dict(self.solver.get("protocol") or {}).items() if k in Protocol.model_fields
        }
        try:
            return Protocol.model_validate(known)
        except ValidationError:
            return Protocol()

    @property
    def policy(self) -> dict[str, Any]:
        """What the log says of the learned policy that was evaluated; empty for other models."""
        return dict((self.header.eval.metadata or {}).get("policy") or {})

    def specs(self) -> dict[str, ArenaSpec]:
        """The arenas that were played by task id, from the log itself or else from the task files.

        Empty for those that neither has.
        """
        found: dict[str, ArenaSpec] = {}
        for task in self.solver.get("tasks") or ():
            try:
                found[str(task["id"])] = ArenaSpec.model_validate(task["spec"])
            except (ValidationError, KeyError, TypeError):
                continue
        return found or self._specs_from_files()

    def system_prompt_sha256(self) -> str | None:
        """Hash of the system text as it was sent in the first finished episode; None where there is none."""
        done = next((s for s in self._summaries.values() if s.scores and not s.error), None)
        if done is None:
            return None
        sample = read_sample(self.path, done, frozenset({"events", "store"}))
        texts = [
            resolved(message.text, sample.attachments)
            for message in sample.messages
            if message.role == "system"
        ]
        return hashlib.sha256(texts[0].encode()).hexdigest() if texts else None

    def episodes(self) -> Iterator[LoggedEpisode]:
        """Every planned trial; those that were not played say so.

        Tasks in order and trials within; conversations one after another, in their order of play.
        """
        if self.together:
            for trial in range(self.trials):
                yield from self._conversation(trial)
            return
        for task_id in self.task_ids:
            for trial in range(self.trials):
                yield self._episode(task_id, trial)

    def _episode(self, task_id: str, trial: int) -> LoggedEpisode:
        summary = self._summaries.get((task_id, trial + 1))
        base = self._base(task_id, trial)
        if summary is None:
            return LoggedEpisode(TrialResult(**base, error=NOT_RUN))
        return logged_episode(base, self._whole(summary), self.protocol, self.ours)

    def _conversation(self, trial: int) -> Iterator[LoggedEpisode]:
        summary = self._summaries.get((CONVERSATION, trial + 1))
        bases = {task_id: self._base(task_id, trial) for task_id in self.task_ids}
        if summary is None:
            yield from (LoggedEpisode(TrialResult(**base, error=NOT_RUN)) for base in bases.values())
            return
        yield from logged_conversation(bases, self._whole(summary), self.protocol, self.ours)

    def _whole(self, summary: Any) -> Any:
        return read_sample(self.path, summary, frozenset({"store"}))

    @property
    def ours(self) -> bool:
        """Whether our own solver played, and not another in its place."""
        steps = self.header.plan.steps if self.header.plan else []
        return any(step.solver.rpartition("/")[2] == "play_episode" for step in steps)

    def _base(self, task_id: str, trial: int) -> dict[str, Any]:
        summary = self._summaries.get((task_id, trial + 1))
        task = self._tasks.get(task_id) or {}
        known = {"level": task.get("level"), "pass_mark": (task.get("spec") or {}).get("pass_mark")}
        metadata = known if self.together else summary.metadata if summary is not None else {}
        match = _LEVEL.fullmatch(task_id)
        level = metadata.get("level")
        level = level if level is not None else int(match[1]) if match else 0
        mark = metadata.get("pass_mark")
        return {
            "agent": self.agent,
            "task_id": task_id,
            "level": level,
            "trial": trial,
            "pass_mark": mark,
        }

    def _specs_from_files(self) -> dict[str, ArenaSpec]:
        from testbed import find_tasks

        folder = self.arguments.get("folder")
        try:
            tasks = find_tasks(
                None, Path(folder) if folder else None, self.arguments.get("animal_ai", "3.1.3")
            )
        except ArenaError:
            return {}
        return {task.id: task.spec for task in tasks}


def _solver_parameters(header: Any) -> dict[str, Any]:
    """What the solver was made with, as the log has it."""
    steps = header.plan.steps if header.plan else []
    return next((dict(step.params) for step in steps if step.params), {})
