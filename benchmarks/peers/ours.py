"""arena-llm itself: its renderer and its environment."""

from time import perf_counter
from typing import Any

import numpy as np

from arena import ArenaEnv
from benchmarks.measure import random_actions
from benchmarks.peers.contenders import Timed, Work
from benchmarks.peers.scenery import SCENE_FILE, scene_subject
from benchmarks.rl.setups import Setup, held_actions, seconds_of_steps
from render import BatchRenderer, Renderer
from render.context import drawing

_SENSORS: dict[Work, Any] = {
    Work.CAMERA: "camera",
    Work.RAYS: "rays",
    Work.BARE: "vector",
    Work.BOTH: ("camera", "rays"),
}


def about() -> dict[str, str]:
    """The OpenGL renderer that draws."""
    with drawing() as context:
        return {"opengl": context.info["GL_RENDERER"]}


def opened(work: Work, side: int, seed: int, *, batch: int = 1, learning: bool = False) -> Timed:
    """Does the work; raises RenderError if that needs OpenGL and there is none.

    Frames are of `batch` episodes a call. The `learning` environment comes from `gymnasium.make` and has its
    actions held; the other one also observes "vector".
    """
    if work is Work.FRAMES:
        return _frames(side, seed) if batch == 1 else _batches(side, seed, batch)
    if learning:
        env: Any = Setup(work, _SENSORS[work], side).made(SCENE_FILE)
        actions = held_actions("bench", seed)
    else:
        sensors = tuple(dict.fromkeys((_SENSORS[work], "vector")))
        env = ArenaEnv(SCENE_FILE, **Setup(work, sensors, side).options)
        actions = map(np.int64, random_actions("bench", seed))
    env.reset(seed=seed)
    return lambda count: seconds_of_steps(env, actions, count)


def _frames(side: int, seed: int) -> Timed:
    subject, renderer = scene_subject(seed), Renderer(side, side)
    return lambda count: subject.timed_between(count, lambda e: renderer.frame(e.scene())).seconds


def _batches(side: int, seed: int, batch: int) -> Timed:
    """A count is rounded up to full calls, and the time is per count."""
    renderer = BatchRenderer(batch, side, side)
    subjects = [scene_subject(seed + number) for number in range(batch)]

    def frames(count: int) -> float:
        calls, seconds = -(-count // batch), 0.0
        for _ in range(calls):
            for subject in subjects:
                subject.step()
            started = perf_counter()
            renderer.frames([subject.episode.scene() for subject in subjects])
            seconds += perf_counter() - started
        return seconds * count / (calls * batch)

    return frames
