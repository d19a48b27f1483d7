"""Interface of the Python package `animalai`, without Unity and `mlagents_envs`.

To run an existing script, change its imports:

animalai, animalai.(environment, actions, agents, ...)  ->  arena.animalai, arena.animalai.(the same)
animalai.envs.(environment, actions, ...), as in 3.0    ->  arena.animalai.(the same)
mlagents_envs.(base_env, exception)                     ->  arena.animalai.(the same)
mlagents_envs.envs.unity_gym_env, gym_unity.envs        ->  arena.animalai.wrappers

or import everything from `arena.animalai`.

Names, arguments and their order, keys, shapes and numberings are those of the package's latest published
source, 6.2, and of the build that it downloads, 4.4: pictures are (channels, height, width) and rays
distinguish 18 kinds of objects. Options of `AnimalAIEnvironment` restore the behaviour of 3.x and 4.0.

Differences, in addition to those described in the classes:

* The same seed gives the same episodes, independent of rendering and of the machine's speed, and the random
arenas of the original as far as its source determines them (`docs/fidelity.md`).
* `step` is exactly `decisionPeriod` ticks. An episode that ends during a step is followed by one that is 0
ticks old; in Unity it may be a tick or two old.
* With several agents, those of the next arena are there at once, also if it has fewer.
* An invalid argument raises an error that says what was expected, an `arena.ConfigError` that is also the
ValueError, TypeError, FileNotFoundError or IndexError which the original raises.
* Each call of `get_obs_dict` returns a new dictionary.
"""

import sys

from arena.animalai import agents, arenas, environment, wrappers
from arena.animalai.actions import AAIAction, AAIActions, stack_actions
from arena.animalai.agents import Braitenberg, RandomActionAgent
from arena.animalai.base_env import (
    ActionSpec,
    ActionTuple,
    BehaviorSpec,
    DecisionStep,
    DecisionSteps,
    ObservationSpec,
    TerminalStep,
    TerminalSteps,
)
from arena.animalai.environment import AnimalAIEnvironment, find_executable
from arena.animalai.raycastparser import RayCastObjects, RayCastParser
from arena.animalai.wrappers import (
    AnimalAIGymnasiumWrapper,
    UnityToGymnasiumWrapper,
    UnityToGymWrapper,
    make_animalai_env_fns,
    make_animalai_vec_env,
)

_FILES = {
    "executable": environment,
    **dict.fromkeys(("agents.braitenberg", "agents.randomActionAgent", "braitenberg"), agents),
    **dict.fromkeys(
        [f"wrappers.{name}" for name in ("unity_gymnasium", "animalai_gymnasium", "vector")], wrappers
    ),
}
"""Modules of the original merged into others here. Scripts import them under the old names."""

sys.modules |= {f"{__name__}.{name}": module for name, module in _FILES.items()}

__all__ = [
    "AAIAction", "AAIActions", "ActionSpec", "ActionTuple", "AnimalAIEnvironment",
    "AnimalAIGymnasiumWrapper", "BehaviorSpec", "Braitenberg", "DecisionStep", "DecisionSteps",
    "ObservationSpec", "RandomActionAgent", "RayCastObjects", "RayCastParser", "TerminalStep",
    "TerminalSteps", "UnityToGymWrapper", "UnityToGymnasiumWrapper", "arenas", "find_executable",
    "make_animalai_env_fns", "make_animalai_vec_env", "stack_actions",
]  # fmt: skip
