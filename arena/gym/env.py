"""The arena as a Gymnasium environment."""

import math
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import gymnasium

from arena.action import STEP_S, TICKS_PER_STEP, Action
from arena.cameras import Frame
from arena.csv_log import CsvLog
from arena.episode import Episode, StepResult
from arena.errors import ConfigError
from arena.files import AppendedFile
from arena.gym.curriculum import Config, Curriculum, curriculum, named
from arena.gym.info import Infos, info_of, quiet_infos
from arena.gym.options import check_options, controls, whole, yes_or_no
from arena.gym.sensors import Observation, Sensors
from arena.kernel.tables import Parts, Singles
from arena.replay import PickledEpisode
from arena.rules import Event, Outcome
from arena.scene import Floats
from arena.taskfile.versions import version_of

_STOPPED = StepResult(0.0, (), True)
"""Result of a step of an episode that was stopped from outside."""


class ArenaEnv(gymnasium.Env[Any, Any]):
    """One agent in an Animal-AI arena.

    ## Description
    `config` selects the tasks: a task file in the original's YAML format, the id of a task of the battery,
    such as "03-02-01", a list of these that are played in turn, or a curriculum, such as
    `testbed.curriculum.Levels("1-3")` or `Generated(levels="1")`. Every reset starts the next task. One step
    is 3 physics ticks (0.06 s); `action_repeat=k` repeats an action k times.

    ## Action space
    `action="discrete9"`: `Discrete(9)`, 3 x move + rotate, with move 0 none, 1 forward, 2 backward and rotate
    0 none, 1 right, 2 left (`arena.ACTIONS`). "multidiscrete": `MultiDiscrete([3, 3])` of move and rotate.
    "continuous": `Box(-1, 1, (2,))`, forward and right; a value beyond 1/3 or -1/3 is the full action.

    ## Observation space
    `observation` is a tuple of names, which gives a dictionary, or a single name, which gives an array:
    "camera" uint8 (resolution, resolution, 3), the agent's view, or one channel with grayscale=True;
    "depth" float32 (resolution, resolution, 1), metres along the viewing axis, 70 for sky and darkness;
    "segmentation" uint8 (resolution, resolution, 1), indices into `arena.cameras.CLASSES`, 0 in the dark;
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
    The same keys after each reset and step, and numbers only, which every library can batch: `is_success`,
    `passed`, `outcome` and `events`, as `arena.gym.info.info_of` describes them. They are always current, so
    an episode that a wrapper cuts has them too. With `task_info=True` also `arena`, the task's id, a text,
    which TorchRL cannot batch. The `arena.Event`s of the last step are the attribute `events`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": round(1 / STEP_S)}  # noqa: RUF012
    most_agents: float = 1
    """Maximum number of agents in an arena."""

    def __init__(
        self,
        config: Config = (),
        *,
        action: str = "discrete9",
        action_repeat: int = 1,
        max_episode_steps: int | None = None,
        version: str | None = None,
        render_mode: str | None = None,
        task_info: bool = False,
        csv_log: str | PathLike[str] | None = None,
        **sensors: Any,
    ) -> None:
        """`version` is the version of Animal-AI as which files are read, by default "3.1.3"; files that were
        read before keep theirs. `sensors` are the options of `arena.gym.sensors.Sensors`:
        observation=("camera", "vector"), resolution=84, frame_stack=1, grayscale=False, renderer="moderngl",
        rays_per_side=2, ray_max_degrees=60.0, ray_tags=12, render_resolution=512. `csv_log` is the path of a
        file to write with a line for each tick (`arena.csv_log`), with rays if they are observed; a copy of
        the environment does not write it.

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
        self.action_repeat = whole("action_repeat", action_repeat)
        self.max_steps = None if max_episode_steps is None else whole("max_episode_steps", max_episode_steps)
        made = controls(action)
        self.read_action = made.read
        self.action_space = made.space()
        self.observation_space = self.sensors.space()
        self.metadata = self.metadata | {"render_fps": max(1, round(1 / (STEP_S * self.action_repeat)))}
        self._version = None if version is None else version_of(version)
        self._curriculum = curriculum(config, self._version)
        self._playing: Curriculum | None = None
        self._episode: Episode | None = None
        self._log = None if csv_log is None else self._new_log(csv_log)
        self._task_info = yes_or_no("task_info", task_info)
        self.events: tuple[Event, ...] = ()
        self._seed: int | None = None
        self._over = True
        self.steps = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next task, or with `seed` the first one, using that seed.

        With `options={"task": id}` that task is played, and the stream continues after it; the ids are those
        of the curriculum's `named`. Raises ConfigError for another option, an unknown id, and a task that has
        several agents or was read as another version, and LayoutError, naming the task, for one that cannot
        be built.
        """
        info = self.begin(seed, options)
        return self.sensors.observe(self.episode, first=True), info

    def begin(self, seed: int | None, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`reset` without the observation, which is `sensors.observe(episode, first=True)`."""
        options = dict(options or {})
        task = options.pop("task", None)
        if options:
            raise ConfigError(f"reset: got the options {options!r}, expected only 'task', the id of a task")
        super().reset(seed=seed)
        self._report_end()
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(2**31)) if seed is None else seed
            self._curriculum.restart(self._seed)
        self.close()
        stream = self._curriculum
        self._episode = self._checked(stream.next() if task is None else named(stream, task))
        self._playing = stream
        self.steps, self._over, self.events = 0, False, ()
        if self._log is not None:
            self._log.begin(self._episode)
        return self._info()

    def _new_log(self, path: str | PathLike[str]) -> CsvLog:
        if not isinstance(path, str | PathLike):
            raise ConfigError(f"csv_log: got {path!r}, expected the path of a file to write")
        rays = self.sensors.rays if "rays" in self.sensors.names else None
        return CsvLog(AppendedFile(Path(path)), rays, TICKS_PER_STEP * self.action_repeat)

    def _report_end(self) -> None:
        """Call the curriculum's `ended`, if it has this method, once for an episode of at least one step."""
        stream, self._playing = self._playing, None
        ended, episode = getattr(stream, "ended", None), self._episode
        if ended is not None and episode is not None and episode.steps:
            # A wrapper may have cut it, such as TimeLimit.
            episode.stop()
            ended(episode.task_id, str(episode.outcome), episode.passed, episode.total_reward)

    @property
    def curriculum(self) -> Curriculum:
        """The stream of tasks; setting it is `set_curriculum`."""
        return self._curriculum

    @curriculum.setter
    def curriculum(self, config: Config) -> None:
        self.set_curriculum(config)

    def set_curriculum(self, config: Config) -> None:
        """Play other tasks from the next reset on; `config` is that of the constructor.

        A curriculum is copied, and restarted with the seed that this environment was last reset with. In a
        vector environment this is seed + k, so that environments differ. Raises ConfigError as the
        constructor does.
        """
        self._curriculum = curriculum(config, self._version)
        if self._seed is not None:
            self._curriculum.restart(self._seed)

    def _info(self) -> dict[str, Any]:
        info = info_of(self.episode.agents[0], self.events)
        return info | {"arena": self.episode.task_id} if self._task_info else info

    def _checked(self, episode: object) -> Episode:
        """The episode; raises ConfigError if this environment cannot play it."""
        if not isinstance(episode, Episode):
            raise ConfigError(f"config: the curriculum returned {episode!r}, expected an arena.Episode")
        if len(episode.agents) > self.most_agents:
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
        reward, terminated, truncated, info = self.advance(self.read_action(action))
        return self.sensors.observe(self.episode), reward, terminated, truncated, info

    def advance(self, action: Action) -> tuple[float, bool, bool, dict[str, Any]]:
        """`step` without the observation: reward, terminated, truncated, info."""
        results, terminated, truncated = self.take((action,))
        return results[0].reward, terminated, truncated, self._info()

    def take(self, actions: Sequence[Action]) -> tuple[tuple[StepResult, ...], bool, bool]:
        """Take an action of each agent, in the order of their items: results, terminated, truncated."""
        if self._over:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode, or it is over")
        episode = self.episode
        results = (_STOPPED,) * len(actions) if episode.done else episode.step_all(actions)
        for _ in range(self.action_repeat - 1):
            if not results[0].done:
                results = tuple(
                    StepResult(before.reward + now.reward, before.events + now.events, now.done)
                    for before, now in zip(results, episode.step_all(actions), strict=True)
                )
        _, self.events, done = results[0]
        self.steps += 1
        if self._log is not None:
            self._log.decide()
        cut = self.steps == self.max_steps
        if done or cut:
            self._over = True
            episode.stop()
            self._report_end()
        stopped = episode.outcome is Outcome.STOPPED
        return results, self._over and not stopped, stopped or cut

    @property
    def episode(self) -> Episode:
        """The current episode. Raises ResetNeeded if there is none."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode")
        return self._episode

    def lend(self, body: Floats, clock: Singles) -> Parts | None:
        """`Episode.lend` if this environment has nothing to do in a step but to count it."""
        playing = self._episode is not None and not self._over and self._log is None
        return self.episode.lend(body, clock) if playing else None

    @property
    def quiet_infos(self) -> Infos:
        """The infos after a quiet step, without the pass mark reached and with it."""
        return quiet_infos({"arena": self.episode.task_id} if self._task_info else {})

    def take_back(self, parts: Parts, actions: Sequence[Action], total_reward: float) -> None:
        """`Episode.take_back` after steps of this environment."""
        repeated = [action for action in actions for _ in range(self.action_repeat)]
        self.episode.take_back(parts, repeated, total_reward)
        self.steps += len(actions)
        if actions:
            self.events = ()

    def render(self) -> Frame | None:  # type: ignore[override]
        """The (first) agent's view, uint8 (render_resolution, render_resolution, 3); None without a mode."""
        return self.sensors.view(self.episode) if self.render_mode else None

    def close(self) -> None:
        """Free the physics of the current episode."""
        if self._log is not None:
            self._log.close()
        if self._episode is not None:
            self._episode.close()
        self._episode, self._over = None, True

    def __getstate__(self) -> dict[str, Any]:
        episode = self._episode
        pickled = None if episode is None else PickledEpisode(episode.spec, episode.recording())
        return self.__dict__ | {"_log": None, "_episode": pickled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        pickled: PickledEpisode | None = state["_episode"]
        self.__dict__ |= state | {"_episode": pickled and pickled.replayed()}


class AgentsEnv(ArenaEnv):
    """`ArenaEnv` for several agents, which act by `take`."""

    most_agents = math.inf

    @property
    def teams(self) -> tuple[int, ...]:
        """Team of each agent, in the order of their items."""
        return tuple(agent.team for agent in self.episode.layout.agents)

    def observe(self, agents: Iterable[int], *, first: bool = False) -> list[Observation]:
        """The current observations of some agents, by their numbers."""
        return [self.sensors.observe(self.episode, agent, first=first) for agent in agents]
