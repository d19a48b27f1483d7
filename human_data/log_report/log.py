"""Read an evaluation's log: what was asked once, then one episode at a time."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena import ArenaSpec, Recording
from arena.errors import ArenaError, EvaluationError
from llm_control.budget import NOT_PLAYED
from llm_control.evaluate import TrialResult
from llm_control.protocol import Protocol

_UNUSED = {"messages", "attachments", "store"}
"""Parts of a sample that the report does without; the pictures are among them."""

_KEY = re.compile(r"\b(?:sk|key|AIza|gsk|hf|xai)[-_A-Za-z0-9*]{12,}")
"""What keys of providers look like; an error's text may repeat one."""

_LEVEL = re.compile(r"(\d{2})-\d{2}-\d{2}.*")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of an episode, and its price in US dollars where the log knows it."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class LoggedEpisode:
    """One planned trial as the log has it; `recording` and `turns` are absent where it was not finished.

    `turns` are those of `llm_control.play.Turn` as plain values; `seconds` is the time it took, waiting
    included; `stops` counts why the model's replies ended; `temperatures` are those that were sent.
    """

    result: TrialResult
    turns: tuple[Mapping[str, Any], ...] = ()
    recording: Recording | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float | None = None
    stops: Counter[str] = field(default_factory=Counter)
    temperatures: frozenset[float | None] = frozenset()
    answered_by: str | None = None


class RunLog:
    """A log of `arena-llm eval`, of which only one episode at a time is in memory.

    `agent` is the model's name unless another is given. Raises EvaluationError where the file cannot be read
    or is no such log.
    """

    def __init__(self, path: Path, agent: str | None = None) -> None:
        self.path = path
        self.header = _header(path)
        self.agent: str = agent or self.header.eval.model
        self.model: str = self.header.eval.model
        self.arguments: dict[str, Any] = dict(self.header.eval.task_args)
        self.trials: int = self.header.eval.config.epochs or 1
        self.solver: dict[str, Any] = _solver_parameters(self.header)
        self._summaries = _summaries(path)
        ids = self.header.eval.dataset.sample_ids or [key[0] for key in self._summaries]
        self.task_ids: tuple[str, ...] = tuple(dict.fromkeys(map(str, ids)))

    @property
    def planned(self) -> int:
        """Number of planned trials."""
        return len(self.task_ids) * self.trials

    @property
    def finished(self) -> int:
        """Number of trials with a score."""
        return sum(bool(s.scores) and not s.error for s in self._summaries.values())

    @property
    def complete(self) -> bool:
        """Whether the run came to its end with a score of every planned trial."""
        return self.header.status == "success" and self.finished == self.planned

    @property
    def cap(self) -> str:
        """A sentence on the cap of the run that kept episodes from being played; empty where none did."""
        kept = [s.error for s in self._summaries.values() if (s.error or "").find(NOT_PLAYED) >= 0]
        return f"{len(kept)} were {kept[0][kept[0].find(NOT_PLAYED) :].splitlines()[0]}. " if kept else ""

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
        sample = _sample(self.path, done, _UNUSED - {"messages"} | {"events"})
        texts = [message.text for message in sample.messages if message.role == "system"]
        return hashlib.sha256(texts[0].encode()).hexdigest() if texts else None

    def episodes(self) -> Iterator[LoggedEpisode]:
        """Every planned trial, tasks in order and trials within; those that were not played say so."""
        for task_id in self.task_ids:
            for trial in range(self.trials):
                yield self._episode(task_id, trial)

    def _episode(self, task_id: str, trial: int) -> LoggedEpisode:
        summary = self._summaries.get((task_id, trial + 1))
        base = self._base(task_id, trial)
        if summary is None:
            return LoggedEpisode(TrialResult(**base, error="not run"))
        sample = _sample(self.path, summary)
        if sample.error is not None or not sample.scores:
            message = sample.error.message if sample.error else "no score"
            failed = TrialResult(
                **base, error=_without_keys((message.splitlines() or ["unknown error"])[0][:300])
            )
            return LoggedEpisode(failed, usage=_usage(sample), seconds=sample.total_time)
        return self._scored(base, sample)

    def _scored(self, base: dict[str, Any], sample: Any) -> LoggedEpisode:
        episode = sample.metadata.get("episode") or {}
        score = next(iter(sample.scores.values())).metadata or {}
        known: dict[str, Any] = {
            key: score.get(key) for key in ("total_reward", "passed", "outcome", "steps", "turns")
        }
        outputs = [event.output for event in sample.events if event.event == "model" and event.output]
        return LoggedEpisode(
            TrialResult(**base, **known),
            tuple(episode.get("turns") or ()),
            _recording(episode.get("recording")),
            _usage(sample),
            sample.total_time,
            Counter(str(output.stop_reason) for output in outputs if output.choices),
            frozenset(event.config.temperature for event in sample.events if event.event == "model"),
            sample.output.model if sample.output else None,
        )

    def _base(self, task_id: str, trial: int) -> dict[str, Any]:
        summary = self._summaries.get((task_id, trial + 1))
        metadata = summary.metadata if summary is not None else {}
        match = _LEVEL.fullmatch(task_id)
        level = metadata.get("level", int(match[1]) if match else 0)
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


def _header(path: Path) -> Any:
    from inspect_ai.log import read_eval_log

    if not path.is_file():
        raise EvaluationError(f"{path}: no such log; expected a file ending in .eval, or a folder of them")
    try:
        header = read_eval_log(str(path), header_only=True)
    except Exception as error:  # whatever is in the file, Inspect's reader may raise anything
        raise EvaluationError(
            f"{path}: cannot be read as a log of Inspect AI ({str(error).splitlines()[0][:200]}); "
            "name a whole .eval file; a run that was killed is completed by its command with --resume"
        ) from None
    if not header.eval.task.endswith("testbed"):
        raise EvaluationError(f"{path}: a log of the task {header.eval.task!r}, expected 'testbed'")
    return header


def _summaries(path: Path) -> dict[tuple[str, int], Any]:
    from inspect_ai.log import read_eval_log_sample_summaries

    try:
        return {(str(s.id), s.epoch): s for s in read_eval_log_sample_summaries(str(path))}
    except Exception as error:
        raise EvaluationError(
            f"{path}: its episodes cannot be listed ({str(error).splitlines()[0][:200]}); a run that was "
            "killed is completed by its own command with --resume"
        ) from None


def _sample(path: Path, summary: Any, unused: set[str] = _UNUSED) -> Any:
    from inspect_ai.log import read_eval_log_sample

    try:
        return read_eval_log_sample(str(path), id=summary.id, epoch=summary.epoch, exclude_fields=unused)
    except Exception as error:
        raise EvaluationError(
            f"{path}: episode {summary.id}, trial {summary.epoch}: cannot be read "
            f"({str(error).splitlines()[0][:200]}); the file is damaged"
        ) from None


def _without_keys(text: str) -> str:
    return _KEY.sub("[key]", text)


def _solver_parameters(header: Any) -> dict[str, Any]:
    """What the solver was made with, as the log has it."""
    steps = header.plan.steps if header.plan else []
    return next((dict(step.params) for step in steps if step.params), {})


def _recording(plain: Any) -> Recording | None:
    try:
        return Recording.model_validate(plain)
    except ValidationError:
        return None


def _usage(sample: Any) -> Usage:
    """Of all models of an episode together; the price is unknown where one model's is."""
    uses = list((sample.model_usage or {}).values())
    costs = [use.total_cost for use in uses]
    cached = sum((use.input_tokens_cache_read or 0) + (use.input_tokens_cache_write or 0) for use in uses)
    return Usage(
        sum(use.input_tokens for use in uses) + cached,
        sum(use.output_tokens for use in uses),
        sum(use.reasoning_tokens or 0 for use in uses),
        sum(costs) if costs and None not in costs else None,
    )


def find_logs(paths: list[Path]) -> list[Path]:
    """The logs among files and folders; of a folder, the newest of each run that was resumed.

    Raises EvaluationError for a folder without logs.
    """
    found: list[Path] = []
    for path in paths:
        found += _newest(path) if path.is_dir() else [path]
    return list(dict.fromkeys(found))


def _newest(folder: Path) -> list[Path]:
    from inspect_ai.log import list_eval_logs

    infos = list_eval_logs(str(folder), recursive=False, descending=True)
    newest: dict[str, Path] = {}
    for info in infos:
        newest.setdefault(info.task_id, Path(info.name.removeprefix("file://")))
    if not newest:
        raise EvaluationError(f"{folder}: no logs (*.eval) in this folder; run arena-llm eval first")
    return sorted(newest.values())
