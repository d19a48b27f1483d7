"""A program that prints a line of digests for each of some episodes: poses, pictures and recording.

The lines must be the same with every Python and every version of the packages. It needs only the packages
that `pip install .` installs.
"""

import hashlib
import sys
from random import Random

from arena import ACTIONS, Episode, Replay
from render import Renderer
from testbed.tasks import task_named

TASKS = {
    "01-21-01": "3.1.3",
    "02-05-03": "4.1",
    "02-16-03": "3.1.3",
    "04-22-01": "3.1.3",
    "05-20-02": "4",
    "07-09-03": "3.1.3",
    "08-04-03": "2",
    "09-25-02": "4",
    "10-14-01": "3.1.3",
}
"""Tasks, of many kinds of objects, with their versions; in several the agent tips over a wall."""

STEPS, PICTURE_EVERY, SIDE = 120, 15, 84


def line(task_id: str, version: str, renderer: Renderer) -> str:
    """Play a task by repeated random actions, mostly forward; returns what happened as digests."""
    spec, draw = task_named(task_id, version=version).spec, Random(task_id)
    poses, pictures, action = hashlib.sha256(), hashlib.sha256(), 3
    with Episode(spec, task_id=task_id) as episode:
        while not episode.done and episode.steps < STEPS:
            if draw.random() < 0.2:
                action = draw.choice([0, 1, 3, 3, 3, 4, 5, 6])
            episode.step(ACTIONS[action])
            scene = episode.scene()
            for array in (scene.positions, scene.rotations, scene.sizes, scene.visible):
                poses.update(array.tobytes())
            poses.update(repr((episode.position, episode.yaw, episode.health, episode.total_reward)).encode())
            if episode.steps % PICTURE_EVERY == 0:
                pictures.update(renderer.frame(scene).tobytes())
        recording = episode.recording()
    with Replay(recording, spec) as replay:
        replay.to_end()
        unlike = "; ".join(replay.differences())
    text = recording.model_dump_json(exclude={"versions"})
    digests = (poses.hexdigest(), pictures.hexdigest(), hashlib.sha256(text.encode()).hexdigest())
    return " ".join([task_id, version, *(digest[:16] for digest in digests), unlike or "replays"])


def main() -> int:
    """Print all lines; status 1 if an episode is not replayed as it was played."""
    renderer = Renderer(SIDE, SIDE)
    lines = [line(task_id, version, renderer) for task_id, version in TASKS.items()]
    print(*lines, sep="\n")
    return int(not all(each.endswith(" replays") for each in lines))


if __name__ == "__main__":
    sys.exit(main())
