"""Command `arena-llm run`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import Episode
from arena.csv_log import csv_log
from arena.errors import ConfigError, ScriptError
from arena.files import check_output, check_output_folder, read_text, write_file
from arena_llm.console import warn
from arena_llm.options import AnimalAI, Chance, CsvFile, Lenient, Seed, Testbed
from llm_control.choices import ArenaChoices
from testbed import task_named

if TYPE_CHECKING:
    from llm_control.play import ScriptedEpisode, TurnRecord

_NOT_PRINTED = ("thoughts", "repairs", "error")


def run_command(
    task: Annotated[str, typer.Argument(help="Task file, or task id such as 01-01-01.")],
    scripts: Annotated[Path, typer.Option(help="File with one script per line.")],
    frames: Annotated[Path | None, typer.Option(help="Folder for pictures obs-<turn>.<steps>.png.")] = None,
    testbed: Testbed = None,
    recording: Annotated[
        Path | None, typer.Option(help="Recording, a JSON file for `arena-llm replay`.")
    ] = None,
    csv: CsvFile = None,
    initial: Annotated[str, typer.Option(help="Idle steps at the start: paper or none.")] = "paper",
    seed: Seed = 0,
    strict: Annotated[bool, typer.Option("--strict", help="The paper's script syntax only.")] = False,
    animal_ai: AnimalAI = "3.1.3",
    chance: Chance = "own",
    lenient: Lenient = False,
) -> None:
    """Play scripts and print one line of JSON per turn."""
    from llm_control.play import ScriptedEpisode
    from render import Renderer

    idle = {"paper": ArenaChoices().initial_idle_steps, "none": ()}
    if initial not in idle:
        raise ConfigError(f"--initial: got {initial!r}, expected one of: {', '.join(idle)}")
    lines = _scripts(scripts, strict)
    check_output(recording)
    check_output(csv)
    check_output_folder(frames)
    chosen = task_named(task, testbed, animal_ai, lenient=lenient, chance=chance)
    warn(chosen.warnings if lenient else ())
    protocol = ArenaChoices(initial_idle_steps=idle[initial], strict=strict, max_scripts=1000)
    eye = Renderer(protocol.image_size, protocol.image_size).frame if frames else None
    with Episode(chosen.spec, task_id=chosen.id, seed=seed) as episode, csv_log(episode, csv):
        for turn in _turns(ScriptedEpisode(episode, eye, protocol), lines, frames):
            values = {key: value for key, value in turn.as_dict().items() if key not in _NOT_PRINTED}
            first = {"turn": values.pop("turn"), "script": values.pop("reply")}
            print(json.dumps(first | values), flush=True)
        if recording:
            write_file(recording, episode.recording().model_dump_json() + "\n")


def _turns(play: "ScriptedEpisode", scripts: list[str], folder: Path | None) -> "Iterator[TurnRecord]":
    """Play scripts until they or the episode end; save pictures if a folder is given."""
    from render import png

    for number, frame in enumerate(play.begin()):
        if folder:
            write_file(folder / f"obs-0.{number}.png", png(frame))
    for script in scripts:
        if play.episode.done:
            break
        turn = play.reply(script)
        if folder:
            write_file(folder / f"obs-{turn.turn}.{turn.steps}.png", png(play.frame()))
        yield turn


def _scripts(path: Path, strict: bool) -> list[str]:
    """Read a file's scripts. Raises ConfigError for an unreadable file, ScriptError for a wrong line."""
    from llm_control.script import parse

    lines = read_text(path).splitlines()
    scripts = {number: line for number, line in enumerate(lines, start=1) if line.strip()}
    for number, line in scripts.items():
        try:
            parse(line, strict=strict)
        except ScriptError as error:
            raise ScriptError(f"{path}:{number}: {error}") from None
    if not scripts:
        raise ConfigError(f"{path}: no scripts; expected one per line, such as Turn(30); Go(5);")
    return list(scripts.values())
