"""Environments registered with Gymnasium, from this project and from entry points.

Suites and other packages name theirs in their own metadata, by id, and nothing of them is imported until one
of them is made:

[project.entry-points."arena_llm.environments"]
"example/Guess-v0" = "example.envs:GuessEnv"

[project.entry-points."arena_llm.vector_environments"]
"example/Guess-v0" = "example.envs:GuessVectorEnv"
"""

from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import gymnasium

from arena.errors import ArenaError, ConfigError
from arena.packages import load

SINGLE, VECTOR = "arena_llm.environments", "arena_llm.vector_environments"
"""Entry-point groups called by `gymnasium.make`, and with `num_envs` by `gymnasium.make_vec`."""


def register() -> None:
    """Register the environments with Gymnasium; called when `arena` is imported. Those of the levels are in
    `testbed.benchmark`, which is imported when one of them is made."""
    if "arena-llm/Arena-v0" in gymnasium.registry:
        return
    gymnasium.register(
        "arena-llm/Arena-v0",
        entry_point="arena.gym.env:ArenaEnv",
        vector_entry_point="arena.gym.vector_env:ArenaVectorEnv",
    )
    for level in range(1, 15):
        gymnasium.register(
            f"arena-llm/Level{level}-v0",
            entry_point="testbed.benchmark:level_env",
            vector_entry_point="testbed.benchmark:level_vector_env",
            kwargs={"level": level},
        )
    register_installed()


def register_installed() -> None:
    """Register the environments of entry points, except ids already taken. A broken entry point is reported
    when its environment is made, and a malformed id by Gymnasium itself."""
    known = entry_points()
    single, vector = known.select(group=SINGLE).names, known.select(group=VECTOR).names
    for id_ in sorted((single | vector) - gymnasium.registry.keys()):
        with suppress(gymnasium.error.Error):
            gymnasium.register(
                id_,
                entry_point=_attribute(SINGLE, id_) if id_ in single else None,
                vector_entry_point=_attribute(VECTOR, id_) if id_ in vector else None,
            )


def _attribute(group: str, id_: str) -> str:
    """Return Gymnasium's text for an entry point, read by `__getattr__` below. A text, unlike a function, can
    be pickled and written as JSON with the environment's specification."""
    return f"{__name__}:{group} {id_}"


def __getattr__(name: str) -> Any:
    """Load the callable of an entry point by "GROUP NAME". Raises ConfigError if it is not installed or
    broken, and ShadowedError if a user's file hides it."""
    group, _, id_ = name.partition(" ")
    if group not in (SINGLE, VECTOR):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    points = entry_points(group=group, name=id_)
    if not points:
        raise ConfigError(f"{id_}: no installed package registers it in the entry-point group {group}")
    return _loaded(points[id_])


def _loaded(point: EntryPoint) -> Any:
    package = f" of the package {point.dist.name}" if point.dist else ""
    where = f"{point.name}: the entry point {point.value!r}{package}"
    try:
        made = load(point)
    except ArenaError:
        raise
    except Exception as error:  # whatever a module may raise while it is imported
        raise ConfigError(
            f"{where} cannot be imported ({type(error).__name__}: {error}); install what it needs, or "
            "update or remove the package"
        ) from error
    if not callable(made):
        raise ConfigError(f"{where} is {made!r}, expected a class or a function that makes the environment")
    return made
