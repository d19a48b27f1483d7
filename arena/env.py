"""The arena as a Gymnasium environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from arena.action import ACTIONS
from arena.config import ArenaFile
from arena.episode import Episode
from arena.errors import ConfigError
from arena.load import load
from arena.sensors import Frame, Observation, Sensors
from arena.sequence import Sequence
from arena.versions import Version


class ArenaEnv(gymnasium.Env[Observation, np.int64]):
    """One agent in an Animal-AI arena.

    ## Description
    `config` is a task file in the original's YAML format (or a loaded `ArenaFile`). The i-th reset plays
    its i-th arena, wrapping around; one step is 3 physics ticks (0.06 s).

    ## Action space
    `Discrete(9)`: 3 x move + rotate, with move 0 none, 1 forward, 2 backward and rotate 0 none, 1 right,
    2 left (`arena.ACTIONS`).

    ## Observation space
    A dictionary: `camera` uint8 (resolution, resolution, 3), the agent's view (absent with camera=False;
    one channel, the mean of red, green and blue, with grayscale=True); with depth=True `depth` float32
    (resolution, resolution, 1), metres along the viewing axis, 70 for the sky and for all in the dark; with
    segmentation=True `segmentation` uint8 (resolution, resolution, 1), indices into
    `arena.channels.CLASSES`, 0 in the dark; glass and zones count as surfaces; `rays` float32 (14 * (2 *
    rays_per_side + 1),), 70 for two a side, as `arena.rays.Rays` describes (absent without rays_per_side);
    `health` float32 (1,), 0 to 100; `velocity` float32 (3,), m/s in the agent's frame (right, up,
    forward); `position` float32 (3,), metres in the arena (x, y, z).

    ## Rewards
    The step's reward: the clock's -1/(5 t) per tick, a ball's signed diameter, -1 in a death zone, and
    what a hot zone takes. Their sum is the episode's total reward.

    ## Episode end
    `terminated` when the arena ends the episode (goal, death, health gone); `truncated` is always False.

    ## Info
    `arena`: id of the arena; `events`: what happened in the step; `outcome` and `passed` at the end.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 17}  # noqa: RUF012

    def __init__(
        self,
        config: str | Path | ArenaFile,
        *,
        version: str = Version.V3,
        render_mode: str | None = None,
        **sensors: Any,
    ) -> None:
        """`version` of Animal-AI to read a file for; `sensors` are the options of `arena.sensors.Sensors`:
        resolution=84, camera=True, grayscale=False, depth=False, segmentation=False, renderer="moderngl",
        rays_per_side=None, ray_max_degrees=60.

        Raises ConfigError for a broken file or option, or several agents; RenderError where no camera opens.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f"render_mode: got {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        file = config if isinstance(config, ArenaFile) else load(config, version)
        self._sensors = Sensors(**sensors, version=next(iter(file.arenas.values())).version)
        self._sequence = Sequence(file)
        self._episode: Episode | None = None
        self._started = False
        self.action_space = spaces.Discrete(len(ACTIONS))
        self.observation_space = self._sensors.space()  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next arena. With `seed`, start again from the file's first arena, with that seed."""
        super().reset(seed=seed)
        if seed is not None or not self._started:
            self._sequence.restart(int(self.np_random.integers(2**31)) if seed is None else seed)
            self._started = True
        self.close()
        self._episode = self._sequence.next()
        if len(self._episode.agents) > 1:
            raise ConfigError(
                f"arena {self._episode.task_id} has {len(self._episode.agents)} agents, expected one; use "
                "arena.parallel_env.ArenaParallelEnv"
            )
        return self._sensors.observe(self._episode), {"arena": int(self._episode.task_id)}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one of the nine actions."""
        episode = self._playing()
        result = episode.step(ACTIONS[int(action)])
        info: dict[str, Any] = {"arena": int(episode.task_id), "events": result.events}
        if result.done:
            info |= {"outcome": str(episode.outcome), "passed": episode.passed}
        return self._sensors.observe(episode), result.reward, result.done, False, info

    def render(self) -> Frame | None:
        """The agent's view now, uint8 (resolution, resolution, 3); None without a render mode."""
        return self._sensors.view(self._playing()) if self.render_mode else None

    def close(self) -> None:
        """Free the present episode's physics."""
        if self._episode is not None:
            self._episode.close()

    def _playing(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset() before step() or render()")
        return self._episode


def register() -> None:
    """Make `gymnasium.make("arena-llm/Arena-v0", config=...)` work; called when `arena` is imported."""
    if "arena-llm/Arena-v0" not in gymnasium.registry:
        gymnasium.register("arena-llm/Arena-v0", entry_point="arena.env:ArenaEnv")
