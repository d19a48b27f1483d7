"""The scene that all contenders draw, how it is played, and help for programs that do not know it."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena import ACTIONS, Episode, Scene, cameras, load
from arena.scene import Floats, yaw_rotation
from benchmarks.learning import random_actions
from render.looks.look import FLOOR
from render.parts.composed import Part, drawn_parts, surroundings
from render.parts.meshes import unit_meshes
from render.parts.rows import Rows
from testbed import Task

SCENE_FILE = Path(__file__).parent / "scene.yaml"
"""Task file of 50 things."""

BALL = "ball 320"
"""Mesh of the others' balls; ours have 80 to 5120 triangles, depending on their size in the picture."""

HIDDEN = -5.0
"""Height in metres to which eaten things are moved: under the floor."""


class Subject:
    """A task played at random, with the same actions each time; a new episode follows each that ends."""

    def __init__(self, task: Task, seed: int) -> None:
        self._task, self._seed, self._trial = task, seed, 0
        self._actions = random_actions(task.id, seed)
        self.episode = self._new()

    def step(self) -> None:
        """One random step, and a new episode if it ended the old one."""
        self.episode.step(ACTIONS[next(self._actions)])
        if self.episode.done:
            self._trial += 1
            self.episode = self._new()

    def timed_between(self, count: int, work: Callable[[Scene], object]) -> float:
        """Seconds of work on the scene after each of `count` random steps, which are not timed."""
        seconds = 0.0
        for _ in range(count):
            self.step()
            started = perf_counter()
            work(self.episode.scene())
            seconds += perf_counter() - started
        return seconds

    def _new(self) -> Episode:
        return Episode(self._task.spec, task_id=self._task.id, seed=self._seed, trial=self._trial)


def scene_subject(seed: int) -> Subject:
    """The scene, played at random, with the same steps in every process."""
    return Subject(Task("bench", 0, SCENE_FILE, load(SCENE_FILE).arenas[0], ""), seed)


class Solid(NamedTuple):
    """A part in the arena: centre (3,) in metres, rotation (3, 3), and its number in `channels.instance`."""

    part: Part
    centre: Floats
    rotation: Floats
    instance: int


def solids_of(scene: Scene) -> list[Solid]:
    """Floor, fence and all visible things."""
    found = []
    for part, yaw in surroundings():
        instance = cameras.FLOOR if part.look is FLOOR else cameras.FENCE
        found.append(Solid(part, np.array(part.centre), yaw_rotation(yaw), instance))
    for index in np.flatnonzero(scene.visible).tolist():
        x, y, z = scene.sizes[index]
        for part in drawn_parts(scene.things[index], (x, y, z), scene.version):
            centre = scene.positions[index] + scene.rotations[index] @ np.array(part.centre)
            found.append(Solid(part, centre, scene.rotations[index], index))
    return [solid for solid in found if min(solid.part.size) > 0]


@cache
def mesh_of(shape: str) -> tuple[Rows, npt.NDArray[np.intp]]:
    """Vertices (n, 6) of a solid's unit mesh, each of them once, and triangles (m, 3), seen from inside."""
    corners = unit_meshes()[BALL if shape == "ball" else shape].reshape(-1, 6)
    vertices, place = np.unique(corners, axis=0, return_inverse=True)
    return vertices, place.reshape(-1, 3)[:, ::-1]
