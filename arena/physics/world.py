"""The physics: bodies in Bullet, advanced one tick (0.02 s) at a time.

Positions and velocities read from Bullet are in its frame (right-handed, z up); everything public is in
Animal-AI's (left-handed, y up). Swapping the last two components converts between them.
"""

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from arena.action import Action
from arena.geometry.placed import Layout, Placed
from arena.geometry.support import at_rest, resting_heights
from arena.physics import clients
from arena.physics.agent import GRAVITY, AgentBody
from arena.physics.bodies import Body, Builder, pose, swap
from arena.physics.bullet import bullet
from arena.physics.goal_sensor import GoalSensor, Touches
from arena.physics.rest_detector import RestDetector
from arena.physics.sleeping_bodies import SleepingBodies
from arena.physics.static_contacts import StaticContacts
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
        self._sleeping = self._heavy_bodies(heights)
        self.things = tuple(placed.thing for placed in self._placed)
        self._positions = np.array([placed.position for placed in self._placed]).reshape(-1, 3)
        self._rotations = np.array([yaw_rotation(placed.yaw) for placed in self._placed]).reshape(-1, 3, 3)
        self._sizes = np.array([placed.size for placed in self._placed]).reshape(-1, 3)
        self._visible = np.ones(len(self._placed), dtype=np.bool_)
        self._rest = RestDetector(self._client)
        self._static: StaticContacts | None = None
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
        self._index_sets()
        agent, static = self.agents[0], self._at_rest()
        walls = static.contacts(agent.position) if static else None
        if static and walls:
            touches: tuple[Touches, ...] = (Touches((), static.zones(agent.position)),)
        else:
            touches = tuple(self._sensor.touched(body.position) for body in self.agents)
        for number, (body, action) in enumerate(zip(self.agents, actions, strict=True)):
            body.drive(action, bool(frozen) and frozen[number])
        if walls is None or not agent.step_against_static(walls):
            self._simulate()
        self._launch()
        return touches

    def _launch(self) -> None:
        """Launch the balls that have not been launched."""
        for index in self._launches:
            if body := self._bodies[index]:
                self._builder.launch(body.id, self._placed[index])
        self._launches = []

    def _at_rest(self) -> StaticContacts | None:
        """The static contacts if there is one agent and nothing else moves; then Bullet is not needed."""
        if not self._rest.at_rest:
            return None
        if self._static is None:
            self._static = StaticContacts(self._placed, self.present(), self._present()[:3])
        return self._static

    def _simulate(self) -> None:
        """Simulate a tick in Bullet, then resolve the agents' contacts."""
        for agent in self.agents:
            agent.write_to_bullet()
            self._sleeping.wake_touched(agent.position)
        bullet.stepSimulation(physicsClientId=self._client)
        for agent in self.agents:
            agent.resolve_contacts(self._by_id, self._sleeping.is_asleep)
        heavy_still = self._sleeping.sleep_still()
        self._sensor.limit_spin()
        self._invalidate()
        if self._rest.count(self._loose, heavy_still and len(self.agents) == 1):
            self._sleeping.sleep_all()

    def _invalidate(self) -> None:
        self._static = self._poses = None

    def remove(self, index: int) -> None:
        """Remove a thing, such as an eaten ball; does nothing if it was removed already."""
        body = self._bodies[index]
        if body is not None:
            self._refresh(index)
            bullet.removeBody(body.id, physicsClientId=self._client)
            self._bodies[index] = None
        self._visible[index] = False
        self._changed()

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

    @property
    def number(self) -> int:
        """Number of things that have not been removed."""
        return int(np.count_nonzero(self._visible))

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
            self._index_sets()
            for index in (*self._moving, *self._sleeping.pop_moved()):
                self._refresh(index)
            seen = self._visible & self._shown
            self._poses = (self._positions.copy(), self._rotations.copy(), self._sizes.copy(), seen)
            for array in self._poses:
                array.setflags(write=False)
        return self._poses

    def _build(self, placed: Placed) -> Body | None:
        return None if placed.kind.body is BodyType.ZONE else self._builder.thing(placed)

    def _heavy_bodies(self, heights: Mapping[int, float]) -> SleepingBodies:
        """Walls and ramps; those with a resting height sleep from the start."""
        bodies = {i: body for i, body in enumerate(self._bodies) if body and self._placed[i].kind.is_heavy}
        heavy = SleepingBodies(self._client, bodies, tuple(self._placed))
        for index in bodies:
            if index in heights:
                heavy.sleep(index)
        return heavy

    def _changed(self) -> None:
        """A thing was added, removed or resized; the sets are indexed when they are next used."""
        self._rest.disturb()
        self._invalidate()
        self._indexed = False

    def _index_sets(self) -> None:
        """Update what each tick checks, in creation order, if things have changed."""
        if self._indexed:
            return
        self._indexed = True
        self._shown = np.array([placed.is_drawn for placed in self._placed], dtype=np.bool_)
        self._unseen = frozenset(np.flatnonzero(self._visible & ~self._shown).tolist())
        there = [index for index in range(len(self._placed)) if self._visible[index]]
        kinds = [placed.kind for placed in self._placed]
        solid = [index for index in there if self._bodies[index] is not None]
        balls = {i: (self._body(i), self._placed[i].size[0] / 2) for i in solid if kinds[i].is_goal}
        zones = {i: self._placed[i] for i in there if kinds[i].body is BodyType.ZONE}
        self._sensor = GoalSensor(self._client, balls, zones)
        self._moving = [i for i in solid if kinds[i].body is BodyType.DYNAMIC and not kinds[i].is_heavy]
        self._loose = [self._body(index).id for index in self._moving]

    def _refresh(self, index: int) -> None:
        self._positions[index], self._rotations[index] = pose(self._client, self._body(index).id)

    def _body(self, index: int) -> Body:
        body = self._bodies[index]
        assert body is not None, "the thing is a zone or was removed"
        return body
