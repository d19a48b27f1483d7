"""Programs and meshes on the GPU, which draw rows of `render/parts/rows.py`."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import moderngl
import numpy as np
import numpy.typing as npt

from render.context import gl_context
from render.looks.kept_textures import kept_layers
from render.looks.sun import Light, sun_view
from render.looks.textures import LAYERS, SIDE
from render.parts.meshes import Mesh, unit_meshes
from render.parts.rows import ROW, Rows, runs

_VERTICES = ("3f 3f", "in_vertex", "in_normal")
_SCENE_ROWS = (
    "3f 9f 3f 3f 3f 2f 3x4/i",
    "in_position",
    "in_rotation",
    "in_size",
    "in_color",
    "in_surface",
    "in_repeat",
)
_SHADOW_ROWS = ("3f 9f 3f 11x4/i", "in_position", "in_rotation", "in_size")
_CHANNEL_ROWS = ("3f 9f 3f 9x4 2f/i", "in_position", "in_rotation", "in_size", "in_label")
_FIRST_ROOM = 64

SCENE, SHADOW, CHANNELS = range(3)
"""What a painter draws: colours, depth as the sun sees it, or depth and labels."""


def program(ctx: moderngl.Context, name: str, package: str = "render.opengl") -> moderngl.Program:
    """The shaders `NAME.vert` and `.frag` in the folder `shaders` of a package as a program."""
    folder = files(package) / "shaders"
    return ctx.program(
        vertex_shader=(folder / f"{name}.vert").read_text(encoding="utf-8"),
        fragment_shader=(folder / f"{name}.frag").read_text(encoding="utf-8"),
    )


def write(target: moderngl.Program, name: str, matrix: npt.NDArray[np.float32]) -> None:
    """Set a matrix uniform; OpenGL expects it by columns."""
    uniform = target[name]
    assert isinstance(uniform, moderngl.Uniform)
    uniform.write(np.ascontiguousarray(matrix.T, np.float32).tobytes())


class Painter:
    """Draws instances of the unit meshes, with one of three programs."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self.scene = program(ctx, "scene")
        self.shadow = program(ctx, "shadow")
        self.channels = program(ctx, "channels")
        self.textures = _textures(ctx)
        self._light: Light | None = None
        self.scene["u_textures"], self.scene["u_shadows"] = 0, 1
        write(self.scene, "u_sun_view", sun_view())
        write(self.shadow, "u_sun_view", sun_view())
        readers = [
            Reader(self.scene, _VERTICES, _SCENE_ROWS),
            Reader(self.shadow, _VERTICES, _SHADOW_ROWS),
            Reader(self.channels, ("3f 12x", "in_vertex"), _CHANNEL_ROWS),
        ]
        self._stocks = {name: Stock(ctx, mesh, readers) for name, mesh in unit_meshes().items()}

    def shine(self, light: Light) -> None:
        """Set the light of whatever is drawn next."""
        if light is self._light:
            return
        self._light = light
        self.scene["u_sun"], self.scene["u_stripes"] = light.color, light.stripes_m
        self.scene["u_texel"] = self.shadow["u_texel"] = light.texel_m

    def draw(self, rows: Rows, reader: int = 0) -> None:
        """Draw rows with `SCENE`, `SHADOW` or `CHANNELS` in their order; those of one mesh at once."""
        for mesh, run in runs(rows):
            self._stocks[mesh].draw(run, reader)


@cache
def shared_painter() -> Painter:
    """The painter of this process."""
    return Painter(gl_context())


class Reader(NamedTuple):
    """A program with the buffer formats and attribute names of its vertices and its rows, as in moderngl."""

    program: moderngl.Program
    vertices: tuple[str, ...]
    rows: tuple[str, ...]


class Stock:
    """One mesh with a buffer for the instances of each draw call, for one or more programs."""

    def __init__(self, ctx: moderngl.Context, mesh: Mesh, readers: Sequence[Reader]) -> None:
        self._ctx = ctx
        self._readers = readers
        self._vertices = ctx.buffer(mesh.vertices.tobytes())
        self._indices = ctx.buffer(mesh.indices.tobytes())
        self._instances, self._arrays = self._with_room(_FIRST_ROOM)

    def draw(self, rows: npt.NDArray[np.float32], reader: int = 0) -> None:
        """Draw rows with one of the programs, by its index in the readers."""
        if rows.nbytes > self._instances.size:
            self._instances, self._arrays = self._with_room(2 * len(rows))
        self._instances.orphan()
        self._instances.write(rows)
        self._arrays[reader].render(instances=len(rows))

    def _with_room(self, count: int) -> tuple[moderngl.Buffer, list[moderngl.VertexArray]]:
        """A buffer for a number of instances, and the programs' arrays that read it."""
        instances = self._ctx.buffer(reserve=4 * ROW * count, dynamic=True)
        arrays = [
            self._ctx.vertex_array(
                each.program,
                [(self._vertices, *each.vertices), (instances, *each.rows)],
                index_buffer=self._indices,
            )
            for each in self._readers
        ]
        return instances, arrays


def _textures(ctx: moderngl.Context) -> moderngl.TextureArray:
    made = ctx.texture_array((SIDE, SIDE, LAYERS), 4, kept_layers())
    made.build_mipmaps()
    made.filter = (moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR)
    return made
