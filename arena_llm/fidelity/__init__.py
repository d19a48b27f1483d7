"""Comparison of our arena with episodes recorded in the Unity original."""

from arena_llm.fidelity.frames import CLASSES, classify, compare_frames
from arena_llm.fidelity.poses import read_poses
from arena_llm.fidelity.replay import replay
from arena_llm.fidelity.trace import read_trace

__all__ = [
    "CLASSES",
    "classify",
    "compare_frames",
    "read_poses",
    "read_trace",
    "replay",
]
