"""OpenEnv server of a suite: training programs play episodes by WebSocket sessions."""

import base64
import sys
from typing import Any

from fastapi import FastAPI
from openenv.core.env_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from arena.errors import EvaluationError
from evaluation.opened import Episodes, Opened, OpenEpisode
from render.image import encoded


class SuiteAction(Action):
    """Reply of a model, verbatim."""

    reply: str = Field(description="the reply, as the rules say")


class SuiteObservation(Observation):
    """Observation; of a new episode with the rules, of a finished one with its outcome."""

    task: str = Field(description="the id of the task")
    text: str = Field(description="what is said")
    images: list[str] = Field(default_factory=list, description="pictures in order: PNG, base64")


class SuiteState(State):
    """State of an episode; its outcome is None before the end."""

    task: str | None = None
    outcome: str | None = None
    passed: bool | None = None
    score: float | None = None
    total_reward: float | None = None


class SuiteEnvironment(Environment[SuiteAction, SuiteObservation, SuiteState]):
    """Episodes of a session, one after another; sessions take the tasks in turn."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, episodes: Episodes) -> None:
        super().__init__()
        self._episodes = episodes
        self._episode: OpenEpisode | None = None
        self._name: str | None = None

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, task: str = "", **others: Any
    ) -> SuiteObservation:
        """Begin a task by id or by its place, `seed`; default: the next in turn. Raises as `begin`."""
        self.close()
        if not task and seed is not None:
            task = self._episodes.tasks[seed % len(self._episodes.tasks)]
        self._episode, self._name = self._episodes.begin(task), episode_id
        return _observed(self._episode)

    def step(self, action: SuiteAction, timeout_s: float | None = None, **others: Any) -> SuiteObservation:
        """Play a reply. Raises EvaluationError if no episode has begun, or it is over."""
        if self._episode is None:
            raise EvaluationError("no episode has begun: call reset")
        self._episode.reply(action.reply)
        return _observed(self._episode)

    async def reset_async(self, *arguments: Any, **named: Any) -> SuiteObservation:
        """Reset in this thread; OpenEnv would use another one for each call."""
        return self.reset(*arguments, **named)

    async def step_async(self, *arguments: Any, **named: Any) -> SuiteObservation:
        """Step in this thread."""
        return self.step(*arguments, **named)

    @property
    def state(self) -> SuiteState:
        """Return the state of the episode."""
        if self._episode is None:
            return SuiteState()
        row = self._episode.record.row() if self._episode.record else {}
        ended = {name: row.get(name) for name in ("outcome", "passed", "score", "total_reward")}
        steps = len(self._episode.said) - 1
        return SuiteState(episode_id=self._name, step_count=steps, task=self._episode.setup.task.id, **ended)

    def close(self) -> None:
        """Release the episode's place."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None


def _observed(episode: OpenEpisode) -> SuiteObservation:
    pictures = [encoded(part, "png") for part in episode.shown if not isinstance(part, str)]
    return SuiteObservation(
        task=episode.setup.task.id,
        text="\n\n".join(part for part in episode.shown if isinstance(part, str)),
        images=[base64.b64encode(each).decode() for each in pictures],
        reward=episode.reward,
        done=episode.record is not None,
    )


def suite_app(opened: Opened, sessions: int) -> FastAPI:
    """Make the application for a maximum of concurrent sessions. Raises ConfigError as `Episodes`."""
    episodes = Episodes(opened, sessions)
    return create_app(
        lambda: SuiteEnvironment(episodes),
        SuiteAction,
        SuiteObservation,
        # OpenEnv closes further connections before its client reads why, so the refusal is ours.
        max_concurrent_envs=sys.maxsize,
    )
