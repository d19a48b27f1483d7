"""Command `arena-llm probe`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from arena import ConfigError
from arena_llm.console import stoppable, wide_console
from arena_llm.interrupts import work_begins
from arena_llm.options import AnimalAI, ModelName


def probe_command(
    model: ModelName,
    each: Annotated[int | None, typer.Option(min=1, help="Number of probes per kind. Default: 20.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Preset for the pictures, such as blind.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the probes.")] = None,
    log_dir: Annotated[Path, typer.Option(help="Folder for the log.")] = Path("logs"),
    pairs: Annotated[
        Path | None, typer.Option(help="The original's pictures instead, compared with ours.")
    ] = None,
    animal_ai: AnimalAI = "4",
) -> None:
    """Probe a model's perception, by questions about pictures with known answers.

    --pairs takes what fidelity takes as --trace or --stills; --animal-ai is for the latter.
    """
    from arena_llm.fidelity.pictures import read_pairs
    from llm_control.probes import probe

    if pairs and each:
        raise ConfigError("probe: got both --pairs and --each, expected one of them")
    console = wide_console(150 if pairs else 80)
    pictures = read_pairs(pairs, animal_ai) if pairs else None
    work_begins()
    with stoppable("Stopped."):
        display: Any = "rich" if console.is_terminal else "plain"
        result = probe(model, log_dir, each or 20, protocol, seed, display, pictures)
    table = Table(*result.rows[0])
    for row in result.rows:
        table.add_row(*(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row.values()))
    console.print(table)
    if result.failed:
        console.print(f"{result.failed} probes have no answer (the first: {result.first_error})")
    console.print(f"Log: {result.log}", soft_wrap=True)
