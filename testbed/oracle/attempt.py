"""One imagined attempt at a task: an episode played with a strategy.

If no path leads to a goal, a random probe rams something loose, or leaps over an edge.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena import Episode
from arena.scene import Floats, Scene
from testbed.blueprints.blueprint import Push
from testbed.oracle.cost_map import Ball, CostMap, CostToGo, node_at
from testbed.oracle.local_planner import Leg, LocalPlanner
from testbed.oracle.motion import TURNS, Driver
from testbed.oracle.solids import LOOSE, Solid, solids_of
from testbed.oracle.targets import balls
from testbed.oracle.terrain import Bools, Ints, leaps
from testbed.oracle.world_model import Strategy, WorldModel


class StraightRun(NamedTuple):
    """Run: go to a node of `start`, turn, and drive. `bearing` is in degrees clockwise from +z; it drives for
    `steps` steps. A `bold` one crosses forbidden places, as it is meant to fly over them."""

    start: Ints
    bearing: float
    steps: int
    bold: bool


class RandomProbe:
    """Draws things to try from the present state."""

    def __init__(self, costs: CostMap, scene: Scene, good: Sequence[Ball], reached: Bools) -> None:
        """`reached` (n,) are the nodes that the agent can reach."""
        self._costs, self._scene, self._good = costs, scene, good
        self._reached = reached
        self._loose = [i for i, thing in enumerate(scene.things) if thing.kind in LOOSE and scene.visible[i]]

    def draw(self, rng: np.random.Generator) -> StraightRun | None:
        """Draw something to try, two times in five a leap. None if none of 40 draws can be started."""
        edges: tuple[Ints, Ints] | None = None
        run: StraightRun | None
        for _ in range(40):
            if self._loose and (rng.random() > 0.4 or (edges is not None and not len(edges[0]))):
                run = self._ram(rng)
            else:
                edges = edges or self._edges()
                run = self._leap(rng, edges) if len(edges[0]) else None
                if run is None and not self._loose:
                    return None
            if run is not None and len(run.start):
                return run
        return None

    def _edges(self) -> tuple[Ints, Ints]:
        """Leaps from where the agent can be to where it cannot."""
        source, target, _ = leaps(self._costs.terrain)
        useful = self._reached[source] & ~self._reached[target] & np.isfinite(self._costs.price[target])
        return source[useful], target[useful]

    def _leap(self, rng: np.random.Generator, edges: tuple[Ints, Ints]) -> StraightRun:
        """Return a run-up of some metres to an edge, and over it."""
        number = int(rng.integers(len(edges[0])))
        terrain = self._costs.terrain
        edge, target = (np.array([terrain.x[e[number]], terrain.z[e[number]]]) for e in edges)
        direction = (target - edge) / np.linalg.norm(target - edge)
        back = float(rng.choice((4.0, 7.0, 10.0, 14.0)))
        steps = round((back + np.linalg.norm(target - edge)) / 1.0) + 4
        start = self._costs.close_to(edge - direction * back, self._reached)
        return StraightRun(start, _bearing(direction), steps, True)

    def _ram(self, rng: np.random.Generator) -> StraightRun:
        """Return a run-up of some metres to a part of something loose."""
        parts = solids_of(self._scene, int(rng.choice(self._loose)))
        part = parts[int(rng.integers(len(parts)))]
        direction = self._direction(rng, part)
        across = np.array([direction[1], -direction[0]])
        wide, deep = _extent(part, across), _extent(part, direction)
        point = np.array(part.centre) + across * rng.uniform(-0.9, 0.9) * wide
        start = point - direction * (deep + 0.5 + float(rng.choice((0.4, 1.0, 2.5, 5.0))))
        steps = int(rng.choice([5, 8, 12, 18, 26]))
        return StraightRun(self._costs.close_to(start, self._reached), _bearing(direction), steps, False)

    def _direction(self, rng: np.random.Generator, part: Solid) -> Floats:
        """Towards a goal, along one of the sides, or any. A unit vector (x, z)."""
        choice = rng.random()
        if choice < 0.4 and self._good:
            goal = self._good[int(rng.integers(len(self._good)))]
            direction = np.array([goal.centre[0], goal.centre[2]]) - np.array(part.centre)
        elif choice < 0.85:
            side = np.array(part.across if rng.random() < 0.5 else part.along)
            direction = side if rng.random() < 0.5 else -side
        else:
            direction = rng.normal(size=2)
        return np.asarray(direction / max(float(np.linalg.norm(direction)), 1e-6))


def _extent(part: Solid, direction: Floats) -> float:
    """Half the length of a block along a direction, metres."""
    across = abs(float(direction @ np.array(part.across)))
    along = abs(float(direction @ np.array(part.along)))
    return across * part.half[0] + along * part.half[1]


def _bearing(direction: Floats) -> float:
    return math.degrees(math.atan2(direction[0], direction[1]))


STUCK_LEGS = 6
"""Number of legs without progress after which a leg is perturbed."""

FALLING = -1.5
"""Vertical speed below which it waits to land, m/s."""


class Attempt:
    """Player of an episode with a strategy, while moves are left."""

    def __init__(self, episode: Episode, strategy: Strategy, pushes: Sequence[Push] = ()) -> None:
        """`pushes` are carried out first, if their places can be reached."""
        self.episode = episode
        self.strategy = strategy
        self._pushes = pushes
        self.driver = Driver(episode)
        self._rng = np.random.default_rng(strategy.seed)
        self._world = WorldModel(episode, strategy)
        self._probes = 0
        self._waited = 0
        self._stuck = 0
        self._perturbed = 0
        self._best_cost = np.inf
        self._aims: tuple[int, ...] = ()

    def run(self) -> None:
        """Play on."""
        for push in self._pushes:
            self._push(push)
        while not self.episode.done:
            if not self._turn():
                return

    def _turn(self) -> bool:
        """Drive one leg. False if there are no moves left."""
        scene = self.episode.scene()
        # After 250 steps it starts even if something still moves.
        if self.strategy.wait and self.episode.steps < 250 and self._moving(scene):
            return not self.episode.done
        planner = self._world.planner(scene)
        if self._world.aims != self._aims:
            self._aims, self._best_cost, self._stuck, self._perturbed = self._world.aims, np.inf, 0, 0
        velocity = self.episode.velocity
        if velocity[1] < FALLING:
            self.driver.idle(1)
            return True
        if planner and self._world.wait_steps and planner.cost_from(self.episode.position) < 0.4:
            self.driver.idle(min(self._world.wait_steps, 3))
            return True
        leg = planner.leg(self.episode.position, velocity, self.episode.yaw) if planner else None
        if leg is None:
            return self._wait(scene)
        self._waited = 0
        assert planner is not None
        if self._no_progress(planner):
            self._perturb(planner)
            # Eight perturbed legs for the same balls, then random probes.
            return self._perturbed < 8 or self._probe()
        before = self.episode.steps, self.episode.position
        self._drive(leg)
        if self.episode.steps == before[0]:
            self.driver.idle(1)
        elif math.dist(before[1], self.episode.position) < 0.02:
            # It drove against something that the grid is too coarse to show.
            self._stuck += STUCK_LEGS - 1 - self._stuck % STUCK_LEGS
        return True

    def _no_progress(self, planner: LocalPlanner) -> bool:
        cost = planner.cost_from(self.episode.position)
        if cost < self._best_cost - 0.3:
            self._best_cost, self._stuck = cost, 0
            return False
        self._stuck += 1
        return self._stuck % STUCK_LEGS == 0

    def _perturb(self, planner: LocalPlanner) -> None:
        """Something unknown obstructs: choose a leg with noise added to the costs."""
        self._best_cost = np.inf
        self._perturbed += 1
        self.driver.idle(1)
        noise = self._rng.normal(0.0, 6.0, 2 * len(TURNS))
        leg = planner.leg(self.episode.position, self.episode.velocity, self.episode.yaw, noise)
        if leg:
            self._drive(leg)

    def _wait(self, scene: Scene) -> bool:
        """Let moving things come to rest, for 60 steps at most. False if then no moves are left."""
        before = scene.positions
        self.driver.idle(4)
        if self.episode.done:
            return False
        still = not self._moved(before)
        self._waited += 4
        if self._waited < (8 if still and self.episode.speed < 0.1 else 60):
            return True
        return self._probe()

    def _probe(self) -> bool:
        """Try something at random. False if no moves are left."""
        if self._probes >= self.strategy.probes or self._world.node() < 0:
            return False
        self._probes += 1
        scene = self.episode.scene()
        paths = self._world.path_costs()
        good = [ball for ball in balls(scene) if ball.worth > 0]
        run = RandomProbe(self._world.costs, scene, good, np.isfinite(paths)).draw(self._rng)
        if run is None:
            return False
        self._waited = 0
        if self._go_to(run.start):
            self._run_straight(run.bearing, run.steps, run.bold)
        return not self.episode.done

    def _push(self, push: Push) -> None:
        if not self.line_up(push.x, push.z):
            return
        if push.gentle:
            self.driver.nudge(push.bearing, push.steps)
        else:
            self._run_straight(push.bearing, push.steps, bold=True)

    def line_up(self, x: float, z: float) -> bool:
        """Stand at a place exactly, without touching anything loose. False if that fails."""
        if not self.go_near(x, z):
            return False
        self.driver.stand(x, z)
        return True

    def go_near(self, x: float, z: float, zones: Sequence[int] = ()) -> bool:
        """Drive to a place without touching loose things; False on failure. It does not enter some zones
        (indices into the scene). False if that fails."""
        scene = self.episode.scene()
        nodes = self._world.around(scene, x, z)
        avoids = [solids_of(scene, zone)[0] for zone in zones]
        return len(nodes) > 0 and self._go_to(nodes, gently=True, avoids=avoids)

    def _go_to(self, nodes: Ints, gently: bool = False, avoids: Sequence[Solid] = ()) -> bool:
        """Drive to one of some nodes and stop there. False if that fails. `gently` means to leave loose
        things on the path undisturbed."""
        scene, costs = self.episode.scene(), self._world.costs
        price = costs.avoiding(balls(scene))
        if gently:
            price = price + costs.touchy(scene)
        for zone in avoids:
            price[costs.near(zone, 0.1)] = np.inf
        planner = LocalPlanner(CostToGo(costs, price, nodes), 8, halts=gently or bool(avoids))
        for _ in range(60):
            at, velocity = self.episode.position, self.episode.velocity
            if self.episode.done:
                return False
            if planner.cost_from(at) < 0.25:
                if self.episode.speed < 0.3:
                    return True
                self.driver.idle(1)
                continue
            leg = planner.leg(at, velocity, self.episode.yaw)
            if velocity[1] < FALLING:
                self.driver.idle(1)
            elif leg is None:
                return False
            else:
                self._drive(leg)
        return False

    def _run_straight(self, bearing: float, steps: int, bold: bool) -> None:
        self.driver.face(bearing)
        for _ in range(steps):
            if not bold and self._forbidden_ahead():
                break
            self.driver.drive(1)
        self.driver.idle(8)

    def _forbidden_ahead(self) -> bool:
        (x, y, z), (vx, _, vz) = self.episode.position, self.episode.velocity
        node = node_at(self._world.costs, x + 0.15 * vx, y, z + 0.15 * vz)
        return bool(node >= 0 and np.isinf(self._world.costs.price[node]))

    def _moving(self, scene: Scene) -> bool:
        """Wait for a moment; whether anything moved meanwhile."""
        self.driver.idle(2)
        return self._moved(scene.positions)

    def _moved(self, before: Floats) -> bool:
        """Return whether something was added or has moved from these positions."""
        now = self.episode.scene().positions
        return len(now) > len(before) or bool(np.abs(now - before).max(initial=0.0) > 0.02)

    def _drive(self, leg: Leg) -> None:
        self.driver.turn(leg.turns)
        longest = 5 if self.episode.position[1] > 0.6 else self.strategy.longest
        self.driver.drive(max(-longest, min(leg.steps, longest)))
