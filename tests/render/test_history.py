"""A picture is a function of the scene: what was drawn before, and in which order, changes no byte."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from arena import ACTIONS, Episode, Scene
from arena.taskfile.versions import Version
from render import BatchRenderer, Renderer, birds_eye, third_person, top_view
from render.camera import Camera
from testbed.tasks import find_paths, read_tasks
from tests.arena.worlds import agent, episode, item

SIZES = ((84, 84), (64, 40), (128, 128), (512, 512))
VERSIONS = (Version.V3, Version.V41, Version.V2, Version.V41, Version.V3, Version.V4)
VIEWS: tuple[Callable[[Scene], Camera | None], ...] = (
    lambda scene: None,
    third_person,
    lambda scene: top_view(),
    lambda scene: birds_eye(),
)
CONFIGS = Path(__file__).parents[2] / "configs"
SCENES = 20


class Shots(NamedTuple):
    """Scenes of an episode in their order, with a camera for each and the pictures' size."""

    task: str
    size: tuple[int, int]
    scenes: list[Scene]
    cameras: list[Camera | None]


def sample(episodes: int) -> Iterator[Shots]:
    """Episodes of tasks from the whole battery and `configs`, in all versions, sizes and views."""
    rng = np.random.default_rng(32)
    battery, own = find_paths(), find_paths(None, CONFIGS)[:3]
    for number in range(episodes):
        version = VERSIONS[number % len(VERSIONS)]
        path = own[number % len(own)] if version == Version.V4 else battery[rng.integers(len(battery))]
        task = read_tasks(path, version)[0]
        with Episode(task.spec, task_id=task.id, seed=number) as run:
            scenes = list(walk(run, rng, steps=1 + number % 4))
        views = VIEWS if number % 2 else VIEWS[:1]
        cameras = [views[k % len(views)](scene) for k, scene in enumerate(scenes)]
        yield Shots(f"{task.id} in {version}", SIZES[number % 4], scenes, cameras)


def walk(run: Episode, rng: np.random.Generator, steps: int) -> Iterator[Scene]:
    """Scenes some steps apart, with random actions that mostly repeat and lead forward."""
    action = 3
    for number in range(SCENES * steps):
        if run.done:
            return
        if rng.random() < 0.2:
            action = int(rng.choice([0, 1, 3, 3, 4, 4, 5, 5, 6]))
        run.step_all([ACTIONS[action]] * len(run.agents))
        if number % steps == 0:
            yield run.scene()


@cache
def kept_of(size: tuple[int, int]) -> tuple[Renderer, BatchRenderer]:
    return Renderer(*size), BatchRenderer(3, *size)


def changed(shots: Shots) -> dict[str, list[int]]:
    """The numbers of the scenes whose pictures differ from those of a renderer that drew nothing else."""
    pairs = list(zip(shots.scenes, shots.cameras, strict=True))
    fresh = [Renderer(*shots.size).frame(*pair) for pair in pairs]
    kept, batch = kept_of(shots.size)
    threes = [slice(start, start + 3) for start in range(0, len(pairs), 3)]
    orders = {
        "kept": [kept.frame(*pair) for pair in pairs],
        "reversed": [kept.frame(*pair) for pair in reversed(pairs)][::-1],
        "skipped": [kept.frame(*pair) if number % 3 == 0 else None for number, pair in enumerate(pairs)],
        "batch": [f for some in threes for f in batch.frames(shots.scenes[some], shots.cameras[some])],
    }
    return {
        order: [k for k, frame in enumerate(frames) if frame is not None and (frame != fresh[k]).any()]
        for order, frames in orders.items()
    }


@pytest.mark.parametrize(("episodes", "least"), [(6, 61), pytest.param(58, 1000, marks=pytest.mark.slow)])
def test_pictures_do_not_depend_on_what_was_drawn_before(episodes, least):
    scenes = 0
    for shots in sample(episodes):
        assert changed(shots) == {"kept": [], "reversed": [], "skipped": [], "batch": []}, shots.task
        scenes += len(shots.scenes)
    assert scenes >= least


@pytest.mark.parametrize("version", [Version.V3, Version.V41])
def test_the_shadow_map_is_restored_to_the_bit(version):
    # A picture seldom shows a single step of depth: the map itself does.
    run = episode(agent("35 0 9"), item("Wall", "30 0 12", sizes="6 3 1", rotations="20"), version=version)
    kept = Renderer(64, 64)
    for action in (3,) * 12:
        run.step(ACTIONS[action])
        fresh = Renderer(64, 64)
        kept.frame(run.scene())
        fresh.frame(run.scene())
        assert kept._shadows.map.tobytes() == fresh._shadows.map.tobytes()
