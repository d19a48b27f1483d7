"""The physics of an arena, one tick (0.02 s) at a time, in Animal-AI's frame (left-handed, y up)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from arena.action import Action
from arena.geometry.placed import Layout, Placed
from arena.geometry.support import at_rest, resting_heights
from arena.kernel.balls import CALM_SPEED, CALM_TICKS, STILL_SPEED, STILL_TICKS
from arena.kernel.contacts import CONTACT_OFFSET, REACH
from arena.kernel.motion import drive_quietly
from arena.kernel.parts import Parts
from arena.kernel.tables import Role
from arena.physics.agent import AgentBody
from arena.physics.live_parts import LiveParts, Touches
from arena.physics.simulation import Simulation
from arena.scene import Animal, Floats, Scene, Vector, yaw_rotation
from arena.taskfile.versions import DIFFERENCES

Poses = tuple[Floats, Floats, Floats, npt.NDArray[np.bool_]]
"""Positions (n, 3), rotations (n, 3, 3), sizes (n, 3) and visibility (n,) of all things; read-only."""


class World:
    """The things and agents of an arena, built from a layout.

    `things` are those of the layout and those added since; their indices never change. As long as nothing but
    the only agent and balls move, among what is at rest, the kernel moves them; Bullet's bodies are made when
    anything else first does.
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
        self._made: Simulation | None = None
        self._rolls = False
        self._old_parts: LiveParts | None = None
        self._poses: Poses | None = None
        self._changed()
        self._index_sets()
        self._sinking = self._heights_below()
        self._still_ticks = 0 if self._sinking is None else STILL_TICKS
        self._kernel_rolls = True  # Bullet's balls are not where they are
        self._launches = [index for index, placed in enumerate(self._placed) if placed.kind.launch]
        if not DIFFERENCES[layout.version].starts_late:
            self._launch()

    def _heights_below(self) -> dict[int, float] | None:
        """Heights at which all that is movable, balls aside, stands firmly after falling by up to 0.05 m.

        None if something moves otherwise, or if there are several agents.
        """
        things = {i: p for i, p in enumerate(self._placed) if p.kind.mass and not p.kind.is_goal}
        heights = {index: self._supported.get(index, math.inf) for index in things}
        # The colliders of fitted blocks reach below what is drawn.
        firm = all(heights[i] <= p.position[1] and not p.kind.fitted for i, p in things.items())
        return heights if firm and len(self.agents) == 1 else None

    def close(self) -> None:
        """Free Bullet's memory; the world cannot be used afterwards."""
        if self._made:
            self._made.close()

    def advance(
        self, actions: Sequence[Action], frozen: Sequence[bool] = (), eats: bool = False
    ) -> tuple[Touches, ...]:
        """Simulate a tick with an action for each agent; return the contacts of each agent.

        `eats` says that the caller removes every ball that is touched. As in PhysX, contacts are those at the
        start of the tick: contacts made by the motion of this tick are reported by the next one.
        """
        if self._is_still and self._sinking:
            self._positions[list(self._sinking), 1] = list(self._sinking.values())
            self._sinking, self._poses, self._is_moved = None, None, True
        self._refresh_moved()
        touches = tuple(self._parts.touched(body.position) for body in self.agents)
        for number, (body, action) in enumerate(zip(self.agents, actions, strict=True)):
            body.drive(action, bool(frozen) and frozen[number])
        pushes_ball = touches[0].goals and not eats
        if self._is_still and not pushes_ball and self.agents[0].settle(self._parts.placed):
            self._read_balls()
        else:
            self._simulate()
        self._launch()
        return touches

    def drive_quietly(self, action: Action, clock: npt.NDArray[np.float32], most: int) -> int:
        """Take up to `most` ticks with an action of the only agent while nothing else happens; see
        `arena.kernel.motion.drive_quietly`. Returns how many."""
        state, (move, turn) = self.agents[0].state, map(int, action)
        taken = drive_quietly(state, clock, self.parts, move, turn, most)
        self._read_balls()
        return taken

    def take_parts(self, parts: Parts) -> None:
        """Go on from a copy of `parts` that the kernel has moved."""
        self._parts.placed[:] = parts
        self._read_balls()

    def _read_balls(self) -> None:
        """Take the poses of balls, which the kernel may have moved, from the parts."""
        if self._rolls:
            self._parts.read_balls(self._positions, self._rotations)
            self._poses, self._kernel_rolls = None, True
            self._rolls = self._parts.any_rolls

    @property
    def _is_still(self) -> bool:
        """Whether nothing but the only agent and balls move."""
        return self._still_ticks >= STILL_TICKS

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing but the only agent and balls move until something else is touched."""
        return self._is_still and not self._sinking and not self._launches

    @property
    def parts(self) -> Parts:
        """The parts of all things and the boundary where they are; the same array until something moves."""
        self._refresh_moved()
        return self._parts.placed

    @property
    def _simulation(self) -> Simulation:
        """Bullet's bodies, made when first needed, with the balls where they are now."""
        if self._made is None:
            there = [index for index in self.present() if self._placed[index].kind.is_solid]
            things = {i: replace(self._placed[i], position=self.position(i)) for i in there}
            self._made = Simulation(things, self.agents, self._supported)
            self._sinking = None
        if self._kernel_rolls:
            self._kernel_rolls = False
            for ball, motion in zip(self._parts.balls, self._parts.motions(), strict=True):
                if self._visible[ball]:
                    self._made.move(ball, self.position(ball), self._rotations[ball], motion)
        return self._made

    def _launch(self) -> None:
        """Launch the balls that have not been launched, along their own forward direction."""
        self._index_sets()
        for index in filter(self.is_there, self._launches):
            yaw, speed = math.radians(self._placed[index].yaw), self._placed[index].kind.launch
            self._parts.push(index, (speed * math.sin(yaw), 0.0, speed * math.cos(yaw)))
            self._rolls = self._kernel_rolls = True
        self._launches = []

    def _simulate(self) -> None:
        """Simulate a tick in Bullet."""
        simulation, agents = self._simulation, self.agents
        reached = [self._parts.overlapping(a.position, REACH, Role.HEAVY, Role.HEAVY) for a in agents]
        # A tick simulated at rest means that something was touched, which wakes the world.
        before = 0 if self._is_still else self._still_ticks
        fastest = simulation.advance(agents, chain(*reached), self._positions, self._rotations)
        is_still = fastest < STILL_SPEED and len(agents) == 1
        self._still_ticks = before + (CALM_TICKS if fastest < CALM_SPEED else 1) if is_still else 0
        self._poses, self._is_moved = None, True
        self._parts.set_motions(simulation.motions(self._parts.balls))
        if self._is_still:
            simulation.stop()
            self._kernel_rolls, self._rolls = True, self._parts.any_rolls

    def remove(self, index: int) -> None:
        """Remove a thing, such as an eaten ball; does nothing if it was removed already."""
        if not self._visible[index]:
            return
        self._refresh_moved()
        size = self.size(index)
        radius = size[0] / 2 if self._placed[index].kind.is_goal else math.hypot(*size) / 2
        near = self._parts.overlapping(self.position(index), radius + CONTACT_OFFSET, Role.HEAVY, Role.BALL)
        if self._made and self._placed[index].kind.is_solid:
            self._made.remove(index)
        self._visible[index] = False
        # What leans on it, if it can move, does so now.
        self._changed(wakes=bool(set(near) - {index}))

    def add(self, placed: Placed, held: bool = False) -> int:
        """Add a thing and return its index; with `held` it hangs in the air until `drop`."""
        index = len(self._placed)
        if placed.kind.is_solid:
            self._simulation.add(index, placed, held)
        self._placed.append(placed)
        self.things = (*self.things, placed.thing)
        self._positions = np.vstack([self._positions, placed.position])
        self._rotations = np.vstack([self._rotations, yaw_rotation(placed.yaw)[None]])
        self._sizes = np.vstack([self._sizes, placed.size])
        self._visible = np.append(self._visible, True)
        if placed.kind.launch:
            self._launches.append(index)
        self._changed()
        self._launch()
        return index

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        self._simulation.drop(index)
        self._still_ticks = 0

    def resize(self, index: int, size: Vector, position: Vector | None = None, held: bool = False) -> None:
        """Change the size (metres) of a thing, above its bottom or at `position`; it keeps its velocity."""
        x, y, z = self.position(index)
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
        self._parts = LiveParts(self._placed, self.present(), self._sizes, self._old_parts)
        self._old_parts, self._rolls = self._parts, self._parts.any_rolls
