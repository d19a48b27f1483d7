"""What is verified, and where the task files are."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """`frames`: also compare pictures. `testbed`: folder of the task files. `task`: that of all episodes."""

    frames: bool = False
    testbed: Path | None = None
    task: str | None = None
