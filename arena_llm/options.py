"""Options of several commands, and choices of a suite as options."""

import inspect
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.errors import ConfigError
from arena.processes import Engine
from arena.seeds import ChanceName
from arena.taskfile.versions import Version
from evaluation.suite import Suite
from evaluation.suites import DEFAULT, get_suite


class EngineName(StrEnum):
    """Engine that runs the work."""

    LOCAL = "local"
    RAY = "ray"


def known_version(value: str | None) -> str | None:
    """Check `--animal-ai`. Raises ConfigError for an unknown version."""
    if value is not None and value not in tuple(Version):
        raise ConfigError(f"--animal-ai: got {value!r}, expected one of: {', '.join(Version)}")
    return value


def located_testbed(value: Path | None) -> Path | None:
    """Locate `--testbed`: a folder, or that of a published battery's files."""
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
Chance = Annotated[
    ChanceName, typer.Option(help="Generator of random places and colours; unity: the original's.")
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Unknown objects ignored, with a warning, as in the original.")
]
Levels = Annotated[str | None, typer.Option(help="Levels of the battery, such as 1-3 or 1,4. Default: all.")]
TESTBED_HELP = "Folder of task files, or original or llm-aai (testbed fetch). Default: the shipped battery."
Testbed = Annotated[Path | None, typer.Option(callback=located_testbed, metavar="DIR", help=TESTBED_HELP)]
Jobs = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Number of processes. Default: one per core.")
]
EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="Engine: processes of this machine, or Ray, which can use a cluster."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        help="Ray cluster: HOST:PORT, or auto for the one that this machine belongs to. Default: "
        "RAY_ADDRESS, or a cluster on this machine for this command only.",
        show_default=False,
    ),
]
ModelName = Annotated[str, typer.Option(help="Model: gpt-*, claude-*, gemini-*, or any provider/model.")]
Preset = Annotated[str | None, typer.Option(help="Preset, such as paper-experiment-1, or a file NAME.yaml.")]
Prompt = Annotated[Path | None, typer.Option(help="Text file that replaces the system prompt.")]
Prompts = Annotated[
    Path | None, typer.Option(help="Folder of texts and their layout; `arena-llm prompts` writes one.")
]
Prices = Annotated[Path | None, typer.Option(help="YAML file of prices; overrides the shipped prices.")]
LogDir = Annotated[Path, typer.Option(help="Folder for logs; finished episodes are saved immediately.")]
CsvFile = Annotated[
    Path | None, typer.Option(help="CSV file with a line per tick, in the columns of Animal-AI 4.")
]
Seed = Annotated[int, typer.Option(help="Random seed of the arenas.")]


def named_path(text: str) -> tuple[str | None, str]:
    """Split NAME=PATH; URLs and existing paths that contain an equals sign have no name."""
    name, equals, path = text.partition("=")
    unnamed = not equals or not name or "://" in name or Path(text).exists()
    return (None, text) if unnamed else (name, path)


@contextmanager
def open_engine(engine: EngineName, address: str | None, jobs: int | None) -> Generator[Engine, None, None]:
    """Open the engine of a command, with `jobs` processes (None: one per core).

    Raises ConfigError for an address without Ray, EvaluationError if Ray cannot be used.
    """
    if engine is EngineName.LOCAL:
        if address:
            raise ConfigError(f"--ray-address {address}: only --engine ray uses a cluster")
        yield Engine(jobs)
        return
    from evaluation.engines.ray import RayEngine

    opened = RayEngine(address or os.environ.get("RAY_ADDRESS") or None, jobs)
    try:
        yield opened
    finally:
        opened.close()


PANEL = "Choices of the run (override the preset; numbers may be 'none')"

SuiteOption = Annotated[
    str, typer.Option(help="Suite of tasks; `arena-llm suites` lists them. Its choices are options too.")
]


def command_of(function: Callable[..., None], name: str, suite: str | None) -> Any:
    """Make a function's command; `**choices` become options, one for each of the suite's.

    Raises ConfigError for an unknown suite.
    """
    app = typer.Typer(add_completion=False)
    app.command(name)(function if suite is None else with_choices(function, suite))
    return typer.main.get_command(app)


def group_of(app: typer.Typer, name: str) -> Any:
    """Make a command that has commands."""
    group = typer.main.get_group(app)
    group.name = name
    return group


def suite_in(arguments: Sequence[str]) -> str:
    """Find the value of `--suite` among arguments."""
    for place, argument in enumerate(arguments):
        if argument == "--suite" and place + 1 < len(arguments):
            return arguments[place + 1]
        if argument.startswith("--suite="):
            return argument.partition("=")[2]
    return DEFAULT


def with_choices(function: Callable[..., None], suite: str) -> Callable[..., None]:
    """Give a function a parameter for each choice; those not given are absent from `**choices`.

    A choice of the name of one of its own parameters keeps its default, unless a preset sets it.
    """
    chosen = get_suite(suite)
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    names = {p.name for p in own}

    def called(**values: Any) -> None:
        function(**{key: value for key, value in values.items() if key in names or value is not None})

    parameters = [
        *own,
        *_short_flags(chosen),
        *(_option(chosen, name) for name in chosen.choices.model_fields if name not in names),
    ]
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    called.__doc__ = function.__doc__
    return called


def _short_flags(suite: Suite) -> Iterator[inspect.Parameter]:
    """Make a flag for each short name of a choice with more values than yes and no."""
    for word, name in suite.choices.short_names.items():
        if not _is_flag(suite, name):
            option = typer.Option(
                None,
                f"--{word}",
                help=f"The same as --{name} yes.",
                rich_help_panel=PANEL,
                show_default=False,
            )
            yield inspect.Parameter(
                word, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=bool | None
            )


def _is_flag(suite: Suite, name: str) -> bool:
    return suite.choices.model_fields[name].annotation is bool


def _option(suite: Suite, name: str) -> inspect.Parameter:
    field = suite.choices.model_fields[name]
    yes = _is_flag(suite, name)
    flag = name.replace("_", "-")
    words = [short for short, long in suite.choices.short_names.items() if long == name]
    given = [f"--{flag}/--no-{flag}", *(f"--{word}" for word in words)] if yes else [f"--{flag}"]
    option = typer.Option(None, *given, help=field.description, rich_help_panel=PANEL, show_default=False)
    kind = bool | None if yes else str | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
