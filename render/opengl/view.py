"""Draws the frames of one arena, caching what stays the same between them."""

import moderngl
import numpy as np

from arena.scene import Animal, Scene
from arena.taskfile.versions import Version
from render.camera import Camera, first_person
from render.context import gl_context
from render.looks.sun import Light, light_of
from render.opengl.painter import shared_painter, write
from render.opengl.shadows import Shadows
from render.opengl.sky import shared_sky, sky_pictures
from render.opengl.target import start_frame
from render.parts.animals import body
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
        self._casters: Casters

    def cast(self, scene: Scene) -> None:
        """Read a scene and update its shadows; call `draw` afterwards."""
        self._use_light(light_of(scene.version))
        things = self._updated(scene)
        if self._light.shines:
            agents = [body(agent, casting=True) for agent in (_own(scene), *scene.others)]
            self._shadows.draw_moving(np.concatenate([self._casters.moving, *agents]))
        self._opaque, self._clear = things.opaque, things.clear

    def draw(self, target: moderngl.Framebuffer, scene: Scene, camera: Camera | None) -> None:
        """Draw the scene given to `cast`; camera None is the agent's view, without its own body."""
        self._painter.shine(self._light)
        agents = scene.others if camera is None else (*scene.others, _own(scene))
        opaque = np.concatenate([self._opaque, *map(body, agents)]) if agents else self._opaque
        self._draw(target, opaque, self._clear, camera or first_person(scene))

    def _use_light(self, light: Light) -> None:
        if light is not self._light:
            self._light, self._things = light, None
            self._shadows = Shadows(light)
            self._ctx.gc()
        self._painter.shine(light)

    def _updated(self, scene: Scene) -> ThingRows:
        """The scene's things as rows; redraws the shadows of things at rest if these changed."""
        things, known = self._things, True
        if things is None or scene.things is not things.things:
            things, known = ThingRows(scene.things, scene.sizes, scene.version), False
            self._things = things
        changed = things.update(scene)
        if not self._light.shines:
            return things
        if known:
            redraw = self._casters.update(changed)
        else:
            self._casters, redraw = Casters(things), True
        if redraw:
            self._shadows.draw_still(self._casters.still)
        return things

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


def _own(scene: Scene) -> Animal:
    """The agent whose view a scene is."""
    return Animal(scene.agent_position, scene.agent_yaw, scene.skin)
