"""Small batteries for the tests of evaluations, written as task files."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluation.capabilities import prompts_of
from evaluation.evaluate import evaluate
from evaluation.log.run import RunLog
from evaluation.request import EvalRequest
from evaluation.results import TrialResult
from evaluation.suite import EpisodeSetup
from evaluation.suites import get_suite
from llm_control.choices import ArenaChoices
from llm_control.suite import task_spec
from testbed import Task

ARENA = get_suite("arena")

TASK = """!ArenaConfig
arenas:
  0: !Arena
    pass_mark: {mark}
    t: {t}
    items:
    - !Item
      name: Agent
      positions: [!Vector3 {{x: 20, y: 0, z: 10}}]
      rotations: [{yaw}]
    - !Item
      name: GoodGoal
      positions: [!Vector3 {{x: {x}, y: 0, z: {z}}}]
      sizes: [!Vector3 {{x: 1, y: 1, z: 1}}]
"""


def task_text(x: float = 20, z: float = 24, t: int = 250, mark: float = 0, yaw: float = 0) -> str:
    """A task file: an agent at (20, 10) m with a heading, and one green ball."""
    return TASK.format(x=x, z=z, t=t, mark=mark, yaw=yaw)


def write_battery(folder: Path, *places: tuple[float, float], t: int = 250) -> Path:
    """A battery of one green ball per task, at (x, z) metres, under ids of tasks that children did."""
    folder.mkdir()
    for name, (x, z) in zip(("01-04-03", "01-06-02", "01-21-01"), places, strict=False):
        (folder / f"{name}.yaml").write_text(task_text(x, z, t))
    return folder


def battery_of(*places: tuple[float, float], t: int = 250) -> Any:
    """A fixture: such a battery for each test of a module."""
    return pytest.fixture(name="battery")(lambda tmp_path: write_battery(tmp_path / "battery", *places, t=t))


def shared_battery_of(*places: tuple[float, float]) -> Any:
    """A fixture: one such battery for all tests of a module, none of which changes it."""
    made = pytest.fixture(name="battery", scope="module")
    return made(lambda tmp_path_factory: write_battery(tmp_path_factory.mktemp("b") / "battery", *places))


def setup_of(task: Task, choices: ArenaChoices, trial: int = 0) -> EpisodeSetup:
    """What an episode of a task depends on."""
    return EpisodeSetup(ARENA, task_spec(task), trial, choices, prompts_of(ARENA))


class Result(NamedTuple):
    """A run's log, and what it says."""

    run: RunLog
    log: Path
    rows: tuple[TrialResult, ...]
    complete: bool


def eval_request(
    model: str,
    folder: Path | None = None,
    prompt: Path | None = None,
    protocol: str | None = None,
    choices: dict[str, object] | None = None,
) -> EvalRequest:
    """A request for the arena's suite."""
    return EvalRequest(ARENA, model, folder, prompt, protocol, choices or {})


def evaluated(asked: EvalRequest, logs: Path, **options: object) -> Result:
    """An evaluation without any display."""
    run = evaluate(asked, logs, display="none", **options)
    return Result(run, run.path, run.results(), run.complete)


def run(
    folder: Path, logs: Path, model: str, protocol: str | None = None, resume: bool = False, **choices: object
) -> Result:
    """An evaluation of tasks in a folder."""
    return evaluated(eval_request(model, folder, protocol=protocol, choices=choices), logs, resume=resume)
