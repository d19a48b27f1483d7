"""arena-llm itself: its renderer and its environment."""

from time import perf_counter
from typing import Any

import numpy as np

from arena import ArenaEnv
from benchmarks.measure import random_actions
from benchmarks.peers.contenders import Timed, Work
from benchmarks.peers.scenery import SCENE_FILE, scene_subject
from render import Renderer
from render.context import gl_context

RAYS_PER_SIDE = 2
"""Animal-AI's own default: five rays."""


def about() -> dict[str, str]:
    """The OpenGL renderer that draws."""
    return {"opengl": gl_context().info["GL_RENDERER"]}


def opened(work: Work, side: int, seed: int, batch: int) -> Timed:
    """What does the work so many times; raises RenderError where it needs OpenGL and there is none."""
    return _frames(side, seed) if work is Work.FRAMES else _steps(work, side, seed)


def _frames(side: int, seed: int) -> Timed:
    subject, renderer = scene_subject(seed), Renderer(side, side)
    return lambda count: subject.timed_between(count, lambda e: renderer.frame(e.scene())).seconds


def _steps(work: Work, side: int, seed: int) -> Timed:
    sensors = {Work.CAMERA: ("camera", "vector"), Work.RAYS: ("rays", "vector")}
    options: dict[str, Any] = {"observation": sensors.get(work, ("vector",)), "rays_per_side": RAYS_PER_SIDE}
    if work is Work.CAMERA:
        options["resolution"] = side
    env = ArenaEnv(SCENE_FILE, **options)
    env.reset(seed=seed)
    actions = random_actions("bench", seed)

    def steps(count: int) -> float:
        seconds = 0.0
        for _ in range(count):
            action = next(actions)
            started = perf_counter()
            *_, done, _, _ = env.step(np.int64(action))
            seconds += perf_counter() - started
            if done:
                env.reset()
        return seconds

    return steps
