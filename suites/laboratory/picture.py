"""Pictures of the laboratory's arenas: what experiments have shown, though nobody is there to make them."""

from functools import cache

from arena import IDLE, Episode
from arena.action import STEP_S
from arena.laboratory import MOVES_S
from arena.science import Seen
from render import Camera, Frame, Renderer
from testbed import task_named

STEPS = round(MOVES_S / STEP_S) + 1
"""Steps after which what slides or rolls has stopped."""

CAMERA = Camera((20.0, 19.0, -1.5), 0.0, 48.0, fov=60.0)
"""Above the agent's start, towards everything that experiments are made with."""


class Bench:
    """The arena of a task, without its hidden state; `task_id` is that of the suite, LL-TT-V."""

    def __init__(self, task_id: str) -> None:
        task = task_named(f"{task_id[:5]}-01")
        # Nobody hurries where experiments are only named.
        self._episode = Episode(task.spec.model_copy(update={"time_limit": 0}), task_id=task.id)

    def show(self, seen: Seen) -> None:
        """Let an experiment show its outcome."""
        self._episode.show(seen)
        for _ in range(STEPS):
            self._episode.step(IDLE)

    def picture(self, size: int) -> Frame:
        """What is to be seen now, uint8 (size, size, 3) RGB, row 0 on top."""
        return _renderer(size).frame(self._episode.scene(), CAMERA)


@cache
def _renderer(size: int) -> Renderer:
    return Renderer(size, size)
