"""Suites as Gymnasium environments with text actions and observations."""

import string
from itertools import islice
from typing import Any, ClassVar

import gymnasium
from gymnasium.spaces import Text

from arena.errors import ConfigError
from evaluation.opened import Episodes, Opened, OpenEpisode

Info = dict[str, Any]

CHARACTERS = frozenset(string.printable)
"""Characters of texts; any other becomes a question mark."""

LONGEST_TEXT, LONGEST_REPLY = 100_000, 10_000
"""Maximum characters."""

_DRAWN = 10_000
"""Number of a split's first tasks from which one is drawn."""


def plain(text: str) -> str:
    """A text of `CHARACTERS` alone, of at most `LONGEST_TEXT`."""
    return "".join(letter if letter in CHARACTERS else "?" for letter in text)[:LONGEST_TEXT]


class SuiteEnv(gymnasium.Env[str, str]):
    """Episodes of a suite in words.

    ## Observation
    What a model is shown: of a new episode the rules too, of one that is over how it ended.

    ## Action
    A reply as a model writes it, of at most 10,000 characters.

    ## Reward
    The suite's own, which add up to `total_reward`; if it has none, the episode's score at its end.

    ## End
    `terminated` when the episode is over; the suite limits its steps.

    ## Info
    `task_id`; with `valid_actions=True` and where the suite can list them, the replies that do something now;
    at the end `score`, `passed`, `outcome` and the suite's metrics.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012
    suite: ClassVar[str]
    has_rewards: ClassVar[bool]

    def __init__(
        self,
        split: str = "train",
        *,
        valid_actions: bool = False,
        render_mode: str | None = None,
        **choices: Any,
    ) -> None:
        """Create an environment of a `split`, train or test. `choices` as in `arena-llm eval`. Raises
        ConfigError for an unknown split or choice, and for choices that show pictures."""
        self._opened = Opened.named(self.suite, **choices)
        if self._opened.choices.shows_images:
            raise ConfigError("observation: this environment has text only; choose text")
        self._rules = Episodes(self._opened, 1).rules
        self._ids = tuple(islice(self._opened.split(split), _DRAWN))
        self._lists, self.render_mode = valid_actions, render_mode
        self.observation_space = Text(LONGEST_TEXT, min_length=0, charset=CHARACTERS)
        self.action_space = Text(LONGEST_REPLY, min_length=0, charset=CHARACTERS)
        self._episode: OpenEpisode | None = None

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[str, Info]:
        """Start an episode; `options={"task": ID}` selects its task. Raises ConfigError for others."""
        super().reset(seed=seed)
        rest = dict(options or {})
        drawn = self._ids[int(self.np_random.integers(len(self._ids)))]
        setup = self._opened.setup(rest.pop("task", drawn))
        if rest:
            raise ConfigError(f"reset: got the options {rest!r}, expected task or nothing")
        self.close()
        self._episode = OpenEpisode(setup, self._rules)
        return self._text, self._info(self._episode)

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        """Play a reply. Raises ResetNeeded after the end, ConfigError for an action outside the space."""
        episode = self._episode
        if episode is None or not episode.is_open or episode.record is not None:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode, or it is over")
        if not self.action_space.contains(action):
            raise ConfigError(f"action: got {action!r:.80}, expected a text of {LONGEST_REPLY} characters")
        episode.reply(action)
        record, info = episode.record, self._info(episode)
        if record is None:
            return self._text, episode.reward, False, False, info
        reward = episode.reward if self.has_rewards else record.score or 0.0
        return self._text, reward, True, False, info | record.row()

    def render(self) -> str | None:  # type: ignore[override]
        """Return the last observation as text; None without a mode."""
        return None if self.render_mode is None else self._text

    def close(self) -> None:
        """Free the episode's resources."""
        if self._episode is not None:
            self._episode.close()

    @property
    def _text(self) -> str:
        return plain("\n\n".join(map(str, self._episode.shown))) if self._episode is not None else ""

    def _info(self, episode: OpenEpisode) -> Info:
        info: Info = {"task_id": episode.setup.task.id}
        if self._lists and episode.record is None:
            info["valid_actions"] = list(getattr(episode.environment.known, "commands", ()))
        return info


class BoxingEnv(SuiteEnv):
    """Worlds of BoxingGym: experiments, then predictions. Replies are free, so no actions are listed."""

    suite, has_rewards = "boxing", False


class DiscoveryWorldEnv(SuiteEnv):
    """Worlds of DiscoveryWorld: an action in each reply."""

    suite, has_rewards = "discoveryworld", True
