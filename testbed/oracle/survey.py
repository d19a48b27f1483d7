"""What an attempt knows of the arena at a moment: the ground, the balls, where they roll, and the way."""

from dataclasses import replace

import numpy as np
from scipy.sparse.csgraph import dijkstra

from arena import Episode
from arena.scene import Floats, Scene
from testbed.oracle.field import Ball, Field, Ground
from testbed.oracle.forecast import Forecast
from testbed.oracle.leaps import leaps
from testbed.oracle.manner import Manner
from testbed.oracle.pilot import Pilot, places
from testbed.oracle.solids import LOOSE, solids, solids_of
from testbed.oracle.targets import Choice, Regions, balls
from testbed.oracle.terrain import Ints, Terrain

MOVED = 0.04
"""A thing that moved by more than this (metres, or in an entry of its rotation) changes the ground."""

PACE, TURNING = 0.8, 8.0
"""Steps per metre of way, and steps beside, that it takes to get to where a ball will pass."""

CLOSE = 0.3
"""So near to a place counts as there, metres."""

DANGER_STEPS = 6
"""Where dangers will be is looked at for every so many steps."""


class Survey:
    """Keeps what was worked out for as long as it holds.

    `aims` are the balls that are gone for (indices into the scene), `ambush` is the number of steps until the
    last of them passes where it is waited for, `ground` is the ground as it is now.
    """

    def __init__(self, episode: Episode, manner: Manner) -> None:
        self._episode = episode
        self._manner = manner
        self._number = 0
        self._known: Floats | None = None
        self._field: Field | None = None
        self._field_key: object = None
        self._regions_key: object = None
        self._forecast: Forecast | None = None
        self._meetings: dict[int, int] = {}
        self.ambush = 0
        self.aims: tuple[int, ...] = ()

    def pilot(self, scene: Scene) -> Pilot | None:
        """The pilot for the present targets; None where nothing can be reached."""
        self._look(scene)
        found = self._foreseen(scene, balls(scene))
        places_of = tuple((ball.index, *np.round(ball.centre / 0.1).astype(int)) for ball in found)
        region = self._region(found)
        key = (self._number, places_of, region)
        if key != self._field_key:
            self._field_key = key
            self._field = self._make_field(found) if region >= 0 else None
        return Pilot(self._field, self._manner.longest, self._manner.leap) if self._field else None

    def _foreseen(self, scene: Scene, found: list[Ball]) -> list[Ball]:
        """The balls, those that move put where they can be met; dangers that move at several places."""
        step = self._episode.steps
        indices = [ball.index for ball in found]
        if self._forecast is None or not self._forecast.holds(scene.positions, step, indices):
            self._forecast, self._meetings = Forecast(self._episode), {}
        forecast = self._forecast
        moving = {ball.index for ball in found if forecast.moves(ball.index, step)}
        self.ambush = 0
        result = []
        for ball in found:
            if ball.index not in moving:
                result.append(ball)
            elif ball.worth > 0:
                result.append(self._meeting(ball, forecast))
            else:
                first = step - step % DANGER_STEPS
                later = [forecast.at(first + n)[ball.index] for n in range(0, 40, DANGER_STEPS)]
                result += [replace(ball, centre=centre) for centre in later]
        return result

    def ways(self) -> Floats | None:
        """The cost (n,) of the way from the agent to each node."""
        node = self.node()
        if node < 0:
            return None
        terrain = self.ground.terrain
        ends = (self.ground.price[terrain.source] + self.ground.price[terrain.target]) / 2
        graph = terrain.graph(terrain.length * ends).T.tocsr()
        return np.asarray(dijkstra(graph, indices=node))

    def around(self, scene: Scene, x: float, z: float) -> Ints:
        """The nodes close to a place to which the agent can get."""
        self._look(scene)
        ways, terrain = self.ways(), self.ground.terrain
        if ways is None:
            return np.array([], dtype=np.intp)
        close = (terrain.x - x) ** 2 + (terrain.z - z) ** 2 < CLOSE**2
        return np.flatnonzero(close & np.isfinite(ways) & np.isfinite(self.ground.price))

    def _meeting(self, ball: Ball, forecast: Forecast) -> Ball:
        """A ball where the agent can first touch it; at its end where that is nowhere before."""
        step = self._episode.steps
        when = self._meetings.get(ball.index)
        if when is None or when < step:
            when = self._meetings[ball.index] = self._first_meeting(ball, forecast)
        if when < forecast.end or forecast.end > step:
            self.ambush = max(self.ambush, when - step)
        return replace(ball, centre=forecast.at(when)[ball.index])

    def _first_meeting(self, ball: Ball, forecast: Forecast) -> int:
        """The step in which the agent can first touch a ball that moves; if none, the last that is known."""
        step, ways = self._episode.steps, self.ways()
        for later in range(0, forecast.end - step + 1, 3):
            there = replace(ball, centre=forecast.at(step + later)[ball.index])
            nodes = self.ground.targets(there)
            if ways is not None and len(nodes):
                needed = ways[nodes].min() * PACE + TURNING
                if needed <= later or (later == 0 and needed < TURNING + 1.5):
                    return step + later
        return forecast.end

    def _make_field(self, found: list[Ball]) -> Field | None:
        node = self.node()
        self.aims = ()
        chosen, nodes = Choice(self.ground, self._regions, found).next_balls(node)
        if not chosen:
            return None
        self.aims = tuple(ball.index for ball in chosen)
        avoided = [b for b in found if b.worth <= 0 or (b.ends and b.index not in self.aims)]
        return Field(self.ground, self.ground.avoiding(avoided), nodes)

    def _region(self, found: list[Ball]) -> int:
        """The region that the agent is in, where all that ends the episode is avoided."""
        avoided = [ball for ball in found if ball.worth <= 0 or ball.ends]
        key = (self._number, tuple((b.index, *np.round(b.centre, 1)) for b in avoided))
        if key != self._regions_key:
            self._regions_key, self._regions = key, Regions(self.ground, avoided)
        node = self.node()
        return int(self._regions.label[node]) if node >= 0 else -1

    def node(self) -> int:
        """The node that the agent is on."""
        x, y, z = self._episode.position
        found = places(plain(self.ground), np.array([[x, z]]), np.array([y]))
        return int(found.node[0])

    def _look(self, scene: Scene) -> None:
        """Survey the ground anew where something solid has moved."""
        solid = [i for i, thing in enumerate(scene.things) if "Goal" not in thing.kind]
        pose = np.concatenate([scene.positions[solid].ravel(), scene.rotations[solid].ravel()])
        if self._known is not None and np.abs(pose - self._known).max(initial=0.0) < MOVED:
            return
        self._known = pose
        self._number += 1
        pushed = []
        if self._manner.push:
            for i, thing in enumerate(scene.things):
                if thing.kind in LOOSE:
                    size = tuple(scene.sizes[i])
                    pushed += solids_of(thing, size, scene.positions[i], scene.rotations[i])
        terrain = Terrain(solids(scene, loose=not self._manner.push))
        if self._manner.leap:
            terrain.add(*leaps(terrain))
        self.ground = Ground(terrain, scene, pushed, self._manner.careful)


def plain(ground: Ground) -> Field:
    """A field without a target, to look up nodes."""
    return Field(ground, ground.price, np.array([], dtype=np.intp))
