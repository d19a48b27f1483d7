"""The options `--engine` and `--ray-address`, the same for every command that works in several processes."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from arena.errors import ConfigError
from arena.parallel import Engine, LocalEngine


class EngineName(StrEnum):
    """What work is spread by."""

    LOCAL = "local"
    RAY = "ray"


EngineOption = Annotated[
    EngineName,
    typer.Option("--engine", help="Processes of this machine, or of Ray: then also of a whole cluster."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        help="Ray cluster to use: HOST:PORT, or auto for the one that this machine belongs to; RAY_ADDRESS "
        "where left out, and without that a cluster of this machine for this command alone.",
        show_default=False,
    ),
]


@contextmanager
def opened(engine: EngineName, address: str | None, jobs: int | None) -> Generator[Engine, None, None]:
    """The engine for one command, with `jobs` tasks at a time, as many as there are cores where None.

    Raises ConfigError for an address without Ray, EvaluationError where Ray cannot be used.
    """
    if engine is EngineName.LOCAL:
        if address:
            raise ConfigError(f"--ray-address {address}: only --engine ray goes to a cluster")
        yield LocalEngine(jobs)
        return
    from evaluation.engines.ray_engine import RayEngine

    spread = RayEngine(address or os.environ.get("RAY_ADDRESS") or None, jobs)
    try:
        yield spread
    finally:
        spread.close()
