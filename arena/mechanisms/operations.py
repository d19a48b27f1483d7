"""Operations of buttons and data zones (4.3 and later), and the reward of an older button."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from arena.geometry.placed import Placed
from arena.mechanisms.stage import Stage
from arena.rules import Event, EventKind
from arena.taskfile.config import (
    EndEpisode,
    FreezeAgent,
    GrantContinuousReward,
    GrantReward,
    Item,
    LimitedInvocations,
    Operation,
    OperationFromList,
    ToggleObject,
    Vector3,
)

CONTINUOUS = "grantContinuousReward"
"""Name in the events of rewards that come in every tick."""

Operate = Callable[[Stage, int], Iterable[Event]]
"""An operation to be called with the number of the agent that triggered it."""


def run(operations: Iterable[Operate], stage: Stage, agent: int, operator: Placed) -> Iterator[Event]:
    """Call operations of a button or data zone, until the agent's episode is over."""
    stage.operator = operator
    for operate in operations:
        if not stage.accounts[agent].done:
            yield from operate(stage, agent)
    stage.operator = None


def operate_of(operation: Operation, stage: Stage) -> Operate:
    """The operation as a function; adds objects that it shows from the start."""
    if isinstance(operation, ToggleObject):
        return _Toggle(operation, stage)
    if isinstance(operation, LimitedInvocations):
        return _Limited(operate_of(operation.operation, stage), operation.max_invocations)
    if isinstance(operation, OperationFromList):
        return _RandomChoice([operate_of(each, stage) for each in operation.operations], operation.weights)
    return lambda stage, agent: _simple(operation, stage, agent)


def _simple(operation: Operation, stage: Stage, agent: int) -> Iterable[Event]:
    account = stage.accounts[agent]
    if isinstance(operation, GrantReward):
        account.grant(operation.reward)
        return (_grant(stage, operation.reward),)
    if isinstance(operation, GrantContinuousReward):
        if stage.operator is None or stage.operator.kind.name != "DataZone":
            return ()  # As in the original, a button's has no effect.
        account.grant(operation.reward_per_step)
        return (_grant(stage, operation.reward_per_step, CONTINUOUS),)
    if isinstance(operation, EndEpisode):
        stage.end(agent, operation.reward)
        return (_grant(stage, operation.reward),)
    if isinstance(operation, FreezeAgent):
        stage.freeze(agent, operation.freeze_steps)
    return ()


def _grant(stage: Stage, reward: float, name: str = "") -> Event:
    return Event(stage.tick, EventKind.GRANT, -1, name, reward)


class _Toggle:
    def __init__(self, operation: ToggleObject, stage: Stage) -> None:
        self._item = operation.spawnable
        self._forgets = operation.spawn_and_forget
        # As in the original, what is spawned and forgotten is not there at the start.
        there = operation.initially_present and not self._forgets
        self._shown: list[int] = stage.place(self._item) if there else []

    def __call__(self, stage: Stage, agent: int) -> Iterable[Event]:
        there = [index for index in self._shown if stage.world.is_there(index)]
        if there and not self._forgets:
            for index in there:
                stage.world.remove(index)
            self._shown = []
        else:
            self._shown = stage.place(self._item)
        return ()


class _Limited:
    def __init__(self, operate: Operate, most: int) -> None:
        self._operate = operate
        self._left = most

    def __call__(self, stage: Stage, agent: int) -> Iterable[Event]:
        if self._left == 0:
            return ()
        self._left -= self._left > 0
        return self._operate(stage, agent)


class _RandomChoice:
    def __init__(self, choices: Sequence[Operate], weights: Sequence[float]) -> None:
        self._choices = choices
        given = [weights[i] if i < len(weights) else 0.0 for i in range(len(choices))]
        self._weights = np.array(given if sum(given) > 0 else [1.0] * len(choices))

    def __call__(self, stage: Stage, agent: int) -> Iterable[Event]:
        if not self._choices:
            return ()
        drawn = stage.rng.choice(len(self._choices), p=self._weights / self._weights.sum())
        return self._choices[drawn](stage, agent)


def reward_of(item: Item, stage: Stage) -> Operate | None:
    """The operation of a button that has none: with a probability, one of its rewards appears.

    A reward position of (0, 0, 0) means a random one; a count of -1 means no limit (section 7.5).
    """
    if not item.reward_names:
        return None
    at = item.reward_position
    anywhere = (at.x, at.y, at.z) == (0, 0, 0)
    place = Vector3(x=-1.0, y=0.0, z=-1.0) if anywhere else at
    shown = [Item(name=name, positions=(place,), sizes=(item.reward_size,)) for name in item.reward_names]
    rewards = [
        _Limited(
            _Toggle(ToggleObject(type="toggleObject", spawnable=reward, spawn_and_forget=True), stage),
            item.max_reward_counts[i] if i < len(item.max_reward_counts) else -1,
        )
        for i, reward in enumerate(shown)
    ]
    drawn = _RandomChoice(rewards, item.reward_weights)
    return lambda stage, agent: drawn(stage, agent) if stage.rng.uniform() < item.spawn_probability else ()


class DataZones:
    """Data zones: an agent that enters one triggers its operations; continuous rewards come in every tick.

    In the tick of the entry these come twice: Unity starts such an operation at once, and continues it at the
    end of the same tick (`GrantContinuousRewardOperation.cs`).
    """

    def __init__(self, operations: Mapping[int, Sequence[tuple[bool, Operate]]]) -> None:
        """`operations` by the zone's index; True marks those that repeat while an agent is inside."""
        self._operations = operations
        self._inside: dict[int, frozenset[int]] = {}

    def act(self, stage: Stage) -> Iterable[Event]:
        """Run the operations of zones that agents have entered."""
        for agent, account in enumerate(stage.accounts):
            before, now = self._inside.get(agent, frozenset()), account.zones
            self._inside[agent] = now
            for index in sorted(now & self._operations.keys()):
                enters = index not in before
                for repeats, operate in self._operations[index]:
                    yield from run([operate] * (repeats + enters), stage, agent, stage.goals.placed(index))
