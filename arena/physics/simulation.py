"""The bodies of an arena in Bullet, which simulates them while anything but the agent moves."""

import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from arena.geometry.placed import Placed
from arena.kernel.balls import STILL_SPEED
from arena.kernel.contacts import GRAVITY
from arena.physics import clients
from arena.physics.agent import AgentBody
from arena.physics.bodies import Body, Builder, limit_spin, read_poses, swap
from arena.physics.bullet import bullet
from arena.physics.sleeping_bodies import SleepingBodies, pace
from arena.scene import Floats, Vector
from arena.taskfile.kind import Body as BodyType


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
        self._builder.configure(GRAVITY)
        self.bodies: dict[int, Body] = {}
        self._light: dict[int, int] = {}
        self._balls: dict[int, int] = {}
        self._last_to_move = -1
        others = self._builder.ground_and_boundary()
        for agent in agents:
            others.append(self._builder.agent(agent.position))
            agent.enter(self.client, others[-1].id)
        self.by_id = {body.id: body for body in others}
        for index, placed in things.items():
            self.add(index, placed)
        heavy = {index: body for index, body in self.bodies.items() if things[index].kind.is_heavy}
        self._sleeping = SleepingBodies(self.client, heavy, asleep)

    def advance(
        self, agents: Sequence[AgentBody], touched: Iterable[int], positions: Floats, rotations: Floats
    ) -> float:
        """Simulate a tick, then resolve the agents' contacts; write the poses of what has moved.

        `touched` are the heavy things that an agent touches. Returns the pace (m/s or rad/s) of what is
        fastest, agents and balls aside; if anything moves, of some of that.
        """
        for agent in agents:
            agent.write_to_bullet()
        self._sleeping.wake(touched)
        bullet.stepSimulation(physicsClientId=self.client)
        for agent in agents:
            agent.resolve_contacts(self.by_id, self._sleeping.is_asleep)
        before = rotations.copy()
        awake = {index: self.bodies[index].id for index in self._sleeping.awake}
        read_poses(self.client, self._light | awake, positions, rotations)
        limit_spin(self.client, self._balls, rotations - before)
        return max(self._sleeping.sleep_still(), self._loose_pace())

    def stop(self) -> None:
        """Stop what still creeps, balls aside, and let everything heavy sleep."""
        for body in self._loose:
            bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self.client)
        self._sleeping.sleep_all()

    @property
    def _loose(self) -> list[int]:
        """The light bodies but balls."""
        return [body for index, body in self._light.items() if index not in self._balls]

    def _loose_pace(self) -> float:
        """The largest pace of light bodies but balls, or that of the last one that moved if it still does."""
        last = self._last_to_move
        if last in self._loose and (now := pace(self.client, last)) >= STILL_SPEED:
            return now
        paces = {body: pace(self.client, body) for body in self._loose}
        self._last_to_move = max(paces, key=lambda body: paces[body], default=-1)
        return paces.get(self._last_to_move, 0.0)

    def add(self, index: int, placed: Placed, held: bool = False) -> None:
        """Add the body of a solid thing, at rest; with `held` it hangs in the air until `drop`."""
        body = self.bodies[index] = self._builder.thing(placed)
        self.by_id[body.id] = body
        if placed.kind.body is BodyType.DYNAMIC and not placed.kind.is_heavy:
            self._light[index] = body.id
        if placed.kind.is_goal:
            self._balls[index] = body.id
        if held:
            bullet.changeDynamics(body.id, -1, mass=0.0, physicsClientId=self.client)

    def motions(self, balls: Sequence[int]) -> Floats:
        """Velocity (m/s) and spin (rad/s, by the right-hand formulas) of balls (n, 6), Animal-AI's frame."""
        read = [bullet.getBaseVelocity(self._balls[ball], physicsClientId=self.client) for ball in balls]
        # Exchanging two axes turns the sense of a rotation.
        rows = [(*swap(linear), *(-part for part in swap(spin))) for linear, spin in read]
        return np.array(rows).reshape(-1, 6)

    def move(self, ball: int, position: Vector, rotation: Floats, velocity: Vector, spin: Vector) -> None:
        """Set the pose of a ball, and its motion as `motions` gives it."""
        body, client = self._balls[ball], self.client
        turn = _quaternion(rotation[np.ix_(_SWAP, _SWAP)])
        bullet.resetBasePositionAndOrientation(body, swap(position), turn, physicsClientId=client)
        back = swap(tuple(-part for part in spin))
        bullet.resetBaseVelocity(body, swap(velocity), back, physicsClientId=client)

    def push(self, ball: int, velocity: Vector) -> None:
        """Add to the velocity (m/s) of a ball."""
        linear, spin = bullet.getBaseVelocity(self._balls[ball], physicsClientId=self.client)
        pushed = [old + new for old, new in zip(linear, swap(velocity), strict=True)]
        bullet.resetBaseVelocity(self._balls[ball], pushed, spin, physicsClientId=self.client)

    def remove(self, index: int) -> None:
        """Remove a thing's body."""
        bullet.removeBody(self.bodies.pop(index).id, physicsClientId=self.client)
        self._light.pop(index, None)
        self._balls.pop(index, None)

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        body = self.bodies[index]
        bullet.changeDynamics(body.id, -1, mass=body.mass, physicsClientId=self.client)

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
            bullet.changeDynamics(new, -1, mass=0.0, physicsClientId=client)

    def overlapping(self, centre: Vector, radius: float, besides: int) -> list[int]:
        """Things, except `besides`, whose bounding boxes overlap that of a sphere."""
        low, high = ([c + sign * radius for c in swap(centre)] for sign in (-1, 1))
        found = bullet.getOverlappingObjects(low, high, physicsClientId=self.client) or ()
        ids = {body for body, _ in found}
        return [index for index, body in self.bodies.items() if body.id in ids and index != besides]


_SWAP = (0, 2, 1)


def _quaternion(rotation: Floats) -> tuple[float, ...]:
    """The quaternion (x, y, z, w) of a rotation matrix."""
    a, b, c = np.diagonal(rotation)
    away = rotation - rotation.T
    squares = 1 + np.array([a - b - c, b - a - c, c - a - b, a + b + c])
    parts = np.sqrt(np.maximum(squares, 0.0)) / 2
    x, y, z = np.copysign(parts[:3], [away[2, 1], away[0, 2], away[1, 0]]).tolist()
    return (x, y, z, float(parts[3]))
