"""Agents that choose an action at every step instead of writing scripts.

They are of the kinds of the two baselines without learning in the Animal-AI 3 paper (arXiv 2312.11414):
random actions, and a vehicle after Braitenberg that reacts to rays, by a rule of our own.
"""

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from arena import ACTIONS, BACKWARD, TURN_LEFT, TURN_RIGHT, Action, Episode, Move, Rays, Rotate
from arena.rays import CAST_LENGTH, FRACTION, TAGS


class StepAgent(Protocol):
    """Step-by-step agent, created for each episode."""

    def act(self, episode: Episode) -> Action:
        """Choose the next action."""


class RandomActions:
    """Uniformly random actions, one of the nine each step."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, episode: Episode) -> Action:
        """Draw the next action."""
        return ACTIONS[self._rng.integers(len(ACTIONS))]


HELD_STEPS, HELD_SPREAD = 5.0, 1.0
"""Mean and standard deviation of repeated steps in the published random agent. From aai3-paper-experiments,
`competition_random_heuristic.py`."""


class HeldActions:
    """Repeated random actions, as in the published baseline.

    The number of steps is a normal variable of mean 5 and standard deviation 1, cut to a whole number, at
    least 1. Held actions carry much farther than those of `RandomActions`, whose drives cancel out.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._left = 0
        self._action = ACTIONS[0]

    def act(self, episode: Episode) -> Action:
        """Repeat the current action or draw the next."""
        if self._left == 0:
            self._action = ACTIONS[self._rng.integers(len(ACTIONS))]
            self._left = max(int(self._rng.normal(HELD_STEPS, HELD_SPREAD)), 1)
        self._left -= 1
        return self._action


FOOD = [TAGS.index(tag) for tag in ("goodGoal", "goodGoalMulti")]
DANGER = [TAGS.index(tag) for tag in ("badGoal", "DeathZone", "HotZone")]

RAYS_PER_SIDE, RAY_MAX_DEGREES = 10, 60.0
"""Rays, six degrees apart like one turning step. A ball of 1 m cannot slip between two within 19 m."""

DANGER_REACH, OBSTACLE_REACH = 4.0, 2.0
"""Free path in metres below which dangers and obstacles change the heading."""

DANGER_MARGIN, OBSTACLE_MARGIN = 1.5, 0.5
"""Minimum free path in metres to dangers and obstacles straight ahead."""

PUSH_DEG = 45.0
"""Maximum push of the heading away from fear, in degrees."""

STRAIGHT_DEG, ASKEW_DEG = 3.0, 20.0
"""Bearings below which it drives straight, and above which it only turns. A step turns by 6 degrees."""

GLIDE_S = 0.12
"""Glide after braking in metres per m/s (by `TrainingAgent.cs`)."""

LOOK_STEPS, ROAM_STEPS = 60, 100
"""Steps of looking around and then roaming without food in view. A step turns by 6 degrees."""

STUCK_STEPS, STUCK_SPEED = 5, 0.2
"""Steps of driving below this speed (m/s) before assuming an unseen obstacle."""


class Braitenberg:
    """Vehicle that turns towards food and away from dangers.

    It knows only the rays and its forward speed. The nearest food in view gives the heading. Fear of a ray is
    cos(angle) x (1 - free path / reach), for everything nearer than the food; the greatest fear of each side
    pushes the heading to the other side. It drives if it is roughly on course, brakes in time for obstacles
    straight ahead, and then turns to one side until its path is free. Without food it looks around and roams.
    Contacts are invisible to rays, so if it drives without moving it backs off and turns at random.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rays = Rays(RAYS_PER_SIDE, RAY_MAX_DEGREES)
        self._angles = np.array(self._rays.angles)
        self._side = Rotate.RIGHT
        self._avoiding = False
        self._fasting = 0
        self._pushing = 0
        self._reflex: list[Action] = []

    def act(self, episode: Episode) -> Action:
        """Choose the next action."""
        return self.respond(self._rays.observe(episode.scene()), episode.agents[0].local_velocity[2])

    def respond(self, rows: npt.NDArray[np.float32], speed: float) -> Action:
        """Choose the next action from rays (21, 14), as of `Rays.observe`, and forward speed (m/s)."""
        if self._reflex:
            return self._reflex.pop()
        action = self._steer(rows, speed)
        pushes = action.move is Move.FORWARD and abs(speed) < STUCK_SPEED
        self._pushing = self._pushing + 1 if pushes else 0
        if self._pushing > STUCK_STEPS:
            self._pushing = 0
            turn = (TURN_RIGHT, TURN_LEFT)[self._rng.integers(2)]
            self._reflex = [turn] * int(self._rng.integers(5, 26)) + [BACKWARD] * STUCK_STEPS
        return action

    def _steer(self, rows: npt.NDArray[np.float32], speed: float) -> Action:
        way = rows[:, FRACTION] * CAST_LENGTH
        aim, food_way = self._food(rows, way)
        wish = aim + self._push(rows, way, food_way)
        if _blocked(rows[0], float(way[0]), speed):
            if not self._avoiding and abs(wish) > STRAIGHT_DEG:
                self._side = _side(wish)
            self._avoiding = True
            return Action(Move.NONE, self._side)
        self._avoiding = False
        if self._fasting and (self._fasting - 1) % (LOOK_STEPS + ROAM_STEPS) < LOOK_STEPS:
            return Action(Move.NONE, self._side)
        rotate = Rotate.NONE if abs(wish) <= STRAIGHT_DEG else _side(wish)
        return Action(Move.NONE if abs(wish) > ASKEW_DEG else Move.FORWARD, rotate)

    def _food(self, rows: npt.NDArray[np.float32], way: npt.NDArray[np.float32]) -> tuple[float, float]:
        """Find the nearest food: bearing in degrees, distance in metres. Otherwise 0 and infinity."""
        food = np.flatnonzero(rows[:, FOOD].any(axis=1))
        if not len(food):
            self._fasting += 1
            return (0.0, math.inf)
        self._fasting = 0
        nearest = food[way[food].argmin()]
        aim = float(self._angles[nearest])
        if aim:
            self._side = _side(aim)
        return (aim, float(way[nearest]))

    def _push(self, rows: npt.NDArray[np.float32], way: npt.NDArray[np.float32], food_way: float) -> float:
        """Compute fear's push on the heading, in degrees to the right."""
        danger = rows[:, DANGER].any(axis=1)
        reach = np.minimum(np.where(danger, DANGER_REACH, OBSTACLE_REACH), food_way)
        fear = np.cos(np.deg2rad(self._angles)) * np.maximum(1 - way / reach, 0)
        return float(PUSH_DEG * (fear[self._angles < 0].max() - fear[self._angles > 0].max()))


def _blocked(row: npt.NDArray[np.float32], way: float, speed: float) -> bool:
    """Return whether to brake for an obstacle straight ahead."""
    if row[FOOD].any():
        return False
    margin = DANGER_MARGIN if row[DANGER].any() else OBSTACLE_MARGIN
    return way < margin + GLIDE_S * max(speed, 0.0)


def _side(angle: float) -> Rotate:
    return Rotate.RIGHT if angle > 0 else Rotate.LEFT


STEP_AGENTS: dict[str, Callable[[np.random.Generator], StepAgent]] = {
    "random-steps": RandomActions,
    "held": HeldActions,
    "braitenberg": Braitenberg,
}
"""Agent factories by name; each uses only the given random generator."""
