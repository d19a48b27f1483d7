"""The command `arena-llm prompts`."""

from pathlib import Path
from typing import Annotated

import typer

from arena_llm.console import line_console


def prompts_command(
    out: Annotated[Path, typer.Option(help="New folder for the texts.")],
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="Checkout of the paper's program (LLM-AAI) or of its supporting material; may be repeated.",
        ),
    ] = None,
) -> None:
    """Write a folder of texts for `eval --prompts`: arena-llm's own, or the paper's from its material."""
    console = line_console()
    if not source:
        from evaluation.prompts.folder import write_folder
        from llm_control.prompts import arena_prompts

        write_folder(arena_prompts(), out)
        console.print(f"Texts of arena-llm: {out}")
        return
    from llm_control.paper.convert import convert

    done = convert(source, out)
    for folder in done.folders:
        console.print(f"Texts: --prompts {folder}")
    if done.demonstration is not None:
        console.print(f"Demonstration: --demonstration {done.demonstration}")
    for note in done.notes:
        console.print(note)
