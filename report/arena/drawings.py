"""Drawings of an episode's page: the path on the plan of the arena, and the health curve."""

import math
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from arena.action import TICK_S
from arena.geometry.placed import Layout
from arena.scene import Vector
from report.arena.replay import Trace
from testbed.floor_plan import PATH_COLOR, add_path, floor_plan, to_pixels

_LEFT, _RIGHT, _BOTTOM, _PER_POINT = 40.0, 590.0, 190.0, 1.7
"""Places of the health curve's axes, in units of the page's drawing, which has the same."""

_TOGETHER = 0.8
"""Metres within which the ends of two turns would cover each other."""

_COARSE = 400
"""Points of a curve, approximately; more cannot be distinguished."""


def plan_svg(layout: Layout, title: str) -> Markup:
    """The arena from above."""
    return _markup(floor_plan(layout, title))


def path_svg(trace: Trace, title: str) -> Markup:
    """The arena from above with the agent's path: ring at the start, square at the end, turns numbered."""
    root = floor_plan(trace.layout, title)
    places = [moment.position for moment in trace.moments]
    add_path(root, places)
    for first, last, place in _stops([places[end] for _, end in trace.turns]):
        _dot(root, place, f"{first}" if first == last else f"{first}–{last}")
    return _markup(root)


def _stops(ends: list[Vector]) -> list[tuple[int, int, Vector]]:
    """First turn, last turn and place of each stop; turns that end where the one before did are one."""
    stops: list[tuple[int, int, Vector]] = []
    for number, place in enumerate(ends, start=1):
        if stops and math.dist(place, stops[-1][2]) < _TOGETHER:
            stops[-1] = (stops[-1][0], number, stops[-1][2])
        else:
            stops.append((number, number, place))
    return stops


def _dot(root: ElementTree.Element, place: Vector, label: str) -> None:
    x, y = to_pixels(place)
    half = 8 if len(label) < 3 else 3.3 * len(label)
    box = {"x": f"{x - half:.1f}", "y": f"{y - 8:.1f}", "width": f"{2 * half:.1f}", "height": "16", "rx": "8"}
    dot = _add(root, "rect", fill=PATH_COLOR, stroke="white", **box)
    _add(dot, "title").text = f"turn {label}: x={place[0]:.2f} z={place[2]:.2f}"
    style = {"font-size": "10", "font-family": "sans-serif", "text-anchor": "middle", "fill": "white"}
    _add(root, "text", x=f"{x:.1f}", y=f"{y + 3.5:.1f}", **style).text = label


def health_curve(trace: Trace) -> dict[str, Any]:
    """What the page's template draws: points, marks at scripts' ends, dots at events."""
    last = len(trace.moments) - 1

    def x(step: int) -> str:
        return f"{_LEFT + (_RIGHT - _LEFT) * step / max(last, 1):.1f}"

    def y(step: int) -> str:
        return f"{_BOTTOM - _PER_POINT * trace.moments[step].health:.1f}"

    steps = sorted({*range(0, last + 1, max(1, last // _COARSE)), last})
    dots = [(min(-(-event.tick // 3), last), f"{event.kind} ({event.name})") for event in trace.events]
    return {
        "points": " ".join(f"{x(step)},{y(step)}" for step in steps),
        "marks": [x(end) for _, end in trace.turns],
        "events": [{"x": x(step), "y": y(step), "text": text} for step, text in dots],
        "steps": last,
    }


def event_lines(events: Iterable[Any]) -> list[str]:
    """Events in words: when, what, with which object, for what reward."""
    return [
        f"{event.tick * TICK_S:.1f} s: {event.kind}, {event.name}"
        + (f" {event.zone}" if event.zone else "")
        + (f", {event.reward:+.3f}" if event.reward else "")
        for event in events
    ]


def _add(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _markup(root: ElementTree.Element) -> Markup:
    """A drawing as wide as its place on the page."""
    root.attrib.pop("width", None)
    root.attrib.pop("height", None)
    return Markup(ElementTree.tostring(root, encoding="unicode"))
