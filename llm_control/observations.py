"""What the model is shown: pictures as the protocol changes them, and words."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol as Interface

import numpy as np

from arena import Episode
from arena.geometry.layout import episode_rng
from arena.scene import Scene
from llm_control.choices import Protocol
from llm_control.description import describe
from render import Frame, Renderer, blurred, coarse, in_grey
from testbed import Task


class Eye(Interface):
    """What makes pictures of scenes, such as a `render.Renderer`."""

    def frame(self, scene: Scene) -> Frame:
        """A picture, uint8 (H, W, 3)."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """What a message shows: pictures in the order in which they were taken, and the present view in words."""

    frames: tuple[Frame, ...]
    words: str | None


class ProtocolEye:
    """Pictures as a protocol wants them: true, black, or of other arenas; then grey, coarse or blurred.

    `others` are the tasks whose arenas the shuffled control shows, drawn by `rng` for each picture, from
    where their agent starts, in any direction.
    """

    def __init__(self, protocol: Protocol, others: Sequence[Task], rng: np.random.Generator) -> None:
        self._protocol, self._others, self._rng = protocol, others, rng

    def frame(self, scene: Scene) -> Frame:
        """What the model is shown in the place of this scene."""
        protocol = self._protocol
        if protocol.vision == "blind":
            return np.zeros((protocol.image_size, protocol.image_size, 3), np.uint8)
        if protocol.vision == "shuffled":
            scene = self._elsewhere()
        return degraded(_renderer(protocol.image_size).frame(scene), protocol)

    def _elsewhere(self) -> Scene:
        scene = _start(self._others[int(self._rng.integers(len(self._others)))])
        return replace(scene, agent_yaw=float(self._rng.uniform(0, 360)), lights_on=True)


def eye(protocol: Protocol, task: Task, battery: Sequence[Task], trial: int) -> ProtocolEye | None:
    """The eye for one episode of a task; None where the model gets no pictures.

    The shuffled control takes pictures of the battery's other tasks; they follow from seed, task and trial.
    """
    if not protocol.shows_images:
        return None
    others = [other for other in battery if other.sha256 != task.sha256]
    return ProtocolEye(protocol, others, episode_rng(protocol.seed, f"{task.id}/shuffled", trial))


def probe_frame(protocol: Protocol, scene: Scene, probe_id: str) -> Frame:
    """The picture of a perception probe; the shuffled control shows it from any other direction."""
    if protocol.vision == "blind":
        return np.zeros((protocol.image_size, protocol.image_size, 3), np.uint8)
    if protocol.vision == "shuffled":
        rng = episode_rng(protocol.seed, f"{probe_id}/shuffled", 0)
        scene = replace(scene, agent_yaw=scene.agent_yaw + float(rng.uniform(110, 250)))
    return degraded(_renderer(protocol.image_size).frame(scene), protocol)


def degraded(frame: Frame, protocol: Protocol) -> Frame:
    """A picture without the colour, detail or sharpness that the protocol takes away."""
    if protocol.resolution is not None:
        frame = coarse(frame, protocol.resolution)
    if protocol.blur_px:
        frame = blurred(frame, protocol.blur_px)
    return in_grey(frame) if protocol.grayscale else frame


def words(protocol: Protocol, scene: Scene) -> str | None:
    """The view in words where the protocol has them."""
    return None if protocol.observation == "image" else describe(scene)


def picture_steps(protocol: Protocol, steps: int) -> Container[int]:
    """After which steps of a script of so many a picture is taken, its end left out."""
    if protocol.image_every is not None:
        return range(protocol.image_every, steps, protocol.image_every)
    parts = protocol.images_per_script
    return frozenset(-(-steps * part // parts) for part in range(1, parts)) - {0, steps}


@cache
def _renderer(size: int) -> Renderer:
    return Renderer(size, size)


def _start(task: Task) -> Scene:
    with Episode(task.spec, task_id=task.id) as episode:
        return episode.scene()
