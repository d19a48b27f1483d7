"""Frames of an episode for a video: a view, the agents' paths, and a strip with the state."""

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from PIL import Image, ImageDraw

from arena import ConfigError, Episode, Scene
from arena_llm.pictures.canvas import FAINT, Trail, path_color, text_width, write
from render import Camera, Frame, Renderer, birds_eye, third_person, top_view

NARROWEST = 192
"""Smallest width in pixels that the text fits."""

_GREEN, _AMBER, _RED = (68, 150, 84), (226, 160, 40), (200, 56, 50)
_PLAIN = (0.45, 0.45, 0.45)
_LOW, _VERY_LOW = 50.0, 25.0


def strip_height(width: int) -> int:
    """Compute the height of the strip in pixels; even, as videos require."""
    return 2 * round(max(24.0, width / 13) / 2)


def strip(
    health: float, step: int, steps: int, total_reward: float, width: int, *, timed: bool = False
) -> Frame:
    """Draw the strip, uint8 (`strip_height(width)`, width, 3), `width` of at least `NARROWEST` pixels.

    It shows health, 0 to 100, `step` of `steps` and the total reward.
    Its upper edge is a progress bar; with `timed`, in the colours that a path has at the same time, as a key.
    """
    height = strip_height(width)
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    edge = max(3, height // 9)
    draw.rectangle((0, 0, width, edge - 1), fill=FAINT)
    done = round(width * step / max(steps, 1))
    bar = np.tile(_progress_colors(width, timed)[:, :done], (edge, 1, 1))
    image.paste(Image.fromarray(bar), (0, 0))
    letters, gap = min(width / 28, 0.42 * height), width / 40
    middle = (height + edge) / 2
    right = width - gap
    reward = f"reward {total_reward:z.2f}"
    write(image, (right, middle), reward, letters, anchor="rm")
    # Space is reserved for the widest numbers, so that nothing moves between frames.
    right -= max(text_width("reward -00.00", letters), text_width(reward, letters)) + gap
    write(image, (right, middle), f"step {step}/{steps}", letters, anchor="rm")
    right -= text_width(f"step {steps}/{steps}", letters) + gap
    left = gap + text_width("100", letters) + gap / 2
    write(image, (left - gap / 2, middle), f"{health:.0f}", letters, anchor="rm")
    _health(draw, health, (left, middle - 0.2 * height, right, middle + 0.2 * height))
    return np.asarray(image)


@cache
def _progress_colors(width: int, timed: bool) -> Frame:
    """Make the full progress bar, one row of pixels (1, width, 3)."""
    colors = [path_color(column / width) if timed else _PLAIN for column in range(width)]
    return np.asarray(np.round(255 * np.array([colors])), np.uint8)


def _health(draw: ImageDraw.ImageDraw, health: float, box: tuple[float, float, float, float]) -> None:
    left, top, right, bottom = box
    draw.rectangle(box, fill=FAINT)
    color = _GREEN if health > _LOW else _AMBER if health > _VERY_LOW else _RED
    if health > 0:
        draw.rectangle((left, top, left + (right - left) * min(health, 100.0) / 100, bottom), fill=color)


View = Callable[[Scene], Camera | None]

VIEWS: Mapping[str, View] = {
    "agent": lambda scene: None,
    "behind": third_person,
    "above": lambda scene: birds_eye(),
    "top": lambda scene: top_view(),
}
"""The agent's own camera, and cameras behind it, above it, and above it without perspective."""

STILL_VIEWS = ("above", "top")
"""Views with a camera that does not move, so that paths can be drawn."""


class Film:
    """Frames of one size for an episode of `steps` steps.

    `view` is one of `VIEWS`; `agent` is the one to follow and to show the status of; `trail` draws the paths
    of all `agents` on a view from above (default: wherever possible); `hud` adds the strip with health, step
    and reward below the picture, which is `size` by `size` pixels.

    Raises ConfigError for options that contradict each other, RenderError for a size out of range.
    """

    def __init__(
        self,
        view: str,
        size: int,
        *,
        steps: int,
        agent: int = 0,
        agents: int = 1,
        trail: bool | None = None,
        hud: bool = False,
    ) -> None:
        _check(view, size, agent, agents, trail, hud)
        self._view, self._size, self._steps, self._agent, self._hud = VIEWS[view], size, steps, agent, hud
        self._renderer = Renderer(size, size)
        self._trails: list[Trail] = []
        if view in STILL_VIEWS and trail is not False:
            camera = birds_eye() if view == "above" else top_view()
            self._trails = [
                Trail(camera, size, size, steps=steps, agent=number, agents=agents)
                for number in range(agents)
            ]

    def follow(self, episode: Episode) -> None:
        """Extend the agents' paths. Call it before the first step and after each step."""
        for trail, state in zip(self._trails, episode.agents, strict=False):
            trail.add(state.position)

    def frame(self, episode: Episode) -> Frame:
        """Draw the current frame, uint8 (H, W, 3)."""
        scene = episode.scene(self._agent)
        picture = self._renderer.frame(scene, self._view(scene))
        for trail in self._trails:
            picture = trail.over(picture)
        if not self._hud:
            return picture
        state = episode.agents[self._agent]
        status = state.health, episode.steps, self._steps, state.total_reward
        return np.vstack([picture, strip(*status, self._size, timed=len(self._trails) == 1)])


def _check(view: str, size: int, agent: int, agents: int, trail: bool | None, hud: bool) -> None:
    if view not in VIEWS:
        raise ConfigError(f"--view: got {view!r}, expected one of: {', '.join(VIEWS)}")
    if not 0 <= agent < agents:
        raise ConfigError(f"--agent: got {agent}, expected 0 to {agents - 1}, as the arena has {agents}")
    if trail and view not in STILL_VIEWS:
        raise ConfigError(f"--trail: is drawn on the views {' and '.join(STILL_VIEWS)}, got --view {view}")
    if hud and size < NARROWEST:
        raise ConfigError(f"--hud: needs a --size of at least {NARROWEST}, got {size}")
