"""Log of a run: common facts, then one episode at a time."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.errors import ArenaError
from evaluation.capabilities import logged_task, prompts_of
from evaluation.generation.budget import NOT_PLAYED, STOPPED, limits_in, spent_before
from evaluation.log.episodes import (
    NOT_RUN,
    LoggedEpisode,
    LoggedSample,
    logged_conversation,
    logged_episode,
    logged_sample,
)
from evaluation.log.exchanges import resolved
from evaluation.log.files import LARGE, logs_of_task, read_header, read_sample, read_summaries, suite_of
from evaluation.log.schema import Header, SummaryFacts, check, check_sample
from evaluation.prompts import PromptSet, with_agent_texts
from evaluation.results import TrialResult, refuse_twins
from evaluation.suite import TaskSpec

CONVERSATION = "conversation"
"""Sample id of a conversation over all tasks."""

KEPT = "keep_episode"
"""Log step of another harness's agent, with messages like our solver's."""

_LEVEL = re.compile(r"(\d{2})-\d{2}-\d{2}.*")


_ENDS = {"started": "was not ended", "cancelled": "was cancelled", "error": "failed"}
"""Early end of a run, by Inspect's status."""


def open_logs(named: Sequence[tuple[str | None, Path]]) -> "list[RunLog]":
    """Open several logs, each with a name for its agent, or None. Raises EvaluationError if one is broken,
    and if two have agents of the same name."""
    logs = [RunLog(path, name) for name, path in named]
    refuse_twins((log.agent, log.path) for log in logs)
    return logs


class RunLog:
    """Log of `arena-llm eval` or `inspect eval`, with one episode in memory.

    `agent` defaults to the run's own name or the model's. Raises EvaluationError if the file cannot be read
    or is a log of another program.
    """

    def __init__(self, path: Path, agent: str | None = None) -> None:
        self.path = path
        self.header = read_header(path)
        self.suite = suite_of(path, self.header)
        self.model: str = self.header.eval.model
        self.arguments: dict[str, Any] = dict(self.header.eval.task_args)
        self.trials: int = self.header.eval.config.epochs or 1
        self.metadata: dict[str, Any] = self.header.eval.metadata or {}
        names = ("metadata", "arguments", "parameters", "trials")
        check(Header, {name: getattr(self, name) for name in names}, str(path))
        self.agent: str = agent or self.metadata.get("name") or self.model

    @cached_property
    def _summaries(self) -> dict[tuple[str, int], Any]:
        found = read_summaries(self.path)
        for (sample, epoch), each in found.items():
            check(SummaryFacts, each.metadata, f"{self.path}: episode {sample}, trial {epoch} in brief")
        return found

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Setup parameters: `choices`, `tasks`, `texts`; empty if not logged."""
        steps = self.header.plan.steps if self.header.plan else []
        found = next((dict(step.params) for step in steps if step.params), {})
        return {"choices": found.get("protocol"), **found}  # as version 0.2 called them

    @property
    def logged_choices(self) -> dict[str, Any]:
        """Logged choices by their present names; empty if not logged."""
        return dict(self.suite.choices.renamed(self.parameters["choices"] or {}))

    @property
    def folder(self) -> Path | None:
        """Folder of the run's own task files, if any."""
        folder = self.arguments.get("folder")
        return Path(folder) if folder else None

    @cached_property
    def choices(self) -> Any:
        """Choices of the run, without those unknown to this version."""
        return self.read_choices()[0]

    def read_choices(self) -> tuple[Any, str]:
        """Read the choices, and the reason for defaults if they are incompatible."""
        kind = self.suite.choices
        known = {name: value for name, value in self.logged_choices.items() if name in kind.model_fields}
        try:
            return kind.model_validate(known), ""
        except ValidationError as error:
            reason = error.errors()[0]
            place = ".".join(map(str, reason["loc"]))
            return (
                kind(),
                f"its choices are not of this version ({place}: {reason['msg']}): defaults are used",
            )

    @property
    def together(self) -> bool:
        """Return whether all tasks were played in one conversation."""
        return bool(self.choices.conversation == "run")

    @cached_property
    def logged_tasks(self) -> dict[str, Mapping[str, Any]]:
        """Tasks of the run by id, in order, as plain values. Empty if not logged."""
        return {str(task["id"]): task for task in self.parameters.get("tasks") or ()}

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of the logged tasks by id."""
        return {
            task_id: str(task["sha256"]) for task_id, task in self.logged_tasks.items() if "sha256" in task
        }

    def task(self, task_id: str) -> TaskSpec | None:
        """Read a logged task; None if this version cannot."""
        plain = self.logged_tasks.get(task_id)
        try:
            return logged_task(self.suite, plain) if plain is not None else None
        except (ArenaError, ValidationError, KeyError, TypeError, ValueError):
            return None

    def all_tasks(self) -> tuple[TaskSpec, ...] | None:
        """All tasks of the run in order. None if the log is incomplete."""
        found = [self.task(task_id) for task_id in self.logged_tasks]
        whole = tuple(task for task in found if task is not None)
        return whole if whole and len(whole) == len(found) else None

    @cached_property
    def task_ids(self) -> tuple[str, ...]:
        """Ids of the planned tasks."""
        if not self.together:
            ids = self.header.eval.dataset.sample_ids or [key[0] for key in self._summaries]
        else:
            ids = list(self.logged_tasks) or [
                i for s in self._summaries.values() for i in s.metadata.get("tasks", ())
            ]
        return tuple(dict.fromkeys(map(str, ids)))

    @property
    def planned(self) -> int:
        """Number of planned trials."""
        return len(self.task_ids) * self.trials

    @cached_property
    def finished(self) -> int:
        """Number of trials with a score; for a conversation, of finished episodes."""
        if self.together:
            return sum(len(self.sample(s.id, s.epoch, LARGE).records) for s in self._summaries.values())
        return sum(bool(s.scores) and not s.error for s in self._summaries.values())

    @property
    def complete(self) -> bool:
        """Return whether the run finished with a score of every planned trial."""
        return self.header.status == "success" and self.finished == self.planned

    @property
    def partial(self) -> str:
        """Describe an incomplete run: its end and extent; empty if complete."""
        if self.complete:
            return ""
        ended = _ENDS.get(self.header.status, "ended")
        return (
            f"Partial run: {self.agent} ({self.path.name}) {ended}; {self.finished} of {self.planned} "
            f"planned trials have a score. {self.cap}The others are shown as missing and count as failed."
        )

    @cached_property
    def resumes(self) -> int:
        """Number of continuations: older logs of the run in the folder."""
        logs = logs_of_task(self.path.parent, self.header.eval.task_id)
        return sum(path.name < self.path.name for path in logs)

    @cached_property
    def cap(self) -> str:
        """Describe what a run limit prevented, and its excess; empty without one."""
        errors = [summary.error or "" for summary in self._summaries.values()]
        reached = next((limits for error in errors if (limits := limits_in(error))), None)
        if reached is None:
            return ""
        stopped = sum(STOPPED in error for error in errors)
        kept = sum(NOT_PLAYED in error for error in errors)
        if self.together:
            kept = self.planned - self.finished - stopped
        cost = reached.cost
        left = f"{kept} not played" if cost is None else f"not started: {kept} episodes, --max-cost {cost:g}"
        done = [f"{stopped} stopped at the next reply"] * bool(stopped) + [left] * bool(kept)
        spent = replace(spent_before(self.path), limits=reached)
        return f"A limit of the run was reached: {', '.join(done)}. {spent.passed_by()} "

    @property
    def player(self) -> dict[str, Any]:
        """Facts of a self-playing agent; empty for models."""
        return dict(self.metadata.get("policy") or {})

    @property
    def harness(self) -> str:
        """Harness other than Inspect AI, such as mcp; otherwise empty."""
        return str(self.metadata.get("harness") or "")

    @property
    def pass_rate(self) -> float | None:
        """Logged pass rate of a finished run, if any."""
        results = self.header.results if self.header.status == "success" else None
        scores = results.scores if results else []
        rates = [score.metrics["pass_rate"].value for score in scores if "pass_rate" in score.metrics]
        return rates[0] if rates else None

    @property
    def counts_missing(self) -> bool:
        """Return whether the logged rate counts missing episodes. Older logs leave them out."""
        scores = self.header.results.scores if self.header.results else []
        return any("judged_rate" in score.metrics for score in scores)

    @property
    def ours(self) -> bool:
        """Return whether our own solver played or kept the episodes."""
        steps = self.header.plan.steps if self.header.plan else []
        return any(step.solver.rpartition("/")[2] in ("play_episode", KEPT) for step in steps)

    def prompts(self) -> PromptSet:
        """Texts of the run: logged ones, completed by the shipped ones."""
        logged = self.parameters.get("texts")
        known = with_agent_texts(prompts_of(self.suite), self.choices)
        return known.with_texts(logged if isinstance(logged, dict) else {})

    def system_prompt_sha256(self) -> str | None:
        """Hash of the system text sent in the first finished episode, if any."""
        done = next((s for s in self._summaries.values() if s.scores and not s.error), None)
        if done is None:
            return None
        sample = read_sample(self.path, done.id, done.epoch, frozenset({"events", "store"}))
        texts = [resolved(m.text, sample.attachments) for m in sample.messages if m.role == "system"]
        return hashlib.sha256(texts[0].encode()).hexdigest() if texts else None

    def samples(self) -> list[tuple[str, int]]:
        """Sample ids and epochs (from 1) of the log, sorted."""
        return sorted(self._summaries)

    def sample(self, sample: str, epoch: int, unused: frozenset[str] = frozenset({"store"})) -> LoggedSample:
        """Read a sample without its `unused` parts, with its records' faults. Raises EvaluationError if it is
        damaged."""
        raw = read_sample(self.path, sample, epoch, unused)
        where = f"{self.path}: episode {sample}, trial {epoch}"
        check_sample(raw, where)
        return logged_sample(raw, self.suite, self.choices, self.ours, where)

    def episodes(self, unused: frozenset[str] = frozenset({"store"})) -> Iterator[LoggedEpisode]:
        """Yield every planned trial, including unplayed ones.

        Tasks in order and trials within; conversations one after another, in their order of play. Without
        messages and events among what is read (`LARGE`), an episode has its result only. Raises
        EvaluationError for a damaged one.
        """
        if self.together:
            for trial in range(self.trials):
                yield from self._conversation(trial, unused)
            return
        for task_id in self.task_ids:
            for trial in range(self.trials):
                base = self._base(task_id, trial)
                if (task_id, trial + 1) in self._summaries:
                    yield logged_episode(base, self.sample(task_id, trial + 1, unused).sound())
                else:
                    yield LoggedEpisode(TrialResult(**base, error=NOT_RUN))

    def results(self) -> tuple[TrialResult, ...]:
        """List one row per planned trial, by task and trial."""
        rows = [episode.result for episode in self.episodes(LARGE)]
        place = {task_id: number for number, task_id in enumerate(self.task_ids)}
        return tuple(sorted(rows, key=lambda row: (place[row.task_id], row.trial)))

    def _conversation(self, trial: int, unused: frozenset[str]) -> Iterator[LoggedEpisode]:
        bases = {task_id: self._base(task_id, trial) for task_id in self.task_ids}
        if (CONVERSATION, trial + 1) not in self._summaries:
            yield from (LoggedEpisode(TrialResult(**base, error=NOT_RUN)) for base in bases.values())
            return
        yield from logged_conversation(bases, self.sample(CONVERSATION, trial + 1, unused).sound())

    def _base(self, task_id: str, trial: int) -> dict[str, Any]:
        summary = self._summaries.get((task_id, trial + 1))
        task = self.logged_tasks.get(task_id) or {}
        known = {**(task.get("metadata") or {}), **(summary.metadata if summary is not None else {})}
        match = _LEVEL.fullmatch(task_id)
        group = next(
            (known[key] for key in ("group", "level") if known.get(key) is not None),
            task.get("group", task.get("level", int(match[1]) if match else 0)),
        )
        mark = known.get("pass_mark", (task.get("spec") or {}).get("pass_mark"))
        return {"agent": self.agent, "task_id": task_id, "group": group, "trial": trial, "pass_mark": mark}
