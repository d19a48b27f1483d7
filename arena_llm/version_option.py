"""The option `--animal-ai`, the same for every command that builds arenas."""

from typing import Annotated

import typer


def _known(value: str) -> str:
    from arena.errors import ConfigError
    from arena.taskfile.versions import Version

    if value not in tuple(Version):
        raise ConfigError(f"--animal-ai: got {value!r}, expected one of: {', '.join(Version)}")
    return value


AnimalAI = Annotated[
    str,
    typer.Option(
        callback=_known,
        help="Version of Animal-AI to re-enact: 3.1.3, 4, or 2 (3.1.3 with the account of 2019, in which "
        "nothing refills the clock).",
    ),
]
"""Which Animal-AI a command re-enacts."""
