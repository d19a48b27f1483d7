"""One try at a task in imagination: an episode played by the pilot with a certain way of looking at it."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse.csgraph import dijkstra

from arena import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action, Episode
from arena.scene import Floats, Scene
from llm_control.agents.oracle.field import Ball, Field, Ground
from llm_control.agents.oracle.forecast import Forecast
from llm_control.agents.oracle.leaps import leaps
from llm_control.agents.oracle.motion import TURNS
from llm_control.agents.oracle.pilot import RISE, Leg, Pilot, places
from llm_control.agents.oracle.solids import LOOSE, solids, solids_of
from llm_control.agents.oracle.targets import Choice, Regions, balls
from llm_control.agents.oracle.terrain import Ints, Terrain
from llm_control.agents.oracle.tinker import Dash, Tinker

MOVED = 0.04
"""A thing that moved by more than this (metres, or in an entry of its rotation) changes the ground."""

PATIENCE = 60
"""Steps that an attempt waits where nothing can be reached but something still moves."""

MOST_WAITING = 250
"""Steps after which an attempt that waits starts, even where something still moves."""

PACE, TURNING = 0.8, 8.0
"""Steps per metre of way, and steps beside, that it takes to get to where a ball will pass."""

MOST_SHAKES = 8
"""So many shakes for the same balls, and it tries something else."""

DANGER_STEPS = 6
"""Where dangers will be is looked at for every so many steps."""

STUCK_LEGS = 6
"""So many legs without coming nearer, and the attempt shakes itself free."""


@dataclass(frozen=True)
class Manner:
    """How an attempt goes about a task.

    `push`: what is loose is driven through, at a cost. `wait`: first lets everything come to rest. `leap`: may
    drive fast over edges and fly. `tinker`: so often tries to ram something loose, or to fly, where it sees no
    way. `careful` scales the cost of edges and walls. `longest`
    bounds the driven steps of a leg. `seed` is for what is tried at random.
    """

    push: bool = False
    wait: bool = False
    leap: bool = False
    tinker: int = 0
    careful: float = 1.0
    longest: int = 16
    seed: int = 0


class Attempt:
    """Plays an episode with a manner until it is over, or until it sees nothing more to do."""

    def __init__(self, episode: Episode, manner: Manner) -> None:
        self.episode = episode
        self.manner = manner
        self._rng = np.random.default_rng(manner.seed)
        self._parity = False
        self._known: Floats | None = None
        self._field: Field | None = None
        self._field_key: object = None
        self._regions_key: object = None
        self._forecast: Forecast | None = None
        self._meetings: dict[int, int] = {}
        self._ambush = 0
        self._tinkered = 0
        self._waited = 0
        self._stuck = 0
        self._shakes = 0
        self._best_cost = np.inf
        self._last_targets: object = None

    def run(self) -> None:
        """Play on."""
        while not self.episode.done:
            if not self._turn():
                return

    def _turn(self) -> bool:
        """One leg; False where there is nothing left to do."""
        scene = self.episode.scene()
        if self.manner.wait and self.episode.steps < MOST_WAITING and self._moving(scene):
            return not self.episode.done
        pilot = self._pilot(scene)
        velocity = self.episode.velocity
        if velocity[1] < -1.5:
            self._idle(1)
            return True
        if pilot and self._ambush and pilot.cost_from(self.episode.position) < 0.4:
            self._idle(min(self._ambush, 3))
            return True
        leg = pilot.leg(self.episode.position, velocity, self.episode.yaw) if pilot else None
        if leg is None:
            return self._wait(scene)
        self._waited = 0
        assert pilot is not None
        if self._no_progress(pilot):
            self._shake(pilot)
            return self._shakes < MOST_SHAKES or self._tinker()
        before = self.episode.steps, self.episode.position
        self._drive(leg)
        if self.episode.steps == before[0]:
            self._idle(1)
        elif math.dist(before[1], self.episode.position) < 0.02:
            # It drove against something that the grid is too coarse to show.
            self._stuck += STUCK_LEGS - 1 - self._stuck % STUCK_LEGS
        return True

    def _no_progress(self, pilot: Pilot) -> bool:
        cost = pilot.cost_from(self.episode.position)
        if cost < self._best_cost - 0.3:
            self._best_cost, self._stuck = cost, 0
            return False
        self._stuck += 1
        return self._stuck % STUCK_LEGS == 0

    def _shake(self, pilot: Pilot) -> None:
        """Something unforeseen is in the way: a move that is good but for some noise."""
        self._best_cost = np.inf
        self._shakes += 1
        self._idle(1)
        noise = self._rng.normal(0.0, 6.0, 2 * len(TURNS))
        leg = pilot.leg(self.episode.position, self.episode.velocity, self.episode.yaw, noise)
        if leg:
            self._drive(leg)

    def _wait(self, scene: Scene) -> bool:
        """Let things that move come to rest; False after a while."""
        before = scene.positions
        self._idle(4)
        if self.episode.done:
            return False
        still = np.abs(self.episode.scene().positions - before).max(initial=0.0) < 0.02
        self._waited += 4
        if self._waited < (8 if still and self.episode.speed < 0.1 else PATIENCE):
            return True
        return self._tinker()

    def _tinker(self) -> bool:
        """Try something; False where there is nothing to try any more."""
        node = self._node()
        if self._tinkered >= self.manner.tinker or node < 0:
            return False
        self._tinkered += 1
        scene = self.episode.scene()
        ways = self._ways()
        assert ways is not None
        good = [ball for ball in balls(scene) if ball.worth > 0]
        dash = Tinker(self._ground, scene, good, np.isfinite(ways)).draw(self._rng)
        if dash is None:
            return False
        self._waited = 0
        if self._go_to(dash.start):
            self._dash(dash)
        return not self.episode.done

    def _go_to(self, nodes: Ints) -> bool:
        """Drive to one of some nodes and stop there; False where that fails."""
        field = Field(self._ground, self._ground.avoiding(balls(self.episode.scene())), nodes)
        pilot = Pilot(field, 8)
        for _ in range(40):
            at, velocity = self.episode.position, self.episode.velocity
            if self.episode.done:
                return False
            if pilot.cost_from(at) < 0.25:
                if self.episode.speed < 0.3:
                    return True
                self._idle(1)
                continue
            leg = pilot.leg(at, velocity, self.episode.yaw)
            if velocity[1] < -1.5:
                self._idle(1)
            elif leg is None:
                return False
            else:
                self._drive(leg)
        return False

    def _dash(self, dash: Dash) -> None:
        turn = round(((dash.bearing - self.episode.yaw + 180) % 360 - 180) / 6)
        self._drive(Leg(turn, 0, 0.0))
        for _ in range(dash.steps):
            x, _, z = self.episode.position
            vx, _, vz = self.episode.velocity
            ahead = np.array([[x + 0.15 * vx, z + 0.15 * vz]])
            field = _plain(self._ground)
            found = places(field, ahead, np.array([self.episode.position[1]]), RISE)
            if not dash.bold and found.node[0] >= 0 and np.isinf(self._ground.price[found.node[0]]):
                break
            self._act(FORWARD)
        self._idle(8)

    def _moving(self, scene: Scene) -> bool:
        """Idle for a moment, and say whether anything moved meanwhile."""
        self._idle(2)
        moved = np.abs(self.episode.scene().positions - scene.positions).max(initial=0.0)
        return bool(moved > 0.02)

    def _idle(self, steps: int) -> None:
        """Turn to and fro: a script has no other way to wait."""
        for _ in range(steps):
            self._parity = not self._parity
            self._act(TURN_RIGHT if self._parity else TURN_LEFT)

    def _drive(self, leg: Leg) -> None:
        for _ in range(abs(leg.turns)):
            self._act(TURN_RIGHT if leg.turns > 0 else TURN_LEFT)
        high = self.episode.position[1] > 0.6
        count = min(abs(leg.steps), 5 if high else self.manner.longest)
        for _ in range(count):
            self._act(FORWARD if leg.steps > 0 else BACKWARD)

    def _act(self, action: Action) -> None:
        if not self.episode.done:
            self.episode.step(action)

    def _pilot(self, scene: Scene) -> Pilot | None:
        """The pilot for the present targets; None where nothing can be reached."""
        self._look(scene)
        found = self._foreseen(scene, balls(scene))
        key = (
            id(self._ground),
            tuple((ball.index, *np.round(ball.centre / 0.1).astype(int)) for ball in found),
        )
        if key != self._field_key:
            self._field_key = key
            self._field = self._make_field(scene, found)
        return Pilot(self._field) if self._field else None

    def _foreseen(self, scene: Scene, found: list[Ball]) -> list[Ball]:
        """The balls, those that move put where they can be met; dangers that move at several places."""
        step = self.episode.steps
        indices = [ball.index for ball in found]
        if self._forecast is None or not self._forecast.holds(scene.positions, step, indices):
            self._forecast, self._meetings = Forecast(self.episode), {}
        forecast = self._forecast
        moving = {ball.index for ball in found if forecast.moves(ball.index, step)}
        self._ambush = 0
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

    def _ways(self) -> Floats | None:
        """The cost (n,) of the way from the agent to each node."""
        node = self._node()
        if node < 0:
            return None
        terrain = self._ground.terrain
        ends = (self._ground.price[terrain.source] + self._ground.price[terrain.target]) / 2
        graph = terrain.graph(terrain.length * ends).T.tocsr()
        return np.asarray(dijkstra(graph, indices=node))

    def _meeting(self, ball: Ball, forecast: Forecast) -> Ball:
        """A ball where the agent can first touch it; at its end where that is nowhere before."""
        step = self.episode.steps
        when = self._meetings.get(ball.index)
        if when is None or when < step:
            when = self._meetings[ball.index] = self._first_meeting(ball, forecast)
        if when < forecast.end or forecast.end > step:
            self._ambush = max(self._ambush, when - step)
        return replace(ball, centre=forecast.at(when)[ball.index])

    def _first_meeting(self, ball: Ball, forecast: Forecast) -> int:
        """The step in which the agent can first touch a ball that moves; the last one that is known if none."""
        step, ways = self.episode.steps, self._ways()
        for later in range(0, forecast.end - step + 1, 3):
            there = replace(ball, centre=forecast.at(step + later)[ball.index])
            nodes = self._ground.targets(there)
            if ways is not None and len(nodes):
                needed = ways[nodes].min() * PACE + TURNING
                if needed <= later or later == 0 and needed < TURNING + 1.5:
                    return step + later
        return forecast.end

    def _make_field(self, scene: Scene, found: list[Ball]) -> Field | None:
        avoided = [ball for ball in found if ball.worth <= 0 or ball.ends]
        key = (id(self._ground), tuple((b.index, *np.round(b.centre, 1)) for b in avoided))
        if key != self._regions_key:
            self._regions_key, self._regions = key, Regions(self._ground, avoided)
        choice = Choice(self._ground, self._regions, found)
        node = self._node()
        if node < 0:
            return None
        chosen, nodes = choice.next_balls(node)
        if not chosen:
            return None
        aims = tuple(ball.index for ball in chosen)
        if aims != self._last_targets:
            self._last_targets, self._best_cost, self._stuck, self._shakes = aims, np.inf, 0, 0
        ending = {ball.index for ball in chosen}
        avoided = [ball for ball in found if ball.worth <= 0 or (ball.ends and ball.index not in ending)]
        return Field(self._ground, self._ground.avoiding(avoided), nodes)

    def _node(self) -> int:
        """The node that the agent is on."""
        x, y, z = self.episode.position
        found = places(_plain(self._ground), np.array([[x, z]]), np.array([y]), RISE)
        return int(found.node[0])

    def _look(self, scene: Scene) -> None:
        """Survey the ground anew where something solid has moved."""
        solid = [i for i, thing in enumerate(scene.things) if "Goal" not in thing.kind]
        pose = np.concatenate([scene.positions[solid].ravel(), scene.rotations[solid].ravel()])
        if self._known is not None and np.abs(pose - self._known).max(initial=0.0) < MOVED:
            return
        self._known = pose
        pushed = []
        if self.manner.push:
            for i, thing in enumerate(scene.things):
                if thing.kind in LOOSE:
                    size = tuple(scene.sizes[i])
                    pushed += solids_of(thing, size, scene.positions[i], scene.rotations[i])
        terrain = Terrain(solids(scene, loose=not self.manner.push))
        if self.manner.leap:
            terrain.add(*leaps(terrain))
        self._ground = Ground(terrain, scene, pushed, self.manner.careful)


def _plain(ground: Ground) -> Field:
    """A field without a target, to look up nodes."""
    return Field(ground, ground.price, np.array([], dtype=np.intp))
