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
    """What plays step by step; a new one is made for each episode."""

    def act(self, episode: Episode) -> Action:
        """The next action."""


class RandomActions:
    """Each step one of the nine actions, all equally likely."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, episode: Episode) -> Action:
        """The next action."""
        return ACTIONS[self._rng.integers(len(ACTIONS))]


HELD_STEPS, HELD_SPREAD = 5.0, 1.0
"""Mean and standard deviation of the steps for which the published random agent repeats an action
(aai3-paper-experiments, `competition_random_heuristic.py`)."""


class HeldActions:
    """Random actions as in the published baseline: each of the nine is repeated for some steps.

    Their number is a normal variable of mean 5 and standard deviation 1, cut to a whole number, at least 1.
    Held actions carry much farther than those of `RandomActions`, whose drives cancel out.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._left = 0
        self._action = ACTIONS[0]

    def act(self, episode: Episode) -> Action:
        """The next action."""
        if self._left == 0:
            self._action = ACTIONS[self._rng.integers(len(ACTIONS))]
            self._left = max(int(self._rng.normal(HELD_STEPS, HELD_SPREAD)), 1)
        self._left -= 1
        return self._action


FOOD = [TAGS.index(tag) for tag in ("goodGoal", "goodGoalMulti")]
DANGER = [TAGS.index(tag) for tag in ("badGoal", "DeathZone", "HotZone")]

RAYS_PER_SIDE, RAY_MAX_DEGREES = 10, 60.0
"""Rays six degrees apart, as far as one step turns: a ball of 1 m cannot slip between two within 19 m."""

DANGER_REACH, OBSTACLE_REACH = 4.0, 2.0
"""Dangers and obstacles nearer than this, in metres of free path, push the heading aside."""

DANGER_MARGIN, OBSTACLE_MARGIN = 1.5, 0.5
"""Free path in metres that is kept to a danger or an obstacle straight ahead."""

PUSH_DEG = 45.0
"""How far the strongest fear on one side pushes the heading to the other."""

STRAIGHT_DEG, ASKEW_DEG = 3.0, 20.0
"""Below the first it does not turn (a step turns by 6); above the second it turns without driving."""

GLIDE_S = 0.12
"""An agent that brakes from v m/s glides for 0.12 v metres (by `TrainingAgent.cs`)."""

LOOK_STEPS, ROAM_STEPS = 60, 100
"""Without food in view it looks round once, 60 steps of 6 degrees, and then roams for 6 s; and again."""

STUCK_STEPS, STUCK_SPEED = 5, 0.2
"""Steps of driving below this speed, m/s, after which something unseen is assumed to block it."""


class Braitenberg:
    """A vehicle that turns towards food and away from what it fears.

    It knows only the rays and its forward speed. The nearest food in view gives the heading. Fear of a ray is
    cos(angle) x (1 - free way / reach), for what is nearer than the food; the greatest fear of each side
    pushes the heading to the other side. It drives if it is roughly on course, brakes in time for what is
    straight ahead, and then turns to one side until its path is free. Without food it looks around and roams.
    What it touches is invisible to rays, so where it drives without moving it backs off and turns at random.
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
        """The next action."""
        return self.respond(self._rays.observe(episode.scene()), episode.agents[0].local_velocity[2])

    def respond(self, rows: npt.NDArray[np.float32], speed: float) -> Action:
        """The next action after rays (21, 14), as `Rays.observe` gives them, and a forward speed in m/s."""
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
        """Bearing in degrees and distance in metres of the nearest food; 0 and infinity if there is none."""
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
        """How far fear pushes the heading aside, in degrees to the right."""
        danger = rows[:, DANGER].any(axis=1)
        reach = np.minimum(np.where(danger, DANGER_REACH, OBSTACLE_REACH), food_way)
        fear = np.cos(np.deg2rad(self._angles)) * np.maximum(1 - way / reach, 0)
        return float(PUSH_DEG * (fear[self._angles < 0].max() - fear[self._angles > 0].max()))


def _blocked(row: npt.NDArray[np.float32], way: float, speed: float) -> bool:
    """Whether to brake for what is straight ahead."""
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
"""What makes each agent, by its name; all its randomness comes from the generator that it is given."""
