"""The Animal-AI laboratory: task files, physics, rules, episodes."""

from typing import TYPE_CHECKING, Any

from arena.action import ACTIONS, BACKWARD, FORWARD, IDLE, TURN_LEFT, TURN_RIGHT, Action, Move, Rotate
from arena.episode import Episode, StepResult
from arena.errors import (
    ArenaError,
    ConfigError,
    EvaluationError,
    LayoutError,
    RecordingError,
    RenderError,
    ScriptError,
    ShadowedError,
)
from arena.gym.registered import register
from arena.packages import warn_if_hidden
from arena.rays import Rays
from arena.recording import Recording
from arena.replay import Moment, Replay
from arena.rules import Event, EventKind, Outcome
from arena.scene import Scene, Thing
from arena.taskfile.config import ArenaFile, ArenaSpec
from arena.taskfile.load import load, load_text

if TYPE_CHECKING:
    from arena.gym.env import ArenaEnv

register()
warn_if_hidden()


def __getattr__(name: str) -> Any:
    """Import the environment on first use, which only training needs."""
    if name != "ArenaEnv":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.gym.env import ArenaEnv

    return ArenaEnv


__all__ = [
    "ACTIONS", "BACKWARD", "FORWARD", "IDLE", "TURN_LEFT", "TURN_RIGHT", "Action", "ArenaEnv",
    "ArenaError", "ArenaFile", "ArenaSpec", "ConfigError", "Episode", "EvaluationError", "Event",
    "EventKind", "LayoutError", "Moment", "Move", "Outcome", "Rays", "Recording", "RecordingError",
    "RenderError", "Replay", "Rotate", "Scene", "ScriptError", "ShadowedError", "StepResult",
    "Thing", "load", "load_text",
]  # fmt: skip
