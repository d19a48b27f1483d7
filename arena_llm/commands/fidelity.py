"""Command `arena-llm fidelity`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import ConfigError
from arena.files import check_output, check_output_folder, write_file
from arena_llm.console import line_console, wide_console
from arena_llm.options import AnimalAI

if TYPE_CHECKING:
    from arena_llm.fidelity.pictures import Pair


def fidelity_command(
    trace: Annotated[
        Path | None, typer.Option(help="Folder of arena.yaml and obs-<turn>.<steps>.jpg.")
    ] = None,
    stills: Annotated[
        Path | None,
        typer.Option(help="Folder of single pictures NAME.png instead, each with its arena NAME.yml."),
    ] = None,
    animal_ai: AnimalAI = "4",
    table: Annotated[
        Path | None, typer.Option(help="CSV of turns. Default: DIR/trace.csv or DIR/../tutorial-trace.csv.")
    ] = None,
    poses: Annotated[Path | None, typer.Option(help="CSV of poses: turn,x,z,speed,heading.")] = None,
    reward: Annotated[float | None, typer.Option(help="Recorded total reward.")] = None,
    tick: Annotated[int | None, typer.Option(min=1, help="Recorded tick of the episode's end.")] = None,
    frames: Annotated[Path | None, typer.Option(help="Folder for our pictures.")] = None,
    sheet: Annotated[Path | None, typer.Option(help="PNG of all pairs: recorded left, ours right.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="JSON file for all results.")] = None,
) -> None:
    """Replay an episode recorded in Unity and compare the two; status 1 if health differs.

    With --stills, compare single pictures instead, made after the first step; --animal-ai is for these.
    """
    check_output_folder(frames)
    check_output(sheet)
    check_output(json_file)
    if trace is not None and stills is None:
        pairs, values, agrees = _compare_trace(trace, table, poses, reward, tick, frames)
    elif stills is not None and trace is None:
        pairs, values, agrees = _compare_stills(stills, animal_ai)
    else:
        raise ConfigError("fidelity: got both or neither of --trace and --stills, expected one of them")
    if sheet:
        from arena_llm.fidelity.pictures import write_sheet

        write_sheet(sheet, pairs)
        line_console().print(f"Sheet: {sheet}")
    if json_file:
        write_file(json_file, json.dumps(values, indent=1) + "\n")
        line_console().print(f"Results: {json_file}")
    if not agrees:
        raise typer.Exit(1)


def _compare_stills(folder: Path, version: str) -> "tuple[list[Pair], Any, bool]":
    """Print the comparison; return its pairs of pictures, all results, and True."""
    from arena_llm.fidelity.pictures import as_dict, compare_stills, stills_table

    found = compare_stills(folder, version)
    wide_console(80).print(stills_table(found))
    return [still.pair for still in found], as_dict(found), True


def _compare_trace(
    trace: Path,
    table: Path | None,
    poses: Path | None,
    reward: float | None,
    tick: int | None,
    frames: Path | None,
) -> "tuple[list[Pair], Any, bool]":
    """Compare an episode; return also whether health agrees. Saves our pictures in `frames`."""
    from arena_llm.fidelity.pictures import compare_pictures, write_frames
    from arena_llm.fidelity.report import Fidelity, as_dict, print_fidelity
    from arena_llm.fidelity.trace import ending_of, poses_of, read_trace, replay
    from arena_llm.pictures.tasks import depends_on_seed

    recording = read_trace(trace, table)
    predicted = poses_of(recording, poses)
    played = replay(recording)
    pairs = list(compare_pictures(recording, played))
    matches, ending = tuple(pair.match for pair in pairs), ending_of(recording, reward, tick)
    random_places = depends_on_seed(recording.spec, recording.name)
    found = Fidelity(recording, played, predicted, matches, ending, random_places)
    print_fidelity(wide_console(120), found)
    if frames:
        line_console().print(f"Our {write_frames(frames, played, pairs)} pictures: {frames}")
    return pairs, as_dict(found), found.health_agrees
