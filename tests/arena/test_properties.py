"""What holds in every arena: energy has a source, solids stay apart, nothing gets out."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st

from arena import BACKWARD, FORWARD, IDLE, Action, ArenaSpec, LayoutError, Move, Rotate
from arena.action import TICK_S
from arena.geometry.layout import resolve
from arena.geometry.placed import AGENT_RADIUS, Layout, Placed
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y
from arena.kernel.contacts import AGENT_MASS
from arena.kernel.motion import DRIVE
from arena.kernel.tables import GROUNDED
from arena.physics.world import World
from arena.scene import Vector, yaw_rotation
from arena.taskfile.kind import GRAVITY, Body
from tests.arena.plain_motion import nearest
from tests.arena.solids import colliders_of
from tests.arena.strategies import OLD_KINDS as KINDS
from tests.arena.strategies import arenas, crammed, drives, examples, sizes
from tests.arena.worlds import agent, energy, item, spec

FAST = (FORWARD, FORWARD, Action(Move.FORWARD, Rotate.RIGHT), Action(Move.FORWARD, Rotate.LEFT), BACKWARD)
DYNAMIC = tuple(kind for kind in KINDS.values() if kind.body is Body.DYNAMIC)
SETTLED = 10
"""Ticks after which what overlapped at the start, or after an impact, has been pushed apart."""

BOUNCE = 40
"""Ticks in which a body that sank in, by a tick's way or under a wall of ten tonnes, is lifted out again."""

ENERGY_TOLERANCE = 3.0
"""Joules of 100 kg in 3 mm of height. Friction on a wall presses the agent 2.5 mm down, as in PhysX."""

HEAVY_LIFT = 0.002
"""Metres: walls of ten tonnes that drop out of the air sink in and are lifted out more slowly."""

UPRIGHT = 0.9995
"""Cosine of 1.8 degrees: a wall that leans further on a base of 0.1 m falls over."""

DEPTH_TOLERANCE = 0.02
STANDS = 0.025
"""A wall that is this near to where it was placed, metres, and as little turned, stands; all sink 0.02."""

THIN = 0.1
"""The least size of a wall, metres."""

FASTEST = 31.0
"""m/s: with the drive's 50 m/s2 and gravity down the slope of 11 degrees on which friction vanishes."""


class Walls:
    """All that cannot move in an arena, and the walls and ramps that stand where they were at the start."""

    def __init__(self, things: tuple[Placed, ...]) -> None:
        self._parts = [
            (index, placed, solid)
            for index, placed in enumerate(things)
            if placed.kind.body is Body.STATIC or placed.kind.is_heavy
            for collider in colliders_of(placed.kind.shape, placed.size, placed.kind.fitted)
            for solid in collider
        ]

    def deepest(self, world: World) -> tuple[float, str]:
        """How deep the agent is in what it is deepest in, metres, and the name of that."""
        scene, radius, (x, y, z) = world.scene(), AGENT_RADIUS, world.agents[0].position
        edges = {"floor": y - FLOOR_Y, "boundary": min(x, z, ARENA_SIZE - x, ARENA_SIZE - z)}
        depths = [(radius - gap, name) for name, gap in edges.items()]
        for index, placed, solid in self._parts:
            at, turn = scene.positions[index], scene.rotations[index]
            moved = max(abs(at - placed.position).max(), abs(turn - yaw_rotation(placed.yaw)).max())
            local = turn.T @ (np.array((x, y, z)) - at)
            if moved <= STANDS and np.linalg.norm(local - solid.centre) < np.linalg.norm(solid.half) + radius:
                depths.append((radius - nearest(solid, local)[1], placed.kind.name))
        return max(depths)


def layout(arena: ArenaSpec, seed: int = 0) -> Layout:
    """The arena without what was blocked; skipped where not even the agent has a place."""
    try:
        built = resolve(arena, seed, "test")
    except LayoutError:
        assume(False)
    return Layout(built.agents, tuple(placed for placed in built.things if not placed.blocked))


ON_THE_AGENT = spec(
    agent("1.5 0 20"), item("Wall", "1.5 0 20", "1.5 1 20", rotations="0, 0", sizes="1 1 1;1 1 1")
)
"""A wall of ten tonnes that comes down on the agent, a hundredth of its mass, which gives like a spring."""

SQUEEZED = spec(agent("0 1 39.5"), item("Token", "1 0 39.5", sizes="0.45 1.35 0.45"))
"""An agent that starts half in the boundary and is squeezed up between it and a coin for thirty ticks."""


class Tick(NamedTuple):
    number: int
    world: World
    work: float
    """The most that the agent's drive did in this tick, joules."""


def ticks(built: Layout, actions: list[Action]) -> Iterator[Tick]:
    """Play an arena tick by tick; balls vanish when touched, so that nothing ends it."""
    world = World(built)
    for number in range(1, 3 * len(actions) + 1):
        action = actions[(number - 1) // 3]
        frozen = number * TICK_S <= built.agent.frozen_s
        work = 0.0 if frozen else drive_work(world, action)
        for index in world.advance([action], [frozen])[0].goals:
            world.remove(index)
        yield Tick(number, world, work)


def drive_work(world: World, action: Action) -> float:
    """Gain in kinetic energy (J) of an agent that is pushed along its heading, before all losses."""
    if action.move is Move.NONE or not world.agents[0].state[GROUNDED]:
        return 0.0
    heading = math.radians(world.agents[0].yaw)
    x, _, z = world.agents[0].velocity
    gain = DRIVE * TICK_S * (1 if action.move is Move.FORWARD else -1)
    along = x * math.sin(heading) + z * math.cos(heading)
    return max(0.0, AGENT_MASS * (gain * along + gain * gain / 2))


@examples(0.5)
@given(arenas() | crammed(), st.integers(0, 99), drives() | st.just([IDLE] * 40))
@example(ON_THE_AGENT, 0, [IDLE] * 40)
@example(SQUEEZED, 0, [IDLE] * 40)
def test_energy_only_comes_from_the_drive(arena, seed, actions):
    free: list[float] = []
    work, start = 0.0, 1
    built = layout(arena, seed)
    walls = Walls(built.things)
    tolerance = ENERGY_TOLERANCE + HEAVY_LIFT * GRAVITY * sum(placed.kind.mass for placed in built.things)
    for tick in ticks(built, actions):
        work += tick.work
        free.append(energy(tick.world) - work)
        if tick.number == start and walls.deepest(tick.world)[0] > DEPTH_TOLERANCE:
            # What an agent was placed in pushes it out, and may lift it, however long that takes.
            start += 1
        if tick.number >= start + SETTLED:
            assert free[-1] <= max(free[-BOUNCE:-1]) + tolerance, tick.number


@examples(0.5)
@given(arenas(agent=True) | crammed(), st.integers(0, 99), drives())
def test_the_agent_stays_out_of_what_cannot_move(arena, seed, actions):
    # An agent that is placed last may start inside a tunnel's wall, where Bullet leaves it.
    built = layout(arena, seed)
    walls = Walls(built.things)
    deep, depth = 0, 0.0
    for tick in ticks(built, actions):
        assert math.dist(tick.world.agents[0].velocity, (0, 0, 0)) < FASTEST
        before, (depth, name) = depth, walls.deepest(tick.world)
        # What came in with a tick's speed comes out after a few, slowly between two things that narrow.
        deep = deep + (depth >= before) if depth > DEPTH_TOLERANCE else 0
        assert deep <= SETTLED, (tick.number, name, depth)
        assert depth <= AGENT_RADIUS + THIN / 2 or tick.number <= SETTLED, (tick.number, name, depth)


@examples(0.3)
@given(arenas() | crammed(), st.integers(0, 99), drives())
def test_nothing_leaves_the_arena(arena, seed, actions):
    built = layout(arena, seed)
    for tick in ticks(built, [*actions, *[IDLE] * 20]):
        scene = tick.world.scene()
        assert np.isfinite(scene.positions).all()
        assert np.isfinite(scene.rotations).all()
        assert inside(scene.agent_position, 0.0)
    for thing, place in zip(scene.things, scene.positions, strict=True):
        assert not thing.moves or inside(place, 0.25), (thing, place)


def inside(place: Vector, slack: float) -> bool:
    """Whether a centre is in the arena; one that is being squeezed may be out by `slack` metres."""
    x, y, z = place
    return min(x, y, z, ARENA_SIZE - x, ARENA_SIZE - z) >= -slack


@examples(0.5)
@example(start=1.0, yaw=0.0, turned=0.0, actions=[FORWARD] * 40)
@example(start=1.013, yaw=20.0, turned=7.0, actions=[FORWARD] * 40)
@given(st.floats(1, 29), st.floats(0, 360), st.floats(-10, 10), drives(actions=FAST))
def test_no_speed_carries_the_agent_through_the_thinnest_wall(start, yaw, turned, actions):
    wall = item("Wall", "20 0 34", sizes=f"39.5 5 {THIN}", rotations=str(turned % 360))
    built = layout(spec(agent(f"20 0 {start}", yaw), wall))
    assert built.things
    lean = math.tan(math.radians(turned))
    for tick in ticks(built, actions):
        if tick.world.scene().rotations[0][1, 1] < UPRIGHT:
            return
        x, _, z = tick.world.agents[0].position
        assert z < 34 - (x - 20) * lean, tick.number


@examples(0.3)
@given(st.sampled_from(DYNAMIC), st.data(), st.integers(1, 5))
def test_blocked_things_stay_in_the_corner_of_the_arena(kind, data, count):
    size = data.draw(sizes(kind))
    large, straight = ";".join([f"{size.x} {size.y} {size.z}"] * count), ", ".join(["0"] * count)
    pile = item(kind.name, *["20 0 20"] * count, sizes=large, rotations=straight)
    pillar = item("Wall", "20 0 20", sizes="6 10 6", rotations="0")
    built = resolve(spec(agent("30 0 30"), pillar, pile), 0, "test")
    assert all(placed.blocked for placed in built.things[1:])
    # Several that reach across most of the arena jam between its sides, which may press one into the floor.
    assume(all(max(placed.size) < ARENA_SIZE / 2 for placed in built.things[1:]))
    out = 0
    for tick in ticks(built, [IDLE] * 40):
        positions = tick.world.scene().positions[1:]
        # A ramp that tips onto its slope, where its centre is, sinks in by a tick's way.
        out = 0 if all(inside(place, 0.02) for place in positions) else out + 1
        assert out <= SETTLED, (tick.number, positions)


@examples(0.3)
@given(st.sampled_from(DYNAMIC), st.data(), st.floats(-1, 1), st.floats(0, 360), st.integers(20, 80))
def test_nothing_can_be_pushed_out_of_the_arena(kind, data, aside, yaw, steps):
    size = data.draw(sizes(kind))
    thing = item(kind.name, "20 0 28", sizes=f"{size.x} {size.y} {size.z}", rotations=str(yaw))
    built = layout(spec(agent(f"{20 + aside} 0 2"), thing))
    assume(built.things)
    for tick in ticks(built, [FORWARD] * steps + [IDLE] * 40):
        assert inside(tick.world.agents[0].position, 0.0)
        place = tick.world.scene().positions[0]
    assert inside(place, 0.25), place
