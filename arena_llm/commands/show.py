"""The `arena-llm show` command."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from arena.errors import ConfigError, EvaluationError
from arena_llm.console import INTERRUPTED, progress_bar
from arena_llm.options import AnimalAI

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena_llm.pictures import Tile
    from arena_llm.pictures.sheets import Entry

LARGEST = 1024
TILE = 160
"""Pixels of a small picture's side on a sheet."""

_LARGEST_TILE, _SMALLEST_TILE = 320, 64


def show_command(
    task: Annotated[
        str | None, typer.Argument(help="A task file, or a task's id; all tasks of a folder where left out.")
    ] = None,
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Levels of a sheet, such as 1-3 or 1,4.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="PNG file; <task>.png or sheet.png where left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the arenas' randomness.")] = 0,
    size: Annotated[
        int | None, typer.Option(help="Side of each picture in pixels; 512, or 160 on a sheet.")
    ] = None,
    animal_ai: AnimalAI = "3.1.3",
) -> None:
    """Draw the start of a task, from above and as the agent sees it, or all tasks on contact sheets."""
    if out is not None and out.suffix.lower() != ".png":
        raise ConfigError(f"--out: got {str(out)!r}, expected a name in .png")
    if task is None and testbed is None and levels is None:
        raise ConfigError("nothing to show: give a TASK, or --testbed DIR or --levels for contact sheets")
    if task is not None and levels is not None:
        raise ConfigError("--levels chooses the tasks of a sheet; leave it out, or the TASK")
    if task is not None:
        _show_task(task, testbed, out, seed, size or 512, animal_ai)
        return
    try:
        _show_sheets(testbed, levels, out or Path("sheet.png"), seed, size or TILE, animal_ai)
    except KeyboardInterrupt:
        print("Stopped; finished sheets are kept.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _show_task(
    name: str, testbed: Path | None, out: Path | None, seed: int, size: int, animal_ai: str
) -> None:
    from arena_llm.pictures.canvas import save
    from arena_llm.pictures.task_picture import SMALLEST, task_picture
    from testbed import task_named

    _check_size(size, SMALLEST, LARGEST)
    chosen = task_named(name, testbed, animal_ai)
    path = out or Path(f"{chosen.id}.png")
    save(task_picture(chosen, seed, size), path)
    _console().print(f"Picture: {path}", markup=False)


def _counted(tiles: "Iterator[Tile]", progress: Progress, bar: TaskID) -> "Iterator[Tile]":
    for tile in tiles:
        progress.advance(bar)
        yield tile


def _show_sheets(
    testbed: Path | None, levels: str | None, out: Path, seed: int, size: int, animal_ai: str
) -> None:
    from arena_llm.pictures import contact_sheet
    from arena_llm.pictures.canvas import save
    from arena_llm.pictures.sheets import draw_tiles, find_files, plan_sheets, read_entries
    from arena_llm.pictures.views import StartViews

    _check_size(size, _SMALLEST_TILE, _LARGEST_TILE)
    paths = find_files(testbed, levels)
    views = StartViews(size, smooth=True)
    broken: list[Entry] = []
    console = _console()
    with progress_bar(console) as progress:
        read = progress.track(paths, description="reading")
        entries = [entry for path in read for entry in read_entries(path, animal_ai)]
        drawing = progress.add_task("drawing", total=len(entries))
        for sheet in plan_sheets(entries, out, testbed.resolve().name if testbed else "Shipped battery"):
            tiles = _counted(draw_tiles(sheet.entries, views, seed, broken.append), progress, drawing)
            save(contact_sheet(tiles, len(sheet.entries), side=size, title=sheet.title), sheet.path)
            console.print(f"Sheet: {sheet.path} ({len(sheet.entries)} tasks)", markup=False)
    if broken:
        listed = "".join(f"\n  {entry.name}: {entry.reason}" for entry in broken)
        raise EvaluationError(f"{len(broken)} of {len(entries)} tasks have no picture:{listed}")


def _check_size(size: int, low: int, high: int) -> None:
    if not low <= size <= high:
        raise ConfigError(f"--size: got {size}, expected {low} to {high} pixels")


def _console() -> Console:
    return Console(soft_wrap=True, highlight=False)
