"""A plan: what a run is going to be, written down before it, so that a report can say whether it was so."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.errors import ConfigError, EvaluationError
from arena.files import read_text
from evaluation.log import schema
from evaluation.log.schema import check
from evaluation.request import EvalRequest

Plan = Mapping[str, Any]
"""`model`; `policy`, a SHA-256 if it is a learned one; `prompts`, a SHA-256; `tasks`, a SHA-256 by id;
`protocol`, every choice, the seed among them."""


def settle_plan(path: Path, request: EvalRequest) -> Plan:
    """The plan in a file, which is written if there is none yet; an older plan is never changed.

    Raises ConfigError for a file that is no plan, EvaluationError if it cannot be written.
    """
    if path.exists():
        return read_plan(path)
    plan = request.plan()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(plan, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise EvaluationError(f"{path}: the plan cannot be written ({error.strerror or error})") from None
    return plan


def read_plan(path: Path) -> Plan:
    """A plan from its file. Raises ConfigError, with file:line, if it is none."""
    text = read_text(path)
    try:
        plan = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise ConfigError(f"{path}:{line}: no plan: it is no JSON; --plan writes a new file") from None
    try:
        check(schema.Plan, plan, f"{path}:1: no plan")
    except EvaluationError as error:
        raise ConfigError(f"{error}; --plan writes a new file") from None
    return plan  # type: ignore[no-any-return]


def deviations(planned: Plan, done: Plan) -> Iterator[str]:
    """In what a run is not the planned one, one clause each."""
    for part in ("model", "policy", "prompts"):
        if part in planned and part in done and planned[part] != done[part]:
            yield f"{part}: {_short(planned[part])} was planned, {_short(done[part])} was used"
    yield from _differences("protocol", planned["protocol"], done["protocol"])
    yield from _differences("file", planned.get("files") or {}, done.get("files") or {})
    yield from _differences("task", planned["tasks"], done["tasks"])
    both = [task for task in planned["tasks"] if task in done["tasks"]]
    if both != [task for task in done["tasks"] if task in planned["tasks"]]:
        yield "tasks: in another order than planned"


def _differences(part: str, planned: Mapping[str, Any], done: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*planned, *done]):
        if key not in done:
            yield f"{part} {key}: planned, but not used"
        elif key not in planned:
            yield f"{part} {key}: not planned"
        elif planned[key] != done[key]:
            yield f"{part} {key}: {_short(planned[key])} was planned, {_short(done[key])} was used"


def _short(value: Any) -> str:
    """A value; of a hash its first characters."""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"{text[:12]}..." if len(text) == 64 and " " not in text else text
