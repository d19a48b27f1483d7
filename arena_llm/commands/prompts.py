"""Command `arena-llm prompts`."""

from pathlib import Path
from typing import Annotated

import typer

from arena.errors import ConfigError
from arena_llm.console import line_console
from evaluation.capabilities import prompts_of
from evaluation.prompts import write_folder
from evaluation.suites import DEFAULT, get_suite
from llm_control.paper.convert import convert


def prompts_command(
    out: Annotated[Path, typer.Option(help="New folder for the texts.")],
    suite: Annotated[str, typer.Option(help="Suite of the texts; `arena-llm suites` lists them.")] = DEFAULT,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="Checkout of the paper's program (LLM-AAI) or of its supporting material; may be repeated.",
        ),
    ] = None,
) -> None:
    """Write a folder of texts for `eval --prompts`: arena-llm's own, or the paper's from its material.

    Texts of agents other than `direct` are not included.
    """
    console = line_console()
    if not source:
        write_folder(prompts_of(get_suite(suite)), out)
        console.print(f"Texts of arena-llm: {out}")
        return
    if suite != DEFAULT:
        raise ConfigError(f"--from: the paper's texts belong to {DEFAULT}; leave out --suite {suite}")
    done = convert(source, out)
    for folder in done.folders:
        console.print(f"Texts: --prompts {folder}")
    if done.demonstration is not None:
        console.print(f"Demonstration: --demonstration {done.demonstration}")
    for note in done.notes:
        console.print(note)
