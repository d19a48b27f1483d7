"""Draws the frames of one arena, caching what stays the same between them."""

import moderngl
import numpy as np

from arena.scene import Scene
from arena.taskfile.versions import Version
from render.camera import Camera, first_person
from render.context import gl_context
from render.looks.sun import light_of
from render.opengl.painter import shared_painter, write
from render.opengl.shadows import Shadows
from render.opengl.sky import shared_sky, sky_pictures
from render.opengl.target import start_frame
from render.parts.animals import bodies
from render.parts.casters import Casters
from render.parts.culling import back_to_front, front_to_back
from render.parts.rows import Rows, ThingRows


class View:
    """Draws successive scenes of one arena; caches rows, and shadows of things at rest."""

    def __init__(self) -> None:
        self._ctx = gl_context()
        self._painter = shared_painter()
        self._light = light_of(Version.V3)
        self._shadows = Shadows(self._light)
        self._things: ThingRows | None = None
        self._casters: Casters | None = None
        self._changed = False

    def things(self, scene: Scene) -> ThingRows:
        """The rows of a scene's things."""
        things = self._things
        if things is None or scene.things is not things.things or scene.version != things.version:
            things = self._things = ThingRows(scene.things, scene.sizes, scene.version)
            self._casters = None
        self._changed |= things.update(scene)
        return things

    def cast(self, scene: Scene) -> None:
        """Read a scene and update its shadows; call `draw` afterwards."""
        things, light = self.things(scene), light_of(scene.version)
        self._painter.shine(light)
        if light is not self._light:
            self._light, self._shadows, self._casters = light, Shadows(light), None
            self._ctx.gc()
        if not light.shines:
            return
        redraw = self._casters is None or self._casters.update(self._changed)
        casters = self._casters = self._casters or Casters(things)
        if redraw:
            self._shadows.draw_still(casters.still)
        self._changed = False
        agents = bodies(scene, own=True, casting=True)
        self._shadows.draw_moving(np.concatenate([casters.moving, *agents]))

    def draw(self, target: moderngl.Framebuffer, scene: Scene, camera: Camera | None) -> None:
        """Draw the scene given to `cast`; camera None is the agent's view, without its own body."""
        self._painter.shine(self._light)
        things = self._things
        assert things is not None
        opaque = np.concatenate([things.opaque, *bodies(scene, own=camera is not None)])
        self._draw(target, opaque, things.clear, camera or first_person(scene))

    def _draw(self, target: moderngl.Framebuffer, opaque: Rows, clear: Rows, camera: Camera) -> None:
        width, height = target.size
        has_sky = sky_pictures(width, height).copy(target, camera)
        start_frame(target, clear=not has_sky)
        view = camera.matrix(width / height)
        write(self._painter.scene, "u_view", view)
        self._painter.textures.use(0)
        self._shadows.texture.use(1)
        self._painter.draw(front_to_back(opaque, camera, view, height))
        if not has_sky:
            shared_sky().draw(camera, width / height)
        if len(clear):
            self._draw_clear(target, back_to_front(clear, camera, view))

    def _draw_clear(self, target: moderngl.Framebuffer, rows: Rows) -> None:
        """Translucent things, the farthest first; only their near faces show."""
        ctx = self._ctx
        ctx.enable(moderngl.BLEND)
        ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        target.depth_mask = False
        self._painter.draw(rows)
        target.depth_mask = True
        ctx.disable(moderngl.BLEND)
