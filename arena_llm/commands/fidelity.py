"""The `arena-llm fidelity` command."""

from pathlib import Path
from typing import Annotated

import typer

from arena_llm.console import wide_console

COLUMNS = 120
"""Width of the table of turns."""


def fidelity_command(
    trace: Annotated[
        Path, typer.Option(help="Folder of the recording: arena.yaml and obs-<turn>.<steps>.jpg.")
    ],
    table: Annotated[
        Path | None,
        typer.Option(help="CSV of its turns; DIR/trace.csv or DIR/../tutorial-trace.csv where left out."),
    ] = None,
    poses: Annotated[
        Path | None, typer.Option(help="CSV of predicted poses: turn,x,z,speed,heading.")
    ] = None,
    reward: Annotated[float | None, typer.Option(help="Recorded total reward.")] = None,
    tick: Annotated[int | None, typer.Option(min=1, help="Recorded tick of the episode's end.")] = None,
    frames: Annotated[Path | None, typer.Option(help="Folder for our pictures.")] = None,
    sheet: Annotated[
        Path | None, typer.Option(help="PNG file for all pairs: recorded on the left, ours on the right.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for all figures.")] = None,
) -> None:
    """Replay an episode recorded in Unity and say what agrees; status 1 where health does not."""
    from arena import RenderError
    from arena_llm.fidelity import read_trace, replay
    from arena_llm.fidelity.pictures import compare_pictures, without_counterpart, write_frames, write_sheet
    from arena_llm.fidelity.poses import ending_of, poses_of
    from arena_llm.fidelity.replay import has_random_places
    from arena_llm.fidelity.report import Fidelity, print_fidelity, write_json

    recording = read_trace(trace, table)
    model = poses_of(recording, poses)
    played = replay(recording)
    pairs, no_pictures = [], None
    try:
        pairs = list(compare_pictures(recording, played))
    except RenderError as error:
        if frames or sheet:
            raise
        no_pictures = error
    found = Fidelity(
        recording,
        played,
        model,
        tuple(pair.match for pair in pairs),
        tuple(without_counterpart(recording, played)),
        ending_of(recording, reward, tick),
        has_random_places(recording.spec),
    )
    console = wide_console(COLUMNS)
    print_fidelity(console, found)
    if no_pictures:
        console.print(f"Only health, events and places: {no_pictures}.", soft_wrap=True, markup=False)
    if frames:
        count = write_frames(frames, played, pairs)
        console.print(f"Our {count} pictures: {frames}", soft_wrap=True)
    if sheet:
        write_sheet(sheet, pairs)
        console.print(f"Sheet: {sheet}", soft_wrap=True)
    if json_file:
        write_json(json_file, found)
        console.print(f"Figures: {json_file}", soft_wrap=True)
    if not found.health_agrees:
        raise typer.Exit(1)
