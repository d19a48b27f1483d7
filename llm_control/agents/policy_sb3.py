"""Policies of Stable-Baselines3 (`pip install 'arena-llm[rl]'`)."""

import io
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium import spaces

from arena.errors import ConfigError, EvaluationError

FORMAT = "stable-baselines3"
"""Name of the format in policy files."""

LIBRARIES = ("stable_baselines3", "sb3_contrib")
"""Packages whose algorithms are loaded."""

_SMALL = {"buffer_size": 1, "n_steps": 1}
"""Memory of training that a policy that only plays does not need; it may have gigabytes."""


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        missing = (error.name or name).partition(".")[0]
        raise EvaluationError(f"this policy needs {missing}: pip install 'arena-llm[rl]'") from None


def algorithm_of(model: Any) -> str:
    """The class of a model as `library.NAME`: its own, or the nearest above that a library exports.

    Raises EvaluationError if there is none.
    """
    for kind in type(model).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in LIBRARIES and getattr(import_module(library), kind.__name__, None) is kind:
            return f"{library}.{kind.__name__}"
    raise EvaluationError(
        f"save_policy: got {type(model).__name__}, expected a model of {' or '.join(LIBRARIES)}, such as PPO"
    )


def versions() -> dict[str, str]:
    """Versions of the libraries that are there."""
    found = {}
    for name in ("stable-baselines3", "sb3-contrib", "torch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def check_spaces(model: Any, observations: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
    """Raise ConfigError where a model does not observe and act in these spaces of an environment.

    A model may have pictures with their channels first, as the library turns them.
    """
    normalised = getattr(model, "get_vec_normalize_env", lambda: None)()
    if normalised is not None and normalised.norm_obs:
        raise ConfigError(
            "save_policy: the model was trained with VecNormalize, whose statistics a policy file does not "
            "keep; train with VecNormalize(..., norm_obs=False)"
        )
    if not _same(model.observation_space, observations):
        raise ConfigError(
            f"the policy observes {model.observation_space}, its options give {observations}; name those "
            "of the environment that it was trained in"
        )
    if not _same(model.action_space, actions):
        raise ConfigError(
            f"the policy acts in {model.action_space}, its options give {actions}; name the `action` of the "
            "environment that it was trained in"
        )


def _same(has: spaces.Space[Any], wanted: spaces.Space[Any]) -> bool:
    if isinstance(has, spaces.Dict) and isinstance(wanted, spaces.Dict):
        return has.keys() == wanted.keys() and all(_same(has[key], wanted[key]) for key in wanted.spaces)
    if has == wanted:
        return True
    if not (isinstance(has, spaces.Box) and isinstance(wanted, spaces.Box) and len(wanted.shape) == 3):
        return False
    turned = np.moveaxis(wanted.low, -1, 0), np.moveaxis(wanted.high, -1, 0)
    return has == spaces.Box(*turned, dtype=wanted.low.dtype.type)


class ModelPlayer:
    """A model as a player; the hidden state of a recurrent one is kept from action to action."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._state: Any = None

    def restart(self, seed: int) -> None:
        """Seed what is drawn at random from now on, in this process."""
        from stable_baselines3.common.utils import set_random_seed

        set_random_seed(seed)
        self._model.action_space.seed(seed)

    def act(self, observation: Any, sample: bool, first: bool) -> Any:
        """An element of the action space: the best action, or with `sample` one that is drawn.

        The `first` observation of an episode begins with an empty hidden state.
        """
        action, self._state = self._model.predict(
            observation, None if first else self._state, np.array([first]), deterministic=not sample
        )
        return action


def player(
    content: bytes, algorithm: str, observations: spaces.Space[Any], actions: spaces.Space[Any]
) -> ModelPlayer:
    """A model of a saved file's bytes, on the processor and in one thread.

    Raises EvaluationError for a missing library, an unknown algorithm and a broken file, and ConfigError as
    `check_spaces` does.
    """
    library, _, name = algorithm.rpartition(".")
    if library not in LIBRARIES:
        raise EvaluationError(f"algorithm: got {algorithm!r}, expected a class of {' or '.join(LIBRARIES)}")
    kind = getattr(_library(library), name, None)
    if kind is None:
        raise EvaluationError(f"algorithm: {library} {version(library)} has no {name!r}; install a newer one")
    _library("torch").set_num_threads(1)
    try:
        model = kind.load(io.BytesIO(content), device="cpu", custom_objects=_SMALL)
    except Exception as error:  # what is unpickled fails anywhere
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise EvaluationError(
            f"{name} cannot load it ({reason[:200]}); train or save it again with the versions that are here"
        ) from None
    check_spaces(model, observations, actions)
    return ModelPlayer(model)
