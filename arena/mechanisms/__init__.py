"""Mechanisms of an arena: changing balls, spawners, doors, buttons and data zones."""

from collections.abc import Iterator

from arena.geometry.layout import LIFT
from arena.geometry.placed import Layout, Placed
from arena.geometry.shapes import FLOOR_Y
from arena.mechanisms.buttons import Button
from arena.mechanisms.changing import GrowingBall, RisingBall, ValuedBall
from arena.mechanisms.operations import DataZones, operate_of, reward_of
from arena.mechanisms.spawners import Door, House, Tree
from arena.mechanisms.stage import Mechanism, Stage
from arena.taskfile.config import GrantContinuousReward
from arena.taskfile.kind import Change, Shape

__all__ = ["Mechanism", "Stage", "mechanism_of", "mechanisms_of", "zones_of"]


def mechanisms_of(layout: Layout, stage: Stage) -> list[Mechanism]:
    """The mechanisms of a new arena in creation order; adds objects that operations show from the start."""
    return [
        mechanism
        for index, placed in enumerate(layout.things)
        for mechanism in mechanism_of(index, placed, stage)
    ]


def zones_of(layout: Layout, stage: Stage) -> Mechanism | None:
    """What the data zones of a new arena trigger; adds objects that operations show from the start."""
    zones = {
        index: [
            (isinstance(operation, GrantContinuousReward), operate_of(operation, stage))
            for operation in placed.item.operations
        ]
        for index, placed in enumerate(layout.things)
        if placed.kind.name == "DataZone"
    }
    return DataZones(zones) if zones else None


def mechanism_of(index: int, placed: Placed, stage: Stage) -> Iterator[Mechanism]:
    """The mechanism of a thing; most things have none."""
    kind = placed.kind
    if kind.change is not Change.NONE:
        yield (GrowingBall if kind.is_growing else ValuedBall)(index, placed, stage)
        if placed.position[1] - placed.size[1] / 2 < FLOOR_Y - LIFT and not placed.blocked:
            yield RisingBall(index, placed)
    elif kind.shape is Shape.TREE:
        yield Tree(placed, stage.differs)
    elif kind.shape is Shape.HOUSE:
        yield House(index, placed, stage.differs)
    elif kind.name == "Door":
        yield Door(index, placed)
    elif kind.name == "SpawnerButton":
        reward = reward_of(placed.item, stage)
        operations = [operate_of(operation, stage) for operation in placed.item.operations]
        yield Button(index, placed, operations or ([reward] if reward else []))
