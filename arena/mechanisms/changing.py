"""Balls whose value or size changes with time (section 7.4 of the behaviour specification)."""

from collections.abc import Iterable

from arena.action import TICK_S
from arena.geometry.ball_sizes import SHRINK, SMALLEST_BALL, changing_values
from arena.geometry.placed import Placed
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y
from arena.mechanisms.stage import Stage
from arena.rules import Event
from arena.taskfile.kind import Change

RATE = 0.005
"""Default change per tick."""


RISE = 10.0 * TICK_S
"""Distance by which overlapping bodies are separated in a tick, metres: at 10 m/s at most
(`DynamicsManager.asset`)."""


class _ChangingBall:
    def __init__(self, index: int, placed: Placed, stage: Stage) -> None:
        self._index = index
        self._value, self._final = changing_values(placed)
        late = max(stage.tick, 1) if stage.differs.starts_late else 0
        # The tick after which it begins to change.
        self._after = late + placed.entry(placed.item.delays, 0.0)
        self._rate = abs(placed.entry(placed.item.change_rates, RATE))


class ValuedBall(_ChangingBall):
    """A decay or ripen goal: its reward changes from the initial to the final value, its size is constant."""

    def __init__(self, index: int, placed: Placed, stage: Stage) -> None:
        super().__init__(index, placed, stage)
        stage.goals.set_value(index, self._value)

    def act(self, stage: Stage) -> Iterable[Event]:
        """Change the value for one tick."""
        if stage.tick > self._after and self._value != self._final:
            self._value = _towards(self._value, self._final, self._rate)
            stage.goals.set_value(self._index, self._value)
        return ()


class RisingBall:
    """A ball that begins in the floor, as its place was found before it had its size, and comes out of it."""

    def __init__(self, index: int, placed: Placed) -> None:
        self._index = index
        self._place = placed.position
        self._rise = 0.0

    def act(self, stage: Stage) -> Iterable[Event]:
        """Lift the ball, from its second tick on, until it stands on the floor; then it moves by itself."""
        if not stage.world.is_there(self._index):
            return ()
        (x, y, z), size = self._place, stage.world.size(self._index)
        standing = FLOOR_Y + size[1] / 2
        self._place = (x, min(y + self._rise, standing), z)
        self._rise = RISE
        rises = self._place[1] < standing
        stage.world.resize(self._index, size, self._place, held=rises)
        if not rises:
            stage.mechanisms.remove(self)
        return ()


class GrowingBall(_ChangingBall):
    """A grow or shrink goal: its size and reward change from the initial to the final value."""

    def __init__(self, index: int, placed: Placed, stage: Stage) -> None:
        super().__init__(index, placed, stage)
        self._size = placed.size[0]
        self._grows = placed.kind.change is Change.GROW

    def act(self, stage: Stage) -> Iterable[Event]:
        """Change the size for one tick; growth pauses while there is no room."""
        world = stage.world
        if stage.tick <= self._after or not world.is_there(self._index):
            return ()
        size = max(SMALLEST_BALL, SHRINK * _towards(self._size, self._final, self._rate))
        if abs(size - self._size) < 1e-6 or (self._grows and self._is_cramped(stage)):
            return ()
        self._size = size
        world.resize(self._index, (size, size, size))
        stage.goals.set_value(self._index, size)
        return ()

    def _is_cramped(self, stage: Stage) -> bool:
        """Whether something lies on the ball, or it touches the boundary or something immovable."""
        x, y, z = stage.world.position(self._index)
        radius = self._size / 2
        if not all(radius < value < ARENA_SIZE - radius for value in (x, z)):
            return True
        around = stage.world.overlapping((x, y, z), radius, besides=self._index)
        immovable = (stage.goals.placed(i).kind for i in around)
        if any(kind.mass == 0 or kind.is_heavy for kind in immovable):
            return True
        return bool(stage.world.overlapping((x, y + radius, z), 0.05, besides=self._index))


def _towards(value: float, final: float, rate: float) -> float:
    return min(value + rate, final) if final >= value else max(value - rate, final)
