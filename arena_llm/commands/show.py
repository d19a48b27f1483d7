"""Command `arena-llm show`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.errors import ConfigError
from arena.files import check_output, write_file
from arena_llm.console import line_console, warn
from arena_llm.options import AnimalAI, Chance, Lenient, Seed, Testbed
from testbed import task_named

LARGEST = 1024


def show_command(
    task: Annotated[str, typer.Argument(help="Task file or id.")],
    testbed: Testbed = None,
    out: Annotated[Path | None, typer.Option(help="PNG file. Default: <task>.png.")] = None,
    seed: Seed = 0,
    size: Annotated[int, typer.Option(help="Side of each picture in pixels.")] = 512,
    animal_ai: AnimalAI = "3.1.3",
    chance: Chance = "own",
    lenient: Lenient = False,
) -> None:
    """Draw the start of a task, from above and as the agent sees it."""
    import numpy as np

    from arena_llm.pictures.tasks import SMALLEST, task_picture
    from render import png

    if out is not None and out.suffix.lower() != ".png":
        raise ConfigError(f"--out: got {str(out)!r}, expected a name in .png")
    if not SMALLEST <= size <= LARGEST:
        raise ConfigError(f"--size: got {size}, expected {SMALLEST} to {LARGEST} pixels")
    chosen = task_named(task, testbed, animal_ai, lenient=lenient, chance=chance)
    warn(chosen.warnings if lenient else ())
    path = out or Path(f"{chosen.id}.png")
    check_output(path)
    write_file(path, png(np.asarray(task_picture(chosen, seed, size))))
    line_console().print(f"Picture: {path}")
