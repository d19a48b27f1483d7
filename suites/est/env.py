"""The Blicket machine as Gymnasium environments: one episode, or a batch that is one computation."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from arena.errors import ConfigError
from suites.est.hypotheses import OBJECTS, Bools
from suites.est.world import PRESETS, Machines, Preset, Step

SYMBOLS = spaces.Box(0, 1, (OBJECTS + 1,), np.float32)
"""The panel that is seen: for each object whether it is on the machine, and whether that is lit."""

ACTIONS = spaces.Box(0, 1, (2 * OBJECTS,), np.float32)
"""For each object the probability of being a Blicket, then for each whether it is tried: above 0.5."""

Info = dict[str, Any]


def preset_of(preset: str | Preset) -> Preset:
    """A preset by its name, or itself. Raises ConfigError for an unknown name."""
    if isinstance(preset, Preset):
        return preset
    if preset not in PRESETS:
        raise ConfigError(f"preset: got {preset!r}, expected one of {', '.join(PRESETS)}, or a Preset")
    return PRESETS[preset]


def _played(world: Machines, actions: npt.NDArray[Any]) -> Step:
    """A step of a batch by actions (episodes, 18). Raises ConfigError for numbers outside 0 to 1."""
    if actions.shape != (len(world.over), 2 * OBJECTS):
        raise ConfigError(
            f"actions: got the shape {actions.shape}, expected {(len(world.over), 2 * OBJECTS)}"
        )
    if not ((actions >= 0) & (actions <= 1)).all():
        raise ConfigError("actions: got numbers outside 0 to 1, or no numbers")
    return world.step(actions[:, :OBJECTS].astype(np.float64), actions[:, OBJECTS:] > 0.5)


def _seen(world: Machines) -> npt.NDArray[np.float32]:
    return np.column_stack([world.panels, world.lights]).astype(np.float32)


class EstEnv(gymnasium.Env[Any, Any]):
    """One episode of finding out which of nine objects are Blickets.

    ## Observation space `Box(0, 1, (10,))`: the panel that is seen, see `SYMBOLS`. The first four are
    context, then come the agent's own.

    ## Action space
    `Box(0, 1, (18,))`: see `ACTIONS`. Trials before the fourth step are not seen.

    ## Rewards and end 20 and the end if all nine beliefs are on the side of the truth, 0.5 being on neither.
    Otherwise -1 minus the Jensen-Shannon distance to the exact belief. After ten steps the episode is over:
    `terminated` in both cases.

    ## Info
    `is_success` bool, and `oracle` float64 (9,), the exact belief after the panels that were seen.
    """

    def __init__(self, preset: str | Preset = "est") -> None:
        """`preset` is "est", "ivre" or a `Preset`. Raises ConfigError for another name."""
        self.preset = preset_of(preset)
        self.observation_space, self.action_space = SYMBOLS, ACTIONS
        self._world: Machines | None = None

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        """A new episode. Raises ConfigError for options, as there are none."""
        if options:
            raise ConfigError(f"reset: got the options {options!r}, expected none")
        super().reset(seed=seed)
        self._world = Machines(self.preset, 1, self.np_random)
        return _seen(self._world)[0], self._info(self._world, solved=False)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """State a belief and try objects. Raises ConfigError for an action outside the space, ResetNeeded
        after the end."""
        world = self._world
        if world is None or world.over[0]:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode, or it is over")
        given = _played(world, np.asarray(action)[None])
        info = self._info(world, bool(given.solved[0]))
        return _seen(world)[0], float(given.rewards[0]), bool(given.over[0]), False, info

    def _info(self, world: Machines, solved: bool) -> Info:
        return {"is_success": solved, "oracle": world.oracle.belief()[0]}


class EstVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` episodes of `EstEnv` as one array computation, drawn by one generator.

    `autoreset_mode` is Gymnasium's. The same seed gives the same bits, but episode k is not that of a single
    environment with seed + k.
    """

    def __init__(
        self,
        num_envs: int = 1,
        preset: str | Preset = "est",
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        """Raises ConfigError as `EstEnv` does."""
        self.preset, self.num_envs = preset_of(preset), num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = SYMBOLS, ACTIONS
        self.observation_space = batch_space(SYMBOLS, num_envs)
        self.action_space = batch_space(ACTIONS, num_envs)
        self._world: Machines | None = None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[Any, Info]:
        """New episodes, or only where `options["reset_mask"]`, bool (num_envs,), says so.

        `seed` is one number for the whole batch. Raises ConfigError for a list of seeds and for other
        options.
        """
        chosen, rest = None, dict(options or {})
        if "reset_mask" in rest:
            chosen = np.asarray(rest.pop("reset_mask"), np.bool_)
        if rest or not isinstance(seed, int | np.integer | None):
            raise ConfigError(
                f"reset: got seed={seed!r}, options={rest!r}; expected one number, and reset_mask"
            )
        super().reset(seed=None if seed is None else int(seed))
        if self._world is None or seed is not None:
            self._world = Machines(self.preset, self.num_envs, self.np_random)
        else:
            self._world.restart(chosen)
        return _seen(self._world), self._info(self._world, np.zeros(self.num_envs, np.bool_))

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """State beliefs and try objects in all episodes; raises as `EstEnv.step` does."""
        world = self._world
        if world is None:
            raise gymnasium.error.ResetNeeded("call reset() first")
        before = world.over.copy()
        if self.autoreset_mode is AutoresetMode.DISABLED and before.any():
            raise gymnasium.error.ResetNeeded(
                f"environments {np.flatnonzero(before).tolist()} are over: reset them with "
                'reset(options={"reset_mask": terminated | truncated})'
            )
        given = _played(world, np.asarray(actions))
        info: Info = {}
        ended = given.over & ~before
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            info = self._final(world, given.solved, ended)
            world.restart(ended)
        elif before.any():
            world.restart(before)
        info |= self._info(world, given.solved)
        return _seen(world), given.rewards, ended, np.zeros(self.num_envs, np.bool_), info

    def _final(self, world: Machines, solved: Bools, ended: Bools) -> Info:
        """What Gymnasium keeps of episodes that are reset in the step that ends them."""
        observations, seen = np.full(self.num_envs, None, object), _seen(world)
        for number in np.flatnonzero(ended):
            observations[number] = seen[number]
        last = self._info(world, solved)
        return {"final_obs": observations, "_final_obs": ended, "final_info": last, "_final_info": ended}

    def _info(self, world: Machines, solved: Bools) -> Info:
        every = np.ones(self.num_envs, np.bool_)
        return {
            "is_success": solved,
            "_is_success": every,
            "oracle": world.oracle.belief(),
            "_oracle": every,
        }
