"""One try at a task in imagination: an episode played by the pilot with a certain way of looking at it."""

import math
from collections.abc import Sequence

import numpy as np

from arena import BACKWARD, FORWARD, TURN_LEFT, TURN_RIGHT, Action, Episode
from arena.geometry.angles import wrap_deg
from arena.scene import Scene
from testbed.blueprints import Shove
from testbed.oracle.field import Field
from testbed.oracle.manner import Manner
from testbed.oracle.motion import TURNS
from testbed.oracle.pilot import Leg, Pilot, places
from testbed.oracle.pushing import Pusher
from testbed.oracle.survey import Survey, plain
from testbed.oracle.targets import balls
from testbed.oracle.terrain import Ints
from testbed.oracle.tinker import Dash, Tinker

PATIENCE = 60
"""Steps that an attempt waits where nothing can be reached but something still moves."""

MOST_WAITING = 250
"""Steps after which an attempt that waits starts, even where something still moves."""

MOST_SHAKES = 8
"""So many shakes for the same balls, and it tries something else."""

STUCK_LEGS = 6
"""So many legs without coming nearer, and the attempt shakes itself free."""


class Attempt:
    """Plays an episode with a manner until it is over, or until it sees nothing more to do."""

    def __init__(self, episode: Episode, manner: Manner, shoves: Sequence[Shove] = ()) -> None:
        """`shoves` are carried out first, as far as their places can be reached."""
        self.episode = episode
        self._shoves = shoves
        self.manner = manner
        self._rng = np.random.default_rng(manner.seed)
        self._parity = False
        self._survey = Survey(episode, manner)
        self._tinkered = 0
        self._waited = 0
        self._stuck = 0
        self._shakes = 0
        self._best_cost = np.inf
        self._aims: tuple[int, ...] = ()

    def run(self) -> None:
        """Play on."""
        for shove in self._shoves:
            self._shove(shove)
        while not self.episode.done:
            if not self._turn():
                return

    def _turn(self) -> bool:
        """One leg; False where there is nothing left to do."""
        scene = self.episode.scene()
        if self.manner.wait and self.episode.steps < MOST_WAITING and self._moving(scene):
            return not self.episode.done
        pilot = self._survey.pilot(scene)
        if self._survey.aims != self._aims:
            self._aims, self._best_cost, self._stuck, self._shakes = self._survey.aims, np.inf, 0, 0
        velocity = self.episode.velocity
        if velocity[1] < -1.5:
            self._idle(1)
            return True
        if pilot and self._survey.ambush and pilot.cost_from(self.episode.position) < 0.4:
            self._idle(min(self._survey.ambush, 3))
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
        node = self._survey.node()
        if self._tinkered >= self.manner.tinker or node < 0:
            return False
        self._tinkered += 1
        scene = self.episode.scene()
        ways = self._survey.ways()
        assert ways is not None
        good = [ball for ball in balls(scene) if ball.worth > 0]
        dash = Tinker(self._survey.ground, scene, good, np.isfinite(ways)).draw(self._rng)
        if dash is None:
            return False
        self._waited = 0
        if self._go_to(dash.start):
            self._dash(dash)
        return not self.episode.done

    def _shove(self, shove: Shove) -> None:
        nodes = self._survey.around(self.episode.scene(), shove.x, shove.z)
        if len(nodes) and self._go_to(nodes, gently=True):
            pusher = Pusher(self.episode, self._idle)
            pusher.stand(shove.x, shove.z)
            if shove.gentle:
                pusher.nudge(shove.bearing, shove.steps)
            else:
                self._dash(Dash(nodes, shove.bearing, shove.steps, True))

    def _go_to(self, nodes: Ints, gently: bool = False) -> bool:
        """Drive to one of some nodes and stop there; False where that fails.

        `gently` means to disturb nothing loose on the way.
        """
        scene, ground = self.episode.scene(), self._survey.ground
        price = ground.avoiding(balls(scene))
        if gently:
            price = price + ground.touchy(scene)
        pilot = Pilot(Field(ground, price, nodes), 8, halts=gently)
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
        turn = round(wrap_deg(dash.bearing - self.episode.yaw) / 6)
        self._drive(Leg(turn, 0, 0.0))
        for _ in range(dash.steps):
            x, _, z = self.episode.position
            vx, _, vz = self.episode.velocity
            ahead = np.array([[x + 0.15 * vx, z + 0.15 * vz]])
            field = plain(self._survey.ground)
            found = places(field, ahead, np.array([self.episode.position[1]]))
            if not dash.bold and found.node[0] >= 0 and np.isinf(self._survey.ground.price[found.node[0]]):
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
