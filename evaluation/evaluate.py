"""Run an evaluation so that nothing finished is ever lost, and read its results."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from arena.errors import EvaluationError
from evaluation.choices.effective import Effective, effective
from evaluation.choices.presets import preset_names
from evaluation.engines.backend import Place, playing_at
from evaluation.engines.players import playing, processes
from evaluation.folders import check_writable
from evaluation.generation.budget import Caps, Purse, spending, spent_before
from evaluation.generation.prices import set_price
from evaluation.models import model_name, policy_file
from evaluation.results import TrialResult
from llm_control.acting import check_policy, policy_choices, refuse_without_effect
from llm_control.agents.policy_file import loaded
from llm_control.agents.suitable import check_agent
from llm_control.outcomes import read_played, rows
from llm_control.prompts import prompt_set
from llm_control.run_facts import local, run_facts
from llm_control.selection import select
from render.context import gl_context
from testbed import Task as BatteryTask

Display = Literal["full", "rich", "plain", "none"]


@dataclass(frozen=True, slots=True)
class Request:
    """What to evaluate: the options of `arena-llm eval`.

    `protocol` is a preset's name or a file's path; `choices` are options of `Protocol` that go over it;
    `folder` holds task files, `prompt` is a file in the place of the system prompt.
    """

    model: str
    folder: Path | None = None
    prompt: Path | None = None
    protocol: str | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)

    def effective(self) -> Effective:
        """The protocol with where each choice comes from; raises ConfigError as `effective` does."""
        given = effective(self.protocol, self._options())
        if self.policy is None:
            return given
        origins = {
            name: given.origins[name] if name in self.choices else "policy" for name in self._options()
        }
        return replace(given, origins={**given.origins, **origins})

    @property
    def policy(self) -> Path | None:
        """The file of the learned policy that is to be evaluated; None for other models."""
        return policy_file(self.model)

    def _options(self) -> Mapping[str, Any]:
        return policy_choices(self.protocol, self.choices) if self.policy else self.choices

    def tasks(self) -> tuple[BatteryTask, ...]:
        """The tasks asked for; raises ConfigError where there are none."""
        return select(self.effective().protocol, self.folder)

    def task_args(self) -> dict[str, Any]:
        """The arguments of the Inspect task `testbed`, with paths that hold in any folder."""
        return {
            "protocol": _located(self.protocol),
            "folder": str(self.folder.resolve()) if self.folder else None,
            "prompt": str(self.prompt.resolve()) if self.prompt else None,
            **self._options(),
        }


def _located(protocol: str | None) -> str | None:
    """A preset's name as it is, a file's path so that it holds in any folder."""
    is_file = protocol is not None and protocol not in preset_names()
    return str(Path(protocol).resolve()) if protocol is not None and is_file else protocol


@dataclass(frozen=True, slots=True)
class EvalResult:
    """Results of a run, one row per planned trial, and facts for its report."""

    rows: tuple[TrialResult, ...]
    log: Path
    complete: bool
    facts: dict[str, str]


def evaluate(
    request: Request,
    log_dir: Path,
    *,
    resume: bool = False,
    display: Display = "rich",
    caps: Caps | None = None,
    prices: Path | None = None,
    notes: Mapping[str, Any] | None = None,
    place: Place | None = None,
    at_once: int = 1,
) -> EvalResult:
    """Evaluate a model on the battery.

    Every finished episode is in the log folder at once; with `resume`, an unfinished run of the same
    request in that folder is continued. No episode begins once the run has reached one of its `caps`;
    `prices` is a file that goes over the shipped prices; `notes` go to the log's metadata. `place` is where
    episodes are played, this process where left out, and `at_once` how many it can play at a time.

    Raises EvaluationError for an unknown model, a missing key, an unwritable folder, nothing to
    resume and a limit on the cost without a price, ConfigError for tasks and prompt, RecordingError for
    recordings that `arena/replay` cannot play, RenderError where
    no picture can be drawn, and KeyboardInterrupt after finished work was kept.
    """
    model = model_name(request.model)
    protocol = request.effective().protocol
    tasks = request.tasks()
    caps = caps or Caps()
    spent = {"prompt": request.prompt, "prices": prices, "max_cost": caps.cost, "max_tokens_run": caps.tokens}
    refuse_without_effect(model, spent)
    check_agent(model, tasks, protocol)
    policy = check_policy(model, protocol)
    prompts = prompt_set(request.prompt)
    print_ = _fingerprint(request, model, tasks, prompts.sha256)
    set_price(model, prices, caps.cost or protocol.max_cost_per_episode)
    check_writable(log_dir)
    about: dict[str, Any] = {**(notes or {}), "fingerprint": print_}
    if policy is not None:
        about["policy"] = policy.facts()
    if policy is None or policy.description.environment.draws:
        # Where no picture can be drawn, that is said before anything is spent.
        gl_context()
    workers = processes(len(tasks) * protocol.trials) if policy else 0
    with playing_at(place):
        log = _run(request, model, log_dir, about, resume, display, caps, at_once, workers)
    played = read_played(log.location)
    results = rows(played, model, tasks, protocol)
    facts = run_facts(log, played, request, model, prompts.sha256)
    return EvalResult(results, Path(local(log.location)), log.status == "success", facts)


def earlier_log(request: Request, log_dir: Path) -> tuple[Path, bool] | None:
    """The newest log of this request in a folder, and whether it is finished; None where there is none.

    Raises as `evaluate` does where the request is wrong.
    """
    if not log_dir.is_dir():
        return None
    from inspect_ai.log import list_eval_logs, read_eval_log

    model = model_name(request.model)
    print_ = _fingerprint(request, model, request.tasks(), prompt_set(request.prompt).sha256)
    for info in list_eval_logs(str(log_dir), descending=True):
        header = read_eval_log(info, header_only=True)
        if (header.eval.metadata or {}).get("fingerprint") == print_:
            return Path(local(info.name)), _unfinished(log_dir, print_) is None
    return None


def _run(
    request: Request,
    model: str,
    log_dir: Path,
    metadata: dict[str, Any],
    resume: bool,
    display: Display,
    caps: Caps,
    at_once: int,
    workers: int,
) -> Any:
    import inspect_ai
    from inspect_ai._util.error import PrerequisiteError

    import evaluation.inspect_task.registry  # registers the provider

    common: dict[str, Any] = {
        "log_dir": str(log_dir),
        "display": display,
        "log_buffer": 1,
        "log_realtime": True,
        "score_display": False,
        "retry_on_error": request.effective().protocol.relaunches,
    }
    if model.startswith("arena/"):
        # These compute: few at a time, so that finished ones are out of danger.
        common["max_samples"] = max(4, at_once, 2 * workers)
    check_model(model)
    unfinished = _unfinished(log_dir, metadata["fingerprint"])
    if resume and unfinished is None:
        raise EvaluationError(f"{log_dir}: no unfinished run of this command to resume; leave out --resume")
    again = _recovered(unfinished) if resume else ""
    try:
        with spending(caps, spent_before(again) if again else Purse()), playing(workers):
            if again:
                logs = inspect_ai.eval_retry(again, **common)
            else:
                task = evaluation.inspect_task.registry.testbed(
                    **request.task_args(), **_journal(request, log_dir)
                )
                # All episodes' pictures at once would be more than some machines' memory.
                logs = inspect_ai.eval(task, model=model, metadata=metadata, log_header_only=True, **common)
    except PrerequisiteError as error:
        raise EvaluationError(str(error.message)) from None
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    return logs[0]


def check_model(model: str) -> None:
    """Make the model once before anything starts, so that what is missing is said at once.

    Raises EvaluationError where it cannot be made.
    """
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import get_model

    try:
        get_model(model)
    except PrerequisiteError as error:
        raise EvaluationError(str(error.message)) from None
    except (ValueError, ImportError) as error:
        raise EvaluationError(f"{model}: {str(error).splitlines()[0]}") from None


def _fingerprint(request: Request, model: str, tasks: Sequence[BatteryTask], prompts: str) -> str:
    """The same for the same command on the same files, so that only such a run is resumed."""
    facts = {
        "model": model,
        "tasks": [(task.id, task.sha256) for task in tasks],
        "prompts": prompts,
        "protocol": request.effective().protocol.model_dump(mode="json"),
    }
    if request.policy:
        facts["policy"] = loaded(request.policy).sha256
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _unfinished(log_dir: Path, print_: str) -> str | None:
    """The newest log of this command where it did not run to its end."""
    from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries

    for info in list_eval_logs(str(log_dir), descending=True):
        header = read_eval_log(info, header_only=True)
        if (header.eval.metadata or {}).get("fingerprint") == print_:
            failed = any(summary.error for summary in read_eval_log_sample_summaries(info))
            return info.name if failed or header.status != "success" else None
    return None


def _recovered(location: str | None) -> str:
    """A log from which a killed process's finished episodes can be read."""
    from inspect_ai.log import read_eval_log, recover_eval_log

    assert location is not None
    if read_eval_log(location, header_only=True).status != "started":
        return location
    try:
        recover_eval_log(location, overwrite=True)
    except Exception:  # nothing beyond what the file holds: go on from the file
        return location
    return location


def _journal(request: Request, log_dir: Path) -> dict[str, str]:
    """A new file for the replies of a long conversation, beside the log."""
    if request.effective().protocol.conversation == "episode":
        return {}
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    return {"journal": str(log_dir.resolve() / f"{started}_{uuid4().hex[:8]}.replies.jsonl")}
