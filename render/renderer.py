"""Rendering of scenes to frames, channels and masks. Data constant between an arena's pictures is kept."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena import cameras
from arena.cameras import Channels, dark
from arena.errors import RenderError
from arena.kernel.compiled import compiled
from arena.processes import cores
from arena.scene import Scene
from render.camera import Camera, first_person
from render.image import Frame, check_size
from render.kernel.polygons import COUNT, DEPTH, FACTS, MOST_CORNERS, PLANES, find, pixel, polygons_of
from render.kernel.shading import Pixels, shade
from render.kernel.shadows import DEEPEST, Kept, SunMap, cast, update
from render.kernel.tables import Floats, Integers, Looks, Meshes, Polygons, tables
from render.kernel.visible import SPAN, Nearest, Shown, edges, label, show, spans_before, spans_of
from render.looks.look import look_of
from render.looks.sky import Sun, sun_of
from render.parts import animals
from render.parts.rows import ROW, Bools, Rows, ThingRows, arena_rows

_POLYGONS, _SPANS = 2048, 4096
"""Initial room for polygons, and room for spans. The former grows; spans are drawn whenever it is full."""

_SMALL_PX = 200 * 200
"""Maximum number of pixels drawn by a single thread. Waking others takes longer than they save."""


class Screen(NamedTuple):
    """Depth, polygon and colour of each pixel (height, width). The depth is as in `polygons.DEPTH`."""

    nearest: Nearest
    shown: Shown
    pixels: Pixels


class Room:
    """Memory for pictures of one size that one thread draws."""

    def __init__(self, width: int, height: int) -> None:
        pixels = width * height
        self.flat = np.empty(pixels + -pixels % 4, np.uint32)
        self.screen = Screen(
            np.empty((height, width), np.float32),
            np.empty((height, width), np.int32),
            self.flat[:pixels].reshape(height, width),
        )
        self.found: Rows = np.empty((0, ROW), np.float32)
        self.polygons = _room_for(_POLYGONS)

    def make_way(self, count: int) -> None:
        """Have room for a number of rows."""
        if len(self.found) < count:
            self.found = np.empty((2 * count, ROW), np.float32)

    def fill(self, write: Callable[[Polygons], tuple[int, int]]) -> tuple[int, int]:
        """Write polygons, with more room if needed; return their ends."""
        opaque, count = write(self.polygons)
        if opaque < 0:
            self.polygons = _room_for(2 * count)
            opaque, count = write(self.polygons)
        return opaque, count

    def show(self, count: int, lens: Floats) -> None:
        """Find the nearest of the first polygons at each pixel."""
        nearest, shown, _ = self.screen
        show(self.polygons, count, 0, len(shown), lens, nearest, shown)


def _room_for(count: int) -> Polygons:
    """Room for a number of polygons."""
    corners, planes = np.empty((count, MOST_CORNERS, 2)), np.empty((count, PLANES, 3))
    return Polygons(corners, planes, np.empty((count, 6)), np.zeros((count, FACTS), np.int64))


class _Rooms(threading.local):
    """The rooms of each thread, by the pictures' size: those used last."""

    def __init__(self) -> None:
        self.room: Callable[[int, int], Room] = lru_cache(4)(Room)


_ROOMS = _Rooms()

_DRAWING = "drawing"
"""Prefix of the names of drawing threads."""


def shadows_of(version: str, rows: Rows) -> Kept:
    """Return the sun's map of an arena before the first picture.

    Its things have these rows. Casters at rest are drawn once and the others for every picture, by the same
    rules; the nearest counts, so a shadow depends on no order and on no past.
    """
    empty, count = arena_map(version), len(rows)
    # Eight parts of agents have a box of their own in the sun's map; more share one.
    touched = np.zeros((count + 8, 4), np.int64)
    rested, resting = np.zeros(count, np.int64), np.ones(count, bool)
    maps = empty, empty.copy(), empty.copy()
    return Kept(rows.copy(), ~resting, rested, resting, *maps, touched, np.array([-1]))


@cache
def arena_map(version: str) -> SunMap:
    """Return the map of floor and fence, read-only. They are the same in all arenas of a version."""
    sun, rows = sun_of(version), arena_rows()
    made = np.full((sun.side, sun.side) if sun.shines else (2, 2), DEEPEST, np.uint16)
    if sun.shines:
        cast(made, rows, np.ones(len(rows), bool), tables()[0], sun, np.zeros((1, 4), np.int64))
    return made


@cache
def _threads_of(process: int) -> ThreadPoolExecutor:
    """Return the drawing threads of a process. A forked one does not inherit its parent's."""
    return ThreadPoolExecutor(cores(), _DRAWING)


def _alone() -> bool:
    """Return whether no other thread can help this one to draw. One that helps would wait for itself."""
    return cores() == 1 or threading.current_thread().name.startswith(_DRAWING)


def in_bands(draw: Callable[[tuple[int, int]], None], height: int) -> None:
    """Draw a picture by all cores, in bands of rows. The function gets their tops and bottoms. There are
    about four for each core, as the sky is cheap."""
    if _alone():
        draw((0, height))
        return
    count = max(1, min(4 * cores(), height // 8))
    list(_threads_of(os.getpid()).map(draw, pairwise(height * k // count for k in range(count + 1))))


class Seen(NamedTuple):
    """Potentially visible rows. Further fields: which of the things' are shown, translucent and cast
    shadows."""

    rows: Rows
    shown: Bools
    clear: Bools
    casts: Bools
    arena: Rows
    bodies: Rows


@compiled
def _find(
    seen: Seen, lens: Floats, size: tuple[int, int], found: Rows, meshes: Meshes, plain: Integers, sun: Sun,
    polygons: Polygons,
) -> tuple[int, int]:  # fmt: skip
    """Write the polygons that the camera may see. Returns the ends of `polygons_of`."""
    opaque, count = find(seen.rows, seen.shown, seen.clear, seen.arena, seen.bodies, lens, size[1], found)
    return polygons_of(found, opaque, count, meshes, plain, lens, size, sun, polygons)


@compiled
def _draw(
    seen: Seen, agents: Rows, kept: Kept, lens: Floats, rays: Floats, found: Rows, meshes: Meshes,
    looks: Looks, sun: Sun, polygons: Polygons, screen: Screen, whole: bool, most: int,
) -> tuple[int, int]:  # fmt: skip
    """Update the shadows, find the polygons, and draw a small picture.

    The `whole` picture is drawn if there is room for the polygons. Returns the ends of `polygons_of`. One
    call for all: each costs microseconds, and threads wait in between.
    """
    height, width = screen.pixels.shape
    if sun.shines:
        update(seen.rows, seen.casts, seen.shown, agents, kept, meshes, sun)
    opaque, count = _find(seen, lens, (width, height), found, meshes, looks.plain, sun, polygons)
    if whole and opaque >= 0:
        _draw_band(polygons, opaque, count, looks, kept.map, lens, rays, screen, most, 0, height)
    return opaque, count


@compiled
def _draw_band(
    polygons: Polygons, opaque: int, count: int, looks: Looks, sun_map: SunMap, lens: Floats, rays: Floats,
    screen: Screen, most: int, top: int, bottom: int,
) -> None:  # fmt: skip
    """Draw rows of a picture: opaque polygons, sky, then translucent polygons. The last are in their order.
    Spans are shaded whenever there are almost as many as `most`."""
    nearest, shown, pixels = screen
    height, width = pixels.shape
    corners, planes, _, facts = polygons
    spans = np.empty((most, SPAN), np.int32)
    show(polygons, opaque, top, bottom, lens, nearest, shown)
    n = 0
    for row in range(top, bottom):
        if n + width > len(spans):
            shade(spans, n, polygons, opaque, looks, sun_map, rays, pixels)
            n = 0
        n = spans_of(shown, row, spans, n)
    left, right = np.empty(height), np.empty(height)
    for k in range(opaque, count):
        first, last = edges(corners[k], facts[k, COUNT], top, bottom, left, right)
        for row in range(first, last):
            if n + width > len(spans):
                shade(spans, n, polygons, opaque, looks, sun_map, rays, pixels)
                n = 0
            start, end = pixel(left[row], 0, width), pixel(right[row], 0, width)
            n = spans_before(planes[k, DEPTH], k, row, start, end, nearest, spans, n)
    shade(spans, n, polygons, opaque, looks, sun_map, rays, pixels)


def _colors(pixels: Pixels, count: int) -> npt.NDArray[np.uint8]:
    """Return the first `count` pixels' red, green and blue, one by one."""
    packed = np.empty(3 * len(pixels) // 4, np.uint32)
    _pack(pixels, packed)
    return packed.view(np.uint8)[: 3 * count]


@compiled
def _pack(pixels: Pixels, packed: Pixels) -> None:
    """Drop the fourth byte of each pixel, which is the highest. Four pixels become three numbers."""
    for i in range(len(pixels) // 4):
        a, b, c, d = pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], pixels[4 * i + 3]
        packed[3 * i] = (a & 0xFFFFFF) | (b << 24)
        packed[3 * i + 1] = ((b >> 8) & 0xFFFF) | (c << 16)
        packed[3 * i + 2] = ((c >> 16) & 0xFF) | (d << 8)


MOST = 1024
"""Maximum number of arenas drawn together. Each keeps about 3 MB of shadow maps."""


class Renderer:
    """Draws scenes into frames of one size. `width` and `height` in pixels, 4 to 1024. Any thread may create
    and use it; threads take turns. Raises RenderError for other sizes."""

    def __init__(self, width: int = 512, height: int = 512) -> None:
        check_size(width, height)
        self.width, self.height = width, height
        self._turn = threading.Lock()
        self._things: ThingRows | None = None
        self._shadows: Kept | None = None

    def frame(self, scene: Scene, camera: Camera | None = None) -> Frame:
        """Render a scene, uint8 (height, width, 3) RGB, row 0 on top. Without a camera it is the agent's
        view, which is black while its lights are out."""
        width, height = self.width, self.height
        if camera is None and not scene.lights_on:
            return np.zeros((height, width, 3), np.uint8)
        with self._turn:
            room, lens, rays, seen = self._aim(scene, camera)
            kept = self._shadows = self._shadows or shadows_of(scene.version, seen.rows)
            agents = animals.bodies(scene, own=True, casting=True)
            whole = width * height <= _SMALL_PX or _alone()
            meshes, looks = tables()
            fixed = room.found, meshes, looks, sun_of(scene.version)
            opaque, count = room.fill(
                lambda polygons: _draw(
                    seen, agents, kept, lens, rays, *fixed, polygons, room.screen, whole, _SPANS
                )
            )
            if not whole:
                lit = room.polygons, opaque, count, looks, kept.map, lens, rays, room.screen, _SPANS
                in_bands(lambda band: _draw_band(*lit, *band), height)
            return _colors(room.flat, width * height).reshape(height, width, 3)

    def channels(self, scene: Scene, camera: Camera | None = None, *, see_through: bool = False) -> Channels:
        """Render depth, instance and class of every pixel of the frame.

        The numbers are those of `arena.cameras`. Glass and zones count as surfaces; `see_through` leaves them
        out. Without a camera it is the agent's view, in which everything is "nothing" while its lights are
        out.
        """
        width, height = self.width, self.height
        if camera is None and not scene.lights_on:
            return dark(height, width)
        depth, instance = np.empty((height, width), np.float32), np.empty((height, width), np.int32)
        with self._turn:
            room, lens, _, seen = self._aim(scene, camera)
            meshes, looks = tables()
            options = (width, height), room.found, meshes, looks.plain, sun_of(scene.version)
            opaque, count = room.fill(lambda polygons: _find(seen, lens, *options, polygons))
            room.show(opaque if see_through else count, lens)
            _, planes, _, facts = room.polygons
            label(room.screen.shown, planes, facts, room.found, lens, cameras.SKY, depth, instance)
        return Channels(depth, instance, cameras.semantic(instance, scene.things, len(scene.others)))

    def _aim(self, scene: Scene, camera: Camera | None) -> tuple[Room, Floats, Floats, Seen]:
        """Return this thread's room, the camera's numbers, and potentially visible rows."""
        things = self._things
        if things is None or scene.things is not things.things or scene.version != things.version:
            things = self._things = ThingRows(scene.things, scene.sizes, scene.version)
            self._shadows = None
        things.update(scene)
        room, others = _ROOMS.room(self.width, self.height), animals.bodies(scene, own=camera is not None)
        lens, rays = (camera or first_person(scene)).lens(self.width / self.height)
        seen = Seen(things.rows, things.shown, things.clear, things.casts, arena_rows(), others)
        room.make_way(len(seen.rows) + len(seen.arena) + len(others))
        return room, lens, rays, seen


class BatchRenderer:
    """Renderer of up to `count` scenes of one size in one call.

    Each frame is the same as from `Renderer`. Data constant from call to call is cached by the position in
    the list: give each arena the same position every time. `width` and `height` in pixels, 4 to 1024. Raises
    RenderError for other numbers.
    """

    def __init__(self, count: int, width: int = 84, height: int = 84) -> None:
        check_size(width, height)
        if not isinstance(count, int) or not 1 <= count <= MOST:
            raise RenderError(f"count: got {count!r}, expected 1 to {MOST} arenas")
        self.count, self.width, self.height = count, width, height
        self._renderers = [Renderer(width, height) for _ in range(count)]

    def frames(self, scenes: Sequence[Scene], cameras: Sequence[Camera | None] | None = None) -> Frame:
        """Render several scenes, uint8 (scenes, height, width, 3) RGB. Row 0 is on top.

        `cameras` has an entry for each scene; None is the agent's view, which is black while its lights are
        out. Raises RenderError for more scenes than `count`, or another number of cameras.
        """
        if len(scenes) > self.count:
            raise RenderError(f"frames: got {len(scenes)} scenes, expected at most {self.count}")
        views = [None] * len(scenes) if cameras is None else cameras
        if len(views) != len(scenes):
            raise RenderError(f"frames: got {len(views)} cameras for {len(scenes)} scenes, expected one each")
        frames = np.empty((len(scenes), self.height, self.width, 3), np.uint8)
        left = iter(range(len(scenes)))

        def draw(_: int) -> None:
            for k in left:
                frames[k] = self._renderers[k].frame(scenes[k], views[k])

        list(_threads_of(os.getpid()).map(draw, range(min(cores(), len(scenes)))))
        return frames


Mask = npt.NDArray[np.bool_]


class Segmenter:
    """Finds the things in the agent's view, also behind transparent ones. `side` in pixels, 4 to 1024. Raises
    RenderError for others."""

    def __init__(self, side: int) -> None:
        self._renderer = Renderer(side, side)

    def masks(self, scene: Scene) -> dict[int, Mask]:
        """Return the pixels (side, side) that show each thing, by index.

        Row 0 is on top; the index is that in `scene.things`. Things that are out of view or hidden have no
        mask, and all lack one while the lights are out. Light passes through transparent things and zones, so
        a pixel may show both one of them and the thing behind.
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
