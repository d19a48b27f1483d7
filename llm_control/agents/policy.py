"""A learned policy as an agent that acts at every step."""

from typing import Any

from arena import Action, Episode
from arena.geometry.layout import episode_rng
from llm_control.agents.policy_file import Policy


class PolicyAgent:
    """Plays one episode: observes as the environment does, and holds each action as long as it does there.

    Its observations are those of `arena.ArenaEnv` with the options of the policy's file, for the same task,
    seed and actions. With `sample` actions are drawn, from a seed that follows from the episode's seed, task
    and trial. One episode of a policy is played at a time: its sensors remember the frames of a stack.
    """

    def __init__(self, policy: Policy, sample: bool = False) -> None:
        options = policy.description.environment
        self._policy, self._sample = policy, sample
        self._read, self._repeat = options.controls().read, options.action_repeat
        self._left = 0
        self._action: Action | None = None

    def act(self, episode: Episode) -> Action:
        """The next action."""
        if self._action is None or self._left == 0:
            self._action = self._read(self._choose(episode, first=self._action is None))
            self._left = self._repeat
        self._left -= 1
        return self._action

    def _choose(self, episode: Episode, first: bool) -> Any:
        if first and self._sample:
            rng = episode_rng(episode.seed, f"{episode.task_id}/policy", episode.trial)
            self._policy.player.restart(int(rng.integers(2**31)))
        observation = self._policy.sensors.observe(episode, first=first)
        return self._policy.player.act(observation, self._sample, first)
