"""Which thing each pixel of the agent's view shows."""

import moderngl
import numpy as np
import numpy.typing as npt

from arena.scene import Scene
from render.animals import body
from render.camera import Matrix, first_person
from render.context import gl_context
from render.instances import Batch, ThingRows, arena_batch, in_one_color, joined
from render.painter import write
from render.renderer import shared_painter

Mask = npt.NDArray[np.bool_]

_DARK = (0.0, 0.0, 0.0)


class Segmenter:
    """Tells what is in the agent's view, and where, by drawing every thing in a colour of its own.

    `side` in pixels. Raises RenderError where no OpenGL context can be made.
    """

    def __init__(self, side: int) -> None:
        self._side, self._ctx = side, gl_context()
        size = (side, side)
        self._target = self._ctx.framebuffer([self._ctx.texture(size, 4)], self._ctx.depth_renderbuffer(size))
        self._painter, _ = shared_painter()
        self._rows: ThingRows | None = None

    def masks(self, scene: Scene) -> dict[int, Mask]:
        """The pixels (side, side), row 0 on top, in which a thing is seen, by its place in `scene.things`.

        What is out of view or hidden is left out; nothing is seen where the lights are out. Light passes
        through transparent things and zones, so pixels that show one may also show what is behind it.
        """
        if not scene.lights_on:
            return {}
        if self._rows is None or scene.things is not self._rows.things:
            self._rows = ThingRows(scene.things, scene.sizes)
        self._rows.update(scene)
        solid, clear = self._rows.numbered()
        around = [in_one_color(each, _DARK) for each in (arena_batch(), *map(body, scene.others))]
        view = first_person(scene).matrix(1.0)
        found = self._found(joined([*around, *solid.values()]), view)
        for number, rows in clear.items():
            alone = self._found(joined([*around, *solid.values(), rows]), view)
            found |= {number: alone[number]} if number in alone else {}
        return found

    def _found(self, batch: Batch, view: Matrix) -> dict[int, Mask]:
        """The masks of the numbered rows of a batch."""
        ctx = self._ctx
        self._target.use()
        self._target.clear(depth=1.0)
        ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        ctx.front_face = "ccw"
        write(self._painter.scene, "u_view", view)
        self._painter.textures.use(0)
        self._painter.draw(batch.groups())
        pixels = np.empty((self._side, self._side, 3), np.uint8)
        self._target.read_into(pixels, components=3, alignment=1)
        numbers = pixels.astype(np.intp) @ (1, 256, 0)
        return {number - 1: numbers == number for number in np.unique(numbers).tolist() if number}
