"""Physics of an arena, one tick (0.02 s) at a time. Its frame is Animal-AI's (left-handed, y up)."""

import math
from collections.abc import Collection, Sequence

import numpy as np

from arena.action import Action
from arena.geometry.layout import at_rest, resting_heights
from arena.geometry.placed import Layout, Placed
from arena.kernel.contacts import AGENT_MASS
from arena.kernel.motion import STILL_TICKS, rested
from arena.kernel.pushing import push, sleep_all, wake_all
from arena.kernel.tables import Role, shape_parts
from arena.kernel.touching import AGENT, BODY, POINT
from arena.physics.things import AgentBody, Things, Touches, role_of
from arena.scene import Animal, Floats, Scene, Vector, sin_cos
from arena.taskfile.kind import DEFAULT_FRICTION
from arena.taskfile.versions import DIFFERENCES

_POINTS = 256
"""Initial capacity for points of contact. It grows when it does not suffice."""


class Bodies:
    """Table of bodies (`arena.kernel.touching.BodyRow`): agents, immovable world, then all things."""

    def __init__(self, things: Things, agents: Sequence[AgentBody], asleep: Collection[int]) -> None:
        """Make the bodies of things, by index. Heavy ones may be `asleep`, all of them if at rest."""
        self._first = len(agents) + 1
        self.rows = np.zeros(self._first + len(things.placed), BODY)
        self._points = np.empty(_POINTS, POINT)
        agent_rows = self.rows[: len(agents)]
        agent_rows["role"], agent_rows["mass"], agent_rows["moves"] = AGENT, AGENT_MASS, 1
        # The agents', and that of the ground.
        self.rows["friction"][: self._first] = DEFAULT_FRICTION
        for index, placed in enumerate(things.placed):
            self.set(index, placed)
            row = self.rows[self._first + index]
            if row["moves"] and (things.rest or (placed.kind.is_heavy and index in asleep)):
                row["moves"], row["still"] = 0, STILL_TICKS

    def set(self, index: int, placed: Placed, held: bool = False) -> None:
        """Set a body's properties from its thing. It keeps its velocity, also after a change of size."""
        kind, row = placed.kind, self.rows[self._first + index]
        row["role"], row["mass"], row["friction"] = role_of(kind), kind.mass, kind.friction
        row["own"], row["held"] = inertia(placed), row["held"] or held
        row["moves"] = Role.FIXED < row["role"] < Role.ZONE and not row["held"]

    def advance(self, agents: Sequence[AgentBody], things: Things) -> float:
        """Move agents and things for a tick; return the fastest other pace. It is in m/s or rad/s."""
        rows = self.rows[: len(agents)]
        for row, agent in zip(rows, agents, strict=True):
            row["centre"], row["motion"][0] = agent.position, agent.driven_velocity
        state = (self.rows, self._first, things.parts, things.positions, things.rotations)
        while (result := push(*state, self._points))[0] < 0:
            self._points = np.empty(2 * len(self._points), POINT)
        for row, agent in zip(rows, agents, strict=True):
            agent.move(row["centre"], row["motion"][0], row["borne"])
        return float(result[1])

    def add(self, placed: Placed, held: bool) -> None:
        """Add the body of the next thing, at rest. With `held` it hangs in the air until `drop`."""
        self.rows = np.append(self.rows, np.zeros(1, BODY))
        self.set(len(self.rows) - self._first - 1, placed, held)

    def drop(self, index: int) -> None:
        """Let a held thing move."""
        row = self.rows[self._first + index]
        row["held"], row["moves"] = 0, 1

    def remove(self, index: int) -> None:
        """Stop the body of a removed thing."""
        row = self.rows[self._first + index]
        row["role"], row["moves"] = Role.ZONE, 0


def inertia(placed: Placed) -> Floats:
    """Return a thing's moments of inertia (3,), kg m2. Balls are exact, others count as a box."""
    kind, size = placed.kind, placed.size
    if kind.is_goal:
        return np.full(3, 0.1 * kind.mass * size[0] * size[0])
    parts = shape_parts(kind.shape, size, kind.fitted)
    reach = (np.abs(parts["axes"]) * parts["half"][:, :, None]).sum(axis=1)
    x, y, z = ((parts["centre"] + reach).max(axis=0) - (parts["centre"] - reach).min(axis=0)).tolist()
    return np.array([y * y + z * z, x * x + z * z, x * x + y * y]) * (kind.mass / 12)


class World:
    """The things and agents of an arena, built from a layout.

    Among things at rest the only agent and balls move by themselves (`arena.kernel.motion`); otherwise all
    bodies push each other (`arena.kernel.pushing`). Indices of things never change.
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
        self._bodies: Bodies | None = None
        self._launches = [i for i, each in enumerate(self.things.placed) if each.kind.launch]
        if not DIFFERENCES[layout.version].starts_late:
            self._launch()

    def _heights_below(self) -> dict[int, float] | None:
        """Return the heights at which movable things except balls stand firmly. They fall by at most 0.05 m.
        None if something moves otherwise, or if there are several agents."""
        things = {i: p for i, p in enumerate(self.things.placed) if p.kind.mass and not p.kind.is_goal}
        heights = {index: self._supported.get(index, math.inf) for index in things}
        # The colliders of fitted blocks reach below what is drawn.
        firm = all(heights[i] <= p.position[1] and not p.kind.fitted for i, p in things.items())
        return heights if firm and len(self.agents) == 1 else None

    def advance(
        self, actions: Sequence[Action], frozen: Sequence[bool] = (), eats: bool = False
    ) -> tuple[Touches, ...]:
        """Simulate a tick with an action for each agent. Return the contacts of each agent.

        `eats` says that the caller removes every ball that is touched. As in PhysX, contacts are those at the
        start of the tick: contacts made by the motion of this tick are reported by the next one.
        """
        things = self.things
        if self._sinking and things.rest:
            # In the first tick, what is at rest is moved to where it stands after falling.
            things.positions[list(self._sinking), 1] = list(self._sinking.values())
            self._sinking = None
            things.moved()
        touches = tuple(things.touched(body.position) for body in self.agents)
        for number, (body, action) in enumerate(zip(self.agents, actions, strict=True)):
            body.drive(action, bool(frozen) and frozen[number])
        pushes_ball = touches[0].goals and not eats
        if things.rest and not pushes_ball and self.agents[0].settle(things.parts):
            self.things.take_balls()
        else:
            self._push()
        self._launch()
        return touches

    @property
    def is_at_rest(self) -> bool:
        """True if only the single agent and balls move. It holds until something else is touched."""
        return self.things.rest and not self._sinking and not self._launches

    def _launch(self) -> None:
        """Launch new balls along their own forward direction."""
        for index in filter(self.is_there, self._launches):
            placed = self.things.placed[index]
            speed, (sin, cos) = placed.kind.launch, sin_cos(placed.yaw)
            self.things.push(index, (speed * sin, 0.0, speed * cos))
        self._launches = []

    def _moving(self) -> Bodies:
        """Return the bodies, made at the first motion beyond agent and balls."""
        if self._bodies is None:
            self._bodies = Bodies(self.things, self.agents, self._supported)
            self._sinking = None
        return self._bodies

    def _push(self) -> None:
        """Simulate a tick in which bodies push each other."""
        bodies, things, agents = self._moving(), self.things, self.agents
        # A tick simulated at rest means that something was touched, which wakes the world.
        before = 0 if things.rest else things.still
        if things.woken:
            wake_all(bodies.rows)
            things.woken = False
        fastest = bodies.advance(agents, things)
        things.still = rested(before, fastest) if len(agents) == 1 else 0
        things.balls_moved()
        if things.rest:
            sleep_all(bodies.rows)

    def remove(self, index: int) -> None:
        """Remove a thing, such as an eaten ball. Does nothing if it was removed already."""
        if self.is_there(index):
            self.things.remove(index)
            if self._bodies is not None:
                self._bodies.remove(index)

    def show(self, index: int, shown: bool) -> None:
        """Show or hide a thing that never moves."""
        self.things.visible[index] = shown
        self.things.changed(wakes=False)

    def place(self, index: int, position: Vector) -> None:
        """Put a thing that never moves by itself elsewhere, metres."""
        self.things.positions[index] = position
        self.things.moved()

    def add(self, placed: Placed, held: bool = False) -> int:
        """Add a thing and return its index. With `held` it hangs in the air until `drop`."""
        index = len(self.things.placed)
        self._moving().add(placed, held)
        self.things.add(placed)
        if placed.kind.launch:
            self._launches.append(index)
        self._launch()
        return index

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        self._moving().drop(index)
        self.things.still = 0

    def resize(self, index: int, size: Vector, position: Vector | None = None, held: bool = False) -> None:
        """Change a thing's size (metres), above its bottom or at `position`. It keeps its velocity."""
        x, y, z = self.things.position(index)
        raised = 0.0 if held else (size[1] - self.things.size(index)[1]) / 2
        self.things.resize(index, size, position or (x, y + raised, z))
        self._moving().set(index, self.things.placed[index], held)

    def is_there(self, index: int) -> bool:
        """Return whether a thing has not been removed."""
        return bool(self.things.visible[index])

    def scene(self, agent: int = 0, lights_on: bool = True) -> Scene:
        """Return a snapshot of the state for the camera of an agent."""
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
