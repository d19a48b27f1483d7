"""The interface of the Python package `animalai` for this arena, without Unity and without `mlagents_envs`.

To run an existing script, change its imports:

    animalai.environment, .actions, .raycastparser, .wrappers, .executable  ->  arena.animalai.(the same)
    animalai.envs.(environment, actions, raycastparser), as in 3.0          ->  arena.animalai.(the same)
    mlagents_envs.base_env                                                  ->  arena.animalai.base_env
    mlagents_envs.envs.unity_gym_env                                        ->  arena.animalai.wrappers

or import everything from `arena.animalai`.

Names, arguments and their order, keys, shapes and numberings are those of the package's published source: 4.0
for the modules that came with the arena of v3 (`environment.py`, `actions.py`, `raycastparser.py`), the
latest for `wrappers`; steps and actions are those of `mlagents_envs` 0.30.0, on which 4.0 depends, so
pictures are (height, width, channels).

Differences, besides those described in the classes:

* The same seed gives the same episodes, independent of rendering and of the machine's speed. The same seed
  does not give the same random arena in both packages.
* `step` is exactly `decisionPeriod` ticks. An episode that ends during a step is followed by one that is 0
  ticks old; in Unity it may be a tick or two old.
* There is one agent, and an arena must be given.
* An invalid argument raises `arena.ConfigError`, which says what was expected.
* Each call of `get_obs_dict` returns a new dictionary.
"""

from arena.animalai.actions import AAIAction, AAIActions
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
from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.executable import find_executable
from arena.animalai.raycastparser import RayCastObjects, RayCastParser
from arena.animalai.wrappers import (
    AnimalAIGymnasiumWrapper,
    UnityToGymnasiumWrapper,
    UnityToGymWrapper,
    make_animalai_env_fns,
    make_animalai_vec_env,
)

__all__ = [
    "AAIAction",
    "AAIActions",
    "ActionSpec",
    "ActionTuple",
    "AnimalAIEnvironment",
    "AnimalAIGymnasiumWrapper",
    "BehaviorSpec",
    "DecisionStep",
    "DecisionSteps",
    "ObservationSpec",
    "RayCastObjects",
    "RayCastParser",
    "TerminalStep",
    "TerminalSteps",
    "UnityToGymWrapper",
    "UnityToGymnasiumWrapper",
    "find_executable",
    "make_animalai_env_fns",
    "make_animalai_vec_env",
]
