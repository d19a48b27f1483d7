"""Options that several commands share."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import ConfigError
from arena.processes import Engine, LocalEngine


class EngineName(StrEnum):
    """Where the work is done."""

    LOCAL = "local"
    RAY = "ray"


def known_version(value: str | None) -> str | None:
    """The value of `--animal-ai`; raises ConfigError for an unknown version."""
    from arena.taskfile.versions import Version

    if value is not None and value not in tuple(Version):
        raise ConfigError(f"--animal-ai: got {value!r}, expected one of: {', '.join(Version)}")
    return value


def located_testbed(value: Path | None) -> Path | None:
    """The value of `--testbed`: a published battery's name stands for the folder that keeps its files."""
    from testbed.originals import located

    return None if value is None else located(value)


AnimalAI = Annotated[
    str,
    typer.Option(
        callback=known_version,
        help="Animal-AI version: 3.1.3, 4 (4.2 and later), 4.1 (4.0 to 4.1), or 2 (3.1.3 with the scoring of "
        "2019, in which food does not refill health).",
    ),
]
Lenient = Annotated[
    bool,
    typer.Option("--lenient", help="Ignore unknown objects, with a warning, as the original does."),
]
Levels = Annotated[str | None, typer.Option(help="Levels, such as 1-3 or 1,4. Default: all.")]
TESTBED_HELP = "Folder of task files, or original or llm-aai (testbed fetch). Default: the shipped battery."
Testbed = Annotated[Path | None, typer.Option(callback=located_testbed, metavar="DIR", help=TESTBED_HELP)]
Jobs = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Number of processes. Default: one per core.")
]
EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="Processes of this machine, or of Ray, which can use a whole cluster."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        help="Ray cluster: HOST:PORT, or auto for the one that this machine belongs to. Default: "
        "RAY_ADDRESS, or a cluster on this machine for this command only.",
        show_default=False,
    ),
]
ModelName = Annotated[str, typer.Option(help="gpt-*, claude-*, gemini-*, or any provider/model.")]
Preset = Annotated[str | None, typer.Option(help="A preset such as paper-experiment-1, or a file NAME.yaml.")]
Prompt = Annotated[Path | None, typer.Option(help="Text file that replaces the system prompt.")]
Prompts = Annotated[
    Path | None,
    typer.Option(help="Folder of texts and their layout; `arena-llm prompts` writes one."),
]
Prices = Annotated[Path | None, typer.Option(help="YAML file of prices; overrides the shipped prices.")]
CsvFile = Annotated[
    Path | None, typer.Option(help="CSV file to write: a line for each tick, in the columns of Animal-AI 4.")
]
Seed = Annotated[int, typer.Option(help="Random seed of the arenas.")]


def named_path(text: str) -> tuple[str | None, str]:
    """Name and path of NAME=PATH; a URL, or an existing path that contains an equals sign, has no name."""
    name, equals, path = text.partition("=")
    unnamed = not equals or not name or "://" in name or Path(text).exists()
    return (None, text) if unnamed else (name, path)


@contextmanager
def open_engine(engine: EngineName, address: str | None, jobs: int | None) -> Generator[Engine, None, None]:
    """The engine for one command, with `jobs` processes (None: one per core).

    Raises ConfigError for an address without Ray, EvaluationError if Ray cannot be used.
    """
    if engine is EngineName.LOCAL:
        if address:
            raise ConfigError(f"--ray-address {address}: only --engine ray uses a cluster")
        yield LocalEngine(jobs)
        return
    from evaluation.engines.ray_engine import RayEngine

    opened = RayEngine(address or os.environ.get("RAY_ADDRESS") or None, jobs)
    try:
        yield opened
    finally:
        opened.close()
