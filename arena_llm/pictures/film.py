"""Frames of a film of an episode: a view, the agents' paths on it and a status strip below."""

from collections.abc import Callable, Mapping

import numpy as np

from arena import ConfigError, Episode, Scene
from arena_llm.pictures.hud import NARROWEST, Status, strip
from arena_llm.pictures.trajectory import Trail
from render import Camera, Frame, Renderer, birds_eye, third_person, top_view

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
    """Turns the states of an episode of `steps` steps into frames of one size.

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
        """Extend the agents' paths; to be called before the first step and after each step."""
        for trail, state in zip(self._trails, episode.agents, strict=False):
            trail.add(state.position)

    def frame(self, episode: Episode) -> Frame:
        """The current frame, uint8 (H, W, 3)."""
        scene = episode.scene(self._agent)
        picture = self._renderer.frame(scene, self._view(scene))
        for trail in self._trails:
            picture = trail.over(picture)
        if not self._hud:
            return picture
        state = episode.agents[self._agent]
        status = Status(state.health, episode.steps, self._steps, state.total_reward)
        return np.vstack([picture, strip(status, self._size, timed=len(self._trails) == 1)])


def _check(view: str, size: int, agent: int, agents: int, trail: bool | None, hud: bool) -> None:
    if view not in VIEWS:
        raise ConfigError(f"--view: got {view!r}, expected one of: {', '.join(VIEWS)}")
    if not 0 <= agent < agents:
        raise ConfigError(f"--agent: got {agent}, expected 0 to {agents - 1}, as the arena has {agents}")
    if trail and view not in STILL_VIEWS:
        raise ConfigError(f"--trail: is drawn on the views {' and '.join(STILL_VIEWS)}, got --view {view}")
    if hud and size < NARROWEST:
        raise ConfigError(f"--hud: needs a --size of at least {NARROWEST}, got {size}")
