"""Gymnasium wrappers of `AnimalAIEnvironment`, as in `animalai.wrappers` (package `animalai` 6.2)."""

from arena.animalai.exception import UnityGymException, UnityGymnasiumException
from arena.animalai.wrappers.animalai_gymnasium import AnimalAIGymnasiumWrapper
from arena.animalai.wrappers.unity_gymnasium import (
    ActionFlattener,
    UnityToGymnasiumWrapper,
    UnityToGymWrapper,
)
from arena.animalai.wrappers.vector import make_animalai_env_fns, make_animalai_vec_env

__all__ = [
    "ActionFlattener",
    "AnimalAIGymnasiumWrapper",
    "UnityGymException",
    "UnityGymnasiumException",
    "UnityToGymWrapper",
    "UnityToGymnasiumWrapper",
    "make_animalai_env_fns",
    "make_animalai_vec_env",
]
