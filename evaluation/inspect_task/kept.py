"""Logs of agents led by other harnesses, readable by reports and `verify`."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
from inspect_ai import log as logs
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ModelOutput
from pydantic_core import to_jsonable_python

from arena.errors import EvaluationError
from evaluation.capabilities import prompts_of
from evaluation.generation.stops import ABANDONED
from evaluation.inspect_task.dialogue import content
from evaluation.inspect_task.interface import DISTRIBUTION, logged_scorers
from evaluation.inspect_task.registry import sample_of
from evaluation.inspect_task.scoring import SCORERS, scores_of, without_verdict
from evaluation.log.run import KEPT
from evaluation.opened import Opened, OpenEpisode
from evaluation.scale.references import scale_of
from evaluation.suite import TaskSpec
from evaluation.suites import chosen_tasks

_UNUSUAL = re.compile(r"[^\w. -]+", re.ASCII)


class KeptRun:
    """Episodes of one agent, each task once, in a continually rewritten log.

    The agent's name in reports is `harness/name`, such as mcp/claude-code. Tasks that the choices name count
    as failed unless played to their end.
    """

    def __init__(self, opened: Opened, harness: str, name: str, folder: Path) -> None:
        self._opened, self._harness, self._created = opened, harness, datetime.now(UTC)
        planned = () if opened.choices.tasks is None else chosen_tasks(*opened, None)
        self._tasks = {task.id: task for task in planned}
        self.begun: dict[str, datetime] = {}
        self._samples: list[Any] = []
        self._id, self._agent = uuid4().hex, f"{harness}/{_UNUSUAL.sub('-', name)[:60]}"
        stamp = self._created.strftime("%Y-%m-%dT%H-%M-%S+00-00")
        self._path = folder / f"{stamp}_{opened.suite.task_name}_{self._id}.eval"
        self._writing = anyio.Lock()

    async def begin(self, task: TaskSpec) -> None:
        """Log that a task has begun. Raises EvaluationError if the log cannot be written."""
        self._tasks[task.id], self.begun[task.id] = task, datetime.now(UTC)
        try:
            await self.write("started")
        except EvaluationError:
            del self.begun[task.id]
            if self._opened.choices.tasks is None:
                del self._tasks[task.id]
            raise

    def add(self, episode: OpenEpisode) -> None:
        """End an episode if necessary, free its resources, and log it."""
        self._samples.append(self._sample(episode))
        episode.close()
        del episode.said[:-1]

    async def write(self, status: Any = "success") -> None:
        """Write the log, complete with a `status` of success. Raises EvaluationError if it cannot."""
        part = self._path.with_suffix(".part")
        async with self._writing:
            log = logs.EvalLog(status=status, eval=self._spec(), plan=self._plan(), samples=self._samples)
            logs.recompute_metrics(log)
            try:
                await logs.write_eval_log_async(log, str(part), format="eval")
                part.replace(self._path)
            except OSError as error:
                part.unlink(missing_ok=True)
                raise EvaluationError(
                    f"{self._path}: cannot be written ({error.strerror or error}); make room: what was "
                    "played is kept, and written when the next episode begins or ends"
                ) from None

    def _spec(self) -> Any:
        suite, scale = self._opened.suite, scale_of(self._opened.suite)
        return logs.EvalSpec(
            created=self._created.isoformat(),
            task=suite.task_name,
            task_id=self._id,
            task_version=suite.task_version(),
            task_args={"seed": self._opened.choices.seed},
            dataset=logs.EvalDataset(
                name=suite.task_name, samples=len(self._tasks), sample_ids=[*self._tasks]
            ),
            model=self._agent,
            config=logs.EvalConfig(epochs=1, epochs_reducer=[]),
            metadata={"harness": self._harness, **({"scoring": scale.scoring} if scale else {})},
            scorers=logged_scorers(SCORERS),
        )

    def _plan(self) -> Any:
        suite, choices = self._opened
        facts = {
            "suite": suite.name,
            "tasks": to_jsonable_python([*self._tasks.values()], inf_nan_mode="constants"),
            "choices": choices.model_dump(mode="json"),
            "texts": prompts_of(suite, choices).texts(),
        }
        return logs.EvalPlan(steps=[logs.EvalPlanStep(solver=f"{DISTRIBUTION}/{KEPT}", params=facts)])

    def _sample(self, episode: OpenEpisode) -> Any:
        task, record = episode.setup.task, episode.finish()
        row, known = record.row(), sample_of(task)
        facts = {**(known.metadata or {}), "episode": record.as_dict(), "drawn_by": episode.drawn_by}
        if episode.abandoned:
            row, facts["stopped"] = without_verdict(row, ABANDONED), {"kind": ABANDONED}
        return logs.EvalSample(
            id=task.id,
            epoch=1,
            input=known.input,
            target=known.target,
            messages=list(_messages(episode)),
            output=ModelOutput.from_content(self._agent, record.outcome),
            scores=scores_of(row),
            metadata=facts,
            total_time=(datetime.now(UTC) - self.begun[task.id]).total_seconds(),
        )


def _messages(episode: OpenEpisode) -> Iterator[ChatMessage]:
    for reply, shown in episode.said:
        if reply is not None:
            yield ChatMessageAssistant(content=reply)
        yield ChatMessageUser(content=list(content(shown, episode.setup.choices)))
