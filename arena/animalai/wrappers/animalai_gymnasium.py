"""The Gymnasium wrapper with named observations, as in `animalai.wrappers.animalai_gymnasium`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from arena.animalai.base_env import Floats
from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.exception import InvalidTypeError, InvalidValueError
from arena.animalai.wrappers.unity_gymnasium import UnityToGymnasiumWrapper

_STREAMS = ("camera", "rays", "health", "velocity", "position")


class AnimalAIGymnasiumWrapper(UnityToGymnasiumWrapper):
    """An `AnimalAIEnvironment` whose observation is a dictionary of the included parts; an array if only one
    is included.

    `camera` and `rays` are included by default if the environment has them; `health` (), `velocity` (3,) and
    `position` (3,) unless excluded.
    """

    def __init__(
        self,
        unity_env: AnimalAIEnvironment,
        *,
        include_camera: bool | None = None,
        include_rays: bool | None = None,
        include_health: bool = True,
        include_velocity: bool = True,
        include_position: bool = True,
        **options: Any,
    ) -> None:
        """`options` are those of `UnityToGymnasiumWrapper`.

        Raises InvalidTypeError, a TypeError, for another environment, and InvalidValueError, a ValueError,
        for a sensor that it does not have, or if nothing is included.
        """
        if not isinstance(unity_env, AnimalAIEnvironment):
            raise InvalidTypeError(f"unity_env: got {unity_env!r}, expected an AnimalAIEnvironment")
        wanted = (include_camera, include_rays, include_health, include_velocity, include_position)
        there = {"camera": unity_env.useCamera, "rays": unity_env.useRayCasts}
        for name, want in zip(_STREAMS, wanted, strict=True):
            if want and not there.get(name, True):
                raise InvalidValueError(f"include_{name}: got True, but the environment has no {name}")
        self._keys = [
            name
            for name, want in zip(_STREAMS, wanted, strict=True)
            if (there.get(name, True) if want is None else want)
        ]
        if not self._keys:
            raise InvalidValueError("include_*: nothing is included; include at least one")
        super().__init__(unity_env, **options)

    def _space(self) -> spaces.Space[Any]:
        boxes: dict[str, spaces.Space[Any]] = {name: self._box(name) for name in self._keys}
        return boxes[self._keys[0]] if len(boxes) == 1 else spaces.Dict(boxes)

    def _box(self, name: str) -> spaces.Box:
        if name == "camera":
            return self._picture_box()
        if name in ("rays", "health"):
            return spaces.Box(0, np.inf, self._shape("rays") if name == "rays" else (), np.float32)
        return spaces.Box(-np.inf, np.inf, (3,), np.float32)

    def _observe(self, obs: Sequence[Floats]) -> Any:
        named = self._env.get_obs_dict(list(obs))
        seen = {
            name: self._picture(named[name]) if name == "camera" else np.asarray(named[name], np.float32)
            for name in self._keys
        }
        return seen[self._keys[0]] if len(seen) == 1 else seen
