"""The bodies of an arena in Bullet, which finds contacts while anything but the agent and balls moves."""

import math
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from arena.geometry.placed import Placed
from arena.kernel.balls import MAX_SPIN
from arena.physics import clients, pushing
from arena.physics.agent import AgentBody
from arena.physics.bodies import Body, Builder, read_poses, swap
from arena.physics.bullet import bullet
from arena.physics.sleeping_bodies import SleepingBodies, pace
from arena.scene import Floats, Vector


class Simulation:
    """Bullet's bodies of an arena's solid things; never restored from a state, so that replays are exact.

    Things are named by their indices into the world's. Positions (n, 3) and rotations (n, 3, 3) are those of
    all things, in Animal-AI's frame.
    """

    def __init__(
        self, things: Mapping[int, Placed], agents: Sequence[AgentBody], asleep: Collection[int]
    ) -> None:
        """Things where they are now, in the order of their indices; heavy ones may be `asleep`."""
        self.client = clients.acquire()
        # A client takes about 30 MB; one that is garbage-collected is freed even if not closed.
        self.close = weakref.finalize(self, clients.release, self.client)
        self._builder = Builder(self.client)
        self._builder.configure()
        self.bodies: dict[int, Body] = {}
        self._loose: dict[int, int] = {}
        self._balls: dict[int, int] = {}
        self._turned: dict[int, Floats] = {}
        """Rotations of balls where Bullet's begin."""
        self._held: set[int] = set()
        self.agents = [self._builder.agent(agent.position) for agent in agents]
        others = self._builder.ground_and_boundary()
        self.by_id = {body.id: body for body in (*self.agents, *others)}
        for index, placed in things.items():
            self.add(index, placed)
        heavy = {index: body for index, body in self.bodies.items() if things[index].kind.is_heavy}
        self._sleeping = SleepingBodies(self.client, heavy, asleep)

    def advance(
        self, agents: Sequence[AgentBody], touched: Iterable[int], positions: Floats, rotations: Floats
    ) -> float:
        """Simulate a tick; write the poses of what has moved.

        `touched` are the heavy things that an agent touches. Returns the pace (m/s or rad/s) of what is
        fastest, agents and balls aside.
        """
        self._sleeping.wake(touched)
        awake = {index: self.bodies[index].id for index in self._sleeping.awake}
        moving = sorted({*self._loose, *self._balls, *awake} - self._held)
        pairs = list(zip(agents, self.agents, strict=True))
        pushing.advance(self.client, self.by_id, pairs, [self.bodies[index] for index in moving])
        read_poses(self.client, self._loose | self._balls | awake, positions, rotations)
        for ball, turned in self._turned.items():
            rotations[ball] = rotations[ball] @ turned
        paces = (pace(self.client, body) for body in self._loose.values())
        return max([self._sleeping.sleep_still(), *paces])

    def stop(self) -> None:
        """Stop what still creeps, balls aside, and let everything heavy sleep."""
        for body in self._loose.values():
            bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self.client)
        self._sleeping.sleep_all()

    def add(self, index: int, placed: Placed, held: bool = False) -> None:
        """Add the body of a solid thing, at rest; with `held` it hangs in the air until `drop`."""
        body = self.bodies[index] = self._builder.thing(placed)
        self.by_id[body.id] = body
        if placed.kind.is_goal:
            self._balls[index] = body.id
        elif placed.kind.is_loose:
            self._loose[index] = body.id
        if held:
            self._held.add(index)

    def motions(self, balls: Sequence[int]) -> Floats:
        """Velocity (m/s) and spin (rad/s, by the right-hand formulas) of balls (n, 2, 3), Animal-AI frame;
        limits the spin as Unity does."""
        bodies, client = [self._balls[ball] for ball in balls], self.client
        read = [bullet.getBaseVelocity(body, physicsClientId=client) for body in bodies]
        motions = np.array(read).reshape(-1, 2, 3)
        for row in np.flatnonzero(np.linalg.norm(motions[:, 1], axis=1) > MAX_SPIN).tolist():
            linear, spin = read[row]
            motions[row, 1] = [part * MAX_SPIN / math.hypot(*spin) for part in spin]
            bullet.resetBaseVelocity(bodies[row], linear, motions[row, 1].tolist(), physicsClientId=client)
        # Exchanging two axes turns the sense of a rotation.
        return np.stack([motions[:, 0], -motions[:, 1]], axis=1)[:, :, [0, 2, 1]]

    def move(self, ball: int, position: Vector, rotation: Floats, motion: Floats) -> None:
        """Set the pose of a ball, and its motion (2, 3) as `motions` gives it."""
        body, client, (linear, spin) = self._balls[ball], self.client, motion.tolist()
        bullet.resetBasePositionAndOrientation(body, swap(position), (0, 0, 0, 1), physicsClientId=client)
        bullet.resetBaseVelocity(body, swap(linear), [-part for part in swap(spin)], physicsClientId=client)
        self._turned[ball] = rotation.copy()

    def remove(self, index: int) -> None:
        """Remove a thing's body."""
        bullet.removeBody(self.bodies.pop(index).id, physicsClientId=self.client)
        self._loose.pop(index, None)
        self._balls.pop(index, None)
        self._turned.pop(index, None)
        self._held.discard(index)

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        self._held.discard(index)

    def resize(self, index: int, placed: Placed, position: Vector, held: bool) -> None:
        """Replace a thing's body by one of another size at `position` (metres); it keeps its velocity."""
        old, client = self.bodies[index].id, self.client
        turn = bullet.getBasePositionAndOrientation(old, physicsClientId=client)[1]
        velocities = bullet.getBaseVelocity(old, physicsClientId=client)
        bullet.removeBody(old, physicsClientId=client)
        self.add(index, placed)
        new = self.bodies[index].id
        bullet.resetBasePositionAndOrientation(new, swap(position), turn, physicsClientId=client)
        bullet.resetBaseVelocity(new, *velocities, physicsClientId=client)
        if held:
            self._held.add(index)

    def overlapping(self, centre: Vector, radius: float, besides: int) -> list[int]:
        """Things, except `besides`, whose bounding boxes overlap that of a sphere."""
        low, high = ([c + sign * radius for c in swap(centre)] for sign in (-1, 1))
        found = bullet.getOverlappingObjects(low, high, physicsClientId=self.client) or ()
        ids = {body for body, _ in found}
        return [index for index, body in self.bodies.items() if body.id in ids and index != besides]
