"""Pictures of the laboratory's arenas after named experiments, without an agent."""

from functools import cache
from itertools import product, starmap, zip_longest

from arena import IDLE, Episode
from arena.action import STEP_S
from arena.laboratory import MOVES_S
from arena.science import Seen
from arena.taskfile.config import Vector3
from evaluation.by_hand.form import Box
from render import Camera, Frame, Renderer
from testbed import Task, task_named

STEPS = round(MOVES_S / STEP_S) + 1
"""Steps after which everything that slides or rolls has stopped."""

CAMERA = Camera((20.0, 19.0, -1.5), 0.0, 48.0, fov=60.0)
"""Camera above the agent's start, towards the apparatus."""


def places(task_id: str, name: str) -> tuple[Box, ...]:
    """Locate the things of a kind in the picture, in order."""
    [item] = (each for each in _task(task_id).spec.items if each.name == name)
    return tuple(starmap(_place, zip_longest(item.positions, item.sizes)))


def _place(at: Vector3, size: Vector3 | None) -> Box:
    # A thing without a size in the file is about as large as the machine.
    x, y, z = (size.x, size.y, size.z) if size else (3.0,) * 3
    sides = ((at.x - x / 2, at.x + x / 2), (at.y, at.y + y), (at.z - z / 2, at.z + z / 2))
    corners = CAMERA.project(list(product(*sides)), 1, 1).clip(0.0, 1.0)
    return Box(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())


def _task(task_id: str) -> Task:
    return task_named(f"{task_id[:5]}-01")


class Bench:
    """Arena of a task, without its hidden state; `task_id` is LL-TT-V."""

    def __init__(self, task_id: str) -> None:
        task = _task(task_id)
        # Named experiments need no time limit.
        self._episode = Episode(task.spec.model_copy(update={"time_limit": 0}), task_id=task.id)

    def show(self, seen: Seen) -> None:
        """Let an experiment show its outcome."""
        self._episode.show(seen)
        for _ in range(STEPS):
            self._episode.step(IDLE)

    def picture(self, size: int) -> Frame:
        """Draw the present state, uint8 (size, size, 3) RGB, row 0 on top."""
        return _renderer(size).frame(self._episode.scene(), CAMERA)


@cache
def _renderer(size: int) -> Renderer:
    return Renderer(size, size)
