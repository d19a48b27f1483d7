"""What the model is shown: pictures as the choices change them, and words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol as Interface

import numpy as np

from arena import Episode
from arena.geometry.layout import episode_rng
from arena.scene import Scene
from llm_control.choices import ArenaChoices
from llm_control.description import describe
from render import Frame, Renderer, blurred, coarse, in_grey, with_gutter
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


class ChosenEye:
    """Pictures as the choices want them: true, black, or of other arenas; then grey, coarse or blurred.

    `others` are the tasks whose arenas the shuffled control shows, drawn by `rng` for each picture, from
    where their agent starts, in any direction.
    """

    def __init__(self, choices: ArenaChoices, others: Sequence[Task], rng: np.random.Generator) -> None:
        self._choices, self._others, self._rng = choices, others, rng

    def frame(self, scene: Scene) -> Frame:
        """What the model is shown in the place of this scene."""
        choices = self._choices
        if choices.vision == "blind":
            return np.zeros((choices.image_size, choices.image_size, 3), np.uint8)
        if choices.vision == "shuffled":
            scene = self._elsewhere()
        return degraded(_renderer(choices.image_size).frame(scene), choices)

    def _elsewhere(self) -> Scene:
        scene = _start(self._others[int(self._rng.integers(len(self._others)))])
        return replace(scene, agent_yaw=float(self._rng.uniform(0, 360)), lights_on=True)


def eye(choices: ArenaChoices, task: Task, battery: Sequence[Task], trial: int) -> ChosenEye | None:
    """The eye for one episode of a task; None if the model gets no pictures.

    The shuffled control takes pictures of the battery's other tasks; they follow from seed, task and trial.
    """
    if not choices.shows_images:
        return None
    others = [other for other in battery if other.sha256 != task.sha256]
    return ChosenEye(choices, others, episode_rng(choices.seed, f"{task.id}/shuffled", trial))


def probe_frame(choices: ArenaChoices, scene: Scene, probe_id: str) -> Frame:
    """The picture of a perception probe; the shuffled control shows it from any other direction."""
    if choices.vision == "blind":
        return np.zeros((choices.image_size, choices.image_size, 3), np.uint8)
    if choices.vision == "shuffled":
        rng = episode_rng(choices.seed, f"{probe_id}/shuffled", 0)
        scene = replace(scene, agent_yaw=scene.agent_yaw + float(rng.uniform(110, 250)))
    return degraded(_renderer(choices.image_size).frame(scene), choices)


def degraded(frame: Frame, choices: ArenaChoices) -> Frame:
    """A picture without what the choices take away: colour, detail, sharpness; and with their gutter."""
    if choices.resolution is not None:
        frame = coarse(frame, choices.resolution)
    if choices.blur_px:
        frame = blurred(frame, choices.blur_px)
    if choices.grayscale:
        frame = in_grey(frame)
    return with_gutter(frame, choices.image_gutter) if choices.image_gutter else frame


def words(choices: ArenaChoices, scene: Scene) -> str | None:
    """The view in words if the choices ask for it."""
    return None if choices.observation == "image" else describe(scene)


@cache
def _renderer(size: int) -> Renderer:
    return Renderer(size, size)


def _start(task: Task) -> Scene:
    with Episode(task.spec, task_id=task.id) as episode:
        return episode.scene()
