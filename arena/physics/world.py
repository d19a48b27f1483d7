"""The physics of an arena, one tick (0.02 s) at a time, in Animal-AI's frame (left-handed, y up)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from itertools import chain

import numpy as np
import numpy.typing as npt

from arena.action import Action
from arena.geometry.layout import at_rest, resting_heights
from arena.geometry.placed import Layout, Placed
from arena.kernel import motion
from arena.kernel.contacts import REACH
from arena.kernel.motion import STILL_TICKS, rested
from arena.kernel.tables import Parts, Role
from arena.physics.bullet import Simulation
from arena.physics.things import AgentBody, Things, Touches
from arena.scene import Animal, Scene, Vector
from arena.sines import sin_cos
from arena.taskfile.versions import DIFFERENCES


class Mover(Enum):
    """What has moved the balls last, from which the other one takes over.

    Among things at rest the kernel moves them and the only agent; as long as anything else moves, Bullet
    finds the contacts of all that is not held still.
    """

    KERNEL = "kernel"
    BULLET = "Bullet"


class World:
    """The things and agents of an arena, built from a layout.

    Each part is fixed, rests, or is moved by the kernel or with Bullet (`Mover`), whose bodies are made when
    something but the only agent and balls first moves. Indices of things never change.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.agents = [AgentBody(start) for start in layout.agents]
        self._supported = resting_heights(layout.things)
        self.things = Things(
            [at_rest(each, self._supported.get(index)) for index, each in enumerate(layout.things)]
        )
        self._sinking = self._heights_below()
        self.things.still = 0 if self._sinking is None else STILL_TICKS
        self._mover = Mover.KERNEL
        self._made: Simulation | None = None
        self._launches = [i for i, each in enumerate(self.things.placed) if each.kind.launch]
        if not DIFFERENCES[layout.version].starts_late:
            self._launch()

    def _heights_below(self) -> dict[int, float] | None:
        """Heights at which all that is movable, balls aside, stands firmly after falling by up to 0.05 m.

        None if something moves otherwise, or if there are several agents.
        """
        things = {i: p for i, p in enumerate(self.things.placed) if p.kind.mass and not p.kind.is_goal}
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
        self._sink()
        things = self.things
        touches = tuple(things.touched(body.position) for body in self.agents)
        for number, (body, action) in enumerate(zip(self.agents, actions, strict=True)):
            body.drive(action, bool(frozen) and frozen[number])
        pushes_ball = touches[0].goals and not eats
        if things.rest and not pushes_ball and self.agents[0].settle(things.parts):
            self._take_balls()
        else:
            self._simulate()
        self._launch()
        return touches

    def drive_quietly(self, action: Action, clock: npt.NDArray[np.float32], most: int) -> int:
        """Take up to `most` ticks with an action of the only agent while nothing else happens; see
        `arena.kernel.motion.drive_quietly`. Returns how many."""
        state, (move, turn) = self.agents[0].state, map(int, action)
        taken = motion.drive_quietly(state, clock, self.things.parts, move, turn, most)
        self._take_balls()
        return taken

    def take_parts(self, parts: Parts) -> None:
        """Go on from a copy of the table of parts that the kernel has moved."""
        self.things.parts[:] = parts
        self._take_balls()

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing but the only agent and balls move until something else is touched."""
        return self.things.rest and not self._sinking and not self._launches

    def _sink(self) -> None:
        """In the first tick, move what is at rest to where it stands after falling."""
        if self._sinking and self.things.rest:
            self.things.positions[list(self._sinking), 1] = list(self._sinking.values())
            self._sinking = None
            self.things.moved()

    def _launch(self) -> None:
        """Launch the balls that have not been launched, along their own forward direction."""
        for index in filter(self.is_there, self._launches):
            placed = self.things.placed[index]
            speed, (sin, cos) = placed.kind.launch, sin_cos(placed.yaw)
            self.things.push(index, (speed * sin, 0.0, speed * cos))
            self._mover = Mover.KERNEL
        self._launches = []

    def _take_balls(self) -> None:
        """Take from the table of parts where the kernel has moved balls."""
        if self.things.take_balls():
            self._mover = Mover.KERNEL

    def _bullet(self) -> Simulation:
        """Bullet's bodies, made when first needed; the kernel hands the balls over if it moved them."""
        things = self.things
        if self._made is None:
            there = [index for index in things.present() if things.placed[index].kind.is_solid]
            now = {i: replace(things.placed[i], position=things.position(i)) for i in there}
            self._made = Simulation(now, self.agents, self._supported)
            self._sinking = None
        if self._mover is Mover.KERNEL:
            self._mover = Mover.BULLET
            for ball, moves in things.motions().items():
                self._made.move(ball, things.position(ball), things.rotations[ball], moves)
        return self._made

    def _simulate(self) -> None:
        """Simulate a tick with Bullet, which hands over to the kernel if all but balls has come to rest."""
        bodies, things, agents = self._bullet(), self.things, self.agents
        reached = [things.overlapping(a.position, REACH, Role.HEAVY, Role.HEAVY) for a in agents]
        # A tick simulated at rest means that something was touched, which wakes the world.
        before = 0 if things.rest else things.still
        fastest = bodies.advance(agents, chain(*reached), things.positions, things.rotations)
        things.still = rested(before, fastest) if len(agents) == 1 else 0
        things.moved()
        things.set_motions(bodies.motions(things.balls))
        if things.rest:
            bodies.stop()
            self._mover = Mover.KERNEL

    def remove(self, index: int) -> None:
        """Remove a thing, such as an eaten ball; does nothing if it was removed already."""
        if self.is_there(index):
            self.things.remove(index)
            if self._made and self.things.placed[index].kind.is_solid:
                self._made.remove(index)

    def add(self, placed: Placed, held: bool = False) -> int:
        """Add a thing and return its index; with `held` it hangs in the air until `drop`."""
        index = len(self.things.placed)
        if placed.kind.is_solid:
            self._bullet().add(index, placed, held)
        self.things.add(placed)
        if placed.kind.launch:
            self._launches.append(index)
        self._launch()
        return index

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        self._bullet().drop(index)
        self.things.still = 0

    def resize(self, index: int, size: Vector, position: Vector | None = None, held: bool = False) -> None:
        """Change the size (metres) of a thing, above its bottom or at `position`; it keeps its velocity."""
        x, y, z = self.position(index)
        raised = 0.0 if held else (size[1] - self.size(index)[1]) / 2
        position = position or (x, y + raised, z)
        # First the things: Bullet, if it is made here, begins with the new size.
        self.things.resize(index, size, position)
        self._bullet().resize(index, self.things.placed[index], position, held)

    def position(self, index: int) -> Vector:
        """Centre of a thing, metres."""
        return self.things.position(index)

    def size(self, index: int) -> Vector:
        """Current size of a thing, metres."""
        return self.things.size(index)

    def overlapping(self, centre: Vector, radius: float, besides: int) -> list[int]:
        """Indices of solid things, except `besides`, whose bounding boxes overlap that of a sphere."""
        return self._bullet().overlapping(centre, radius, besides)

    def present(self) -> list[int]:
        """Indices of the things that have not been removed."""
        return self.things.present()

    def is_there(self, index: int) -> bool:
        """Whether a thing has not been removed."""
        return bool(self.things.visible[index])

    def scene(self, agent: int = 0, lights_on: bool = True) -> Scene:
        """A snapshot of the state for the camera of an agent."""
        starts = self.layout.agents
        others = tuple(
            Animal(body.position, body.yaw, starts[number].skin)
            for number, body in enumerate(self.agents)
            if number != agent
        )
        poses = self.things.poses()
        return Scene(
            self.things.looks,
            *poses,
            self.agents[agent].position,
            self.agents[agent].yaw,
            starts[agent].skin,
            others,
            lights_on,
            self.layout.version,
            self.things.unseen,
        )
