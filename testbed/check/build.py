"""Build checks with several seeds: blocked, moving and growing objects."""

import math
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from arena.action import IDLE, STEP_S, TICK_S
from arena.errors import LayoutError
from arena.geometry.layout import LIFT, MAX_GROWING, MAX_THINGS, OccupiedSpace, resolve
from arena.geometry.placed import AGENT_RADIUS, Layout, Placed
from arena.geometry.shapes import BARS, FLOOR_Y, parts_of
from arena.mechanisms import TREE_DELAY_S, settings_of
from arena.physics.world import World
from arena.rules import SAFETY_STEPS, TICKS_PER_UNIT
from arena.scene import Floats
from arena.taskfile.config import ArenaSpec, Item, Vector3
from arena.taskfile.kind import Settings, Shape
from arena.taskfile.load import Located, nearest, spawned_items
from arena.taskfile.versions import DIFFERENCES
from testbed.check.finding import Finding, ItemInstance, item_instances

SEEDS_TRIED = 5
"""Number of seeds for each arena, from the requested one upwards."""

_FAR_AGENT = Item(name="Agent", positions=(Vector3(x=20.0, y=10_000.0, z=20.0),), rotations=(0.0,))
"""An agent that occupies no object's place."""


class Built(NamedTuple):
    """One arena's layouts by seed. `failures` has the reasons for those that could not be built. `things` are
    the instances behind `layout.things`, in the same order, for every layout."""

    located: Located
    arena_id: int
    things: tuple[ItemInstance, ...]
    layouts: dict[int, Layout]
    failures: dict[int, str]

    @property
    def spec(self) -> ArenaSpec:
        """The arena as given in the file."""
        return self.located.file.arenas[self.arena_id]

    def finding(self, code: str, text: str, *inside: str | int) -> Finding:
        """Return a finding about a value of the arena."""
        return Finding.at(nearest(self.located.places, ("arenas", self.arena_id, *inside)), code, text)

    @property
    def layout(self) -> Layout | None:
        """First layout that could be built; None without any."""
        return next(iter(self.layouts.values()), None)


def build(located: Located, arena_id: int, task_id: str, seed: int) -> Built:
    """Lay the arena out with `SEEDS_TRIED` seeds, as its episodes do."""
    layouts: dict[int, Layout] = {}
    failures: dict[int, str] = {}
    for tried in range(seed, seed + SEEDS_TRIED):
        try:
            layouts[tried] = resolve(located.file.arenas[arena_id], tried, task_id)
        except LayoutError as error:
            failures[tried] = str(error)
            if not _is_agents(failures[tried]):
                break
    things = tuple(instance for instance in item_instances(located, arena_id) if instance.kind)
    if layouts:
        # A dispenser or container is followed by its door, a machine by its lamps, a meter by its segments.
        placed = next(iter(layouts.values())).things
        numbers = accumulate(not each.kind.internal for each in placed)
        things = tuple(things[number - 1] for number in numbers)
    origins = [(instance.item, instance.index) for instance in things]
    for layout in layouts.values():
        assert origins == [(each.item, each.number) for each in layout.things], "order of creation changed"
    return Built(located, arena_id, things, layouts, failures)


def build_findings(built: Built) -> Iterator[Finding]:
    """Yield findings on occupied places, and on goals inside solid objects."""
    if built.failures:
        reason = next(iter(built.failures.values()))
        if _is_agents(reason):
            code = "sometimes-blocked" if built.layouts else "agent-blocked"
            yield built.finding(code, f"{reason} ({_seeds(tuple(built.failures))})")
        else:
            yield built.finding("too-many", f"{reason} (with the seed {next(iter(built.failures))})", "items")
    for index in range(len(built.things)):
        blocked = tuple(seed for seed, layout in built.layouts.items() if layout.things[index].blocked)
        if built.layout and blocked and not built.layout.things[index].kind.internal:
            yield _blocked(built, index, blocked)
    if built.layout:
        yield from _enclosed(built.layout, built.things)


def _is_agents(failure: str) -> bool:
    """Return whether only the agent's missing place keeps an arena from building."""
    return failure.startswith("the agent")


def _seeds(seeds: tuple[int, ...]) -> str:
    return f"with {len(seeds)} of the {SEEDS_TRIED} seeds tried: {', '.join(map(str, seeds))}"


def _blocked(built: Built, index: int, seeds: tuple[int, ...]) -> Finding:
    instance = built.things[index]
    place, label = instance.place("positions", instance.index), instance.label
    if len(seeds) < len(built.layouts):
        return Finding.at(place, "sometimes-blocked", f"no free place for {label} {_seeds(seeds)}")
    if not instance.has_fixed_place:
        text = f"no free place for {label} with any of the {len(seeds)} seeds tried"
        return Finding.at(place, "blocked", text)
    assert built.layout is not None
    there = list(_occupants(built, built.layout, index)) or ["something placed at random"]
    names = ", ".join(there[:3]) + (f" and {len(there) - 3} more" if len(there) > 3 else "")
    return Finding.at(place, "blocked", f"the place of {label} is taken by {names}")


def _occupants(built: Built, layout: Layout, index: int) -> Iterator[str]:
    """Return the things at the place of an object. It has a fixed place."""
    alone = _alone(built.things[index])
    if alone.blocked:
        yield "the arena's boundary"
        return
    agents = OccupiedSpace()
    for start in layout.agents:
        agents.add_ball(start.position, AGENT_RADIUS)
    if any(item.name == "Agent" for item in built.spec.items) and not agents.is_free(alone):
        yield "the agent"
    for instance, other in zip(built.things[:index], layout.things, strict=False):
        before = OccupiedSpace()
        if not other.blocked:
            before.add(other)
        if not before.is_free(alone):
            yield f"{instance.label} (line {instance.place('positions', instance.index).line})"


def _alone(instance: ItemInstance) -> Placed:
    """Return the object as it would stand in an empty arena."""
    lists = ("positions", "rotations", "sizes")
    entry = {name: getattr(instance.item, name)[instance.index :][:1] for name in lists}
    items = (_FAR_AGENT, Item(name=instance.item.name, **entry))
    return resolve(ArenaSpec(items=items, version=instance.version)).things[0]


def _enclosed(layout: Layout, things: tuple[ItemInstance, ...]) -> Iterator[Finding]:
    """Yield goals inside the feet of L, J and U blocks. Other overlaps are refused earlier."""
    placed = [each for each in zip(layout.things, things, strict=True) if not each[0].blocked]
    blocks = [each for each in placed if each[0].kind.shape in BARS]
    for ball, instance in placed:
        for block, other in blocks:
            if ball.kind.is_good_goal and _inside(ball, block):
                text = f"{instance.label} is wholly inside {other.label}"
                yield instance.finding("enclosed", text, "positions", instance.index)


def _inside(ball: Placed, block: Placed) -> bool:
    yaw = np.deg2rad(block.yaw)
    dx, dy, dz = np.subtract(ball.position, block.position)
    local = np.array([dx * np.cos(yaw) - dz * np.sin(yaw), dy, dx * np.sin(yaw) + dz * np.cos(yaw)])
    radius = ball.size[0] / 2
    return any(
        bool(np.all(np.abs(local - part.centre) + radius <= np.array(part.size) / 2))
        for part in parts_of(block.kind.shape, block.size, block.kind.fitted)
    )


SETTLE_S = 2.0
"""Observation time of an arena, seconds. The agent does not act."""

FALL = 0.1
"""An object that sinks by more than this, metres, lacks support. Every object sinks the first 0.02."""

SLIDE = 0.5
"""Sideways motion, metres, above which an object does not stay put."""

_SOLVER_ERROR = 0.005
"""Maximum error in the height of bodies at rest, metres."""


def watch(built: Built, layout: Layout) -> tuple[list[Finding], bool]:
    """Return findings on things that move at first, agent included, and whether all good goals stay."""
    shifts, agent_sinks = _settle(layout)
    sinks, sideways = -shifts[:, 1], np.hypot(shifts[:, 0], shifts[:, 2])
    placed = [(k, each.kind) for k, each in enumerate(layout.things) if not each.blocked]
    moved = [
        (k, "unsupported", f"is not supported: it sinks {sinks[k]:.2f} m")
        for k, _ in placed
        if sinks[k] > LIFT - FLOOR_Y + FALL + _SOLVER_ERROR
    ]
    moved += [
        (k, "slides", f"moves {sideways[k]:.2f} m sideways")
        for k, kind in placed
        if sideways[k] > SLIDE and not kind.launch
    ]
    findings = []
    for k, code, text in moved:
        what = f"{built.things[k].label} {text} within {SETTLE_S:g} s"
        findings.append(built.things[k].finding(code, what, "positions", built.things[k].index))
    if agent_sinks > FALL + _SOLVER_ERROR:
        number = next((k for k, item in enumerate(built.spec.items) if item.name == "Agent"), None)
        inside = ("items", number, "positions", 0) if number is not None else ()
        text = f"the agent falls {agent_sinks:.2f} m at the start"
        findings.append(built.finding("agent-drops", text, *inside))
    rest = all(far <= SLIDE for far, p in zip(sideways, layout.things, strict=True) if p.kind.is_good_goal)
    return findings, rest


def _settle(layout: Layout) -> tuple[Floats, float]:
    """Return each thing's motion, (n, 3) metres, and the agent's sinking. The usual 0.02 is not counted."""
    world = World(layout)
    start = world.scene().positions
    for _ in range(round(SETTLE_S / TICK_S)):
        world.advance([IDLE] * len(world.agents))
    sinks = layout.agent.position[1] - world.agents[0].position[1]
    return world.scene().positions - start, sinks - (LIFT - FLOOR_Y)


def growth_findings(built: Built) -> Iterator[Finding]:
    """Yield warnings of arenas in which more can appear than they take. Then they take no more. Dispensers
    and containers are left out, because they stop when they are full."""
    layout, spec = built.layout, built.spec
    if layout is None:
        return
    differences = DIFFERENCES[spec.version]
    trees = [settings_of(each, differences) for each in layout.things if each.kind.shape is Shape.TREE]
    # An episode without rewards lasts as long.
    seconds = spec.time_limit * TICKS_PER_UNIT * TICK_S or SAFETY_STEPS * STEP_S
    fruit = sum(_given(settings, seconds) for settings in trees)
    operations = [each for item in spec.items for each in item.operations]
    shown = sum(spawned.instances for each in operations for spawned in spawned_items(each))
    ripening = sum(_given(each, TREE_DELAY_S + each.ripening_s + each.interval_s) for each in trees)
    if len(layout.things) + fruit + shown > MAX_THINGS:
        text = f"holds {len(layout.things)} objects and up to {fruit + shown} more can be added to it; at "
        text += f"{MAX_THINGS} nothing is added until something is eaten or removed"
        yield built.finding("grows", text, "items")
    if ripening > MAX_GROWING:
        text = f"up to {ripening} fruits of trees could ripen at a time; at "
        text += f"{MAX_GROWING} trees wait until one is ripe"
        yield built.finding("grows", text, "items")


def _given(settings: Settings, seconds: float) -> int:
    """Return the number of a tree's fruits in the first seconds."""
    most = max(0, math.floor((seconds - TREE_DELAY_S) / settings.interval_s))
    return most if settings.most < 0 else min(most, settings.most)
