"""The arena as a Gymnasium environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium

from arena.action import STEP_S
from arena.episode import Episode
from arena.errors import ConfigError
from arena.gym.controls import controls
from arena.gym.curriculum import Config, curriculum
from arena.gym.options import check_options, whole
from arena.gym.pickled import PlaysEpisode
from arena.gym.sensors import Observation, RenderedView, Sensors
from arena.rules import Event, Outcome
from arena.taskfile.config import ArenaFile
from arena.taskfile.versions import version_of


class ArenaEnv(PlaysEpisode, gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """One agent in an Animal-AI arena.

    ## Description
    `config` selects the tasks: a task file in the original's YAML format, a list of files that are played in
    turn, or a curriculum, such as `testbed.curriculum.Levels("1-3")` or `Generated(levels="1")`. Every reset
    starts the next task. One step is 3 physics ticks (0.06 s); `action_repeat=k` repeats an action k times.

    ## Action space
    `action="discrete9"`: `Discrete(9)`, 3 x move + rotate, with move 0 none, 1 forward, 2 backward and rotate
    0 none, 1 right, 2 left (`arena.ACTIONS`). "multidiscrete": `MultiDiscrete([3, 3])` of move and rotate.
    "continuous": `Box(-1, 1, (2,))`, forward and right; a value beyond 1/3 or -1/3 is the full action.

    ## Observation space
    `observation` is a tuple of names, which gives a dictionary, or a single name, which gives an array:
    "camera" uint8 (resolution, resolution, 3), the agent's view, or one channel with grayscale=True;
    "depth" float32 (resolution, resolution, 1), metres along the viewing axis, 70 for sky and darkness;
    "segmentation" uint8 (resolution, resolution, 1), indices into `arena.channels.CLASSES`, 0 in the dark;
    "rays" float32 (14 x (2 x rays_per_side + 1),), the rows of `arena.Rays.observe`;
    "vector" float32 (7,): health 0 to 100, velocity in m/s in the agent's frame (right, up, forward), and
    position in metres in the arena (x, y, z).
    With `frame_stack=k` the last axis holds the last k observations, oldest first; at the start of an episode
    the first one is repeated.

    ## Rewards
    The sum over a step of: the clock's -1/(5 t) per tick, a ball's signed diameter, -1 for a death zone, and
    the cost of a hot zone. The sum over all steps is the episode's total reward.

    ## Episode end
    `terminated` if the arena ends the episode: goal, death zone, no health left. The time limit is part of
    the task and does not truncate: it drains health, which is observed, and ends the episode at 0.
    `truncated` if the episode is ended from outside: by `max_episode_steps` or
    `env.unwrapped.episode.stop()`. An arena without a time limit never ends by itself; set
    `max_episode_steps`.

    ## Info
    `arena`: the number of the task if `config` is a single file, else its id. After each step also `events`,
    a tuple of `arena.Event`, and `is_success`, whether the pass mark is reached so far; at the end also
    `outcome` and `passed` (None without a pass mark).
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": round(1 / STEP_S)}  # noqa: RUF012

    def __init__(
        self,
        config: Config = (),
        *,
        action: str = "discrete9",
        action_repeat: int = 1,
        max_episode_steps: int | None = None,
        version: str | None = None,
        render_mode: str | None = None,
        **sensors: Any,
    ) -> None:
        """`version` is the version of Animal-AI as which files are read, by default "3.1.3"; files that were
        read before keep theirs. `sensors` are the options of `arena.gym.sensors.Sensors`:
        observation=("camera", "vector"), resolution=84, frame_stack=1, grayscale=False, renderer="moderngl",
        rays_per_side=2, ray_max_degrees=60.0, render_resolution=512.

        Raises ConfigError for an invalid file or option.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(
                f"render_mode: got {render_mode!r}, expected None or 'rgb_array', or through gymnasium.make "
                "'human' or 'rgb_array_list'"
            )
        check_options(sensors, Sensors, ArenaEnv)
        self.render_mode = render_mode
        self.sensors = Sensors(**sensors)
        self._repeat = whole("action_repeat", action_repeat)
        self._most = None if max_episode_steps is None else whole("max_episode_steps", max_episode_steps)
        self._controls = action
        made = controls(action)
        self._read = made.read
        self.action_space = made.space()
        self.observation_space = self.sensors.space()
        self.metadata = self.metadata | {"render_fps": max(1, round(1 / (STEP_S * self._repeat)))}
        self._version = None if version is None else version_of(version)
        self.curriculum = curriculum(config, self._version)
        # Decided once, because a vector environment needs the same type for all episodes.
        self._is_numbered = isinstance(config, str | Path | ArenaFile)
        self._started, self._over = False, True
        self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next task, or with `seed` the first one, using that seed.

        There are no `options`. Raises ConfigError for any option and for a task that has several agents or
        was read as another version, and LayoutError, naming the task, for one that cannot be built.
        """
        info = self.begin(seed, options)
        return self.observe(first=True), info

    def begin(self, seed: int | None, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`reset` without the observation, which `observe(first=True)` returns."""
        if options:
            raise ConfigError(f"reset: got the options {dict(options)!r}, expected none")
        super().reset(seed=seed)
        if seed is not None or not self._started:
            self.curriculum.restart(int(self.np_random.integers(2**31)) if seed is None else seed)
            self._started = True
        self.close()
        self._episode = self._checked(self.curriculum.next())
        task_id = self._episode.task_id
        self._steps, self._over = 0, False
        self._arena = int(task_id) if self._is_numbered else task_id
        return {"arena": self._arena}

    def _checked(self, episode: object) -> Episode:
        """The episode; raises ConfigError if this environment cannot play it."""
        if not isinstance(episode, Episode):
            raise ConfigError(f"config: next() returned {episode!r}, expected an arena.Episode")
        if len(episode.agents) > 1:
            problem = (
                f"has {len(episode.agents)} agents, expected one; use arena.gym.parallel_env.ArenaParallelEnv"
            )
        elif self._version not in (None, episode.spec.version):
            problem = (
                f"was read as version {str(episode.spec.version)!r}, the environment has version="
                f"{str(self._version)!r}; pass the version to the reader, such as load(path, version) or "
                "Levels(..., version=version)"
            )
        else:
            return episode
        episode.close()
        raise ConfigError(f"arena {episode.task_id} {problem}")

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action. Raises ConfigError for one that is not in the action space."""
        reward, terminated, truncated, info = self.advance(action)
        return self.sensors.observe(self.episode), reward, terminated, truncated, info

    def advance(self, action: Any) -> tuple[float, bool, bool, dict[str, Any]]:
        """`step` without the observation, which `observe` returns: reward, terminated, truncated, info."""
        if self._over:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode, or it is over")
        episode, taken = self.episode, self._read(action)
        reward, done = 0.0, episode.done
        events: tuple[Event, ...] = ()
        for _ in range(self._repeat):
            if done:
                break
            result = episode.step(taken)
            reward, events, done = reward + result.reward, events + result.events, result.done
        self._steps += 1
        passed = episode.passed
        info: dict[str, Any] = {"arena": self._arena, "events": events, "is_success": passed is True}
        cut = self._steps == self._most
        if not (done or cut):
            return reward, False, False, info
        self._over = True
        episode.stop()
        stopped = episode.outcome is Outcome.STOPPED
        return reward, not stopped, stopped or cut, info | {"outcome": str(episode.outcome), "passed": passed}

    def observe(self, *, first: bool = False, view: RenderedView | None = None) -> Observation:
        """The current observation; see `Sensors.observe`."""
        return self.sensors.observe(self.episode, first=first, view=view)

    def close(self) -> None:
        """Free the physics of the current episode."""
        super().close()
        self._over = True


def register() -> None:
    """Register the environment with Gymnasium; called when `arena` is imported."""
    if "arena-llm/Arena-v0" not in gymnasium.registry:
        gymnasium.register(
            "arena-llm/Arena-v0",
            entry_point="arena.gym.env:ArenaEnv",
            vector_entry_point="arena.gym.vector_env:ArenaVectorEnv",
        )
