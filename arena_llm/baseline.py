"""`arena-llm baseline`: an agent that needs no model, played on many tasks into a CSV file."""

import csv
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.progress import Progress

from arena import ConfigError, EvaluationError
from arena.parallel import Engine, in_order
from evaluation.models import policy_file
from llm_control.agents.policy_file import loaded
from llm_control.agents.step_agents import STEP_AGENTS
from llm_control.baseline import BaselineTrial, play_trial, trials_of
from testbed import find_tasks, parse_levels

COLUMNS = tuple(field.name for field in fields(BaselineTrial))


def run_baseline(
    agent: str,
    levels: str | None,
    testbed: Path | None,
    animal_ai: str,
    trials: int,
    seed: int,
    out: Path,
    console: Console,
    engine: Engine,
) -> pd.DataFrame:
    """Play an agent and write one row per episode, in the order of tasks and trials; return the rows.

    Each row is in the file as soon as it and those before it are played, so what is stopped keeps a
    beginning. Rows do not depend on the engine.

    Raises ConfigError for an unknown agent, level or folder, EvaluationError where the file cannot be
    written, and for a policy as `load_policy` does.
    """
    if (file := policy_file(agent)) is not None:
        loaded(file)
    elif agent not in STEP_AGENTS:
        raise ConfigError(f"--agent: got {agent!r}, expected one of: {', '.join(STEP_AGENTS)}, policy:FILE")
    tasks = find_tasks(parse_levels(levels) if levels else None, testbed, animal_ai)
    planned = trials_of(agent, tasks, trials, seed)
    count = len(planned)
    jobs = min(engine.jobs, count)
    played = in_order(
        play_trial, planned, jobs, engine, lambda trial: f"{trial.task.id}, trial {trial.trial}"
    )
    rows = []
    with Progress(console=console, disable=not console.is_terminal) as progress, closing(played):
        bar = progress.add_task(agent, total=count)
        for row in _written(played, out):
            rows.append(asdict(row))
            progress.advance(bar)
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"passed": "boolean"})


def _written(rows: Iterator[BaselineTrial], path: Path) -> Iterator[BaselineTrial]:
    """Pass rows on, each once it is in the file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            for row in rows:
                table.writerow(asdict(row))
                file.flush()
                yield row
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be written ({error.strerror or error})") from None
