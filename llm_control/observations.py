"""Observations for the model: pictures, their times, and descriptions."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from arena import Episode
from arena.geometry.shapes import ARENA_SIZE, SEGMENTS, lit_segments
from arena.scene import Floats, Scene, Thing
from arena.science.families import COLORS
from arena.seeds import episode_rng
from arena.taskfile.catalog import KINDS, PALETTE
from arena.taskfile.kind import Body
from arena.taskfile.symbols import DEFAULT
from llm_control.choices import ArenaChoices
from render import Frame, Mask, Renderer, Segmenter, blurred, coarse, in_grey, with_gutter
from render.camera import FIRST_PERSON_FOV_DEG
from testbed import Task

_SIDE = 256
"""Pixels a side of the searched picture. A central one spans a third of a degree."""

_RAYS = 200
"""Maximum pixels of a thing used to measure its distance."""


_segmenter = cache(lambda: Segmenter(_SIDE))


def describe(scene: Scene) -> str:
    """Describe the camera's view from left to right, one thing a line.

    Bearings are in degrees from the heading, to the left or right; distances in metres from the agent's
    centre to the nearest visible point; a ball's width and other things' height are in metres.
    """
    if not scene.lights_on:
        return "It is dark. You see nothing."
    masks = _segmenter().masks(scene)
    named = {index: mask for index, mask in masks.items() if KINDS[scene.things[index].kind].words}
    seen = sorted((_span(mask), index) for index, mask in named.items())
    lines = [_line(scene, index, masks[index], *span) for span, index in seen]
    return "\n".join([*(lines or ["You see nothing but the floor and the fence."]), _fence(scene, masks)])


def _line(scene: Scene, index: int, mask: Mask, left: float, right: float) -> str:
    kind = KINDS[scene.things[index].kind]
    distance = _distance(scene, index, mask)
    if kind.is_goal:
        where, extent = side((left + right) / 2), f"{scene.sizes[index][0]:.1f} m across"
    else:
        where = f"from {side(left)} to {side(right)}"
        extent = f"{scene.sizes[index][1]:.1f} m high"
    away = f"{distance:.1f} m away" if distance else "around you"
    extent = "" if kind.body is Body.ZONE or _is_open(scene, index) else f", {extent}"
    return f"- {_named(scene, index)}: {where}, {away}{extent}"


_COLORS = dict(zip(COLORS, PALETTE, strict=True)) | {
    "red": (0.85, 0.15, 0.15), "brown": (0.5, 0.3, 0.15), "yellow": (0.95, 0.9, 0.2),
    "green": (0.2, 0.65, 0.2), "pink": (0.95, 0.6, 0.75), "grey": (0.5, 0.5, 0.5),
}  # fmt: skip
"""Colour names, sRGB in 0..1. Other colours have the name of the nearest one."""


def _named(scene: Scene, index: int) -> str:
    """Name a thing; numbered things and meters with colour, symbol and state."""
    thing = scene.things[index]
    words = KINDS[thing.kind].words
    if thing.kind == "Meter":
        return f"{words} that shows {_reading(scene, index)}"
    if thing.kind in ("Slider", "Roller"):
        words += _on_floor(scene, index)
    if not KINDS[thing.kind].palette:
        return words
    symbol = f" with the symbol {thing.symbol}" if thing.symbol not in ("", DEFAULT) else ""
    state = ", open" if _is_open(scene, index) else _under(scene, index)
    return f"{_color_name(thing)} {words}{'' if _is_open(scene, index) else symbol}{state}"


def _color_name(thing: Thing) -> str:
    color = thing.color or _COLORS["grey"]
    return min(_COLORS, key=lambda each: math.dist(_COLORS[each], color))


def _reading(scene: Scene, meter: int) -> str:
    """Read a meter's number from its segments, if it shows one."""
    lit = frozenset(np.flatnonzero(scene.visible[meter + 1 :][:SEGMENTS]).tolist())
    return next((str(number) for number in range(-99, 1000) if lit_segments(number) == lit), "nothing")


def _on_floor(scene: Scene, index: int) -> str:
    """Locate a thing along a lined floor. Rolling things also from its middle."""
    for floor, thing in enumerate(scene.things):
        x, _, z = (scene.positions[index] - scene.positions[floor]) @ scene.rotations[floor]
        width, _, length = scene.sizes[floor]
        if thing.kind == "Field" and abs(x) <= width / 2 and abs(z) <= length / 2 + 1:
            aside = f", {abs(x):.1f} m {'left' if x < 0 else 'right'} of its middle"
            along = f" {z + length / 2:.1f} m along the {_color_name(thing)} floor"
            return f"{along}{aside if width > length / 2 else ''}"
    return ""


def _is_open(scene: Scene, index: int) -> bool:
    """Return whether a thing is a marked door below half its height."""
    thing = scene.things[index]
    return thing.kind == "MarkedDoor" and bool(scene.sizes[index][1] < thing.size[1] / 2)


def _under(scene: Scene, index: int) -> str:
    """Name the machine or meter whose plate carries the thing, if any."""
    for plate, thing in enumerate(scene.things):
        offset = scene.rotations[plate].T @ (scene.positions[index] - scene.positions[plate])
        if thing.kind in ("Machine", "Meter") and (np.abs(offset) < scene.sizes[plate] / 2).all():
            return f" on the {KINDS[thing.kind].words}"
    return ""


def side(bearing: float) -> str:
    """Describe a bearing in degrees, positive to the right."""
    if abs(bearing) < 0.5:
        return "straight ahead"
    return f"{abs(bearing):.0f} degrees to the {'right' if bearing > 0 else 'left'}"


def _span(mask: Mask) -> tuple[float, float]:
    """Bearings in degrees of a mask's leftmost and rightmost edges."""
    columns = np.flatnonzero(mask.any(axis=0))
    focal = 1 / math.tan(math.radians(FIRST_PERSON_FOV_DEG) / 2)
    left, right = (2 * edge / _SIDE - 1 for edge in (columns[0], columns[-1] + 1))
    return math.degrees(math.atan(left / focal)), math.degrees(math.atan(right / focal))


def _rays(scene: Scene, mask: Mask) -> Floats:
    """Unit vectors (n, 3) through a mask's pixels, in the arena's frame."""
    rows, columns = np.nonzero(mask)
    step = math.ceil(len(rows) / _RAYS)
    spread = math.tan(math.radians(FIRST_PERSON_FOV_DEG) / 2)
    across = spread * (2 * (columns[::step] + 0.5) / _SIDE - 1)
    up = spread * (1 - 2 * (rows[::step] + 0.5) / _SIDE)
    yaw = math.radians(scene.agent_yaw)
    right = np.array([math.cos(yaw), 0.0, -math.sin(yaw)])
    ahead = np.array([math.sin(yaw), 0.0, math.cos(yaw)])
    ways = across[:, None] * right + up[:, None] * np.array([0.0, 1.0, 0.0]) + ahead
    return np.asarray(ways / np.linalg.norm(ways, axis=1, keepdims=True))


def _distance(scene: Scene, index: int, mask: Mask) -> float:
    """Metres to a thing's nearest visible point, by its bounding box. 0 inside."""
    turned = scene.rotations[index].T
    between = turned @ (scene.positions[index] - np.array(scene.agent_position))
    if KINDS[scene.things[index].kind].is_goal:
        return float(max(0.0, np.linalg.norm(between) - scene.sizes[index][0] / 2))
    ways = _rays(scene, mask) @ turned.T
    ways = np.where(np.abs(ways) < 1e-9, 1e-9, ways)
    near = (between / ways - 0.5 * scene.sizes[index] / np.abs(ways)).max(axis=1)
    far = (between / ways + 0.5 * scene.sizes[index] / np.abs(ways)).min(axis=1)
    # A pixel's middle may just miss a thing that its edge shows.
    met = near[near <= far]
    return float(max(0.0, met.min() if len(met) else np.linalg.norm(between)))


def _fence(scene: Scene, masks: dict[int, Mask]) -> str:
    """Describe the fence's distance straight ahead, unless something solid hides it."""
    middle = _SIDE // 2
    if any(mask[middle - 1 : middle + 1, middle - 1 : middle + 1].any() for mask in masks.values()):
        return "- fence: all around the arena, hidden straight ahead"
    yaw = math.radians(scene.agent_yaw)
    x, _, z = scene.agent_position
    ways = [
        ((ARENA_SIZE if direction > 0 else 0.0) - place) / direction
        for place, direction in ((x, math.sin(yaw)), (z, math.cos(yaw)))
        if abs(direction) > 1e-9
    ]
    return f"- fence: all around the arena, {max(0.0, min(ways)):.1f} m away straight ahead"


def opening_steps(choices: ArenaChoices) -> tuple[int, ...]:
    """Idle steps after which pictures before the first reply are taken.

    There is one after each group of idle steps except the last, which passes unseen; with fewer than two
    groups there is a single picture, at the end of the idle steps.
    """
    groups = choices.initial_idle_steps
    return tuple(sum(groups[:number]) for number in range(1, len(groups))) or (sum(groups),)


def steps_along(choices: ArenaChoices, steps: int) -> tuple[int, ...]:
    """Steps of a script after which pictures are taken, without its end."""
    if choices.image_every is not None:
        return tuple(range(choices.image_every, steps, choices.image_every))
    parts = choices.images_per_script
    return tuple(sorted({-(-steps * part // parts) for part in range(1, parts)} - {0, steps}))


def picture_turns(choices: ArenaChoices, turn_steps: Sequence[int]) -> Mapping[int, list[int]]:
    """Map steps of the episode to turns whose reply saw their pictures. Turns count from 1. `turn_steps` are
    the steps of each turn; the last one's result is not shown."""
    found: dict[int, list[int]] = {}
    for step in opening_steps(choices):
        found.setdefault(step, []).append(1)
    at = sum(choices.initial_idle_steps)
    for turn, taken in enumerate(turn_steps[:-1], start=2):
        for step in (*steps_along(choices, taken), taken):
            found.setdefault(at + step, []).append(turn)
        at += taken
    return found


Eye = Callable[[Scene], Frame]
"""Function that draws a scene as uint8 (H, W, 3), as `Renderer.frame`."""


class View(NamedTuple):
    """Contents of a message: pictures by time, and the view in words."""

    frames: tuple[Frame, ...]
    words: str | None


def eye(choices: ArenaChoices, task: Task, battery: Sequence[Task], trial: int) -> Eye | None:
    """Make the eye for one episode. None if the model gets no pictures.

    Pictures are true, black, or of other arenas; then grey, coarse or blurred. The shuffled control shows
    arenas of the battery's other tasks, from their agent's start, in any direction; they follow from seed,
    task and trial.
    """
    if not choices.shows_images:
        return None
    others = [other for other in battery if other.sha256 != task.sha256]
    rng = episode_rng(choices.seed, f"{task.id}/shuffled", trial)

    def shown(scene: Scene) -> Frame:
        if choices.vision == "shuffled":
            other = others[int(rng.integers(len(others)))]
            start = Episode(other.spec, task_id=other.id).scene()
            scene = replace(start, agent_yaw=float(rng.uniform(0, 360)), lights_on=True)
        return _seen(scene, choices)

    return shown


def probe_frame(choices: ArenaChoices, scene: Scene, probe_id: str) -> Frame:
    """Draw a perception probe; the shuffled control turns to any other direction."""
    if choices.vision == "shuffled":
        rng = episode_rng(choices.seed, f"{probe_id}/shuffled", 0)
        scene = replace(scene, agent_yaw=scene.agent_yaw + float(rng.uniform(110, 250)))
    return _seen(scene, choices)


def _seen(scene: Scene, choices: ArenaChoices) -> Frame:
    if choices.vision == "blind":
        return np.zeros((choices.image_size, choices.image_size, 3), np.uint8)
    return degraded(_renderer(choices.image_size).frame(scene), choices)


def degraded(frame: Frame, choices: ArenaChoices) -> Frame:
    """Remove colour, detail or sharpness as chosen; add the gutter."""
    if choices.resolution is not None:
        frame = coarse(frame, choices.resolution)
    if choices.blur_px:
        frame = blurred(frame, choices.blur_px)
    if choices.grayscale:
        frame = in_grey(frame)
    return with_gutter(frame, choices.image_gutter) if choices.image_gutter else frame


def words(choices: ArenaChoices, scene: Scene) -> str | None:
    """Describe the view if the choices ask for words."""
    return None if choices.observation == "image" else describe(scene)


@cache
def _renderer(size: int) -> Renderer:
    return Renderer(size, size)
