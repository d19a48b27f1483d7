"""Data exchanged between script and environment: actions, and steps of agents.

A subset of `mlagents_envs.base_env`, on which `animalai` depends: what scripts for Animal-AI use. Action
masks are None and groups are 0, since Animal-AI has neither.
"""

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, IntFlag
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from arena.animalai.exception import UnityActionException

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
StepT = TypeVar("StepT", bound=tuple[Any, ...])

AgentId = int
GroupId = int
BehaviorName = str


class BaseEnv(ABC):  # noqa: B024
    """Base of environments, for scripts that ask whether an object is one."""


class ActionTuple:
    """Actions of n agents. `continuous` is float32 (n, 0), as Animal-AI has no continuous actions; `discrete`
    is int32 (n, 2), move and rotate."""

    def __init__(
        self, continuous: npt.ArrayLike | None = None, discrete: npt.ArrayLike | None = None
    ) -> None:
        self.add_continuous(np.zeros((0, 0)) if continuous is None else continuous)
        self.add_discrete(np.zeros((0, 0)) if discrete is None else discrete)

    def add_continuous(self, continuous: npt.ArrayLike) -> None:
        """Set the continuous actions."""
        self.continuous: Floats = np.asarray(continuous, np.float32)

    def add_discrete(self, discrete: npt.ArrayLike) -> None:
        """Set the discrete actions."""
        self.discrete: Ints = np.asarray(discrete, np.int32)


class ActionSpec(NamedTuple):
    """Shape of an agent's action: the sizes of its discrete branches."""

    continuous_size: int
    discrete_branches: tuple[int, ...]

    @property
    def discrete_size(self) -> int:
        """Number of branches."""
        return len(self.discrete_branches)

    def is_discrete(self) -> bool:
        """Return whether an action is entirely discrete."""
        return self.discrete_size > 0 and self.continuous_size == 0

    def is_continuous(self) -> bool:
        """Return whether an action is entirely continuous."""
        return self.discrete_size == 0 and self.continuous_size > 0

    def empty_action(self, n_agents: int) -> ActionTuple:
        """No movement, for `n_agents` agents."""
        return ActionTuple(
            np.zeros((n_agents, self.continuous_size)), np.zeros((n_agents, self.discrete_size))
        )

    def random_action(self, n_agents: int) -> ActionTuple:
        """Random actions, drawn from numpy's global generator as in the original (`np.random.seed`)."""
        drawn = np.random.randint(self.discrete_branches, size=(n_agents, self.discrete_size))
        return ActionTuple(np.zeros((n_agents, self.continuous_size)), drawn)

    @staticmethod
    def create_discrete(discrete_branches: Sequence[int]) -> "ActionSpec":
        """Return the shape of an action with these branches."""
        return ActionSpec(0, tuple(discrete_branches))


class DimensionProperty(IntFlag):
    """Known properties of an observation's dimension."""

    UNSPECIFIED = 0
    NONE = 1
    TRANSLATIONAL_EQUIVARIANCE = 2
    VARIABLE_SIZE = 4


class ObservationType(Enum):
    """Kind of an observation. Animal-AI's are all of the default one."""

    DEFAULT = 0
    GOAL_SIGNAL = 1


class ObservationSpec(NamedTuple):
    """Shape and name of an observation of one agent."""

    shape: tuple[int, ...]
    dimension_property: tuple[DimensionProperty, ...]
    observation_type: ObservationType
    name: str


def observation_spec(shape: tuple[int, ...], name: str) -> ObservationSpec:
    """Return the specification of an observation with the properties that Animal-AI's have."""
    flat, across = DimensionProperty.NONE, DimensionProperty.TRANSLATIONAL_EQUIVARIANCE
    sides = [across if len(shape) == 3 and size == shape[1] else flat for size in shape]
    return ObservationSpec(shape, tuple(sides), ObservationType.DEFAULT, name)


class BehaviorSpec(NamedTuple):
    """The observations of a behaviour's agents, in this order, and their actions."""

    observation_specs: list[ObservationSpec]
    action_spec: ActionSpec


class DecisionStep(NamedTuple):
    """Observation and latest reward of an agent that acts next. The reward is that since the last step."""

    obs: list[npt.NDArray[Any]]
    reward: float
    agent_id: int
    action_mask: None = None
    group_id: int = 0
    group_reward: float = 0.0


class TerminalStep(NamedTuple):
    """Last observation of an agent. It is `interrupted` if its episode was ended from outside."""

    obs: list[npt.NDArray[Any]]
    reward: float
    interrupted: bool
    agent_id: int
    group_id: int = 0
    group_reward: float = 0.0


class _Steps(Mapping[int, StepT], Generic[StepT]):
    """Steps of n agents by agent id. Each of `obs` has n rows, `reward` and `agent_id` are (n,)."""

    def __init__(self, obs: list[Floats], reward: Floats, agent_id: Ints) -> None:
        self.obs, self.reward, self.agent_id = obs, reward, agent_id
        self.group_id: Ints = np.zeros(len(agent_id), np.int32)
        self.group_reward: Floats = np.zeros(len(agent_id), np.float32)

    @property
    def agent_id_to_index(self) -> dict[int, int]:
        """The row of each agent."""
        return {int(agent): row for row, agent in enumerate(self.agent_id)}

    def _row_of(self, agent_id: int) -> int:
        rows = self.agent_id_to_index
        if agent_id not in rows:
            raise KeyError(f"agent_id: got {agent_id!r}, expected one of {sorted(rows)}")
        return rows[agent_id]

    def __len__(self) -> int:
        return len(self.agent_id)

    def __iter__(self) -> Iterator[int]:
        return iter(self.agent_id_to_index)


class DecisionSteps(_Steps[DecisionStep]):
    """Steps of the agents that are to act."""

    def __init__(
        self, obs: list[Floats], reward: Floats, agent_id: Ints, action_mask: None = None, *_groups: Any
    ) -> None:
        super().__init__(obs, reward, agent_id)
        self.action_mask = action_mask

    def __getitem__(self, agent_id: int) -> DecisionStep:
        row = self._row_of(agent_id)
        return DecisionStep([each[row] for each in self.obs], float(self.reward[row]), agent_id)

    @staticmethod
    def empty(spec: BehaviorSpec) -> "DecisionSteps":
        """Return the steps of no agent."""
        return DecisionSteps(no_obs(spec), np.zeros(0, np.float32), np.zeros(0, np.int32))


class TerminalSteps(_Steps[TerminalStep]):
    """Steps of the agents whose episode has ended; `interrupted` is bool (n,)."""

    def __init__(
        self,
        obs: list[Floats],
        reward: Floats,
        interrupted: npt.NDArray[np.bool_],
        agent_id: Ints,
        *_groups: Any,
    ) -> None:
        super().__init__(obs, reward, agent_id)
        self.interrupted = interrupted

    def __getitem__(self, agent_id: int) -> TerminalStep:
        row = self._row_of(agent_id)
        return TerminalStep(
            [each[row] for each in self.obs], float(self.reward[row]), bool(self.interrupted[row]), agent_id
        )

    @staticmethod
    def empty(spec: BehaviorSpec) -> "TerminalSteps":
        """Return the steps of no agent."""
        nobody = np.zeros(0, np.int32)
        return TerminalSteps(no_obs(spec), np.zeros(0, np.float32), np.zeros(0, np.bool_), nobody)


def no_obs(spec: BehaviorSpec) -> list[Floats]:
    """Observations of zero agents, float32 (0, ...)."""
    return [np.zeros((0, *each.shape), np.float32) for each in spec.observation_specs]


def batch(observations: Sequence[Any], specs: Sequence[ObservationSpec], grayscale: bool) -> list[Floats]:
    """Batch n agents' observations as in the original. There is an array (n, ...) for each specification."""
    sensed = ([_sensed(each[spec.name], spec, grayscale) for each in observations] for spec in specs)
    # One agent's is not copied: it may be a large picture.
    return [rows[0][None] if len(rows) == 1 else np.array(rows) for rows in sensed]


def _sensed(values: Any, spec: ObservationSpec, grayscale: bool) -> Floats:
    if spec.name != "camera":
        return np.asarray(values, np.float32)
    camera: Floats = values.astype(np.float32) / np.float32(255)
    camera = camera.mean(axis=2, keepdims=True) if grayscale else camera
    return np.ascontiguousarray(camera.transpose(2, 0, 1)) if camera.shape != spec.shape else camera


def actions_of(spec: ActionSpec, action: Any, agents: int) -> Ints:
    """Return the discrete actions of `agents` agents, (n, 2). Raises UnityActionException for any other."""
    discrete: Ints = getattr(action, "discrete", np.zeros(0, np.int32))
    sizes = spec.discrete_branches
    if discrete.shape != (agents, len(sizes)) or (discrete < 0).any() or (discrete >= sizes).any():
        raise UnityActionException(
            f"action: got {getattr(action, 'discrete', action)!r}, expected an ActionTuple whose `discrete` "
            f"has {agents} rows of {len(sizes)} numbers, 0 to 2 each: move and rotate"
        )
    return discrete
