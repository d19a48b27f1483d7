"""The physics of an arena, one tick (0.02 s) at a time, in Animal-AI's frame (left-handed, y up)."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from arena.action import Action
from arena.geometry.placed import Layout, Placed
from arena.geometry.support import at_rest, resting_heights
from arena.kernel.contacts import CONTACT_OFFSET, REACH
from arena.kernel.parts import Parts
from arena.kernel.tables import Role
from arena.physics.agent import AgentBody
from arena.physics.falling import Falling, landings
from arena.physics.live_parts import LiveParts, Touches
from arena.physics.simulation import Simulation
from arena.physics.sleeping_bodies import CALM_SPEED, CALM_TICKS, STILL_SPEED, STILL_TICKS
from arena.scene import Animal, Floats, Scene, Vector, yaw_rotation
from arena.taskfile.versions import DIFFERENCES

Poses = tuple[Floats, Floats, Floats, npt.NDArray[np.bool_]]
"""Positions (n, 3), rotations (n, 3, 3), sizes (n, 3) and visibility (n,) of all things; read-only."""


class World:
    """The things and agents of an arena, built from a layout.

    `things` are those of the layout and those added since; their indices never change. At rest only the only
    agent moves, and what stands on nothing yet falls straight onto its support, which needs no Bullet: its
    bodies are made when something else first moves.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.agents = [AgentBody(start) for start in layout.agents]
        self._supported = resting_heights(layout.things)
        self._placed = [
            at_rest(placed, self._supported.get(index)) for index, placed in enumerate(layout.things)
        ]
        self.things = tuple(placed.thing for placed in self._placed)
        self._positions = np.array([placed.position for placed in self._placed]).reshape(-1, 3)
        self._rotations = np.array([yaw_rotation(placed.yaw) for placed in self._placed]).reshape(-1, 3, 3)
        self._sizes = np.array([placed.size for placed in self._placed]).reshape(-1, 3)
        self._visible = np.ones(len(self._placed), dtype=np.bool_)
        self._launches = [index for index, placed in enumerate(self._placed) if placed.kind.launch]
        self._made: Simulation | None = None
        self._still_ticks = 0
        self._falling = Falling({})
        self._poses: Poses | None = None
        self._changed()
        if len(self.agents) == 1 and not self._launches:
            self._begin_at_rest()

    def _begin_at_rest(self) -> None:
        """Begin at rest if all that is movable stands firmly, or falls straight onto what does."""
        self._index_sets()
        heights = landings(self._placed, self._supported, self._positions, self._rotations, self._parts)
        if all(height <= self._positions[index, 1] for index, height in heights.items()):
            self._still_ticks = STILL_TICKS
            above = {index: y for index, y in heights.items() if y < self._positions[index, 1]}
            self._falling = Falling(above)

    def close(self) -> None:
        """Free Bullet's memory; the world cannot be used afterwards."""
        if self._made:
            self._made.close()

    def advance(
        self, actions: Sequence[Action], frozen: Sequence[bool] = (), eats: bool = False
    ) -> tuple[Touches, ...]:
        """Simulate a tick with an action for each agent; return the contacts of each agent.

        `eats` says that the caller removes every ball that is touched.

        As in PhysX, contacts are those at the start of the tick: contacts made by the motion of this tick are
        reported by the next one.
        """
        self._refresh_moved()
        touches = tuple(self._parts.touched(body.position) for body in self.agents)
        for number, (body, action) in enumerate(zip(self.agents, actions, strict=True)):
            body.drive(action, bool(frozen) and frozen[number])
        # A ball that stays moves on, and one that falls hits harder.
        moving = [ball for ball in touches[0].goals if not eats or ball in self._falling.heights]
        if self._is_still and not moving and self.agents[0].settle(self._parts.placed):
            if self._falling.heights:
                self._falling.advance(self._positions, self._parts)
                self._poses = None
        else:
            self._simulate()
        return touches

    def drive_quietly(self, action: Action, clock: npt.NDArray[np.float32], most: int) -> int:
        """Take up to `most` ticks with an action of the only agent while nothing else happens; see
        `arena.kernel.motion.drive_quietly`. Returns how many."""
        return self.agents[0].drive_quietly(action, clock, self.parts, most)

    @property
    def _is_still(self) -> bool:
        """Whether nothing but the only agent moves, apart from what falls straight down."""
        return self._still_ticks >= STILL_TICKS

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing but the only agent moves until something is touched."""
        return self._is_still and not self._falling.heights

    @property
    def parts(self) -> Parts:
        """The parts of all things where they are now; the same array until something moves."""
        self._refresh_moved()
        return self._parts.placed

    @property
    def _simulation(self) -> Simulation:
        """Bullet's bodies, made when first needed."""
        if self._made is None:
            kinds = (self._placed[index].kind for index in self.present())
            there = [index for index, kind in zip(self.present(), kinds, strict=True) if kind.is_solid]
            things = {i: replace(self._placed[i], position=self.position(i)) for i in there}
            self._made = Simulation(things, self.agents, self._supported)
            for index in self._falling.heights:
                self._made.fall(index, self._falling.ticks)
                self._still_ticks = 0
            self._falling = Falling({})
            if not DIFFERENCES[self.layout.version].starts_late:
                self._launch()
        return self._made

    def _launch(self) -> None:
        """Launch the balls that have not been launched."""
        for index in self._launches:
            if self._visible[index]:
                self._simulation.launch(index, self._placed[index])
        self._launches = []

    def _simulate(self) -> None:
        """Simulate a tick in Bullet."""
        simulation, agents = self._simulation, self.agents
        touched = [
            index
            for agent in agents
            for index in self._parts.overlapping(agent.position, REACH, Role.HEAVY, Role.HEAVY)
        ]
        # A tick simulated at rest means that something was touched, which wakes the world.
        before = 0 if self._is_still else self._still_ticks
        fastest = simulation.advance(agents, touched, self._positions, self._rotations)
        is_still = fastest < STILL_SPEED and len(agents) == 1
        self._still_ticks = before + (CALM_TICKS if fastest < CALM_SPEED else 1) if is_still else 0
        if self._is_still:
            simulation.stop()
        self._launch()
        self._poses, self._is_moved = None, True

    def remove(self, index: int) -> None:
        """Remove a thing, such as an eaten ball; does nothing if it was removed already."""
        if not self._visible[index]:
            return
        self._refresh_moved()
        size = self.size(index)
        radius = size[0] / 2 if self._placed[index].kind.is_goal else math.hypot(*size) / 2
        wakes = self._beside(index, self.position(index), radius + CONTACT_OFFSET, Role.HEAVY)
        if self._made and self._placed[index].kind.is_solid:
            self._made.remove(index)
        self._visible[index] = False
        self._falling.heights.pop(index, None)
        self._changed(wakes)

    def add(self, placed: Placed, held: bool = False) -> int:
        """Add a thing and return its index; with `held` it hangs in the air until `drop`."""
        index = len(self._placed)
        if placed.kind.is_solid:
            self._simulation.add(index, placed, held)
            if placed.kind.launch:
                self._simulation.launch(index, placed)
        self._placed.append(placed)
        self.things = (*self.things, placed.thing)
        self._positions = np.vstack([self._positions, placed.position])
        self._rotations = np.vstack([self._rotations, yaw_rotation(placed.yaw)[None]])
        self._sizes = np.vstack([self._sizes, placed.size])
        self._visible = np.append(self._visible, True)
        self._changed()
        return index

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        self._simulation.drop(index)
        self._still_ticks = 0

    def resize(self, index: int, size: Vector, position: Vector | None = None, held: bool = False) -> None:
        """Change the size (metres) of a thing where it is or at `position`; it keeps its velocity."""
        x, y, z = self.position(index)
        # The bottom stays where it is.
        raised = 0.0 if held else (size[1] - float(self._sizes[index][1])) / 2
        self._positions[index] = position = position or (x, y + raised, z)
        self._placed[index] = replace(self._placed[index], size=size)
        self._simulation.resize(index, self._placed[index], position, held)
        self._sizes[index] = size
        self._changed()

    def position(self, index: int) -> Vector:
        """Centre of a thing, metres."""
        x, y, z = self._positions[index].tolist()
        return (x, y, z)

    def size(self, index: int) -> Vector:
        """Current size of a thing, metres."""
        x, y, z = self._sizes[index].tolist()
        return (x, y, z)

    def overlapping(self, centre: Vector, radius: float, besides: int) -> list[int]:
        """Indices of solid things, except `besides`, whose bounding boxes overlap that of a sphere."""
        return self._simulation.overlapping(centre, radius, besides)

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

    def _beside(self, index: int, centre: Vector, radius: float, first: Role) -> bool:
        """Whether anything solid but a thing itself, in the roles from `first` on, overlaps a sphere."""
        return bool(set(self._parts.overlapping(centre, radius, first, Role.BALL)) - {index})

    def _changed(self, wakes: bool = True) -> None:
        """A thing was added, removed or resized; the sets are indexed when they are next used. If it `wakes`
        others, what is at rest may move."""
        if wakes:
            self._still_ticks = 0
        self._poses = None
        self._indexed, self._is_moved = False, True

    def _refresh_moved(self) -> None:
        """Move the parts to where Bullet has moved their things since the last call."""
        self._index_sets()
        if not self._is_moved:
            return
        self._is_moved = False
        self._parts.move(self._positions, self._rotations)
        if self._is_still:
            self._parts.stand(self._positions, self._rotations)

    def _index_sets(self) -> None:
        """Update what each tick checks, in creation order, if things have changed."""
        if self._indexed:
            return
        self._indexed = True
        self._shown = np.array([placed.is_drawn for placed in self._placed], dtype=np.bool_)
        self._unseen = frozenset(np.flatnonzero(self._visible & ~self._shown).tolist())
        self._parts = LiveParts(self._placed, self.present(), self._sizes)
