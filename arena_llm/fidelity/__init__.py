"""How far a replay of an episode that was recorded in the Unity original agrees with the recording."""

from arena_llm.fidelity.frames import CLASSES, FrameMatch, classify, compare_frames
from arena_llm.fidelity.poses import ModelPose, read_poses
from arena_llm.fidelity.replay import Moment, Played, Replay, replay
from arena_llm.fidelity.trace import HEALTH_TOLERANCE, Row, Trace, read_trace

__all__ = [
    "CLASSES",
    "HEALTH_TOLERANCE",
    "FrameMatch",
    "ModelPose",
    "Moment",
    "Played",
    "Replay",
    "Row",
    "Trace",
    "classify",
    "compare_frames",
    "read_poses",
    "read_trace",
    "replay",
]
