"""The interface of the Python package `animalai` over this arena, without Unity and without `mlagents_envs`.

A script moves over by its imports:

    animalai.environment, .actions, .raycastparser, .wrappers, .executable  ->  arena.animalai.(the same)
    animalai.envs.(environment, actions, raycastparser), as in 3.0          ->  arena.animalai.(the same)
    mlagents_envs.base_env                                                  ->  arena.animalai.base_env
    mlagents_envs.envs.unity_gym_env                                        ->  arena.animalai.wrappers

or all from `arena.animalai`.

Names, arguments and their order, keys, shapes and numberings are those of the package's published source: 4.0
for what came with the arena of v3 (`environment.py`, `actions.py`, `raycastparser.py`), its latest for
`wrappers`; steps and actions those of `mlagents_envs` 0.30.0, which 4.0 depends on, so pictures are (height,
width, channels).

What differs, besides what each class says:

* The same seed gives the same episodes, also with other drawing or another machine's speed. One seed of both
  packages does not give the same random arena.
* `step` is exactly `decisionPeriod` ticks. An episode that ends within a step is followed by one that is 0
  ticks old; in Unity it may be a tick or two old.
* There is one agent, and an arena must be given.
* A wrong argument is an `arena.ConfigError` with what was expected.
* Each call of `get_obs_dict` gives a dictionary of its own, not the same one again.
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
