"""What is compared: an entry for each program and kind of drawing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Timed = Callable[[int], float]
"""Does something a number of times and returns the seconds that it took."""

SIDES = (84, 128, 512)
"""Sides of the pictures in pixels: Animal-AI's learned agents', a common one, and language models'."""


class Work(StrEnum):
    """What is measured; each has the unit that is counted."""

    FRAMES = "frames"
    CAMERA = "steps with a camera"
    RAYS = "steps with rays"
    BARE = "steps without sensors"
    BOTH = "steps with rays and a camera"

    @property
    def unit(self) -> str:
        """What is counted per second."""
        return "frames" if self is Work.FRAMES else "steps"

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides of its pictures; a single 0 for none."""
        return SIDES if self in (Work.FRAMES, Work.CAMERA) else (0,)


@dataclass(frozen=True, slots=True)
class Contender:
    """One program that does some of the work.

    `module` has a function `opened(work, side, seed, **options)` that returns a `Timed`, and `about()`, which
    returns the program's versions and OpenGL renderer. `does` is what it draws or simulates for each work,
    `install` the remedy if it is missing.
    """

    name: str
    module: str
    does: Mapping[Work, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    install: str = "reinstall arena-llm"


_HERE = "benchmarks.peers"
_EXTRA = "pip install 'arena-llm[bench]'"

OURS = "arena-llm"
"""The name of what all others are compared with."""

CONTENDERS = (
    Contender(
        OURS,
        f"{_HERE}.ours",
        {
            Work.FRAMES: "all 50 things, floor, fence and sky; textures, sun, shadows (redrawn"
            " where something moved), translucent things",
            Work.CAMERA: "ArenaEnv: 3 ticks of physics, rules, and that picture",
            Work.RAYS: "ArenaEnv: 3 ticks, rules, and 5 casts of a ball",
            Work.BARE: "ArenaEnv: 3 ticks and rules",
        },
    ),
    Contender(
        "pyrender",
        f"{_HERE}.pyrender_peer",
        {
            Work.FRAMES: "the same things, floor and fence, our textures, one directional light with shadows"
            " (a map of 2048 texels, redrawn for each frame), translucent things; a plain sky"
        },
        install=_EXTRA,
    ),
    Contender(
        "TinyRenderer",
        f"{_HERE}.tiny",
        {
            Work.FRAMES: "the same things, floor and fence, lit, in plain colours; no textures, shadows or"
            " translucency"
        },
    ),
    Contender(
        "TinyRenderer, shadows",
        f"{_HERE}.tiny",
        {Work.FRAMES: "as TinyRenderer, with its shadow pass"},
        {"shadows": True},
    ),
    Contender(
        "bare PyBullet",
        f"{_HERE}.bare_steps",
        {
            Work.CAMERA: "50 boxes and a driven ball, 3 ticks, no rules; TinyRenderer without shadows",
            Work.RAYS: "50 boxes and a driven ball, 3 ticks, no rules; 5 thin rays",
            Work.BARE: "50 boxes and a driven ball, 3 ticks, no rules",
        },
    ),
    Contender(
        "MiniWorld",
        f"{_HERE}.miniworld_peer",
        {
            Work.FRAMES: "50 boxes and balls at the same places in a textured room; one lamp, plain colours,"
            " 4 samples per pixel; no shadows or translucency",
            Work.CAMERA: "MiniWorld's own step (the agent against walls and circles, nothing else moves) and"
            " that picture",
        },
        install=_EXTRA,
    ),
    *(
        Contender(
            f"MiniWorld {room}",
            f"{_HERE}.miniworld_peer",
            {
                Work.CAMERA: f"MiniWorld's own environment MiniWorld-{room}-v0 as it ships, with resets, in"
                " place of the 50 things"
            },
            {"room": room},
            install=_EXTRA,
        )
        for room in ("OneRoom", "Hallway", "FourRooms", "Maze", "PickupObjects")
    ),
)
"""All that is compared, in the order of the table."""


def batch_contender(count: int) -> Contender:
    """Our renderer, drawing `count` scenes in one call."""
    does = {Work.FRAMES: f"as {OURS}, {count} scenes in one call of BatchRenderer.frames"}
    return Contender(f"{OURS}, {count} at once", f"{_HERE}.ours", does, {"batch": count})
