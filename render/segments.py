"""Masks: which pixels of the agent's view show which thing."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from arena.scene import Scene
from render.looks.look import look_of
from render.renderer import Renderer

Mask = npt.NDArray[np.bool_]


class Segmenter:
    """Finds the things in the agent's view, also behind transparent ones.

    `side` in pixels, 4 to 1024. Raises RenderError for others.
    """

    def __init__(self, side: int) -> None:
        self._renderer = Renderer(side, side)

    def masks(self, scene: Scene) -> dict[int, Mask]:
        """The pixels (side, side), row 0 on top, in which a thing is seen, by its place in `scene.things`.

        Things that are out of view or hidden have none, nor has anything while the lights are out. Light
        passes through transparent things and zones, so a pixel may show both one of them and what is behind.
        """
        found = self._found(scene, see_through=True)
        clear = np.array([look_of(thing, scene.version).translucent for thing in scene.things], bool)
        for number in np.flatnonzero(clear & scene.visible).tolist():
            alone = scene.visible & (~clear | (np.arange(len(clear)) == number))
            shown = self._found(replace(scene, visible=alone), see_through=False)
            found |= {number: shown[number]} if number in shown else {}
        return found

    def _found(self, scene: Scene, see_through: bool) -> dict[int, Mask]:
        instance = self._renderer.channels(scene, see_through=see_through).instance
        return {number: instance == number for number in np.unique(instance).tolist() if number >= 0}
