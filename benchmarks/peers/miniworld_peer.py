"""MiniWorld: our scene's things as boxes and balls in one room, and its own rooms, by its own renderer."""

import ctypes
from importlib.metadata import version
from itertools import cycle
from time import perf_counter
from typing import Any

import numpy as np
import pyglet

# Before any window: EGL instead of a display.
pyglet.options["headless"] = True

import gymnasium
import miniworld.envs  # noqa: F401  registers its rooms
from miniworld.entity import Ball, Box
from miniworld.miniworld import MiniWorldEnv
from miniworld.params import DEFAULT_PARAMS
from pyglet.gl import GL_RENDERER, glGetString

from arena import Scene
from arena.geometry.shapes import ARENA_SIZE
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Shape
from benchmarks.peers import Timed, Work
from benchmarks.peers.scenery import HIDDEN, scene_subject
from render.camera import FIRST_PERSON_FOV_DEG

_COLORS = ("blue", "green", "grey", "purple", "red", "yellow")
"""MiniWorld's colours, which things take in turn."""


class Room(MiniWorldEnv):  # type: ignore[misc]
    """A room of the arena's size with an entity for each thing of a scene; its episodes do not end."""

    def __init__(self, scene: Scene, side: int) -> None:
        self.scene = scene
        params = DEFAULT_PARAMS.no_random()
        params.set("cam_fov_y", FIRST_PERSON_FOV_DEG)
        super().__init__(max_episode_steps=10**9, obs_width=side, obs_height=side, params=params)

    def _gen_world(self) -> None:
        # The walls are as high as the fence.
        self.add_rect_room(0, ARENA_SIZE, 0, ARENA_SIZE, wall_height=6.0)
        self.things = []
        for thing, color in zip(self.scene.things, cycle(_COLORS)):
            is_ball = KINDS[thing.kind].shape is Shape.BALL
            entity = Ball(color, thing.size[1]) if is_ball else Box(color, np.array(thing.size))
            self.things.append(self.place_entity(entity, pos=(20, 0, 20), dir=0.0))
        self.place_agent(pos=(20, 0, 20), dir=0.0)
        self.follow(self.scene)

    def follow(self, scene: Scene) -> None:
        """Move the entities and the agent to their places in the scene; MiniWorld's z is reversed."""
        for number, entity in enumerate(self.things):
            x, y, z = scene.positions[number]
            low = y - scene.sizes[number, 1] / 2 if scene.visible[number] else HIDDEN
            entity.pos = np.array([x, low, ARENA_SIZE - z])
            turned = scene.rotations[number]
            entity.dir = -float(np.arctan2(turned[0, 2], turned[2, 2]))
        x, _, z = scene.agent_position
        self.agent.pos = np.array([x, 0.0, ARENA_SIZE - z])
        self.agent.dir = np.pi / 2 - np.radians(scene.agent_yaw)


def about() -> dict[str, str]:
    """Versions, and the OpenGL renderer that draws."""
    # OpenGL reports it only once a room is open.
    Room(scene_subject(0).episode.scene(), 84)
    name = ctypes.string_at(glGetString(GL_RENDERER)).decode()
    return {"miniworld": version("miniworld"), "pyglet": pyglet.version, "opengl": name}


def opened(work: Work, side: int, seed: int, room: str = "") -> Timed:
    """Pictures of the scene's places, or MiniWorld's own steps among them or in one of its own rooms."""
    if room:
        made = gymnasium.make(f"MiniWorld-{room}-v0", obs_width=side, obs_height=side)
        made.reset(seed=seed)
        return lambda count: _steps(made, np.random.default_rng(seed), count)
    subject = scene_subject(seed)
    own = Room(subject.episode.scene(), side)
    own.reset(seed=seed)
    if work is Work.CAMERA:
        return lambda count: _steps(own, np.random.default_rng(seed), count)

    def picture(scene: Scene) -> None:
        own.follow(scene)
        own.render_obs()

    return lambda count: subject.timed_between(count, picture)


def _steps(env: "gymnasium.Env[Any, Any]", generator: np.random.Generator, count: int) -> float:
    """Seconds of steps to the left, to the right and forward; what is over is reset."""
    actions = generator.integers(3, size=count).tolist()
    started = perf_counter()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return perf_counter() - started
