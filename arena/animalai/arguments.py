"""Arguments of the environment: checked, and as options of `ArenaEnv`."""

import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from arena.action import TICKS_PER_STEP
from arena.animalai.exception import InvalidTypeError, InvalidValueError
from arena.errors import ConfigError
from arena.geometry.layout import seed_words
from arena.gym.curriculum import Config, curriculum
from arena.gym.options import whole
from arena.taskfile.load import load_text
from arena.taskfile.versions import Version, version_of

_EMPTY = "!ArenaConfig\narenas:\n  0: !Arena\n    t: 0\n"
"""The arena without a file: an agent in a random position, no time limit."""


def tasks_of(config: Config | None, version: str | None) -> Config:
    """The arenas of an argument: an empty one if there is none, and files read as `version`, by default 4.

    Raises MissingFileError, a FileNotFoundError, if there is no such file, and as `arena.load` does.
    """
    read_as = version_of(Version.V4 if version is None else version)
    if config is None or config == "":
        return load_text(_EMPTY, "<empty arena>", read_as)
    return curriculum(config, read_as)


def generator(seed: int | None) -> np.random.Generator:
    """The generator of the arenas' seeds, None being 0.

    Raises InvalidTypeError, a TypeError, for a seed that is not a whole number.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, Integral)):
        raise InvalidTypeError(f"seed: got {seed!r}, expected a whole number")
    return np.random.default_rng(seed_words(int(seed or 0)))


def whole_number(option: str, value: float) -> int:
    """A whole number of at least 0, also as a float such as `(rays - 1) / 2`."""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    number: int = checked(partial(whole, least=0), option, int(value) if is_whole else value)
    return number


def log_file(file_name: str | os.PathLike[str] | None, version: str | None) -> Path | None:
    """Where the original's build of 4.x, at `file_name`, writes its CSV log; None if its folder is missing.

    In the folder of the program, on macOS in the program, below ObservationLogs, named after the minute.
    """
    program = Path(file_name if isinstance(file_name, str | os.PathLike) else "")
    folder = program if program.suffix == ".app" else program.parent
    if not str(version or Version.V4).startswith("4") or program.parent == Path() or not folder.is_dir():
        return None
    name = f"Observations_{datetime.now():%d-%m-%y_%H%M}"
    tries = (f"{name}{f'_{again}' if again > 1 else ''}.csv" for again in range(1, 10_000))
    paths = (folder / "ObservationLogs" / each for each in tries)
    return next(path for path in paths if not path.exists())


def steps_of(decision_period: int) -> int:
    """Number of steps of `ArenaEnv` in a decision period of some ticks."""
    steps, rest = divmod(whole_number("decisionPeriod", decision_period), TICKS_PER_STEP)
    if rest or steps < 1:
        raise InvalidValueError(
            f"decisionPeriod: got {decision_period!r}, expected a multiple of {TICKS_PER_STEP} ticks, the "
            "length of a step here"
        )
    return steps


def checked(check: Callable[[str, Any], Any], option: str, value: Any) -> Any:
    """A checked value; the error is also a ValueError."""
    try:
        return check(option, value)
    except ConfigError as error:
        raise InvalidValueError(str(error)) from None
