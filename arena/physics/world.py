"""The physics: bodies in Bullet, advanced one tick (0.02 s) at a time.

Positions and velocities read from Bullet are in its frame (right-handed, z up); everything public is in
Animal-AI's (left-handed, y up). Swapping the last two components converts between them.
"""

import weakref
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from arena.action import Action
from arena.geometry.placed import Layout, Placed
from arena.geometry.support import at_rest, resting_heights
from arena.kernel.contacts import CONTACT_OFFSET, GRAVITY
from arena.kernel.parts import Parts
from arena.physics import clients
from arena.physics.agent import AgentBody
from arena.physics.bodies import Body, Builder, limit_spin, read_poses, swap
from arena.physics.bullet import bullet
from arena.physics.live_parts import LiveParts, Touches
from arena.physics.rest_detector import RestDetector
from arena.physics.sleeping_bodies import SleepingBodies
from arena.scene import Animal, Floats, Scene, Vector, yaw_rotation
from arena.taskfile.kind import Body as BodyType
from arena.taskfile.versions import DIFFERENCES

Poses = tuple[Floats, Floats, Floats, npt.NDArray[np.bool_]]
"""Positions (n, 3), rotations (n, 3, 3), sizes (n, 3) and visibility (n,) of all things; read-only."""


class World:
    """The bodies of an arena, built from a layout; never restored from a state, so that replays are exact.

    `things` are those of the layout and those added since; their indices never change.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._client = clients.acquire()
        # A world takes about 30 MB in Bullet; one that is garbage-collected is freed even if not closed.
        self._free = weakref.finalize(self, clients.release, self._client)
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    def _make(self) -> None:
        layout = self.layout
        self._builder = Builder(self._client)
        self._builder.configure(GRAVITY)
        fixed = self._builder.ground_and_boundary()
        spheres = [self._builder.agent(start.position) for start in layout.agents]
        self.agents = [
            AgentBody(self._client, sphere.id, start)
            for sphere, start in zip(spheres, layout.agents, strict=True)
        ]
        heights = resting_heights(layout.things)
        self._placed = [at_rest(placed, heights.get(index)) for index, placed in enumerate(layout.things)]
        self._bodies = [self._build(placed) for placed in self._placed]
        self._launches = [i for i, placed in enumerate(self._placed) if placed.kind.launch]
        if not DIFFERENCES[layout.version].starts_late:
            self._launch()
        self._by_id = {body.id: body for body in (*fixed, *spheres, *self._bodies) if body}
        heavy = {i: body for i, body in enumerate(self._bodies) if body and self._placed[i].kind.is_heavy}
        self._sleeping = SleepingBodies(self._client, heavy, heights)
        self.things = tuple(placed.thing for placed in self._placed)
        self._positions = np.array([placed.position for placed in self._placed]).reshape(-1, 3)
        self._rotations = np.array([yaw_rotation(placed.yaw) for placed in self._placed]).reshape(-1, 3, 3)
        self._sizes = np.array([placed.size for placed in self._placed]).reshape(-1, 3)
        self._visible = np.ones(len(self._placed), dtype=np.bool_)
        self._rest = RestDetector(self._client)
        self._poses: Poses | None = None
        self._changed()

    def close(self) -> None:
        """Free Bullet's memory; the world cannot be used afterwards."""
        self._free()
        self._client = -1

    def advance(self, actions: Sequence[Action], frozen: Sequence[bool] = ()) -> tuple[Touches, ...]:
        """Simulate a tick with an action for each agent; return the contacts of each agent.

        As in PhysX, contacts are those at the start of the tick: contacts made by the motion of this tick are
        reported by the next one.
        """
        self._refresh_moved()
        touches = tuple(self._parts.touched(body.position) for body in self.agents)
        for number, (body, action) in enumerate(zip(self.agents, actions, strict=True)):
            body.drive(action, bool(frozen) and frozen[number])
        if not (self._rest.at_rest and self.agents[0].settle(self._parts.placed)):
            self._simulate()
        self._launch()
        return touches

    def drive_quietly(self, action: Action, clock: npt.NDArray[np.float32], most: int) -> int:
        """Take up to `most` ticks with an action of the only agent while nothing else happens; see
        `arena.kernel.motion.drive_quietly`. Returns how many."""
        return self.agents[0].drive_quietly(action, clock, self.parts, most)

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing but the only agent moves until something is touched."""
        return self._rest.at_rest

    @property
    def parts(self) -> Parts:
        """The parts of all things where they are now; the same array until something moves."""
        self._refresh_moved()
        return self._parts.placed

    def _launch(self) -> None:
        """Launch the balls that have not been launched."""
        for index in self._launches:
            if body := self._bodies[index]:
                self._builder.launch(body.id, self._placed[index])
        self._launches = []

    def _simulate(self) -> None:
        """Simulate a tick in Bullet, then resolve the agents' contacts."""
        for agent in self.agents:
            agent.write_to_bullet()
            self._sleeping.wake(self._parts.heavy_touched(agent.position))
        bullet.stepSimulation(physicsClientId=self._client)
        for agent in self.agents:
            agent.resolve_contacts(self._by_id, self._sleeping.is_asleep)
        before = self._rotations.copy()
        self._refresh(*self._moving, *self._sleeping.awake)
        limit_spin(self._client, self._balls, self._rotations - before)
        heavy_still = self._sleeping.sleep_still()
        self._poses, self._is_moved = None, True
        if self._rest.count(self._moving.values(), heavy_still and len(self.agents) == 1):
            self._sleeping.sleep_all()

    def remove(self, index: int) -> None:
        """Remove a thing, such as an eaten ball; does nothing if it was removed already."""
        body, wakes = self._bodies[index], True
        if body is not None:
            self._refresh(index)
            wakes = self._touches_movable(index)
            bullet.removeBody(body.id, physicsClientId=self._client)
            self._bodies[index] = None
        self._visible[index] = False
        self._changed(wakes)

    def _touches_movable(self, index: int) -> bool:
        """Whether something that is not immovable may lean on a thing; anything but the agent."""
        reach = max(self.size(index)) / 2 + CONTACT_OFFSET
        near = self.overlapping(self.position(index), reach, besides=index)
        return any(self._placed[other].kind.mass for other in near)

    def add(self, placed: Placed, held: bool = False) -> int:
        """Add a thing and return its index; with `held` it hangs in the air until `drop`."""
        body = self._build(placed)
        if body is not None and placed.kind.launch:
            self._builder.launch(body.id, placed)
        index = len(self._placed)
        self._placed.append(placed)
        self._bodies.append(body)
        self.things = (*self.things, placed.thing)
        self._positions = np.vstack([self._positions, placed.position])
        self._rotations = np.vstack([self._rotations, yaw_rotation(placed.yaw)[None]])
        self._sizes = np.vstack([self._sizes, placed.size])
        self._visible = np.append(self._visible, True)
        if body is not None:
            self._by_id[body.id] = body
            if held:
                bullet.changeDynamics(body.id, -1, mass=0.0, physicsClientId=self._client)
        self._changed()
        return index

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        body = self._body(index)
        bullet.changeDynamics(body.id, -1, mass=body.mass, physicsClientId=self._client)
        self._rest.disturb()

    def resize(self, index: int, size: Vector, position: Vector | None = None, held: bool = False) -> None:
        """Change the size (metres) of a thing where it is or at `position`; it keeps its velocity."""
        body, client = self._body(index), self._client
        at, turn = bullet.getBasePositionAndOrientation(body.id, physicsClientId=client)
        linear, spin = bullet.getBaseVelocity(body.id, physicsClientId=client)
        bullet.removeBody(body.id, physicsClientId=client)
        self._placed[index] = replace(self._placed[index], size=size)
        new = self._build(self._placed[index])
        assert new is not None, "zones are not resized"
        # The bottom stays where it is.
        raised = at[2] + (size[1] - float(self._sizes[index][1])) / 2
        where = swap(position) if position else (at[0], at[1], at[2] if held else raised)
        bullet.resetBasePositionAndOrientation(new.id, where, turn, physicsClientId=client)
        bullet.resetBaseVelocity(new.id, linear, spin, physicsClientId=client)
        if held:
            bullet.changeDynamics(new.id, -1, mass=0.0, physicsClientId=client)
        self._bodies[index] = self._by_id[new.id] = new
        self._sizes[index] = size
        self._changed()
        self._refresh(index)

    def position(self, index: int) -> Vector:
        """Centre of a thing, metres."""
        at = bullet.getBasePositionAndOrientation(self._body(index).id, physicsClientId=self._client)[0]
        return swap(at)

    def size(self, index: int) -> Vector:
        """Current size of a thing, metres."""
        x, y, z = self._sizes[index].tolist()
        return (x, y, z)

    def overlapping(self, centre: Vector, radius: float, besides: int) -> list[int]:
        """Indices of solid things, except `besides`, whose bounding boxes overlap that of a sphere."""
        low, high = ([c + sign * radius for c in swap(centre)] for sign in (-1, 1))
        found = bullet.getOverlappingObjects(low, high, physicsClientId=self._client) or ()
        ids = {body for body, _ in found}
        return [i for i, body in enumerate(self._bodies) if body and body.id in ids and i != besides]

    def present(self) -> list[int]:
        """Indices of the things that have not been removed."""
        return np.flatnonzero(self._visible).tolist()

    def is_there(self, index: int) -> bool:
        """Whether a thing has not been removed."""
        return bool(self._visible[index])

    def scene(self, agent: int = 0, lights_on: bool = True) -> Scene:
        """A snapshot of the state for the camera of an agent."""
        starts = self.layout.agents
        others = tuple(
            Animal(body.position, body.yaw, starts[number].skin)
            for number, body in enumerate(self.agents)
            if number != agent
        )
        return Scene(
            self.things,
            *self._present(),
            self.agents[agent].position,
            self.agents[agent].yaw,
            starts[agent].skin,
            others,
            lights_on,
            self.layout.version,
            self._unseen,
        )

    def _present(self) -> Poses:
        """Current positions, rotations, sizes and visibility; the same arrays until something moves."""
        if self._poses is None:
            self._refresh_moved()
            seen = self._visible & self._shown
            self._poses = (self._positions.copy(), self._rotations.copy(), self._sizes.copy(), seen)
            for array in self._poses:
                array.setflags(write=False)
        return self._poses

    def _build(self, placed: Placed) -> Body | None:
        return None if placed.kind.body is BodyType.ZONE else self._builder.thing(placed)

    def _changed(self, wakes: bool = True) -> None:
        """A thing was added, removed or resized; the sets are indexed when they are next used. If it `wakes`
        others, what is at rest may move."""
        if wakes:
            self._rest.disturb()
        self._poses = None
        self._indexed, self._is_moved = False, True

    def _refresh_moved(self) -> None:
        """Move the parts to where Bullet has moved their things since the last call."""
        self._index_sets()
        if not self._is_moved:
            return
        self._is_moved = False
        self._parts.move(self._positions, self._rotations)
        if self._rest.at_rest:
            self._parts.stand(self._positions, self._rotations)

    def _index_sets(self) -> None:
        """Update what each tick checks, in creation order, if things have changed."""
        if self._indexed:
            return
        self._indexed = True
        self._shown = np.array([placed.is_drawn for placed in self._placed], dtype=np.bool_)
        self._unseen = frozenset(np.flatnonzero(self._visible & ~self._shown).tolist())
        there = self.present()
        kinds = [placed.kind for placed in self._placed]
        solid = [index for index in there if self._bodies[index] is not None]
        self._balls = {index: self._body(index).id for index in solid if kinds[index].is_goal}
        self._parts = LiveParts(self._placed, there, self._sizes)
        light = [i for i in solid if kinds[i].body is BodyType.DYNAMIC and not kinds[i].is_heavy]
        self._moving = {index: self._body(index).id for index in light}

    def _refresh(self, *indices: int) -> None:
        bodies = {index: self._body(index).id for index in indices}
        read_poses(self._client, bodies, self._positions, self._rotations)

    def _body(self, index: int) -> Body:
        body = self._bodies[index]
        assert body is not None, "the thing is a zone or was removed"
        return body
