"""Small arenas for the tests, written as task files so that every test goes the whole way."""

import math

import numpy as np

from arena import ArenaSpec, Episode, load_text
from arena.kernel.contacts import AGENT_MASS, GRAVITY
from arena.physics.bullet import bullet
from arena.physics.world import World


def item(
    name: str, *places: str, rotations: str = "", sizes: str = "", colors: str = "", more: str = ""
) -> str:
    """One `!Item` in flow style; places, sizes and colours as 'x y z' or 'r g b' texts."""
    parts = [f"name: {name}", *([more] if more else [])]
    if places:
        parts.append("positions: [" + ", ".join(vector(place) for place in places) + "]")
    if rotations:
        parts.append(f"rotations: [{rotations}]")
    if sizes:
        parts.append("sizes: [" + ", ".join(vector(size) for size in sizes.split(";")) + "]")
    if colors:
        parts.append("colors: [" + ", ".join(color(c) for c in colors.split(";")) + "]")
    return "!Item {" + ", ".join(parts) + "}"


def vector(text: str) -> str:
    x, y, z = text.split()
    return f"!Vector3 {{x: {x}, y: {y}, z: {z}}}"


def color(text: str) -> str:
    r, g, b = text.split()
    return f"!RGB {{r: {r}, g: {g}, b: {b}}}"


def spec(
    *items: str,
    t: int = 250,
    pass_mark: str = "0",
    blackouts: str = "",
    version: str = "3.1.3",
    more: str = "",
) -> ArenaSpec:
    lights = f"blackouts: [{blackouts}], " if blackouts else ""
    arena = f"t: {t}, pass_mark: {pass_mark}, {lights}{more}items: [{', '.join(items)}]"
    return load_text(f"!ArenaConfig {{arenas: {{0: !Arena {{{arena}}}}}}}", version=version).arenas[0]


def agent(place: str = "20 0 5", yaw: float = 0) -> str:
    return item("Agent", place, rotations=str(yaw))


def episode(*items: str, seed: int = 0, **options: object) -> Episode:
    return Episode(spec(*items, **options), task_id="test", seed=seed)  # type: ignore[arg-type]


def energy(world: World) -> float:
    """Mechanical energy (J) of all agents and movable bodies: linear, angular, and potential above y = 0.

    Without drive it must not grow.
    """
    client = world._bullet().client
    total = 0.0
    for agent in world.agents:
        speed = math.hypot(*agent.velocity)
        total += AGENT_MASS * (speed * speed / 2 + GRAVITY * agent.position[1])
    for body in world._bullet().bodies.values():
        at, turn = bullet.getBasePositionAndOrientation(body.id, physicsClientId=client)
        linear, spin = map(np.array, bullet.getBaseVelocity(body.id, physicsClientId=client))
        inertia = np.array(bullet.getDynamicsInfo(body.id, -1, physicsClientId=client)[2])
        local = spin @ np.reshape(bullet.getMatrixFromQuaternion(turn), (3, 3))
        total += body.mass * (linear @ linear / 2 + GRAVITY * at[2]) + inertia @ local**2 / 2
    return float(total)
