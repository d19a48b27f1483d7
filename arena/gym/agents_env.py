"""Arenas of any number of agents."""

import math
from collections.abc import Iterable

from arena.gym.env import ArenaEnv
from arena.gym.sensors import Observation


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
