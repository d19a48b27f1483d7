"""The same scenes drawn by pyrender: a check of `render/renderer.py`, slow and without shadows.

It uses none of that renderer's shaders, meshes, culling or matrices: triangles come from trimesh, and
coordinates are mirrored into pyrender's right-handed frame. Only facts are shared: colours, cameras, and the
parts that things, fence and animals consist of.
"""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.cameras import SKY, Channels, Depth, dark, semantic
from arena.errors import RenderError
from arena.scene import Scene
from render.camera import Camera, first_person
from render.image import Frame, check_size
from render.looks import sky
from render.looks.look import Look
from render.pyrender.solids import MIRROR, Solid, flat_color, solids_of, triangles

_HINT = "install EGL and OpenGL libraries, on Debian: apt-get install libegl1 libgl1 libgl1-mesa-dri"
"""Debian packages that PyOpenGL needs."""


class PyrenderRenderer:
    """Draws scenes into frames of one size, in flat colours; the same calls as `render.Renderer`.

    `width` and `height` in pixels, 4 to 1024. Raises RenderError for other sizes, and if pyrender is not
    installed or cannot draw. Depth is read from a buffer of 24 bits: its error grows with the square of the
    distance, to 2 cm at 40 m.
    """

    def __init__(self, width: int = 512, height: int = 512) -> None:
        check_size(width, height)
        self.width, self.height = width, height
        with _drawing():
            pass

    def frame(self, scene: Scene, camera: Camera | None = None) -> Frame:
        """The picture of a scene, uint8 (height, width, 3) RGB, row 0 on top.

        Without a camera, the agent's view, which is black while its lights are out.
        """
        if camera is None and not scene.lights_on:
            return np.zeros((self.height, self.width, 3), np.uint8)
        solids = solids_of(scene, own_body=camera is not None)
        color, _ = self._render(solids, camera or first_person(scene), pyrender().RenderFlags.FLAT)
        return np.array(color, np.uint8)

    def channels(self, scene: Scene, camera: Camera | None = None, *, see_through: bool = False) -> Channels:
        """Depth, instance and class of every pixel, as from `render.Renderer.channels`."""
        if camera is None and not scene.lights_on:
            return dark(self.height, self.width)
        solids = solids_of(scene, own_body=camera is not None)
        if see_through:
            solids = [solid for solid in solids if not solid.part.look.translucent]
        color, depth = self._render(solids, camera or first_person(scene), pyrender().RenderFlags.SEG)
        code = color.astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32)
        numbers = np.array([SKY, *(solid.instance for solid in solids)], np.int32)
        return Channels(depth, numbers[code], semantic(numbers[code], scene.things, len(scene.others)))

    def _render(self, solids: list[Solid], camera: Camera, flags: int) -> tuple[Any, Depth]:
        """Colours (height, width, 3), with the flag SEG the codes 1, 2, ... of the solids, and depth."""
        # One colour for the sky: its mean over all directions.
        stage = pyrender().Scene(bg_color=np.asarray(sky.cube()).reshape(-1, 3).mean(axis=0) / 255)
        nodes = [stage.add(_mesh(each.part.mesh, each.part.look), pose=each.pose()) for each in solids]
        lens, pose = _lens(camera, self.width / self.height)
        stage.add(lens, pose=pose)
        codes = {node: (k & 255, k >> 8 & 255, k >> 16) for k, node in enumerate(nodes, start=1)}
        with _drawing() as offscreen:
            offscreen.viewport_width, offscreen.viewport_height = self.width, self.height
            color, raw = offscreen.render(stage, flags, codes)
        return color, _metres(raw, lens, camera)


@lru_cache(maxsize=256)
def _mesh(shape: str, look: Look) -> Any:
    """A unit shape in one colour, cached for later scenes."""
    module, color = pyrender(), flat_color(look)
    mode = "BLEND" if color[3] < 1 else "OPAQUE"
    material = module.MetallicRoughnessMaterial(baseColorFactor=color, alphaMode=mode)
    return module.Mesh.from_trimesh(triangles(shape), material, smooth=False)


def _lens(camera: Camera, aspect: float) -> tuple[Any, npt.NDArray[np.float64]]:
    """pyrender's camera and its pose (4, 4).

    An orthographic one is moved back until its near plane is 1 m away: pyrender allows no negative one.
    """
    module, axes = pyrender(), camera.axes()
    pose = np.eye(4)
    pose[:3, :3] = MIRROR @ np.column_stack([axes[0], axes[1], -axes[2]])
    pose[:3, 3] = MIRROR @ camera.position
    if camera.half_height is None:
        fov = np.radians(camera.fov)
        return module.PerspectiveCamera(fov, znear=camera.near, zfar=camera.far, aspectRatio=aspect), pose
    pose[:3, 3] -= (1 - camera.near) * MIRROR @ axes[2]
    high = camera.half_height
    far = 1 + camera.far - camera.near
    return module.OrthographicCamera(high * aspect, high, znear=1.0, zfar=far), pose


def _metres(raw: npt.NDArray[np.float32], lens: Any, camera: Camera) -> Depth:
    """Depth in metres from the camera's position, from pyrender's (0 for the sky).

    pyrender converts every depth buffer to metres as if it were a perspective one, which has to be undone
    for an orthographic one.
    """
    depth = np.where(raw == 0, np.float32(np.inf), raw).astype(np.float64)
    if camera.half_height is not None:
        near, far = lens.znear, lens.zfar
        straight = near + far - near * far / depth + camera.near - 1
        depth = np.where(np.isinf(depth), np.inf, straight)
    return depth.astype(np.float32)


@cache
def pyrender() -> Any:
    """The package. Raises RenderError if it is not installed or cannot be loaded."""
    if sys.platform.startswith("linux"):
        # PyOpenGL reads this once, when it is imported; pyrender whenever it creates a context.
        os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    try:
        import pyrender as package

        if os.environ.get("PYOPENGL_PLATFORM") == "egl":
            # If PyOpenGL was imported before, for a screen, this switches it to EGL.
            import pyrender.platforms.egl
    except ModuleNotFoundError as error:
        raise RenderError(
            f"the renderer 'pyrender' needs the package {error.name}: pip install 'arena-llm[pyrender]'"
        ) from None
    except Exception as error:  # what PyOpenGL raises without a library depends on the platform
        raise RenderError(f"pyrender cannot be loaded ({error}); {_HINT}") from None
    return package


@contextmanager
def _drawing() -> Iterator[Any]:
    """pyrender's renderer, for one thread at a time; afterwards the former context is current again, or none.

    pyrender would leave its own context current, which no other thread could use then.
    """
    with _turn:
        pyrender()
        before = _current()
        try:
            yield _offscreen()
        finally:
            if after := _current():
                from OpenGL import EGL

                none = (EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT)
                EGL.eglMakeCurrent(*(before or (after[0], *none)))


_turn = threading.RLock()


@cache
def _offscreen() -> Any:
    """One for all sizes, never closed: closing it would end EGL for all users of the display."""
    try:
        return pyrender().OffscreenRenderer(1, 1)
    except Exception as error:  # EGL's failures have no common type
        reason = str(error) or type(error).__name__
        raise RenderError(f"pyrender cannot draw without a screen ({reason}); {_HINT}") from None


def _current() -> tuple[Any, Any, Any, Any] | None:
    """EGL's display, surfaces for drawing and reading, and context; None if no context is current."""
    if os.environ.get("PYOPENGL_PLATFORM") != "egl":
        return None
    from OpenGL import EGL

    context = EGL.eglGetCurrentContext()
    if not context:
        return None
    surfaces = (EGL.eglGetCurrentSurface(EGL.EGL_DRAW), EGL.eglGetCurrentSurface(EGL.EGL_READ))
    return (EGL.eglGetCurrentDisplay(), *surfaces, context)
