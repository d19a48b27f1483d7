"""Runs of evaluations that keep every finished episode."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import inspect_ai
from inspect_ai.model import get_model

from arena.errors import ConfigError, EvaluationError
from arena.processes import Engine
from evaluation.engines.backend import Backend, backend, worthwhile_processes
from evaluation.estimate import sample_prices
from evaluation.generation.budget import Admission, RunBudget, RunLimits, admission, spent_before
from evaluation.generation.journal import Journal, find_journal, new_name, no_other_process, open_journal
from evaluation.generation.prices import set_price
from evaluation.inspect_task.interface import PrerequisiteError
from evaluation.inspect_task.registry import registered
from evaluation.log.files import headers, local_path, read_header, read_summaries, recovered
from evaluation.log.run import RunLog
from evaluation.report_folder import check_writable
from evaluation.request import EvalRequest, model_name, player_of
from evaluation.suite import Player

Display = Literal["full", "rich", "plain", "none"]


def evaluate(
    request: EvalRequest,
    log_dir: Path,
    *,
    resume: bool = False,
    display: Display = "rich",
    limits: RunLimits | None = None,
    prices: Path | None = None,
    notes: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
    max_samples: int | None = None,
    max_connections: int | None = None,
) -> RunLog:
    """Evaluate a model on tasks of a suite.

    Every reply and every finished episode is written to the log folder immediately; with `resume`, an
    unfinished run of the same request in that folder is continued. Once the run has reached one of its
    `limits`, no episode begins and those being played stop at their next reply; under one on the cost only
    episodes begin that it covers. `prices` is a file that overrides the shipped prices; `notes` go to the
    log's metadata. `engine` is what plays episodes (default: this process); `max_samples` are the episodes
    that are played at a time and `max_connections` the requests (default: those of Inspect AI).

    Raises EvaluationError for an unknown model, a missing key, an unwritable folder, nothing to resume and a
    limit on the cost without a price, ConfigError for tasks and prompt, RenderError if pictures are needed
    and cannot be drawn, whatever `Suite.check` raises, and KeyboardInterrupt after finished work was kept.
    """
    choices, limits = request.effective.choices, limits or RunLimits()
    model, player = checked(request, limits, prices)
    about: dict[str, Any] = {**(notes or {}), "fingerprint": request.fingerprint}
    expected = {} if limits.cost is None else sample_prices(request, prices)
    check_writable(log_dir)
    if player is not None:
        about["policy"] = player.facts()
    local = Backend(worthwhile_processes(len(request.tasks) * choices.trials) if player else 0)
    remote = engine.episodes() if engine else None
    concurrent = max(4, engine.jobs if engine and remote else 1, 2 * local.processes)
    # Offline agents compute: few concurrent episodes soon reach the log.
    at_a_time = max_samples or (concurrent if model.startswith(f"{request.suite.name}/") else None)
    parallel = {"max_samples": at_a_time, "max_connections": max_connections}
    try:
        with backend.using(remote or local):
            log = _run(request, model, log_dir, about, resume, display, limits, expected, parallel)
    finally:
        for used in filter(None, (local, remote)):
            used.close()
    return RunLog(local_path(log.location))


def checked(request: EvalRequest, limits: RunLimits, prices: Path | None) -> tuple[str, Player | None]:
    """Check a request before anything is sent; return the model's full name and the self-playing agent, if it
    is one. Raises as `evaluate` does."""
    model, choices = model_name(request.suite, request.model), request.effective.choices
    _refuse_without_effect(request, prices, limits)
    request.suite.check(model, request.tasks, choices)
    player = player_of(request.suite, model, choices)
    for each in [model, *(() if player else (model_name(request.suite, judge) for judge in choices.judges))]:
        set_price(each, prices, limits.cost or choices.max_cost_per_episode)
    return model, player


def _refuse_without_effect(request: EvalRequest, prices: Path | None, limits: RunLimits) -> None:
    """Raise ConfigError for an option without effect on a self-playing agent."""
    given = {
        "prompt": request.prompt,
        "prompts": request.texts,
        "prices": prices,
        "max_cost": limits.cost,
        "max_tokens_run": limits.tokens,
    }
    for name, value in given.items():
        if request.player is not None and value is not None:
            raise ConfigError(
                f"--{name.replace('_', '-')}: does not apply to an agent that plays by itself, without API "
                "calls or cost; remove it"
            )


def earlier_log(request: EvalRequest, log_dir: Path) -> tuple[Path, bool] | None:
    """Find a request's newest log in a folder, and whether it finished. None without a log. Raises as
    `evaluate` does if the request is wrong."""
    model_name(request.suite, request.model)
    found = _newest(log_dir, request.fingerprint)
    return None if found is None else (found[0], _is_finished(*found))


def _newest(log_dir: Path, fingerprint: str) -> tuple[Path, Any] | None:
    """Find the newest log of a request, with its header."""
    for path, header in headers(log_dir):
        if (header.eval.metadata or {}).get("fingerprint") == fingerprint:
            return path, header
    return None


def _is_finished(path: Path, header: Any) -> bool:
    failed = any(summary.error for summary in read_summaries(path).values())
    return header.status == "success" and not failed


def _run(
    request: EvalRequest,
    model: str,
    log_dir: Path,
    metadata: dict[str, Any],
    resume: bool,
    display: Display,
    limits: RunLimits,
    expected: Mapping[str, Sequence[float]],
    parallel: Mapping[str, int | None],
) -> Any:
    common: dict[str, Any] = {
        "log_dir": str(log_dir),
        "display": display,
        "log_buffer": 1,
        "log_realtime": True,
        "score_display": False,
        "retry_on_error": request.effective.choices.relaunches,
        **{name: value for name, value in parallel.items() if value is not None},
    }
    suite_task = registered(request.suite)
    for name in (model, *(model_name(request.suite, each) for each in request.effective.choices.judges)):
        check_model(name)
    again = _to_resume(log_dir, request) if resume else None
    kept = _journal_of(again) if again else log_dir / metadata.setdefault("journal", new_name())
    with no_other_process(kept):
        journal, spent = Journal(kept, request.fingerprint), spent_before(again) if again else RunBudget()
        budget = RunBudget(limits, spent.tokens, spent.cost)
        try:
            with admission.using(Admission(budget, expected)), open_journal.using(journal):
                if again:
                    logs = inspect_ai.eval_retry(str(again), **common)
                else:
                    task = suite_task(**request.task_args())
                    # All episodes' pictures together could exceed some machines' memory.
                    logs = inspect_ai.eval(
                        task, model=model, metadata=metadata, log_header_only=True, **common
                    )
        except PrerequisiteError as error:
            raise EvaluationError(str(error.message)) from None
        if not logs or logs[0].status == "cancelled":
            raise KeyboardInterrupt
        if _is_finished(local_path(logs[0].location), logs[0]):
            journal.remove()
    return logs[0]


def _to_resume(log_dir: Path, request: EvalRequest) -> Path:
    """Find the unfinished log of this command. Raises EvaluationError without one."""
    found = _newest(log_dir, request.fingerprint)
    if found is None or _is_finished(*found):
        raise EvaluationError(f"{log_dir}: no unfinished run of this command to resume; leave out --resume")
    return recovered(found[0])


def _journal_of(log: Path) -> Path | None:
    """Find the journal of an unfinished run. Raises EvaluationError if this version cannot continue it."""
    header = read_header(log)
    if header.eval.task_args.get("journal"):
        raise EvaluationError(
            f"{log}: a conversation that an earlier version of arena-llm began; finish it with that version, "
            "or leave out --resume"
        )
    return find_journal(log, header)


def check_model(model: str) -> None:
    """Create the model once, so that missing parts are reported immediately. Raises EvaluationError if it
    cannot be made."""
    try:
        get_model(model)
    except PrerequisiteError as error:
        raise EvaluationError(str(error.message)) from None
    except (ValueError, ImportError) as error:
        raise EvaluationError(f"{model}: {str(error).splitlines()[0]}") from None
