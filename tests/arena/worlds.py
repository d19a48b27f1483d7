"""Small arenas for the tests, written as task files so that every test goes the whole way."""

import math
from typing import Any

import numpy as np

from arena import IDLE, ArenaSpec, Episode, Event, load_text
from arena.action import Action
from arena.geometry.layout import resolve
from arena.kernel.contacts import AGENT_MASS
from arena.kernel.tables import Role
from arena.physics.world import World
from arena.taskfile.kind import GRAVITY


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


def arena_text(*items: str, t: int = 250, pass_mark: str = "0", blackouts: str = "", more: str = "") -> str:
    """A task file of one arena; a pass mark of ~ is none."""
    lights = f"blackouts: [{blackouts}], " if blackouts else ""
    arena = f"t: {t}, pass_mark: {pass_mark}, {lights}{more}items: [{', '.join(items)}]"
    return f"!ArenaConfig {{laboratory: true, arenas: {{0: !Arena {{{arena}}}}}}}"


def spec(*items: str, version: str = "3.1.3", **options: object) -> ArenaSpec:
    return load_text(arena_text(*items, **options), version=version).arenas[0]  # type: ignore[arg-type]


def agent(place: str = "20 0 5", yaw: float = 0) -> str:
    return item("Agent", place, rotations=str(yaw))


def episode(*items: str, seed: int = 0, **options: object) -> Episode:
    return Episode(spec(*items, **options), task_id="test", seed=seed)  # type: ignore[arg-type]


def play(run: Episode, action: Action = IDLE, steps: int = 1) -> list[Event]:
    """Take a number of steps, fewer if the episode ends before; returns their events."""
    events: list[Event] = []
    for _ in range(steps):
        if run.done:
            break
        events += run.step(action).events
    return events


def settled(
    *items: str, place: str = "20 0 20", yaw: float = 0, steps: int = 3, **options: object
) -> Episode:
    """An episode in which the agent has waited for some steps."""
    run = episode(agent(place, yaw), *items, **options)  # type: ignore[arg-type]
    play(run, steps=steps)
    return run


def world_of(*items: str, **options: object) -> World:
    return World(resolve(spec(*items, t=0, **options), 0, "test"))


def advance(world: World, action: Action, ticks: int, **options: bool) -> None:
    for _ in range(ticks):
        world.advance([action] * len(world.agents), **options)


def energy(world: World) -> float:
    """Energy (J) of agents and movable bodies, potential above y = 0; without drive it must not grow."""
    total = 0.0
    for agent in world.agents:
        speed = math.hypot(*agent.velocity)
        total += AGENT_MASS * (speed * speed / 2 + GRAVITY * agent.position[1])
    for index in world.things.present():
        body = body_of(world, index)
        linear, spin = body["motion"][:2]
        if body["role"] == Role.BALL:
            (row,) = np.flatnonzero(world.things.parts["owner"] == index)
            linear, spin = world.things.parts[row]["motion"][:2]
        local = spin @ world.things.rotations[index]
        moving = body["mass"] * (linear @ linear / 2 + GRAVITY * world.things.position(index)[1])
        total += moving + body["own"] @ local**2 / 2
    return float(total)


def body_of(world: World, index: int) -> Any:
    """The row of a thing's body."""
    bodies = world._moving()
    return bodies.rows[bodies._first + index]
