"""Scaffolds by which a language model acts, as in `animalai.LLM_scaffolds` (package `animalai` 6.2).

Actions in words go to the environment, pictures come back. The names of the wrapper for Inspect AI are
imported when they are first used, as that is an extra (`pip install 'arena-llm[eval]'`). `arena-llm eval`
evaluates models with all that this lacks.
"""

from typing import Any

from arena.animalai.LLM_scaffolds.environment_scaffolds import EnvironmentScaffold, FrameByFrameScaffold

_OF_INSPECT = ("act", "add_act_tool", "close_environment", "start_animalai", "total_reward_scorer")

__all__ = ["EnvironmentScaffold", "FrameByFrameScaffold"]


def __getattr__(name: str) -> Any:
    if name not in _OF_INSPECT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.animalai.LLM_scaffolds import inspect_wrapper

    return getattr(inspect_wrapper, name)
