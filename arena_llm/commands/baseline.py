"""The command `arena-llm baseline`."""

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from arena.errors import ConfigError, EvaluationError
from arena_llm.console import exit_interrupted, progress_bar
from arena_llm.options import (
    AnimalAI,
    EngineName,
    EngineOption,
    Jobs,
    Levels,
    RayAddress,
    Seed,
    Testbed,
    open_engine,
)

if TYPE_CHECKING:
    import pandas as pd

    from arena.parallel import Engine
    from llm_control.baseline import PlannedTrial


def baseline_command(
    agent: Annotated[str, typer.Option(help="random, held, braitenberg, oracle or policy:FILE.")],
    out: Annotated[Path, typer.Option(help="CSV file to write: one row per episode.")],
    levels: Levels = None,
    testbed: Testbed = None,
    trials: Annotated[int, typer.Option(min=1, help="Trials per task.")] = 1,
    seed: Seed = 0,
    jobs: Jobs = None,
    animal_ai: AnimalAI = "3.1.3",
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Play an agent that acts at every step without a model, and compare it with published ones.

    Published numbers of children and others are printed by `arena-llm baselines` (with an s).
    """
    from llm_control.baseline import trials_of
    from report.comparison.published_agents import OTHER_BATTERY, compare_with_published, published_table
    from testbed import find_tasks, parse_levels

    _check_agent(agent)
    tasks = find_tasks(parse_levels(levels) if levels else None, testbed, animal_ai)
    planned = trials_of(agent, tasks, trials, seed)
    console = Console()
    try:
        with open_engine(engine, ray_address, jobs) as opened:
            results = _play(planned, out, console, opened)
    except KeyboardInterrupt:
        exit_interrupted(f"Stopped. The episodes so far are in {out}.")
    console.print(published_table(compare_with_published(results)))
    if testbed is None:
        console.print(OTHER_BATTERY)
    console.print(f"Episodes: {out}", soft_wrap=True)


def _check_agent(agent: str) -> None:
    """Raise ConfigError for an unknown agent, and for a policy as `load_policy` does."""
    from llm_control.agents.policy_file import loaded
    from llm_control.agents.step_agents import STEP_AGENTS
    from llm_control.models import policy_file

    if (file := policy_file(agent)) is not None:
        loaded(file)
    elif agent not in STEP_AGENTS:
        raise ConfigError(f"--agent: got {agent!r}, expected one of: {', '.join(STEP_AGENTS)}, policy:FILE")


def _play(planned: "list[PlannedTrial]", out: Path, console: Console, engine: "Engine") -> "pd.DataFrame":
    """Play the trials and write one row each, in their order, as soon as it is known."""
    from dataclasses import asdict, fields

    import pandas as pd

    from arena.parallel import in_order
    from llm_control.baseline import BaselineTrial, play_trial

    jobs, columns = min(engine.jobs, len(planned)), [field.name for field in fields(BaselineTrial)]
    played = in_order(
        play_trial, planned, jobs, engine, lambda trial: f"{trial.task.id}, trial {trial.trial}"
    )
    with progress_bar(console) as bar, closing(played):
        rows = (asdict(trial) for trial in played)
        shown = bar.track(_written(rows, columns, out), total=len(planned), description="playing")
        return pd.DataFrame(shown, columns=columns).astype({"passed": "boolean"})


def _written(rows: Iterator[dict[str, Any]], columns: list[str], path: Path) -> Iterator[dict[str, Any]]:
    """Pass rows on, each once it is in the file; raises EvaluationError if that cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, columns, lineterminator="\n")
            table.writeheader()
            for row in rows:
                table.writerow(row)
                file.flush()
                yield row
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be written ({error.strerror or error})") from None
