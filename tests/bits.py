"""A program that prints what every machine must reproduce to the bit, a line for each of 100 episodes.

Each line has digests of the episode, of ten pictures of it, and of its recording. The lines must be those of
`tests/bits.txt` with every processor, Python and version of the packages. The program needs only the
packages that `pip install .` installs.
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from arena import ACTIONS, Episode, Replay
from arena.rays import Rays
from arena.scene import Scene
from arena.taskfile.config import ArenaSpec
from arena.taskfile.versions import Version
from render import Camera, Renderer, birds_eye, first_person, third_person
from testbed.tasks import find_paths, read_tasks

KNOWN = Path(__file__).with_suffix(".txt")
"""The lines of this version; other ones need another `render.DRAWN_BY` or `arena.recording.MOVED_BY`."""

EVERY, STEPS = 9, 120
SIDES = (84, 128, 200, 301, 512)


def lines() -> Iterator[str]:
    """Play every ninth task of the battery, the versions of Animal-AI in turn."""
    renderers = [Renderer(side, side) for side in SIDES]
    versions = list(Version)
    for number, path in enumerate(find_paths()[::EVERY]):
        version = versions[number % len(versions)]
        yield f"{path.stem} {version} {line(read_tasks(path, version)[0].spec, path.stem, renderers)}"


def line(spec: ArenaSpec, task_id: str, renderers: list[Renderer]) -> str:
    """The digests of one episode, and whether its replay is the same."""
    with Episode(spec, task_id=task_id) as episode:
        first = episode.scene()
        moments = digest(*moved(episode, Random(task_id)))
        pictures = digest(*drawn(first, renderers), *drawn(episode.scene(), renderers))
        recording = episode.recording()
    with Replay(recording, spec) as replay:
        replay.to_end()
        unlike = "; ".join(replay.differences())
    text = recording.model_dump_json(exclude={"versions"})
    return " ".join([moments, pictures, digest(np.frombuffer(text.encode(), np.uint8)), unlike or "replays"])


def moved(episode: Episode, draw: Random) -> Iterator[Any]:
    """Take random actions, mostly forward; yield poses, rays and the agent's state after each."""
    rays, action = Rays(5, version=Version(episode.scene().version)), 3
    while not episode.done and episode.steps < STEPS:
        if draw.random() < 0.2:
            action = draw.choice([0, 1, 3, 3, 3, 4, 5, 6])
        episode.step(ACTIONS[action])
        scene = episode.scene()
        yield from (scene.positions, scene.rotations, scene.sizes, scene.visible, rays.observe(scene))
        yield np.array([*episode.position, *episode.velocity, episode.yaw])
        yield np.array([episode.health, episode.total_reward])


def drawn(scene: Scene, renderers: list[Renderer]) -> Iterator[Any]:
    """Pictures of a scene, those of two sizes from outside."""
    eye = first_person(scene)
    views: list[Camera] = [eye, eye, third_person(scene), birds_eye(), eye]
    yield from (renderer.frame(scene, view) for renderer, view in zip(renderers, views, strict=True))


def digest(*arrays: Any) -> str:
    """The first 16 digits of the SHA-256 of the bytes of arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def main() -> int:
    """Print all lines; status 1 if an episode is not replayed as it was played."""
    status = 0
    for each in lines():
        print(each, flush=True)
        status = status or int(not each.endswith(" replays"))
    return status


if __name__ == "__main__":
    sys.exit(main())
