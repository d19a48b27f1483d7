"""The tasks of a run as its log has them."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena import ArenaSpec
from arena_llm.verify.found import parameters
from testbed import Task


@lru_cache(maxsize=2)
def logged_tasks(log: Path) -> Mapping[str, Mapping[str, Any]]:
    """The run's tasks by id, in the order in which they were listed, as plain values; empty where unknown."""
    from inspect_ai.log import read_eval_log

    header = read_eval_log(str(log), header_only=True)
    return {str(task["id"]): task for task in parameters(header).get("tasks") or ()}


def logged_spec(log: Path, task_id: str) -> ArenaSpec | None:
    """The arena of a task; None where the log has none that this version reads."""
    task = logged_tasks(log).get(task_id)
    try:
        return ArenaSpec.model_validate_json(json.dumps(task["spec"])) if task else None
    except (ValidationError, KeyError):
        return None


def battery(log: Path) -> tuple[Task, ...] | None:
    """All tasks of the run in their order; None where the log does not have them whole."""
    found = []
    for task_id, plain in logged_tasks(log).items():
        spec = logged_spec(log, task_id)
        if spec is None or "sha256" not in plain:
            return None
        found.append(Task(task_id, int(plain.get("level", 0)), Path(task_id), spec, str(plain["sha256"])))
    return tuple(found) or None
