"""Build an arena with several seeds and say which objects find no place, and what stands in their way."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arena.errors import LayoutError
from arena.geometry.layout import episode_rng, resolve
from arena.geometry.placed import AGENT_RADIUS, Layout, Placed
from arena.geometry.placement import OccupiedSpace
from arena.geometry.shapes import BARS, parts_of
from arena.taskfile.config import ArenaSpec, Item, Vector3
from arena.taskfile.kind import Shape
from arena.taskfile.load import Located, nearest
from testbed.check.finding import Finding
from testbed.check.subject import Subject, subjects

SEEDS_TRIED = 5
"""Seeds that each arena is built with, counted up from the one that is asked for."""

NAMED = 3
"""At most this many of the objects that stand in one's way are named."""

_FAR_AGENT = Item(name="Agent", positions=(Vector3(x=20.0, y=10_000.0, z=20.0),), rotations=(0.0,))
"""An agent that stands in no object's way."""


@dataclass(frozen=True)
class Built:
    """One arena's layouts by seed; those that could not be built are in `failures`, with the reason.

    `things` are the subjects of `layout.things`, in the same order, for every layout.
    """

    located: Located
    arena_id: int
    things: tuple[Subject, ...]
    layouts: dict[int, Layout]
    failures: dict[int, str]

    @property
    def spec(self) -> ArenaSpec:
        """The arena as asked for."""
        return self.located.file.arenas[self.arena_id]

    @property
    def layout(self) -> Layout | None:
        """The first that could be built."""
        return next(iter(self.layouts.values()), None)


def build(located: Located, arena_id: int, task_id: str, seed: int) -> Built:
    """Lay the arena out with `SEEDS_TRIED` seeds, with the same generator as its episodes."""
    layouts: dict[int, Layout] = {}
    failures: dict[int, str] = {}
    for tried in range(seed, seed + SEEDS_TRIED):
        try:
            layouts[tried] = resolve(located.file.arenas[arena_id], episode_rng(tried, task_id, 0))
        except LayoutError as error:
            failures[tried] = str(error)
    # A dispenser or container is followed by its door.
    things = tuple(
        subject
        for subject in subjects(located, arena_id)
        if subject.kind
        for _ in range(2 if subject.kind.shape is Shape.HOUSE else 1)
    )
    for layout in layouts.values():
        origins = [(placed.item, placed.number) for placed in layout.things]
        assert origins == [(subject.item, subject.index) for subject in things], "order of creation changed"
    return Built(located, arena_id, things, layouts, failures)


def build_findings(built: Built) -> Iterator[Finding]:
    """Findings about places that are not free, and about goals inside solid objects."""
    if built.failures:
        place = nearest(built.located.places, ("arenas", built.arena_id))
        reason = next(iter(built.failures.values()))
        seeds = _seeds(tuple(built.failures))
        yield Finding("agent-blocked", f"{place.spelled}: {reason} ({seeds})", place.line)
    for index, subject in enumerate(built.things):
        blocked = tuple(seed for seed, layout in built.layouts.items() if layout.things[index].blocked)
        if blocked and not next(iter(built.layouts.values())).things[index].kind.internal:
            yield _blocked(built, index, subject, blocked)
    if built.layout:
        yield from _enclosed(built.layout, built.things)


def _seeds(seeds: tuple[int, ...]) -> str:
    return f"with {len(seeds)} of the {SEEDS_TRIED} seeds tried: {', '.join(map(str, seeds))}"


def _blocked(built: Built, index: int, subject: Subject, seeds: tuple[int, ...]) -> Finding:
    place = subject.place("positions", subject.index)
    if len(seeds) < len(built.layouts):
        text = f"{place.spelled}: no free place for {subject.label} {_seeds(seeds)}"
        return Finding("sometimes-blocked", text, place.line)
    if not subject.has_fixed_place:
        text = f"{place.spelled}: no free place for {subject.label} with any of the {len(seeds)} seeds tried"
        return Finding("blocked", text, place.line)
    assert built.layout is not None
    there = list(_in_the_way(built, built.layout, index)) or ["something placed at random"]
    names = ", ".join(there[:NAMED]) + (f" and {len(there) - NAMED} more" if len(there) > NAMED else "")
    text = f"{place.spelled}: the place of {subject.label} is taken by {names}"
    return Finding("blocked", text, place.line)


def _in_the_way(built: Built, layout: Layout, index: int) -> Iterator[str]:
    """What stands where an object with a fixed place should be."""
    alone = _alone(built.things[index])
    if alone.blocked:
        yield "the arena's boundary"
        return
    agents = [item for item in built.spec.items if item.name == "Agent"]
    if agents and not _free_of_agent(alone, layout):
        yield "the agent"
    for subject, other in zip(built.things[:index], layout.things, strict=False):
        before = OccupiedSpace()
        if not other.blocked:
            before.add(other)
        if not before.is_free(alone):
            line = subject.place("positions", subject.index).line
            yield f"{subject.label} (line {line})"


def _alone(subject: Subject) -> Placed:
    """The object as it would stand in an empty arena."""
    lists = ("positions", "rotations", "sizes")
    entry = {name: getattr(subject.item, name)[subject.index :][:1] for name in lists}
    items = (_FAR_AGENT, Item(name=subject.item.name, **entry))
    spec = ArenaSpec(items=items, version=subject.version)
    return resolve(spec, np.random.default_rng(0)).things[0]


def _free_of_agent(placed: Placed, layout: Layout) -> bool:
    agent = OccupiedSpace()
    for start in layout.agents:
        agent.add_ball(start.position, AGENT_RADIUS)
    return agent.is_free(placed)


def _enclosed(layout: Layout, things: tuple[Subject, ...]) -> Iterator[Finding]:
    """Goals inside the feet of L, J and U blocks: all other overlaps are refused when things are placed."""
    blocks = [
        (block, other) for block, other in zip(layout.things, things, strict=True) if block.kind.shape in BARS
    ]
    for ball, subject in zip(layout.things, things, strict=True):
        for block, other in blocks:
            if ball.kind.is_good_goal and not ball.blocked and not block.blocked and _inside(ball, block):
                place = subject.place("positions", subject.index)
                text = f"{place.spelled}: {subject.label} is wholly inside {other.label}"
                yield Finding("enclosed", text, place.line)


def _inside(ball: Placed, block: Placed) -> bool:
    yaw = np.deg2rad(block.yaw)
    dx, dy, dz = np.subtract(ball.position, block.position)
    local = np.array([dx * np.cos(yaw) - dz * np.sin(yaw), dy, dx * np.sin(yaw) + dz * np.cos(yaw)])
    radius = ball.size[0] / 2
    return any(
        bool(np.all(np.abs(local - part.centre) + radius <= np.array(part.size) / 2))
        for part in parts_of(block.kind.shape, block.size, block.kind.fitted)
    )
