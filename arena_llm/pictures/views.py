"""The start of an episode as two frames: from above, and as the agent sees it."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PIL import Image

from arena import ArenaSpec, Episode, LayoutError, Scene
from arena.geometry.layout import episode_rng, resolve
from arena.geometry.placed import Layout
from arena.scene import Vector
from arena_llm.pictures.projection import project
from arena_llm.pictures.strokes import Strokes
from render import Camera, Frame, Renderer, top_view

_RING_M, _TIP_M, _HEAD_M = 1.1, 2.9, 0.7
"""Radius of the ring around an agent, length of its arrow, and size of the arrow's head."""

_RING_PARTS = 24
_WHITE = (1.0, 1.0, 1.0)
_SEEDS = 8
"""Number of layouts to compare; two of them may agree by chance."""

LARGEST_SMOOTH = 512
"""Largest side in pixels that is drawn at twice its size and averaged: the renderer's limit is 1024."""


class Start(NamedTuple):
    """The start of an episode from above and from the agent, frames (size, size, 3)."""

    above: Frame
    agent: Frame
    lights_on: bool


class StartViews:
    """Draws starts of `size` by `size` pixels; raises RenderError if that is impossible.

    With `smooth`, the agent's picture is averaged from a finer one, like the one from above; otherwise its
    pixels are those that the agent is shown.
    """

    def __init__(self, size: int, *, smooth: bool = False) -> None:
        self._size = size
        factor = 2 if size <= LARGEST_SMOOTH else 1
        self._fine = Renderer(factor * size, factor * size)
        self._exact = self._fine if smooth else Renderer(size, size)

    def of(self, spec: ArenaSpec, task_id: str, seed: int = 0) -> Start:
        """The start of an arena; from above, agents are marked with a ring and an arrow.

        Raises LayoutError if the arena cannot be built.
        """
        with Episode(spec, task_id=task_id, seed=seed) as episode:
            scene = episode.scene()
            above = _reduced(self._fine.frame(scene, top_view()), self._size)
            agent = _reduced(self._exact.frame(scene), self._size)
        return Start(mark_agents(above, top_view(), scene), agent, scene.lights_on)


def mark_agents(frame: Frame, camera: Camera, scene: Scene) -> Frame:
    """A copy of a frame, uint8 (H, W, 3), with a ring around every agent and an arrow along its heading."""
    height, width, _ = frame.shape
    strokes = Strokes(width, height, max(1.2, height / 260), max(0.8, height / 512))
    poses = [(scene.agent_position, scene.agent_yaw), *((a.position, a.yaw) for a in scene.others)]
    for position, yaw in poses:
        for line in _mark(position, math.radians(yaw)):
            places = project(camera, line, width, height)
            for start, end in pairwise(places):
                strokes.line(start, end, _WHITE)
    return strokes.over(frame)


def _mark(position: Vector, yaw: float) -> list[list[Vector]]:
    """The lines of the mark at a pose (metres, radians), each as points of the arena."""
    x, y, z = position

    def at(ahead: float, right: float) -> Vector:
        sin, cos = math.sin(yaw), math.cos(yaw)
        return (x + ahead * sin + right * cos, y, z + ahead * cos - right * sin)

    angles = [2 * math.pi * part / _RING_PARTS for part in range(_RING_PARTS + 1)]
    ring = [at(_RING_M * math.cos(angle), _RING_M * math.sin(angle)) for angle in angles]
    back = _TIP_M - _HEAD_M
    head = [at(back, -_HEAD_M), at(_TIP_M, 0.0), at(back, _HEAD_M)]
    return [ring, [at(_RING_M, 0.0), at(_TIP_M, 0.0)], head]


def depends_on_seed(spec: ArenaSpec, task_id: str) -> bool:
    """Whether the seed affects the layout, apart from the agents' skins."""
    first, *others = (_layout(spec, task_id, seed) for seed in range(_SEEDS))
    return any(layout != first for layout in others)


def _layout(spec: ArenaSpec, task_id: str, seed: int) -> Layout | None:
    try:
        layout = resolve(spec, episode_rng(seed, task_id, 0))
    except LayoutError:
        return None
    return replace(layout, agents=tuple(replace(start, skin="") for start in layout.agents))


def _reduced(frame: Frame, size: int) -> Frame:
    factor = frame.shape[0] // size
    return frame if factor == 1 else np.asarray(Image.fromarray(frame).reduce(factor))
