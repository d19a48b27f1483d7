"""From scenes to frames, channels and masks; what stays the same between an arena's pictures is kept."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from arena import cameras
from arena.cameras import Channels, dark
from arena.errors import RenderError
from arena.kernel.compiled import compiled
from arena.processes import cores
from arena.scene import Scene
from render.camera import FAR, PARALLEL, Camera, first_person
from render.image import Frame, check_size
from render.kernel.in_view import find
from render.kernel.polygons import COUNT, DEPTH, FACTS, MOST_CORNERS, PLANES, polygons_of
from render.kernel.shading import Pixels, shade
from render.kernel.shadows import DEEPEST, SunMap, cast, coarse, update
from render.kernel.tables import Floats, Integers, Looks, Meshes, tables
from render.kernel.visible import SPAN, Nearest, Shown, edges, label, pixel, show, spans_before, spans_of
from render.looks.look import look_of
from render.looks.sky import Sun, sun_of
from render.parts.animals import bodies
from render.parts.rows import ROW, Rows, ThingRows, arena_rows

_POLYGONS, _SPANS = 2048, 4096
"""Room at first for polygons, which grows, and for spans, which are drawn whenever it is full."""

_SMALL_PX = 200 * 200
"""Pixels up to which one thread is best: waking others takes longer than what they save."""


class Room:
    """Memory for pictures of one size that one thread draws."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.nearest = np.empty((height, width), np.float32)
        self.shown = np.empty((height, width), np.int32)
        pixels = width * height
        self.flat = np.empty(pixels + -pixels % 4, np.uint32)
        self.pixels = self.flat[:pixels].reshape(height, width)
        self.found: Rows = np.empty((0, ROW), np.float32)
        self._set_polygons(_POLYGONS)

    def make_way(self, count: int) -> None:
        """Have room for a number of rows."""
        if len(self.found) < count:
            self.found = np.empty((2 * count, ROW), np.float32)

    def polygons(
        self, opaque: int, count: int, lens: Floats, sun: Sun, meshes: Meshes | None = None
    ) -> tuple[int, int]:
        """Make polygons of the rows found, opaque ones first, of `meshes` or the arena's; where each end."""
        own, looks = tables()
        meshes = meshes or own
        while True:
            ends = polygons_of(
                self.found, opaque, count, meshes, looks.plain, lens, (self.width, self.height), sun,
                self.corners, self.planes, self.light, self.facts,
            )  # fmt: skip
            if ends[1] >= 0:
                return ends
            self._set_polygons(2 * len(self.facts))

    def show(self, count: int, lens: Floats) -> None:
        """Find the nearest of the first polygons at each pixel."""
        height, farthest = len(self.shown), farthest_of(lens)
        show(self.corners, self.planes, self.facts, count, 0, height, farthest, self.nearest, self.shown)

    def _set_polygons(self, count: int) -> None:
        self.corners = np.empty((count, MOST_CORNERS, 2))
        self.planes = np.empty((count, PLANES, 3))
        self.light = np.empty((count, 6))
        self.facts = np.zeros((count, FACTS), np.int64)


class _Rooms(threading.local):
    """The rooms of each thread, by the pictures' size: those used last."""

    def __init__(self) -> None:
        self.room: Callable[[int, int], Room] = lru_cache(4)(Room)
        self.alone = False


_ROOMS = _Rooms()


class Shadows:
    """The sun's map of one arena.

    Casters at rest are drawn once and the others for every picture, by the same rules; the nearest counts,
    so a shadow depends on no order and on no past.
    """

    def __init__(self, version: str, things: ThingRows) -> None:
        self._things, self.sun, self._empty = things, sun_of(version), arena_map(version)
        count = len(things.rows)
        self._casters, self._cast = coarse(things.rows), np.zeros(count, bool)
        self._rested, self._resting = np.zeros(count, np.int64), np.ones(count, bool)
        self.map, self._still = self._empty.copy(), self._empty.copy()
        self._touched, self._since = np.zeros(4, np.int64), -1

    def update(self, scene: Scene) -> None:
        """Draw what casts a shadow and has moved."""
        if not self.sun.shines:
            return
        things, agents = self._things, bodies(scene, own=True, casting=True)
        self._since = update(
            things.rows, things.casts, things.shown, agents, self._casters, self._cast, self._rested,
            self._resting, self._since, self._empty, self._still, self.map, self._touched, tables()[0],
            self.sun,
        )  # fmt: skip


@cache
def arena_map(version: str) -> SunMap:
    """The map of floor and fence, which are the same in all arenas of a version; do not write to it."""
    sun, rows = sun_of(version), arena_rows()
    made = np.full((sun.side, sun.side) if sun.shines else (2, 2), DEEPEST, np.uint16)
    if sun.shines:
        cast(made, rows, np.ones(len(rows), bool), tables()[0], sun, np.zeros(4, np.int64))
    return made


def threads() -> ThreadPoolExecutor:
    """The threads of this process that draw."""
    return _threads_of(os.getpid())


@cache
def _threads_of(process: int) -> ThreadPoolExecutor:
    """A forked process has none of its parent's."""
    return ThreadPoolExecutor(cores(), "drawing", _join)


def _join() -> None:
    """Note that this thread is one of those: it draws alone, as it would wait for itself."""
    _ROOMS.alone = True


def in_bands(
    draw: Callable[[tuple[int, int]], None], width: int, height: int, small_px: int = _SMALL_PX
) -> None:
    """Draw a picture of more pixels than `small_px` by all cores, in bands of rows: their tops and bottoms.

    There are about four for each core, as the sky is cheap.
    """
    if _ROOMS.alone or width * height <= small_px or cores() == 1:
        draw((0, height))
        return
    count = max(1, min(4 * cores(), height // 8))
    list(threads().map(draw, pairwise(height * k // count for k in range(count + 1))))


def farthest_of(lens: Floats) -> float:
    """The far plane as in `polygons.DEPTH`."""
    return float(-lens[FAR] if lens[PARALLEL] else 1 / lens[FAR])


@compiled
def _draw_band(
    corners: Floats, planes: Floats, light: Floats, facts: Integers, opaque: int, count: int, looks: Looks,
    sun_map: SunMap, rays: Floats, farthest: float, top: int, bottom: int, nearest: Nearest, shown: Shown,
    pixels: Pixels, most: int,
) -> None:  # fmt: skip
    """Draw some rows of a picture: opaque polygons and the sky, then translucent ones in their order.

    Spans are shaded whenever there are almost as many as `most`.
    """
    height, width = pixels.shape
    spans = np.empty((most, SPAN), np.int32)
    show(corners, planes, facts, opaque, top, bottom, farthest, nearest, shown)
    n = 0
    for row in range(top, bottom):
        if n + width > len(spans):
            shade(spans, n, planes, light, facts, looks, sun_map, rays, pixels)
            n = 0
        n = spans_of(shown, row, spans, n)
    left, right = np.empty(height), np.empty(height)
    for k in range(opaque, count):
        first, last = edges(corners[k], facts[k, COUNT], top, bottom, left, right)
        for row in range(first, last):
            if n + width > len(spans):
                shade(spans, n, planes, light, facts, looks, sun_map, rays, pixels)
                n = 0
            start, end = pixel(left[row], width), pixel(right[row], width)
            n = spans_before(planes[k, DEPTH], k, row, start, end, nearest, spans, n)
    shade(spans, n, planes, light, facts, looks, sun_map, rays, pixels)


def _colors(pixels: Pixels, count: int) -> npt.NDArray[np.uint8]:
    """Red, green and blue of the first `count` pixels, one after the other."""
    packed = np.empty(3 * len(pixels) // 4, np.uint32)
    _pack(pixels, packed)
    return packed.view(np.uint8)[: 3 * count]


@compiled
def _pack(pixels: Pixels, packed: Pixels) -> None:
    """Drop the fourth byte of each pixel, which is the highest; four pixels become three numbers."""
    for i in range(len(pixels) // 4):
        a, b, c, d = pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], pixels[4 * i + 3]
        packed[3 * i] = (a & 0xFFFFFF) | (b << 24)
        packed[3 * i + 1] = ((b >> 8) & 0xFFFF) | (c << 16)
        packed[3 * i + 2] = ((c >> 16) & 0xFF) | (d << 8)


MOST = 1024
"""Maximum number of arenas drawn together: each keeps about 3 MB of shadow maps."""


class Renderer:
    """Draws scenes into frames of one size.

    `width` and `height` in pixels, 4 to 1024. Any thread may create and use it; threads take turns. Raises
    RenderError for other sizes.
    """

    def __init__(self, width: int = 512, height: int = 512) -> None:
        check_size(width, height)
        self.width, self.height = width, height
        self._turn = threading.Lock()
        self._things: ThingRows | None = None
        self._shadows: Shadows | None = None

    def frame(self, scene: Scene, camera: Camera | None = None) -> Frame:
        """The picture of a scene, uint8 (height, width, 3) RGB, row 0 on top.

        Without a camera, the agent's view, which is black while its lights are out.
        """
        if camera is None and not scene.lights_on:
            return np.zeros((self.height, self.width, 3), np.uint8)
        with self._turn:
            return self._frame(scene, camera)

    def channels(self, scene: Scene, camera: Camera | None = None, *, see_through: bool = False) -> Channels:
        """Depth, instance and class of every pixel of the frame; the numbers are those of `arena.cameras`.

        Glass and zones count as surfaces; `see_through` leaves them out. Without a camera, the agent's view,
        in which everything is "nothing" while its lights are out.
        """
        if camera is None and not scene.lights_on:
            return dark(self.height, self.width)
        with self._turn:
            return self._label(scene, camera, see_through)

    def _frame(self, scene: Scene, camera: Camera | None) -> Frame:
        width, height = self.width, self.height
        things = self._read(scene)
        shadows = self._shadows = self._shadows or Shadows(scene.version, things)
        shadows.update(scene)
        room = _ROOMS.room(width, height)
        lens, rays, opaque, count = self._aim(room, scene, camera, shadows.sun)
        looks, farthest = tables()[1], farthest_of(lens)

        def draw(band: tuple[int, int]) -> None:
            _draw_band(
                room.corners, room.planes, room.light, room.facts, opaque, count, looks, shadows.map, rays,
                farthest, *band, room.nearest, room.shown, room.pixels, _SPANS,
            )  # fmt: skip

        in_bands(draw, width, height)
        return _colors(room.flat, width * height).reshape(height, width, 3)

    def _label(self, scene: Scene, camera: Camera | None, see_through: bool) -> Channels:
        width, height = self.width, self.height
        self._read(scene)
        room = _ROOMS.room(width, height)
        lens, _, opaque, count = self._aim(room, scene, camera, sun_of(scene.version))
        room.show(opaque if see_through else count, lens)
        depth, instance = np.empty((height, width), np.float32), np.empty((height, width), np.int32)
        label(room.shown, room.planes, room.facts, room.found, lens, cameras.SKY, depth, instance)
        return Channels(depth, instance, cameras.semantic(instance, scene.things, len(scene.others)))

    def _read(self, scene: Scene) -> ThingRows:
        things = self._things
        if things is None or scene.things is not things.things or scene.version != things.version:
            things = self._things = ThingRows(scene.things, scene.sizes, scene.version)
            self._shadows = None
        things.update(scene)
        return things

    def _aim(
        self, room: Room, scene: Scene, camera: Camera | None, sun: Sun
    ) -> tuple[Floats, Floats, int, int]:
        """The camera's numbers, and where the opaque polygons and all end that it may see."""
        things = self._things
        assert things is not None
        others = bodies(scene, own=camera is not None)
        camera = camera or first_person(scene)
        lens, rays = camera.lens(room.width / room.height)
        room.make_way(len(things.rows) + len(arena_rows()) + len(others))
        opaque, count = find(
            things.rows, things.shown, things.clear, arena_rows(), others, lens, room.height, room.found
        )
        return lens, rays, *room.polygons(opaque, count, lens, sun)


class BatchRenderer:
    """Draws up to `count` scenes of one size in one call; each frame is the same as from `Renderer`.

    What stays the same from call to call is cached by the position in the list: give each arena the same
    position every time. `width` and `height` in pixels, 4 to 1024. Raises RenderError for other numbers.
    """

    def __init__(self, count: int, width: int = 84, height: int = 84) -> None:
        check_size(width, height)
        if not isinstance(count, int) or not 1 <= count <= MOST:
            raise RenderError(f"count: got {count!r}, expected 1 to {MOST} arenas")
        self.count, self.width, self.height = count, width, height
        self._renderers = [Renderer(width, height) for _ in range(count)]

    def frames(self, scenes: Sequence[Scene], cameras: Sequence[Camera | None] | None = None) -> Frame:
        """The pictures of several scenes, uint8 (scenes, height, width, 3) RGB, row 0 on top.

        `cameras` has an entry for each scene; None is the agent's view, which is black while its lights are
        out. Raises RenderError for more scenes than `count`, or another number of cameras.
        """
        cameras = self._checked(scenes, cameras)
        frames = np.empty((len(scenes), self.height, self.width, 3), np.uint8)

        def draw(k: int) -> None:
            frames[k] = self._renderers[k].frame(scenes[k], cameras[k])

        pool: ThreadPoolExecutor = threads()
        for _ in pool.map(draw, range(len(scenes))):
            pass
        return frames

    def _checked(
        self, scenes: Sequence[Scene], cameras: Sequence[Camera | None] | None
    ) -> Sequence[Camera | None]:
        """The cameras, one for each scene."""
        if len(scenes) > self.count:
            raise RenderError(f"frames: got {len(scenes)} scenes, expected at most {self.count}")
        if cameras is None:
            return [None] * len(scenes)
        if len(cameras) != len(scenes):
            raise RenderError(
                f"frames: got {len(cameras)} cameras for {len(scenes)} scenes, expected one each"
            )
        return cameras


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
