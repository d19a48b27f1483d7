"""Many environments at once, as in `animalai.wrappers.vector` (package `animalai` 6.2)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from arena.animalai.arguments import checked
from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.exception import InvalidValueError
from arena.animalai.wrappers.animalai_gymnasium import AnimalAIGymnasiumWrapper
from arena.gym.options import whole

_EACH_ITS_OWN = ("worker_id", "base_port", "seed", "arenas_configurations")


def make_animalai_env_fns(
    num_envs: int,
    *,
    worker_id_start: int = 0,
    base_port: int = 5005,
    seed: int = 0,
    arenas_configurations: str | Sequence[str] = "",
    env_kwargs: Mapping[str, Any] | None = None,
    wrapper_kwargs: Mapping[str, Any] | None = None,
    serialize_launch: bool = True,
    launch_lock_timeout: float = 300.0,
    launch_lock_path: str | None = None,
) -> list[Callable[[], AnimalAIGymnasiumWrapper]]:
    """Functions that create `num_envs` environments; number k has the seed `seed` + k.

    `arenas_configurations` is one file for all, or a list with one for each. Port and worker numbers
    and the lock for the start of programs are ignored. Raises InvalidValueError, a ValueError, for another
    number of files, or for `env_kwargs` that are arguments here.
    """
    count, options = checked(whole, "num_envs", num_envs), dict(env_kwargs or {})
    if given := [name for name in _EACH_ITS_OWN if name in options]:
        raise InvalidValueError(f"env_kwargs: got {given}; pass these to the function itself")
    files = (
        list(arenas_configurations)
        if isinstance(arenas_configurations, list | tuple)
        else [arenas_configurations] * count
    )
    if len(files) != count:
        raise InvalidValueError(f"arenas_configurations: got {len(files)} files, expected one, or {count}")

    def make(number: int) -> AnimalAIGymnasiumWrapper:
        env = AnimalAIEnvironment(seed=seed + number, arenas_configurations=files[number], **options)
        return AnimalAIGymnasiumWrapper(env, **(wrapper_kwargs or {}))

    return [partial(make, number) for number in range(count)]


def make_animalai_vec_env(
    num_envs: int, *, vectorization_mode: str = "sync", **options: Any
) -> VectorEnv[Any, Any, Any]:
    """A Gymnasium vector environment: "sync" in this process, or "async" with one process per environment.

    `options` are those of `make_animalai_env_fns`. Processes are spawned, so that they can render; the
    program must create them under `if __name__ == "__main__":`. `arena.gym.vector_env.ArenaVectorEnv` is
    faster. Raises InvalidValueError for another mode.
    """
    if vectorization_mode not in ("sync", "async"):
        raise InvalidValueError(f"vectorization_mode: got {vectorization_mode!r}, expected 'sync' or 'async'")
    makers = make_animalai_env_fns(num_envs, **options)
    return AsyncVectorEnv(makers, context="spawn") if vectorization_mode == "async" else SyncVectorEnv(makers)
