"""One example: an arena, what the agent sees in it, and the ideal reply, tried out in the arena."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from arena import FORWARD, IDLE, ArenaSpec, Episode, EvaluationError, Event, EventKind
from arena.geometry.angles import wrap_deg
from arena.geometry.placed import AGENT_RADIUS
from llm_control.agents.pixels import FOCAL, steps_for
from llm_control.finetuning.arenas import THRESHOLD_M, Kind, kind_of, random_arena
from llm_control.protocol import Protocol
from llm_control.script import DEGREES_PER_STEP, Go, Script, Think, Turn
from render import Frame, Renderer

VICINITY_M = 10.0
"""A drive towards a far ball ends at the first step after which it is at most so far. Our choice: well below
the threshold, and too far for the glide that follows (at most 3 m) to touch the largest ball."""

LEAST_PIXELS = 24
LEAST_SHARE = 0.6
"""How much of the ball must be seen: pixels, and share of what an unhidden ball would have. Our choice."""

_IDLE_STEPS = sum(Protocol().initial_idle_steps)
"""Steps before the picture, as many as before an evaluation's first reply."""

_MOST_STEPS = 45
_MOST_ATTEMPTS = 2000


@dataclass(frozen=True, slots=True)
class Example:
    """A picture and its ideal reply, with what they come from.

    `distance` (metres) is between the centres of agent and ball on the floor, `bearing` (degrees) the ball's,
    positive to the right, `steps` what the reply takes. `health` is what the prompt says. The arena is played
    with the task id `task_id` and the seed; `frame` is uint8 (512, 512, 3).
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
        """Name of its arena, from which its randomness comes together with the seed."""
        return task_id(self.index)


def task_id(index: int) -> str:
    """Name of the arena of an example."""
    return f"finetuning-{index}"


@dataclass(frozen=True, slots=True)
class View:
    """Where the ball is: metres between the centres, degrees to the right of straight ahead."""

    distance: float
    bearing: float


def make_example(seed: int, index: int) -> Example:
    """The example of this number, which depends on nothing but the two numbers.

    Arenas are drawn until the ball is in plain view and the ideal reply does in the arena what it says.
    Raises RenderError where no picture can be drawn, EvaluationError where no arena serves.
    """
    rng = np.random.default_rng([abs(seed), int(seed < 0), 2, index])
    kind = kind_of(seed, index)
    for _ in range(_MOST_ATTEMPTS):
        placed = random_arena(kind, rng)
        if placed is None:
            continue
        example = _tried(seed, index, kind, placed.goal, placed.spec)
        if example is not None:
            return example
    raise EvaluationError(f"example {index} of seed {seed}: no arena in {_MOST_ATTEMPTS} serves for {kind}")


def start(spec: ArenaSpec, name: str, seed: int) -> tuple[Episode, tuple[Event, ...]]:
    """The episode at the moment of the picture, and what happened before it."""
    episode = Episode(spec, task_id=name, seed=seed)
    events: list[Event] = []
    for _ in range(_IDLE_STEPS):
        if not episode.done:
            events += episode.step(IDLE).events
    return episode, tuple(events)


def view(episode: Episode) -> View:
    """Where the ball is, the arena's first thing."""
    east, _, north = (float(value) for value in episode.scene().positions[0] - episode.position)
    bearing = math.degrees(math.atan2(east, north)) - episode.yaw
    return View(math.hypot(east, north), wrap_deg(bearing))


@cache
def renderer() -> Renderer:
    """What draws the pictures, as large as in an evaluation."""
    size = Protocol().image_size
    return Renderer(size, size)


def _tried(seed: int, index: int, kind: Kind, goal: str, spec: ArenaSpec) -> Example | None:
    """The example in an arena, None where it does not serve."""
    episode, events = start(spec, task_id(index), seed)
    with episode:
        seen = view(episode)
        if events or episode.done or not _fits(kind, seen) or not is_seen(episode, seen):
            return None
        frame, health = renderer().frame(episode.scene()), episode.health
        color = "green" if goal == "GoodGoal" else "yellow"
        script = _ideal(kind, seen, color, episode)
    if script is None:
        return None
    return Example(
        index, kind, goal, seen.distance, seen.bearing, script.steps, str(script), health, spec, seed, frame
    )


def _fits(kind: Kind, seen: View) -> bool:
    """Whether the ball still is where the kind has it: others may have pushed it in the steps before."""
    if kind in (Kind.LEFT, Kind.RIGHT):
        return (seen.bearing > 0) is (kind is Kind.RIGHT) and turn_towards(seen) != 0
    return abs(seen.bearing) < 1 and (seen.distance < THRESHOLD_M) is (kind is Kind.NEAR)


def is_seen(episode: Episode, seen: View) -> bool:
    """Whether the ball is in plain view; what is behind glass or a zone's veil is not."""
    scene = episode.scene()
    pixels = int(np.count_nonzero(renderer().channels(scene).instance == 0))
    diameter = FOCAL * renderer().height * scene.sizes[0][0] / seen.distance
    return pixels >= max(LEAST_PIXELS, LEAST_SHARE * math.pi / 4 * float(diameter) ** 2)


def turn_towards(seen: View) -> int:
    """The degrees to turn, a multiple of 6, after which the ball is as straight ahead as can be."""
    return DEGREES_PER_STEP * round(seen.bearing / DEGREES_PER_STEP)


def _ideal(kind: Kind, seen: View, color: str, episode: Episode) -> Script | None:
    """The reply, None where something keeps it from doing what it says; plays the episode on."""
    if kind in (Kind.LEFT, Kind.RIGHT):
        angle = turn_towards(seen)
        if not _way_is_free(episode, Turn(angle), seen):
            return None
        side = "left" if angle < 0 else "right"
        thought = f"The {color} ball is about {abs(angle)} degrees to my {side}. I turn towards it."
        return Script((Think(thought), Turn(angle)))
    ahead = f"The {color} ball is straight ahead, {seen.distance:.1f} metres away."
    if kind is Kind.NEAR:
        steps = steps_to_touch(episode)
        # A drive that something slowed down is not what the picture shows.
        if steps is None or abs(steps - unhindered_steps(episode, seen)) > 1:
            return None
        return Script((Think(f"{ahead} I drive to it."), Go(steps)))
    steps = _steps_to_vicinity(episode)
    if steps is None or abs(steps - steps_for(seen.distance - VICINITY_M)) > 1:
        return None
    # Driving on must lead to the ball: into the vicinity of one that cannot be had is no good way.
    if steps_to_touch(episode) is None:
        return None
    return Script((Think(f"{ahead} That is far, so I first drive into its vicinity."), Go(steps)))


def unhindered_steps(episode: Episode, seen: View) -> int:
    """Steps from rest until the ball is touched where nothing is in the way: the closed form of driving."""
    radius = float(episode.scene().sizes[0][0]) / 2
    # Two balls on a floor touch at this distance between their centres, measured along the floor.
    return steps_for(seen.distance - 2 * math.sqrt(radius * AGENT_RADIUS))


def steps_to_touch(episode: Episode) -> int | None:
    """Steps of driving straight on until the ball is touched; None where something else happens."""
    for steps in range(1, _MOST_STEPS + 1):
        result = episode.step(FORWARD)
        if result.events or result.done:
            only = len(result.events) == 1 and result.events[0].kind is EventKind.GOOD_GOAL
            return steps if only and result.events[0].thing == 0 else None
    return None


def _way_is_free(episode: Episode, turn: Turn, seen: View) -> bool:
    """Whether a drive after the turn comes as near to the ball as the turn's rounding lets it."""
    for action in turn.actions():
        if episode.step(action).events:
            return False
    last = math.inf
    for _ in range(_MOST_STEPS):
        result = episode.step(FORWARD)
        distance = view(episode).distance
        if result.events or result.done:
            return [event.kind for event in result.events] == [EventKind.GOOD_GOAL]
        if distance >= last:
            break
        last = distance
    return last <= passing_distance(seen.distance)


def passing_distance(distance: float) -> float:
    """Metres between the centres at which a drive may pass a ball that was so far away, after a turn to it.

    The turn leaves up to 3 degrees, and a step of the drive, up to 1.6 m, may end before or after the
    nearest place.
    """
    return distance * math.sin(math.radians(DEGREES_PER_STEP / 2)) + 1.6


def _steps_to_vicinity(episode: Episode) -> int | None:
    for steps in range(1, _MOST_STEPS + 1):
        result = episode.step(FORWARD)
        if result.events or result.done:
            return None
        seen = view(episode)
        if seen.distance <= VICINITY_M:
            return steps if abs(seen.bearing) < DEGREES_PER_STEP / 2 else None
    return None
