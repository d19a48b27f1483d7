"""The command `arena-llm probe`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from arena_llm.console import stoppable
from arena_llm.interrupts import work_begins
from arena_llm.options import ModelName


def probe_command(
    model: ModelName,
    each: Annotated[int, typer.Option(min=1, help="Number of probes of each kind.")] = 20,
    protocol: Annotated[str | None, typer.Option(help="Preset for the pictures, such as blind.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the probes.")] = None,
    log_dir: Annotated[Path, typer.Option(help="Folder for the log.")] = Path("logs"),
) -> None:
    """Perception probes: ask a model about pictures with known answers, apart from planning."""
    from llm_control.probes import probe

    console = Console()
    work_begins()
    with stoppable("Stopped."):
        result = probe(model, log_dir, each, protocol, seed, "rich" if console.is_terminal else "plain")
    table = Table("question", "right", "of", "share", "95 %", "by chance")
    for row in result.rows:
        span = "{:.2f}-{:.2f}".format(*row.interval)
        table.add_row(row.kind, str(row.right), str(row.asked), f"{row.share:.2f}", span, f"{row.chance:.2f}")
    console.print(table)
    if result.failed:
        console.print(f"{result.failed} probes have no answer (the first: {result.first_error})")
    console.print(f"Log: {result.log}", soft_wrap=True)
