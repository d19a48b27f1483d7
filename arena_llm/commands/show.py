"""The command `arena-llm show`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ConfigError, EvaluationError
from arena.files import check_output
from arena_llm.console import line_console, progress_bar, stoppable, warn
from arena_llm.options import AnimalAI, Lenient, Levels, Seed, Testbed
from testbed import task_named

if TYPE_CHECKING:
    from arena_llm.pictures.tasks import Entry, Tile

LARGEST = 1024
TILE = 160
"""Default side in pixels of a small picture on a sheet."""

_LARGEST_TILE, _SMALLEST_TILE = 320, 64


def show_command(
    task: Annotated[str | None, typer.Argument(help="Task file or id. Default: a whole folder.")] = None,
    testbed: Testbed = None,
    levels: Levels = None,
    out: Annotated[Path | None, typer.Option(help="PNG file. Default: <task>.png or sheet.png.")] = None,
    seed: Seed = 0,
    size: Annotated[int | None, typer.Option(help="Pixels per side. Default: 512; sheets: 160.")] = None,
    animal_ai: AnimalAI = "3.1.3",
    lenient: Lenient = False,
) -> None:
    """Draw the start of a task, from above and as the agent sees it, or all tasks on contact sheets."""
    if out is not None and out.suffix.lower() != ".png":
        raise ConfigError(f"--out: got {str(out)!r}, expected a name in .png")
    if task is None and testbed is None and levels is None:
        raise ConfigError("nothing to show: give a TASK, or --testbed DIR or --levels for contact sheets")
    if task is not None and levels is not None:
        raise ConfigError("--levels chooses the tasks of a sheet; leave it out, or the TASK")
    if task is not None:
        _show_task(task, testbed, out, seed, size or 512, animal_ai, lenient)
        return
    with stoppable("Stopped; finished sheets are kept."):
        _show_sheets(testbed, levels, out or Path("sheet.png"), seed, size or TILE, animal_ai, lenient)


def _show_task(
    name: str, testbed: Path | None, out: Path | None, seed: int, size: int, animal_ai: str, lenient: bool
) -> None:
    from arena_llm.pictures.canvas import save
    from arena_llm.pictures.tasks import SMALLEST, task_picture

    _check_size(size, SMALLEST, LARGEST)
    chosen = task_named(name, testbed, animal_ai, lenient=lenient)
    warn(chosen.warnings if lenient else ())
    path = out or Path(f"{chosen.id}.png")
    check_output(path)
    save(task_picture(chosen, seed, size), path)
    line_console().print(f"Picture: {path}")


def _show_sheets(
    testbed: Path | None, levels: str | None, out: Path, seed: int, size: int, animal_ai: str, lenient: bool
) -> None:
    from arena_llm.pictures import tasks
    from arena_llm.pictures.canvas import save

    _check_size(size, _SMALLEST_TILE, _LARGEST_TILE)
    paths = tasks.find_files(testbed, levels)
    check_output(out)
    views = tasks.StartViews(size, smooth=True)
    broken: list[Entry] = []
    console = line_console()
    with progress_bar(console) as progress:
        read = progress.track(paths, description="reading")
        entries = [entry for path in read for entry in tasks.read_entries(path, animal_ai, lenient)]
        bar = progress.add_task("drawing", total=len(entries))
        for sheet in tasks.plan_sheets(
            entries, out, testbed.resolve().name if testbed else "Shipped battery"
        ):
            drawn = tasks.draw_tiles(sheet.entries, views, seed, broken.append)
            tiles = _each(drawn, lambda: progress.advance(bar))
            save(tasks.contact_sheet(tiles, len(sheet.entries), side=size, title=sheet.title), sheet.path)
            console.print(f"Sheet: {sheet.path} ({len(sheet.entries)} tasks)")
    if broken:
        listed = "".join(f"\n  {entry.name}: {entry.reason}" for entry in broken)
        raise EvaluationError(f"{len(broken)} of {len(entries)} tasks have no picture:{listed}")


def _each(tiles: "Iterator[Tile]", advance: Callable[[], None]) -> "Iterator[Tile]":
    for tile in tiles:
        advance()
        yield tile


def _check_size(size: int, low: int, high: int) -> None:
    if not low <= size <= high:
        raise ConfigError(f"--size: got {size}, expected {low} to {high} pixels")
