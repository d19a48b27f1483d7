"""Agents' paths, drawn on a camera's pictures."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from arena.geometry.placed import AGENT_RADIUS
from arena_llm.pictures.projection import pixels_per_metre, project
from arena_llm.pictures.strokes import Color, Strokes, distance
from render import Camera, Frame

LEAP_M = 2.0
"""Longest possible step of 0.06 s, as drag limits the speed to 31 m/s."""

_ALONE = "0d0887 4903a0 7801a8 a31e9a c5407e e06363 f48849 fdb22f f7e425"
_SEVERAL = (
    "b7d4ea 4191c6 083c7d",
    "fdc38d f16813 8e2d04",
    "b8e3b2 40aa5d 005321",
    "cecfe5 807cba 470f84",
    "fcab8f ee3a2c 7e0610",
    "cecece 727272 0e0e0e",
)
"""Colours at equal distances in time for a single agent, and for each of several, light to dark.

They are of the map "plasma" by S. van der Walt and N. Smith, and of ColorBrewer's sequential maps.
"""


def path_color(part: float, agent: int = 0, agents: int = 1) -> Color:
    """Colour of an agent's path at `part` (0..1) of its time; each of several agents has its own hue."""
    codes = (_ALONE if agents == 1 else _SEVERAL[agent % len(_SEVERAL)]).split()
    known = np.array([list(bytes.fromhex(code)) for code in codes]) / 255
    times = np.linspace(0, 1, len(known))
    r, g, b = (float(np.interp(part, times, channel)) for channel in known.T)
    return (r, g, b)


class Trail:
    """The path of one agent, which grows point by point and is laid over frames of `width` by `height`.

    `steps` is the number of steps of the whole path, so that a moment has the same colour in every frame;
    `agent` of `agents` chooses the hue. `thickness` is in pixels (default: proportional to the height).
    """

    def __init__(
        self,
        camera: Camera,
        width: int,
        height: int,
        *,
        steps: int,
        agent: int = 0,
        agents: int = 1,
        thickness: float | None = None,
    ) -> None:
        self._camera, self._width, self._height = camera, width, height
        self._strokes = Strokes(width, height, thickness or max(1.5, height / 170), max(0.7, height / 512))
        self._color: Callable[[float], Color] = lambda part: path_color(part, agent, agents)
        self._steps = steps
        self._points = 0
        self._last = np.full(3, np.nan)

    def add(self, point: npt.ArrayLike) -> None:
        """Draw a line to the next point (3,), metres; NaN, or a leap over `LEAP_M`, breaks the path."""
        here = np.asarray(point, float)
        if np.linalg.norm(here - self._last) <= LEAP_M:
            start, end = project(self._camera, [self._last, here], self._width, self._height)
            self._strokes.line(start, end, self._color(self._points / max(self._steps, 1)))
        self._points += 1
        self._last = here

    def over(self, frame: Frame, *, spare_agent: bool = True) -> Frame:
        """A copy of a frame, uint8 (height, width, 3), with the path so far.

        With `spare_agent` it does not cover the agent's body, which is at the last point.
        """
        return self._strokes.over(frame, self._free() if spare_agent else None)

    def _free(self) -> npt.NDArray[np.float32] | None:
        place = project(self._camera, self._last, self._width, self._height)[0]
        if not np.isfinite(place).all():
            return None
        radius = AGENT_RADIUS * pixels_per_metre(self._camera, self._last, self._height)
        away = distance(place, place, (slice(0, self._height), slice(0, self._width)))
        return np.asarray(np.clip(away - radius + 0.5, 0.0, 1.0), np.float32)


def trajectory(
    frame: Frame,
    camera: Camera,
    points: npt.ArrayLike,
    *,
    agent: int = 0,
    agents: int = 1,
    thickness: float | None = None,
    spare_agent: bool = False,
) -> Frame:
    """A copy of a frame, uint8 (H, W, 3), with a path through `points` (n, 3), one per step, metres.

    The path is coloured by time; a row of NaN, or a leap of more than `LEAP_M`, breaks it. The frame must
    have been drawn with `camera`. The other arguments are those of `Trail`.
    """
    height, width, _ = frame.shape
    path = np.asarray(points, float).reshape(-1, 3)
    steps = max(len(path) - 1, 1)
    trail = Trail(camera, width, height, steps=steps, agent=agent, agents=agents, thickness=thickness)
    for point in path:
        trail.add(point)
    return trail.over(frame, spare_agent=spare_agent)
