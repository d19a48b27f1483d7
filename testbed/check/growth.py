"""Worlds that grow: what trees, buttons and data zones can add, against what an arena holds."""

import math
from collections.abc import Iterator

from arena.action import STEP_S, TICK_S
from arena.geometry.layout import MAX_GROWING, MAX_THINGS
from arena.geometry.placed import Placed
from arena.mechanisms.spawners import TREE_DELAY_S, settings_of
from arena.rules import SAFETY_STEPS, TICKS_PER_UNIT
from arena.taskfile.config import ArenaSpec
from arena.taskfile.kind import Settings, Shape
from arena.taskfile.load import spawned_items
from arena.taskfile.versions import DIFFERENCES
from testbed.check.build import Built
from testbed.check.finding import Finding


def growth_findings(built: Built) -> Iterator[Finding]:
    """A warning for an arena in which more can appear than it takes: then it takes no more.

    Dispensers and containers are left out, because they stop when they are full.
    """
    layout, spec = built.layout, built.spec
    if layout is None:
        return
    trees = [_settings(placed, spec) for placed in layout.things if placed.kind.shape is Shape.TREE]
    fruit = sum(_given(settings, _seconds(spec)) for settings in trees)
    shown = sum(
        spawned.instances
        for item in spec.items
        for each in item.operations
        for spawned in spawned_items(each)
    )
    total = len(layout.things) + fruit + shown
    if total > MAX_THINGS:
        text = f"holds {len(layout.things)} objects and up to {fruit + shown} more can be added to it"
        yield _finding(built, f"{text}; at {MAX_THINGS} nothing is added until something is eaten or removed")
    ripening = sum(_given(each, TREE_DELAY_S + each.ripening_s + each.interval_s) for each in trees)
    if ripening > MAX_GROWING:
        text = f"up to {ripening} fruits of trees could ripen at a time"
        yield _finding(built, f"{text}; at {MAX_GROWING} trees wait until one is ripe")


def _settings(placed: Placed, spec: ArenaSpec) -> Settings:
    return settings_of(placed, DIFFERENCES[spec.version])


def _given(settings: Settings, seconds: float) -> int:
    """Number of fruits that a tree gives in the first seconds."""
    most = max(0, math.floor((seconds - TREE_DELAY_S) / settings.interval_s))
    return most if settings.most < 0 else min(most, settings.most)


def _seconds(spec: ArenaSpec) -> float:
    """Duration of an episode without rewards."""
    return spec.time_limit * TICKS_PER_UNIT * TICK_S or SAFETY_STEPS * STEP_S


def _finding(built: Built, text: str) -> Finding:
    return built.finding("grows", text, "items")
