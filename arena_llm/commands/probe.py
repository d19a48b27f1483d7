"""The command `arena-llm probe`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from arena_llm.status import INTERRUPTED


def probe_command(
    model: Annotated[
        str, typer.Option(help="gpt-*, claude-*, gemini-*, any provider/model, or arena/pixels.")
    ],
    each: Annotated[int, typer.Option(min=1, help="Probes of every kind.")] = 20,
    protocol: Annotated[
        str | None, typer.Option(help="A preset for the pictures, such as blurred or blind.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the probes.")] = None,
    log_dir: Annotated[Path, typer.Option(help="Folder for the log.")] = Path("logs"),
) -> None:
    """Ask a model about pictures with known answers, to tell seeing from planning."""
    from llm_control.perception import probe

    console = Console()
    try:
        result = probe(model, log_dir, each, protocol, seed, "rich" if console.is_terminal else "plain")
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    table = Table("question", "right", "of", "share", "95 %", "by chance")
    for row in result.rows:
        span = "{:.2f}-{:.2f}".format(*row.interval)
        table.add_row(row.kind, str(row.right), str(row.asked), f"{row.share:.2f}", span, f"{row.chance:.2f}")
    console.print(table)
    if result.failed:
        console.print(f"{result.failed} probes have no answer (the first: {result.first_error})")
    console.print(f"Log: {result.log}", soft_wrap=True)
