"""Floor plans: an arena from above as a small SVG file. z is up and x to the right."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from arena.files import write_file
from arena.geometry.placed import AGENT_RADIUS, Layout, Placed
from arena.geometry.shapes import ARENA_SIZE, BARS, bar_parts
from arena.scene import Vector
from arena.taskfile.kind import Body, Ends, Shape
from render.looks.look import look_of

SIZE = 600
"""Width and height of the picture, pixels."""

_MARGIN = 40
_SCALE = (SIZE - 2 * _MARGIN) / ARENA_SIZE
_FLOOR = "#efe6d6"
_INK = "#333333"
_TICK_M = 10
PATH_COLOR = "#0060a0"
"""Colour of the agent's path."""
_DEADLY, _HOT = "#c83c32", "#f0a030"


def write_svg(root: ElementTree.Element, path: Path) -> None:
    """Write an `svg` element to a file, and missing folders. Raises EvaluationError if impossible."""
    write_file(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def floor_plan(layout: Layout, title: str) -> ElementTree.Element:
    """Return the floor plan as an `svg` element.

    Every object is one element of class `thing`: zones first, then by height, so that higher ones cover lower
    ones, then in creation order. The agent is the element of class `agent`.
    """
    space = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {SIZE} {SIZE}"}
    root = ElementTree.Element("svg", space | {"width": str(SIZE), "height": str(SIZE)})
    _add(root, "rect", width=SIZE, height=SIZE, fill="white")
    _text(root, title, SIZE / 2, _MARGIN / 2 + 5, size=16)
    side = ARENA_SIZE * _SCALE
    _add(root, "rect", x=_MARGIN, y=_MARGIN, width=side, height=side, fill=_FLOOR, stroke=_INK)
    _scale(root)
    for placed in sorted(layout.things, key=_height):
        _thing(root, placed)
    for start in layout.agents:
        _agent(root, start.position, start.yaw)
    return root


def add_path(root: ElementTree.Element, places: Sequence[Vector]) -> None:
    """Draw a path, in metres, on a plan. It leads from a ring to a square."""
    shown = [place for k, place in enumerate(places) if k == 0 or place != places[k - 1]]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(to_pixels, shown))
    for color, width in (("white", "6"), (PATH_COLOR, "2.5")):
        _add(root, "polyline", points=line, fill="none", stroke=color, **{"stroke-width": width})
    style = {"fill": "none", "stroke": PATH_COLOR, "stroke-width": "3"}
    x, y = to_pixels(shown[0])
    _add(root, "circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r="11", **style)
    x, y = to_pixels(shown[-1])
    _add(root, "rect", x=f"{x - 11:.1f}", y=f"{y - 11:.1f}", width="22", height="22", **style)


def to_pixels(position: Vector) -> tuple[float, float]:
    """Return a place's pixels to the right and down on the plan. The place is in metres of the arena."""
    return _MARGIN + position[0] * _SCALE, SIZE - _MARGIN - position[2] * _SCALE


def _height(placed: Placed) -> float:
    """Return the sort key of the drawing order. Goals come last, so that they stay visible."""
    if placed.kind.body is Body.ZONE:
        return -1.0
    return math.inf if placed.kind.is_goal else placed.position[1] + placed.size[1] / 2


def _thing(root: ElementTree.Element, placed: Placed) -> None:
    common = {"class": "thing", "transform": _pose(placed.position, placed.yaw)} | _style(placed)
    if placed.kind.shape is Shape.BALL:
        element = _add(root, "circle", r=placed.size[0] / 2 * _SCALE, **common)
    else:
        element = _add(root, "path", d=_footprint(placed), **common)
    x, y, z = placed.position
    note = f"{placed.kind.name} at x={x:.2f} y={y:.2f} z={z:.2f}, yaw {placed.yaw:.0f}"
    _add(element, "title").text = note + (" (blocked)" if placed.blocked else "")


def _style(placed: Placed) -> dict[str, object]:
    kind = placed.kind
    if kind.body is Body.ZONE and placed.color is None:
        color = _DEADLY if kind.ends is Ends.ALWAYS else _HOT
        return {"fill": color, "fill-opacity": 0.4, "stroke": color, "stroke-dasharray": "4 3"}
    if kind.transparent:
        return {"fill": "none", "stroke": _INK, "stroke-width": 1.5}
    line = {"stroke-dasharray": "3 2", "stroke": _DEADLY} if placed.blocked else {"stroke": _INK}
    color = "#" + "".join(f"{round(255 * channel):02x}" for channel in look_of(placed.thing).color)
    return {"fill": color, "fill-opacity": 0.9, "stroke-width": 0.8} | line


def _footprint(placed: Placed) -> str:
    """Return an outline seen from above as an SVG path. Pixels about the object's own origin, z upwards."""
    shape, (x, _, z) = placed.kind.shape, placed.size
    if shape in BARS:
        parts = bar_parts(shape, placed.size)
        return " ".join(_box(part.size[0], part.size[2], part.centre[0], part.centre[2]) for part in parts)
    if shape is Shape.PRISM:
        arrow = [(0, 0.35 * z), (0, -0.35 * z), (-0.15 * x, -0.2 * z), (0, -0.35 * z), (0.15 * x, -0.2 * z)]
        return f"{_box(x, z)} {_line(arrow)}"
    return _box(x, z)


def _box(width: float, depth: float, x: float = 0.0, z: float = 0.0) -> str:
    right, up = width / 2, depth / 2
    return _line([(x - right, z - up), (x + right, z - up), (x + right, z + up), (x - right, z + up)]) + " Z"


def _line(points: Iterable[tuple[float, float]]) -> str:
    return "M " + " L ".join(f"{x * _SCALE:.2f} {0.0 - z * _SCALE:.2f}" for x, z in points)


def _agent(root: ElementTree.Element, position: Vector, yaw: float) -> None:
    group = _add(root, "g", **{"class": "agent", "transform": _pose(position, yaw), "stroke": "black"})
    _add(group, "circle", r=AGENT_RADIUS * _SCALE, fill="white")
    arrow = _line([(0, 0), (0, 2), (-0.4, 1.4), (0, 2), (0.4, 1.4)])
    _add(group, "path", d=arrow, fill="none", **{"stroke-width": 2})
    _add(group, "title").text = f"agent at x={position[0]:.2f} z={position[2]:.2f}, yaw {yaw:.0f}"


def _scale(root: ElementTree.Element) -> None:
    """Numbers along the lower and left edge, metres."""
    for metres in range(0, int(ARENA_SIZE) + 1, _TICK_M):
        along = metres * _SCALE
        _text(root, f"{metres}", _MARGIN + along, SIZE - _MARGIN + 16)
        _text(root, f"{metres}", _MARGIN - 14, SIZE - _MARGIN - along + 4)
    _text(root, "x, m", SIZE / 2, SIZE - 6)
    _text(root, "z, m", 18, SIZE / 2 - along / 8 + 4)


def _pose(position: Vector, yaw: float) -> str:
    """Return the position and rotation. A yaw is clockwise seen from above, like an SVG rotation."""
    x, z = to_pixels(position)
    return f"translate({x:.2f} {z:.2f}) rotate({yaw:.2f})"


def _add(parent: ElementTree.Element, tag: str, **attributes: object) -> ElementTree.Element:
    numbers = {k: f"{v:g}" if isinstance(v, float) else str(v) for k, v in attributes.items()}
    return ElementTree.SubElement(parent, tag, numbers)


def _text(root: ElementTree.Element, text: str, x: float, y: float, size: int = 12) -> None:
    style = {"font-family": "sans-serif", "font-size": size, "text-anchor": "middle"}
    _add(root, "text", x=x, y=y, fill=_INK, **style).text = text
