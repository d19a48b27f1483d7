"""Arenas with several agents as a PettingZoo parallel environment."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from arena.action import ACTIONS, IDLE, Action
from arena.cameras import Frame
from arena.episode import Episode
from arena.errors import ConfigError
from arena.gym.env import AgentsEnv, Observation, Sensors, check_options, info_of, whole
from arena.rules import Event, Outcome
from arena.taskfile.config import ArenaFile
from arena.taskfile.load import load
from arena.taskfile.versions import DIFFERENCES, Version

try:
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise ImportError("several agents need PettingZoo: pip install 'arena-llm[multi]'") from error


class ArenaParallelEnv(ParallelEnv):
    """Several agents in one Animal-AI arena, acting simultaneously (Animal-AI 4.4 and later).

    `config` is a task file of version 4 with one `Agent` item per agent; every arena of the file must have
    the same number of them. The agents are named `agent_0`, `agent_1`, ... in the order of the items.
    Actions, observations and rewards of each agent are those of `arena.ArenaEnv`. Agents see and push each
    other.

    An arena ends for all when the first agent finishes (`episodeEnd: any`) or when the last one does
    (`episodeEnd: all`). An agent that has finished leaves `agents` and stands still; an action for it is
    ignored. `infos` hold an agent's `team`, an int, and the keys of `arena.gym.env.info_of`, after each reset
    and step. Episodes are `truncated` only by `max_episode_steps`.
    """

    metadata = {"name": "arena_llm_v0", "render_modes": ["rgb_array"], "render_fps": 17}  # noqa: RUF012

    def __init__(
        self,
        config: str | Path | ArenaFile,
        *,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **sensors: Any,
    ) -> None:
        """Create the environment.

        `max_episode_steps` truncates an episode; set it for an arena without a time limit. `sensors` are the
        options of `arena.gym.env.Sensors`, the same for every agent.

        Raises ConfigError for an invalid file or option, arenas with different numbers of agents, and several
        agents in a file that was read as a version without them.
        """
        if render_mode not in (None, "rgb_array"):
            raise ConfigError(f"render_mode: got {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        if not isinstance(config, str | Path | ArenaFile):
            raise ConfigError(f"config: got {config!r}, expected a task file's path or an ArenaFile")
        file = config if isinstance(config, ArenaFile) else load(config, Version.V4)
        check_options(sensors, Sensors, ArenaParallelEnv)
        self._env = AgentsEnv(file, max_episode_steps=max_episode_steps, render_mode=render_mode, **sensors)
        self.sensors = self._env.sensors
        self._numbers = {f"agent_{k}": k for k in range(_agents_of(file))}
        self.possible_agents = [*self._numbers]
        self.agents: list[str] = []
        self.observation_spaces = {name: self.sensors.space() for name in self.possible_agents}
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            name: spaces.Discrete(len(ACTIONS)) for name in self.possible_agents
        }

    @property
    def episode(self) -> Episode:
        """The current episode. Raises ResetNeeded if there is none."""
        return self._env.episode

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of `arena.ArenaEnv.observation_space`, the same for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return `Discrete(9)`: 3 x move + rotate, the numbering of `arena.ACTIONS`."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start the next arena, or with `seed` the first with that seed.

        With `options={"task": number}` that arena of the file is played; other options have no effect but are
        accepted, as PettingZoo requires. Raises ConfigError for a number that the file does not have, and a
        seed that is not a whole number of at least 0.
        """
        seed = None if seed is None else whole("seed", seed, 0)
        self.close()
        self._env.begin(seed, {"task": (options or {}).get("task")})
        self.agents = list(self.possible_agents)
        return self._observe(self.agents, first=True), self._infos(dict.fromkeys(self.agents, ()))

    def step(
        self, actions: Mapping[str, np.int64]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Take a step with the actions of all agents, by name.

        Returns the values of the agents that took part in it; those that are over leave `agents`. Raises
        ConfigError if an action is missing or not in the space, and ResetNeeded before the first reset, after
        the end of an episode and after `close`.
        """
        episode = self.episode
        if not self.agents:
            raise ResetNeeded("call reset() first: the episode is over")
        results, _, _ = self._env.take(self._read(actions))
        outcomes = {name: episode.agents[self._numbers[name]].outcome for name in self.agents}
        truncated = {name: outcome is Outcome.STOPPED for name, outcome in outcomes.items()}
        terminated = {name: bool(outcome) and not truncated[name] for name, outcome in outcomes.items()}
        self.agents = [name for name, outcome in outcomes.items() if outcome is None]
        return (
            self._observe(outcomes),
            {name: results[self._numbers[name]].reward for name in outcomes},
            terminated,
            truncated,
            self._infos({name: results[self._numbers[name]].events for name in outcomes}),
        )

    def render(self) -> Frame | None:
        """Render the first agent's view, uint8 (render_resolution, render_resolution, 3), or None."""
        return self._env.render()

    def close(self) -> None:
        """Free the physics of the current episode."""
        self._env.close()
        self.agents = []

    def _read(self, actions: Mapping[str, Any]) -> list[Action]:
        """Return the actions of all agents in item order. Those that are over do nothing."""
        names = set(actions) if isinstance(actions, Mapping) else set()
        if not {*self.agents} <= names <= {*self.possible_agents}:
            raise ConfigError(
                f"actions: got {actions!r}, expected a dictionary with an action for each of "
                f"{', '.join(self.agents)}"
            )
        taken = []
        for name in self.possible_agents:
            try:
                taken.append(self._env.read_action(actions[name]) if name in self.agents else IDLE)
            except ConfigError as error:
                raise ConfigError(f"{name}: {error}") from None
        return taken

    def _observe(self, names: Iterable[str], first: bool = False) -> dict[str, Observation]:
        seen = self._env.observe([self._numbers[name] for name in names], first=first)
        return dict(zip(names, seen, strict=True))

    def _infos(self, events: Mapping[str, Iterable[Event]]) -> dict[str, dict[str, Any]]:
        teams, agents = self._env.teams, self.episode.agents
        return {
            name: {"team": teams[k]} | info_of(agents[k], events[name])
            for name, k in self._numbers.items()
            if name in events
        }


def _agents_of(file: ArenaFile) -> int:
    """Return the number of agents in each arena. An arena without an Agent item has one."""
    counts = set()
    for name, arena in file.arenas.items():
        items = sum(item.name == "Agent" for item in arena.items)
        if items > 1 and not DIFFERENCES[arena.version].several_agents:
            raise ConfigError(
                f"{file.source}: arena {name} has {items} Agent items, but was read as version "
                f"{str(arena.version)!r}, in which an arena has one agent; read it with load(path, '4')"
            )
        counts.add(max(1, items))
    if len(counts) > 1:
        raise ConfigError(
            f"{file.source}: got arenas with {sorted(counts)} agents, expected the same number in each; put "
            "them into separate files"
        )
    return counts.pop()
