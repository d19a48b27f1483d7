"""Momentary view of the arena: ground, balls, their paths, and routes."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import dijkstra

from arena import IDLE, Episode, Replay
from arena.scene import Floats, Scene
from testbed.oracle.cost_map import Ball, CostMap, CostToGo, node_at
from testbed.oracle.local_planner import LocalPlanner
from testbed.oracle.solids import LOOSE, solids, solids_of
from testbed.oracle.targets import Choice, Regions, balls
from testbed.oracle.terrain import Ints, Terrain, leaps


class Strategy(NamedTuple):
    """The choices of one attempt.

    `push`: drive through loose objects, at a cost. `wait`: first let everything come to rest. `leap`: may
    drive fast over edges and fly. `probes`: maximum number of random probes (ramming something loose, or a
    leap) when no path is found. `careful` scales the cost of edges and walls. `longest` is the maximum number
    of driven steps per leg. `seed` is for random probes.
    """

    push: bool = False
    wait: bool = False
    leap: bool = False
    probes: int = 0
    careful: float = 1.0
    longest: int = 16
    seed: int = 0


HORIZON = 200
"""Maximum number of predicted steps; fewer if everything comes to rest before."""


def copy_of(episode: Episode) -> Episode:
    """Return a bit-identical copy of an episode, replayed in an own world."""
    return Replay(episode.recording(), episode.spec).to_end()


class Forecast:
    """Future positions (steps + 1, things, 3), metres, from step `start` on."""

    def __init__(self, episode: Episode) -> None:
        self.start = episode.steps
        positions = [episode.scene().positions]
        still = 0
        with copy_of(episode) as twin:
            while len(positions) <= HORIZON and still < 6 and not twin.done:
                twin.step(IDLE)
                # Things that are added meanwhile are not foreseen.
                positions.append(twin.scene().positions[: len(positions[0])])
                moved = np.abs(positions[-1] - positions[-2]).max(initial=0.0)
                still = still + 1 if moved < 0.004 else 0
        self.positions: Floats = np.array(positions)

    def at(self, step: int) -> Floats:
        """Return the positions (things, 3) at a step of the episode. The last ones after the horizon."""
        return np.asarray(self.positions[min(max(step - self.start, 0), len(self.positions) - 1)])

    @property
    def end(self) -> int:
        """The last step that is known."""
        return self.start + len(self.positions) - 1

    def moves(self, index: int, step: int) -> bool:
        """Return whether a thing moves away from its place after a step."""
        later = self.positions[max(step - self.start, 0) :, index]
        return bool(len(later) and np.abs(later - later[0]).max() > 0.1)

    def holds(self, positions: Floats, step: int, indices: list[int]) -> bool:
        """Return whether things are where they were predicted to be."""
        if not indices:
            return True
        # Things added since are not foreseen.
        if len(positions) > self.positions.shape[1] or (step > self.end and len(self.positions) > HORIZON):
            return False
        return bool(np.abs(positions[indices] - self.at(step)[indices]).max() < 0.2)


class WorldModel:
    """Cache of computed results for as long as they are valid.

    `aims` are the balls that are aimed at (indices into the scene), `wait_steps` is the number of steps until
    the last of them passes its intercept, `costs` is the cost map of the ground as it is now.
    """

    def __init__(self, episode: Episode, strategy: Strategy) -> None:
        self._episode = episode
        self._strategy = strategy
        self._number = 0
        self._known: Floats | None = None
        self._field: CostToGo | None = None
        self._field_key: object = None
        self._regions_key: object = None
        self._forecast: Forecast | None = None
        self._intercepts: dict[int, int] = {}
        self.wait_steps = 0
        self.aims: tuple[int, ...] = ()

    def planner(self, scene: Scene) -> LocalPlanner | None:
        """Return the local planner for the present targets. None if none can be reached."""
        self._update(scene)
        found = self._predicted(scene, balls(scene))
        places = tuple((ball.index, *np.round(ball.centre / 0.1).astype(int)) for ball in found)
        region = self._region(found)
        key = (self._number, places, region)
        if key != self._field_key:
            self._field_key = key
            self._field = self._cost_to_go(found) if region >= 0 else None
        return LocalPlanner(self._field, self._strategy.longest, self._strategy.leap) if self._field else None

    def _predicted(self, scene: Scene, found: list[Ball]) -> list[Ball]:
        """Return the balls. Moving ones are placed at their intercepts, moving dangers at several places."""
        step = self._episode.steps
        indices = [ball.index for ball in found]
        if self._forecast is None or not self._forecast.holds(scene.positions, step, indices):
            self._forecast, self._intercepts = Forecast(self._episode), {}
        forecast = self._forecast
        moving = {ball.index for ball in found if forecast.moves(ball.index, step)}
        self.wait_steps = 0
        result = []
        for ball in found:
            if ball.index not in moving:
                result.append(ball)
            elif ball.worth > 0:
                result.append(self._intercepted(ball, forecast))
            else:
                # Where dangers will be is considered every six steps.
                first = step - step % 6
                later = [forecast.at(first + n)[ball.index] for n in range(0, 40, 6)]
                result += [replace(ball, centre=centre) for centre in later]
        return result

    def path_costs(self) -> Floats:
        """Return the path cost (n,) from the agent to each node. Infinite if it is on none."""
        node, terrain = self.node(), self.costs.terrain
        if node < 0:
            return np.full(len(terrain.cell), np.inf)
        graph = terrain.graph(terrain.length * terrain.edge_means(self.costs.price)).T.tocsr()
        return np.asarray(dijkstra(graph, indices=node))

    def around(self, scene: Scene, x: float, z: float) -> Ints:
        """Return the nodes close to a place that the agent can reach."""
        self._update(scene)
        return self.costs.close_to((x, z), np.isfinite(self.path_costs()))

    def _intercepted(self, ball: Ball, forecast: Forecast) -> Ball:
        """Return a ball at its first reachable place, or its final one."""
        step = self._episode.steps
        when = self._intercepts.get(ball.index)
        if when is None or when < step:
            when = self._intercepts[ball.index] = self._first_intercept(ball, forecast)
        if when < forecast.end or forecast.end > step:
            self.wait_steps = max(self.wait_steps, when - step)
        return replace(ball, centre=forecast.at(when)[ball.index])

    def _first_intercept(self, ball: Ball, forecast: Forecast) -> int:
        """Return the first step in which a moving ball can be touched. If there is none, it is the last
        predicted. Getting there takes 0.8 steps per metre of path and 8 more."""
        step, paths = self._episode.steps, self.path_costs()
        for later in range(0, forecast.end - step + 1, 3):
            there = replace(ball, centre=forecast.at(step + later)[ball.index])
            nodes = self.costs.targets(there)
            if len(nodes):
                needed = paths[nodes].min() * 0.8 + 8.0
                if needed <= later or (later == 0 and needed < 9.5):
                    return step + later
        return forecast.end

    def _cost_to_go(self, found: list[Ball]) -> CostToGo | None:
        self.aims = ()
        chosen, nodes = Choice(self.costs, self._regions, found).next_balls(self.node())
        if not chosen:
            return None
        self.aims = tuple(ball.index for ball in chosen)
        avoided = [b for b in found if b.worth <= 0 or (b.ends and b.index not in self.aims)]
        return CostToGo(self.costs, self.costs.avoiding(avoided), nodes)

    def _region(self, found: list[Ball]) -> int:
        """Return the agent's region without things that end the episode."""
        avoided = [ball for ball in found if ball.worth <= 0 or ball.ends]
        key = (self._number, tuple((b.index, *np.round(b.centre, 1)) for b in avoided))
        if key != self._regions_key:
            self._regions_key, self._regions = key, Regions(self.costs, avoided)
        node = self.node()
        return int(self._regions.label[node]) if node >= 0 else -1

    def node(self) -> int:
        """Return the node that the agent is on, -1 for none."""
        return node_at(self.costs, *self._episode.position)

    def _update(self, scene: Scene) -> None:
        """Map the ground again if a solid thing has moved. The limit is 0.04 m, or 0.04 in its rotation."""
        solid = [i for i, thing in enumerate(scene.things) if "Goal" not in thing.kind]
        pose = np.concatenate([scene.positions[solid].ravel(), scene.rotations[solid].ravel()])
        if self._known is not None and np.abs(pose - self._known).max(initial=0.0) < 0.04:
            return
        self._known = pose
        self._number += 1
        push = self._strategy.push
        loose = [i for i, thing in enumerate(scene.things) if push and thing.kind in LOOSE]
        terrain = Terrain(solids(scene, loose=not push))
        if self._strategy.leap:
            terrain.add(*leaps(terrain))
        pushed = [solid for i in loose for solid in solids_of(scene, i)]
        self.costs = CostMap(terrain, scene, pushed, self._strategy.careful)
