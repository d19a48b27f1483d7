"""One example: an arena, the agent's picture of it, and the ideal reply, tested in the arena."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple

import numpy as np

from arena import FORWARD, IDLE, ArenaSpec, Episode, EvaluationError, Event, EventKind
from arena.geometry.layout import seed_words
from arena.geometry.placed import AGENT_RADIUS
from arena.replay import Moment, play
from arena.scene import wrap_deg
from arena.taskfile.config import RGB, Item, Vector3
from llm_control.agents.pixels import FOCAL, steps_for
from llm_control.choices import ArenaChoices
from llm_control.script import DEGREES_PER_STEP, Go, Script, Think, Turn
from render import Frame, Renderer

THRESHOLD_M = 17.5
"""A ball at this distance or beyond is far (method.md of the paper's supporting materials)."""

GOALS = ("GoodGoal", "GoodGoalMulti")
"""Green and yellow."""

_DISTANCES_M = {"near": (2.5, THRESHOLD_M), "far": (THRESHOLD_M, 36.0), "turn": (2.5, 36.0)}
"""Distance between the centres of agent and ball. Below 2.5 m the largest ball almost touches the agent, and
much more than 36 m does not fit into an arena. Our choice, as are all numbers below: the paper gives none."""

_BEARINGS_DEG = (6.0, 49.0)
"""Bearing of a ball to turn to: a step turns 6 degrees, and the picture ends at 50."""

_DIAMETERS_M = (0.8, 3.0)
_DISTRACTORS = (2, 20)
_TIME_LIMITS = (250, 500, 1000)
"""Time limits of the official battery."""

_SIZES_M: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "Wall": ((0.5, 0.5, 0.5), (8.0, 4.0, 2.0)),
    "WallTransparent": ((0.5, 0.5, 0.5), (8.0, 4.0, 2.0)),
    "Ramp": ((1.0, 0.5, 1.0), (6.0, 3.0, 6.0)),
    "CylinderTunnel": ((2.5, 2.5, 2.5), (5.0, 5.0, 6.0)),
    "CylinderTunnelTransparent": ((2.5, 2.5, 2.5), (5.0, 5.0, 6.0)),
    "LightBlock": ((0.5, 0.5, 0.5), (3.0, 3.0, 3.0)),
    "HeavyBlock": ((0.5, 0.5, 0.5), (3.0, 3.0, 3.0)),
    "LBlock": ((1.0, 0.3, 3.0), (3.0, 2.0, 6.0)),
    "JBlock": ((1.0, 0.3, 3.0), (3.0, 2.0, 6.0)),
    "UBlock": ((1.0, 0.3, 3.0), (3.0, 2.0, 6.0)),
    "BadGoal": ((0.5, 0.5, 0.5), (3.0, 3.0, 3.0)),
    "DeathZone": ((1.0, 0.5, 1.0), (6.0, 0.5, 6.0)),
    "HotZone": ((1.0, 0.5, 1.0), (6.0, 0.5, 6.0)),
}
"""The other objects, with their smallest and largest sizes: those that the system prompt names."""

_EDGE_M = 2.0
"""Smallest distance of the agent and the ball from the fence."""


class Kind(StrEnum):
    """The four kinds of example; the first two share one kind of reply."""

    LEFT = "turn left"
    RIGHT = "turn right"
    NEAR = "drive to the ball"
    FAR = "drive into its vicinity"


class SampledArena(NamedTuple):
    """An arena whose first object is the ball, and the name of that ball."""

    spec: ArenaSpec
    goal: str


def kind_of(seed: int, index: int) -> Kind:
    """The kind of an example: every four in a row are one of each kind, in random order."""
    rng = np.random.default_rng([*seed_words(seed), 1, index // 4])
    return tuple(Kind)[int(rng.permutation(4)[index % 4])]


def random_arena(kind: Kind, rng: np.random.Generator) -> SampledArena | None:
    """Draw an arena for a kind of example; None if the ball would be outside of it.

    The agent and the ball have fixed positions, the other objects are placed by the arena's own rules.
    """
    x, z = rng.uniform(_EDGE_M, 40 - _EDGE_M, 2)
    # Whole degrees, so that the arena's file is short and exact.
    yaw = float(rng.integers(360))
    bearing, distance = _direction(kind, rng)
    angle = math.radians(yaw + bearing)
    goal_x, goal_z = x + distance * math.sin(angle), z + distance * math.cos(angle)
    if not all(_EDGE_M <= value <= 40 - _EDGE_M for value in (goal_x, goal_z)):
        return None
    goal = GOALS[int(rng.integers(2))]
    diameter = float(rng.uniform(*_DIAMETERS_M))
    items = (
        Item(name="Agent", positions=(Vector3(x=x, z=z),), rotations=(yaw,)),
        Item(name=goal, positions=(Vector3(x=goal_x, z=goal_z),), sizes=(_cube(diameter),)),
        *(_distractor(rng) for _ in range(int(rng.integers(_DISTRACTORS[0], _DISTRACTORS[1] + 1)))),
    )
    time_limit = _TIME_LIMITS[int(rng.integers(len(_TIME_LIMITS)))]
    return SampledArena(ArenaSpec(time_limit=time_limit, pass_mark=0.0, items=items), goal)


def _direction(kind: Kind, rng: np.random.Generator) -> tuple[float, float]:
    """Bearing in degrees, positive to the right, and distance in metres."""
    if kind in (Kind.NEAR, Kind.FAR):
        return 0.0, float(rng.uniform(*_DISTANCES_M["near" if kind is Kind.NEAR else "far"]))
    side = -1 if kind is Kind.LEFT else 1
    return side * float(rng.uniform(*_BEARINGS_DEG)), float(rng.uniform(*_DISTANCES_M["turn"]))


def _distractor(rng: np.random.Generator) -> Item:
    name = tuple(_SIZES_M)[int(rng.integers(len(_SIZES_M)))]
    low, high = _SIZES_M[name]
    size = _cube(float(rng.uniform(low[0], high[0]))) if name == "BadGoal" else _box(rng.uniform(low, high))
    r, g, b = (float(channel) for channel in rng.integers(256, size=3))
    return Item(
        name=name,
        positions=(Vector3(x=-1.0, z=-1.0),),
        rotations=(float(rng.integers(360)),),
        sizes=(size,),
        colors=(RGB(r=r, g=g, b=b),),
    )


def _cube(side: float) -> Vector3:
    return Vector3(x=side, y=side, z=side)


def _box(size: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Vector3:
    x, y, z = (float(side) for side in size)
    return Vector3(x=x, y=y, z=z)


VICINITY_M = 10.0
"""A drive towards a far ball ends with the first step within this distance. Our choice: well below the
threshold, and too far for the following glide (at most 3 m) to touch the largest ball."""

LEAST_PIXELS = 24
LEAST_SHARE = 0.6
"""Visible part of the ball: pixels, and share of an unobstructed ball's. Our choice."""

_IDLE_STEPS = sum(ArenaChoices().initial_idle_steps)
"""Steps before the picture, as before the first reply of an evaluation."""

_MAX_STEPS = 45
_MAX_ATTEMPTS = 2000


@dataclass(frozen=True, slots=True)
class Example:
    """A picture and its ideal reply, with their origin.

    `distance` (metres) is between the centres of agent and ball on the floor, `bearing` (degrees) the ball's,
    positive to the right, `steps` the length of the reply. `health` is what the prompt says. The arena is
    played with the task id `task_id` and the seed; `frame` is uint8 (512, 512, 3).
    """

    index: int
    kind: Kind
    goal: str
    distance: float
    bearing: float
    steps: int
    reply: str
    health: float
    spec: ArenaSpec
    seed: int
    frame: Frame

    @property
    def task_id(self) -> str:
        """Name of its arena; with the seed it determines the arena's randomness."""
        return task_id(self.index)


def task_id(index: int) -> str:
    """Name of the arena of an example."""
    return f"finetuning-{index}"


@dataclass(frozen=True, slots=True)
class BallPosition:
    """The ball seen from the agent: metres between the centres, degrees to the right of straight ahead."""

    distance: float
    bearing: float


def make_example(seed: int, index: int) -> Example:
    """The example of this number, which depends only on the two arguments.

    Arenas are drawn until the ball is in plain view and the ideal reply works in the arena. Raises
    RenderError if no picture can be drawn, EvaluationError if no suitable arena is found.
    """
    rng = np.random.default_rng([*seed_words(seed), 2, index])
    kind = kind_of(seed, index)
    for _ in range(_MAX_ATTEMPTS):
        sampled = random_arena(kind, rng)
        if sampled is None:
            continue
        example = _try_arena(seed, index, kind, sampled.goal, sampled.spec)
        if example is not None:
            return example
    raise EvaluationError(f"example {index} of seed {seed}: none of {_MAX_ATTEMPTS} arenas suits {kind}")


def start_episode(spec: ArenaSpec, name: str, seed: int) -> tuple[Episode, tuple[Event, ...]]:
    """The episode at the moment of the picture, and the events before it."""
    episode = Episode(spec, task_id=name, seed=seed)
    moments = play(episode, [(IDLE,)] * _IDLE_STEPS)
    return episode, tuple(event for moment in moments for event in moment.events)


def ball_position(episode: Episode) -> BallPosition:
    """The present position of the ball, which is the arena's first object."""
    east, _, north = (float(value) for value in episode.scene().positions[0] - episode.position)
    bearing = math.degrees(math.atan2(east, north)) - episode.yaw
    return BallPosition(math.hypot(east, north), wrap_deg(bearing))


@cache
def renderer() -> Renderer:
    """Draws pictures of the size of an evaluation's."""
    size = ArenaChoices().image_size
    return Renderer(size, size)


def _try_arena(seed: int, index: int, kind: Kind, goal: str, spec: ArenaSpec) -> Example | None:
    """The example in an arena; None if the arena is not suitable."""
    episode, events = start_episode(spec, task_id(index), seed)
    with episode:
        ball = ball_position(episode)
        if events or episode.done or not fits(kind, ball) or not is_visible(episode, ball):
            return None
        frame, health = renderer().frame(episode.scene()), episode.health
        color = "green" if goal == "GoodGoal" else "yellow"
        script = _ideal_script(kind, ball, color, episode)
    if script is None:
        return None
    return Example(
        index, kind, goal, ball.distance, ball.bearing, script.steps, str(script), health, spec, seed, frame
    )


def fits(kind: Kind, ball: BallPosition) -> bool:
    """Whether the ball is still where the kind requires it: others may have pushed it before the picture."""
    if kind in (Kind.LEFT, Kind.RIGHT):
        return (ball.bearing > 0) is (kind is Kind.RIGHT) and angle_to(ball) != 0
    return abs(ball.bearing) < 1 and (ball.distance < THRESHOLD_M) is (kind is Kind.NEAR)


def is_visible(episode: Episode, ball: BallPosition) -> bool:
    """Whether the ball is in plain view, not behind glass or the veil of a zone."""
    scene = episode.scene()
    pixels = int(np.count_nonzero(renderer().channels(scene).instance == 0))
    diameter = FOCAL * renderer().height * scene.sizes[0][0] / ball.distance
    return pixels >= max(LEAST_PIXELS, LEAST_SHARE * math.pi / 4 * float(diameter) ** 2)


def angle_to(ball: BallPosition) -> int:
    """Degrees to turn, a multiple of 6, to have the ball as straight ahead as possible."""
    return DEGREES_PER_STEP * round(ball.bearing / DEGREES_PER_STEP)


def _ideal_script(kind: Kind, ball: BallPosition, color: str, episode: Episode) -> Script | None:
    """The ideal reply, None if it does not work in the arena; advances the episode."""
    if kind in (Kind.LEFT, Kind.RIGHT):
        angle = angle_to(ball)
        if not _path_is_clear(episode, Turn(angle), ball):
            return None
        side = "left" if angle < 0 else "right"
        thought = f"The {color} ball is about {abs(angle)} degrees to my {side}. I turn towards it."
        return Script((Think(thought), Turn(angle)))
    ahead = f"The {color} ball is straight ahead, {ball.distance:.1f} metres away."
    if kind is Kind.NEAR:
        steps = _steps_to_ball(episode)
        # If something slowed the agent down, the picture does not show how far to drive.
        if steps is None or abs(steps - _unobstructed_steps(episode, ball)) > 1:
            return None
        return Script((Think(f"{ahead} I drive to it."), Go(steps)))
    steps = _steps_to_vicinity(episode)
    if steps is None or abs(steps - steps_for(ball.distance - VICINITY_M)) > 1:
        return None
    # Driving on must lead to the ball: approaching one that cannot be reached is no good reply.
    if _steps_to_ball(episode) is None:
        return None
    return Script((Think(f"{ahead} That is far, so I first drive into its vicinity."), Go(steps)))


def _unobstructed_steps(episode: Episode, ball: BallPosition) -> int:
    """Steps from rest until the ball is touched if nothing is in between: closed form of driving."""
    radius = float(episode.scene().sizes[0][0]) / 2
    # Two balls on a floor touch at this distance between their centres, measured along the floor.
    return steps_for(ball.distance - 2 * math.sqrt(radius * AGENT_RADIUS))


def _drive(episode: Episode) -> Iterator[tuple[int, Moment]]:
    """Drive straight on: the number of each step and the moment after it."""
    return enumerate(play(episode, [(FORWARD,)] * _MAX_STEPS), start=1)


def touches_only_ball(events: Sequence[Event]) -> bool:
    """Whether touching the ball is all that happened."""
    return [event.kind for event in events] == [EventKind.GOOD_GOAL]


def _steps_to_ball(episode: Episode) -> int | None:
    """Steps of driving straight on until the ball is touched; None if anything else happens."""
    for steps, moment in _drive(episode):
        if moment.events or episode.done:
            return steps if touches_only_ball(moment.events) else None
    return None


def _path_is_clear(episode: Episode, turn: Turn, ball: BallPosition) -> bool:
    """Whether a drive after the turn comes as near to the ball as the rounding of the turn allows."""
    if any(episode.step(action).events for action in turn.actions()):
        return False
    nearest = math.inf
    for _, moment in _drive(episode):
        if moment.events or episode.done:
            return touches_only_ball(moment.events)
        distance = ball_position(episode).distance
        if distance >= nearest:
            break
        nearest = distance
    # The turn leaves up to 3 degrees, and a step, up to 1.6 m, may end before or after the nearest point.
    return nearest <= ball.distance * math.sin(math.radians(DEGREES_PER_STEP / 2)) + 1.6


def _steps_to_vicinity(episode: Episode) -> int | None:
    for steps, moment in _drive(episode):
        if moment.events or episode.done:
            return None
        ball = ball_position(episode)
        if ball.distance <= VICINITY_M:
            return steps if abs(ball.bearing) < DEGREES_PER_STEP / 2 else None
    return None
