"""From a scene to a frame."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import moderngl
import numpy as np
import numpy.typing as npt

from arena.errors import RenderError
from arena.scene import Floats, Scene, Thing, Vector
from render.camera import Camera, first_person
from render.context import gl_context
from render.look import Look, Material, look_of
from render.meshes import Part, fence_parts, floor_part, parts_of, unit_meshes

Frame = npt.NDArray[np.uint8]

SMALLEST, LARGEST = 4, 1024
"""Bounds of a frame's sides in pixels."""

SHADOW_SIZE = 1024
"""Side of the shadow map (`UniversalRP-LowQuality.asset`); its texels make the stair-stepped edges."""

TO_SUN = np.array([0.321, 0.766, -0.557])
"""Direction to the sun: elevation 50 degrees, azimuth 150 degrees."""

_ROW = 20
_FORMAT = "3f 9f 3f 4f 1f/i"
_NAMES = ("in_position", "in_rotation", "in_size", "in_color", "in_material")
_SHADOW_FORMAT = "3f 9f 3f 5x4/i"
_ONE = np.eye(3)
_AGENT_SIZE: Vector = (1.0, 1.0, 1.0)


class _Batch:
    """All instances of the unit meshes that are drawn together; one buffer per mesh."""

    def __init__(self, ctx: moderngl.Context, meshes: dict[str, moderngl.Buffer]) -> None:
        self._ctx = ctx
        self._meshes = meshes
        self._rows: dict[str, list[npt.NDArray[np.float32]]] = {}
        self._buffers: dict[str, moderngl.Buffer] = {}
        self._arrays: dict[tuple[str, int], moderngl.VertexArray] = {}

    def fill(self, rows: dict[str, list[npt.NDArray[np.float32]]]) -> None:
        """Take new instances; buffers are kept where the number of rows is the same."""
        if {mesh: len(r) for mesh, r in rows.items()} != {mesh: len(r) for mesh, r in self._rows.items()}:
            self.release()
            self._buffers = {mesh: self._ctx.buffer(reserve=4 * _ROW * len(r)) for mesh, r in rows.items()}
        for mesh, entries in rows.items():
            self._buffers[mesh].write(np.concatenate(entries))
        self._rows = rows

    def draw(self, program: moderngl.Program) -> None:
        """Draw everything with a program."""
        for mesh, entries in self._rows.items():
            self._array(mesh, program).render(instances=len(entries))

    def _array(self, mesh: str, program: moderngl.Program) -> moderngl.VertexArray:
        key = (mesh, program.glo)
        if key not in self._arrays:
            full = "in_color" in program
            vertex = (
                (self._meshes[mesh], "3f 3f", "in_vertex", "in_normal")
                if full
                else (self._meshes[mesh], "3f 3x4", "in_vertex")
            )
            instance = (
                (self._buffers[mesh], _FORMAT, *_NAMES)
                if full
                else (self._buffers[mesh], _SHADOW_FORMAT, *_NAMES[:3])
            )
            self._arrays[key] = self._ctx.vertex_array(program, [vertex, instance])
        return self._arrays[key]

    def release(self) -> None:
        """Free the GPU's memory."""
        for array in self._arrays.values():
            array.release()
        for buffer in self._buffers.values():
            buffer.release()
        self._arrays, self._buffers, self._rows = {}, {}, {}


class Renderer:
    """Draws scenes into frames of one size.

    `width` and `height` in pixels, 4 to 1024. Raises RenderError for other sizes and where no OpenGL
    context can be made.
    """

    def __init__(self, width: int = 512, height: int = 512) -> None:
        if not all(isinstance(side, int) and SMALLEST <= side <= LARGEST for side in (width, height)):
            raise RenderError(
                f"resolution: got {width} x {height}, expected {SMALLEST} to {LARGEST} pixels a side"
            )
        self.width, self.height = width, height
        self._ctx = ctx = gl_context()
        self._target = ctx.framebuffer(
            [ctx.renderbuffer((width, height), 3, dtype="f1")], ctx.depth_renderbuffer((width, height))
        )
        self._program = _program(ctx, "scene", "scene")
        self._shadow = _program(ctx, "shadow", "shadow")
        self._sky = _program(ctx, "sky", "sky")
        self._sky_array = ctx.vertex_array(self._sky, [])
        meshes = {name: ctx.buffer(soup.tobytes()) for name, soup in unit_meshes().items()}
        self._static, self._moving, self._clear, self._casters = (_Batch(ctx, meshes) for _ in range(4))
        self._shadow_maps = [_shadow_map(ctx) for _ in range(2)]
        self._sun_view = _sun_view()
        self._things: tuple[Thing, ...] | None = None
        self._shown: tuple[bool, ...] = ()
        self._set_uniforms()

    def frame(self, scene: Scene, camera: Camera | None = None) -> Frame:
        """The picture of a scene, uint8 (height, width, 3) RGB, row 0 on top.

        Without a camera, what the agent sees: all black where its lights are out.
        """
        if camera is None and not scene.lights_on:
            return np.zeros((self.height, self.width, 3), np.uint8)
        view = camera or first_person(scene)
        self._upload(scene)
        self._draw_shadows()
        self._draw(scene, view, show_agent=camera is not None)
        data = self._target.read(components=3, alignment=1)
        return np.frombuffer(bytearray(data), np.uint8).reshape(self.height, self.width, 3)

    def _set_uniforms(self) -> None:
        _write(self._program, "u_sun_view", self._sun_view.T)
        self._program["u_shadow_static"] = 0
        self._program["u_shadow_moving"] = 1
        _write(self._shadow, "u_view", self._sun_view.T)

    def _upload(self, scene: Scene) -> None:
        indices = range(len(scene.things))
        looks = [look_of(thing) for thing in scene.things]
        shown = tuple(bool(v) for v in scene.visible)
        if scene.things is not self._things:
            fixed = [i for i in indices if not scene.things[i].moves and not looks[i].translucent]
            rows = _rows(scene, fixed, looks)
            for part in fence_parts():
                _append(rows, part, (0.0, 0.0, 0.0), _ONE, Look(Material.FENCE, (1.0, 1.0, 1.0)))
            _append(rows, floor_part(), (0.0, 0.0, 0.0), _ONE, Look(Material.FLOOR, (1.0, 1.0, 1.0)))
            self._static.fill(rows)
            self._things = scene.things
            self._draw_shadow_map(0, [self._static])
        movers = [i for i in indices if scene.things[i].moves and shown[i]]
        self._moving.fill(_rows(scene, movers, looks))
        casters: dict[str, list[npt.NDArray[np.float32]]] = {}
        _append(
            casters,
            Part("ball", (0.0, 0.0, 0.0), _AGENT_SIZE),
            scene.agent_position,
            _ONE,
            Look(Material.PLAIN, (0.9, 0.9, 0.9)),
        )
        self._casters.fill(casters)
        self._glass = [i for i in indices if looks[i].translucent]

    def _draw_shadows(self) -> None:
        self._draw_shadow_map(1, [self._moving, self._casters])

    def _draw_shadow_map(self, which: int, batches: Sequence[_Batch]) -> None:
        _, framebuffer = self._shadow_maps[which]
        framebuffer.use()
        framebuffer.clear(depth=1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        for batch in batches:
            batch.draw(self._shadow)

    def _draw(self, scene: Scene, camera: Camera, show_agent: bool) -> None:
        ctx = self._ctx
        self._target.use()
        self._target.clear(depth=1.0)
        self._draw_sky(camera)
        ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        # Left-handed coordinates and the upside-down picture each turn every face around.
        ctx.front_face = "ccw"
        view = camera.matrix(self.width / self.height)
        _write(self._program, "u_view", view.T)
        for place, (texture, _) in enumerate(self._shadow_maps):
            texture.use(place)
        for batch in (self._static, self._moving, *((self._casters,) if show_agent else ())):
            batch.draw(self._program)
        self._draw_glass(scene, camera)

    def _draw_glass(self, scene: Scene, camera: Camera) -> None:
        """Translucent things, the farthest first; only their near faces show."""
        if not self._glass:
            return
        ctx, eye = self._ctx, np.array(camera.position)
        looks = {i: look_of(scene.things[i]) for i in self._glass}
        ctx.enable(moderngl.BLEND)
        ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._target.depth_mask = False
        for index in sorted(self._glass, key=lambda i: -float(np.linalg.norm(scene.positions[i] - eye))):
            self._clear.fill(_rows(scene, [index], looks))
            self._clear.draw(self._program)
        self._target.depth_mask = True
        ctx.disable(moderngl.BLEND)

    def _draw_sky(self, camera: Camera) -> None:
        self._ctx.enable_only(moderngl.NOTHING)
        _write(self._sky, "u_axes", camera.axes())
        self._sky["u_size"] = (self.width, self.height)
        self._sky["u_focal"] = float(1 / np.tan(np.radians(camera.fov) / 2))
        self._sky_array.render(vertices=3)


def _program(ctx: moderngl.Context, vertex: str, fragment: str) -> moderngl.Program:
    folder = files("render") / "shaders"
    return ctx.program(
        vertex_shader=(folder / f"{vertex}.vert").read_text(encoding="utf-8"),
        fragment_shader=(folder / f"{fragment}.frag").read_text(encoding="utf-8"),
    )


def _write(program: moderngl.Program, name: str, matrix: npt.NDArray[Any]) -> None:
    """Set a matrix uniform; OpenGL takes its columns one after the other."""
    uniform = program[name]
    assert isinstance(uniform, moderngl.Uniform)
    uniform.write(np.ascontiguousarray(matrix, np.float32).tobytes())


def _shadow_map(ctx: moderngl.Context) -> tuple[moderngl.Texture, moderngl.Framebuffer]:
    texture = ctx.depth_texture((SHADOW_SIZE, SHADOW_SIZE))
    texture.compare_func = ""
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    return texture, ctx.framebuffer(depth_attachment=texture)


def _sun_view() -> npt.NDArray[np.float32]:
    """World to the sun's clip space (4, 4): orthographic, around the whole arena."""
    forward = -TO_SUN / np.linalg.norm(TO_SUN)
    right = np.cross([0.0, 1.0, 0.0], forward)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(forward, right), forward])
    corners = np.array([(x, y, z) for x in (-1, 41) for y in (-0.2, 20) for z in (-1, 41)]) @ axes.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    matrix = np.eye(4)
    matrix[:3, :3] = axes * (2 / (high - low))[:, None]
    matrix[:3, 3] = -(high + low) / (high - low)
    return np.asarray(matrix, np.float32)


def _rows(
    scene: Scene, indices: Sequence[int], looks: Sequence[Look] | dict[int, Look]
) -> dict[str, list[npt.NDArray[np.float32]]]:
    rows: dict[str, list[npt.NDArray[np.float32]]] = {}
    for i in indices:
        for part in parts_of(scene.things[i]):
            _append(rows, part, scene.positions[i], scene.rotations[i], looks[i])
    return rows


def _append(
    rows: dict[str, list[npt.NDArray[np.float32]]],
    part: Part,
    position: Sequence[float] | Floats,
    rotation: Floats,
    look: Look,
) -> None:
    row = np.empty(_ROW, np.float32)
    row[:3] = np.asarray(position) + rotation @ np.array(part.centre)
    row[3:12] = rotation.T.ravel()
    row[12:15] = part.size
    row[15:19] = (*look.color, 1.0)
    row[19] = look.material
    rows.setdefault(part.mesh, []).append(row)
