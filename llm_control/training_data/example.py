"""One example: an arena, the agent's picture of it, and the ideal reply, tested in the arena."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from arena import FORWARD, IDLE, ArenaSpec, Episode, EvaluationError, Event, EventKind
from arena.geometry.layout import seed_words
from arena.geometry.placed import AGENT_RADIUS
from arena.replay import Moment, play
from arena.scene import wrap_deg
from llm_control.agents.pixels import FOCAL, steps_for
from llm_control.choices import ArenaChoices
from llm_control.script import DEGREES_PER_STEP, Go, Script, Think, Turn
from llm_control.training_data.arenas import THRESHOLD_M, Kind, kind_of, random_arena
from render import Frame, Renderer

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
