"""arena-llm itself: its renderer and its environment."""

from time import perf_counter
from typing import Any

import gymnasium

from arena import ArenaEnv
from benchmarks.learning import HELD, random_actions, seconds_of_steps
from benchmarks.peers import Timed, Work
from benchmarks.peers.scenery import SCENE_FILE, scene_subject
from render import DRAWN_BY, BatchRenderer, Renderer

SENSORS: dict[Work, tuple[str, ...]] = {
    Work.CAMERA: ("camera",),
    Work.RAYS: ("rays",),
    Work.BOTH: ("camera", "rays"),
    Work.BARE: ("vector",),
}


def about() -> dict[str, str]:
    """Name the renderer."""
    return {"pictures": DRAWN_BY}


def opened(work: Work, side: int, seed: int, *, batch: int = 1, held: bool = False) -> Timed:
    """Does the work.

    Frames are of `batch` episodes a call. The environment with `held` actions comes from `gymnasium.make`;
    the other one also observes "vector".
    """
    if work is Work.FRAMES:
        return _frames(side, seed) if batch == 1 else _batches(side, seed, batch)
    options: dict[str, Any] = {"resolution": side} if side else {}
    if held:
        env: Any = gymnasium.make(
            "arena-llm/Arena-v0", config=SCENE_FILE, observation=SENSORS[work], **options
        )
    else:
        sensors = tuple(dict.fromkeys((*SENSORS[work], "vector")))
        env = ArenaEnv(SCENE_FILE, observation=sensors, **options)
    actions = random_actions("bench", seed, HELD if held else 1)
    env.reset(seed=seed)
    return lambda count: seconds_of_steps(env, actions, count)


def _frames(side: int, seed: int) -> Timed:
    subject, renderer = scene_subject(seed), Renderer(side, side)
    return lambda count: subject.timed_between(count, renderer.frame)


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
