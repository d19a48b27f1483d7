"""The command `arena-llm bench`, which has moved."""

from typing import Annotated

import typer

from arena.errors import ConfigError


def bench_command(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Say where the benchmarks are."""
    raise ConfigError("the benchmarks are in the source tree: run `python -m benchmarks` in a clone")
