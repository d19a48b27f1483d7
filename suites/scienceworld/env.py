"""ScienceWorld as a Gymnasium environment of texts: `gymnasium.make("arena-llm/ScienceWorld-v0")`."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Dict, Text

from arena.errors import ConfigError
from evaluation.env import CHARACTERS, LONGEST_TEXT, plain
from suites.scienceworld.catalogue import ELECTRICAL, Kind, Split, find_variation, kinds, variation_id
from suites.scienceworld.episode import LONGEST
from suites.scienceworld.simulator import World

Info = dict[str, Any]

TEXTS = ("observation", "look", "inventory", "task")
"""Parts of an observation."""

SIMPLIFICATIONS = (
    "teleportAction",
    "selfWateringFlowerPots",
    "openContainers",
    "openDoors",
    "noElectricalAction",
)
"""Names of the simulator; `easy` includes all but openContainers."""


class ScienceWorldEnv(gymnasium.Env[dict[str, str], str]):
    """Tasks of school science in words.

    ## Observation
    Texts: `observation`, the answer to the last command, empty at reset; `look`, what is around; `inventory`,
    what is carried; `task`, what is asked for.

    ## Action
    A command as text, of at most 200 characters.

    ## Reward
    The change of the score, which is 1 when the task is solved, and falls to -1 by a wrong answer.

    ## End
    `terminated` when the task is solved or failed, `truncated` after `max_steps` commands.

    ## Info
    `score`, the simulator's, from -1 to 1; `is_success`; `task_id`, such as 4-1-0225; `subgoals`, the share
    that is reached; with `valid_actions=True` the commands that would do something now, a list of texts,
    which takes as long as ten steps.

    The same seed and commands give the same tasks and texts.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        task: str | None = None,
        split: Split = "train",
        *,
        simplifications: str = "easy",
        max_steps: int = 100,
        valid_actions: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Create an environment of a task's number or name, or all thirty.

        `task` is such as 4-1 or find-living-thing, None for all thirty; variations are drawn from the split.
        `simplifications` are easy, nothing, or names of `SIMPLIFICATIONS` with commas. Raises ConfigError for
        an invalid option; `reset` does if Java or the package is missing.
        """
        self._kinds = _chosen(task)
        if split not in ("train", "dev", "test"):
            raise ConfigError(f"split: got {split!r}, expected train, dev or test")
        self._split, self._simplifications = split, _simplified(simplifications, self._kinds)
        if not isinstance(max_steps, int | np.integer) or max_steps < 1:
            raise ConfigError(f"max_steps: got {max_steps!r}, expected a whole number, 1 or more")
        self.max_steps, self._lists = int(max_steps), bool(valid_actions)
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"render_mode: got {render_mode!r}, expected ansi or None")
        self.render_mode = render_mode
        text = Text(LONGEST_TEXT, min_length=0, charset=CHARACTERS)
        self.observation_space = Dict({name: text for name in TEXTS})
        self.action_space = Text(LONGEST, min_length=0, charset=CHARACTERS)
        self._world: World | None = None
        self._over = True

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[dict[str, str], Info]:
        """Start an episode; `options={"task": "4-1-0225"}` selects a variation. Raises ConfigError for other
        options."""
        super().reset(seed=seed)
        rest = dict(options or {})
        asked = rest.pop("task", None)
        if rest:
            raise ConfigError(f"reset: got the options {rest!r}, expected task or nothing")
        found = self._drawn() if asked is None else find_variation(str(asked))
        if found is None:
            raise ConfigError(f"reset: got the task {asked!r}, expected a variation such as 4-1-0225")
        kind, variation = found
        self.close()
        drawn = int(self.np_random.integers(2**31))
        self._world = World(kind.name, variation, self._simplifications, seed=drawn)
        self._task_id = variation_id(kind, variation)
        self._task = self._world.description().removeprefix("Task Description:").strip()
        self._told, self._score, self._steps, self._over = "", 0.0, 0, False
        return self._seen(), self._info()

    def step(self, action: str) -> tuple[dict[str, str], float, bool, bool, Info]:
        """Carry out a command. Raises ConfigError for an action outside the space, ResetNeeded after the end,
        and SimulatorLost if Java has ended; the next reset starts another."""
        if self._world is None or self._over:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode, or it is over")
        if not self.action_space.contains(action):
            raise ConfigError(f"action: got {action!r:.80}, expected a text of at most {LONGEST} characters")
        answer = self._world.step(action)
        before, self._score = self._score, answer.score
        self._told, self._steps = answer.text.strip(), self._steps + 1
        truncated = not answer.over and self._steps >= self.max_steps
        self._over = answer.over or truncated
        return self._seen(), answer.score - before, answer.over, truncated, self._info()

    def render(self) -> str | None:  # type: ignore[override]
        """Return the last result and the surroundings as text. None without a mode."""
        if self._world is None:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode")
        return (
            None if self.render_mode is None else "\n\n".join(filter(None, (self._told, self._world.look())))
        )

    def close(self) -> None:
        """Free the world; its Java process stays until this process ends."""
        if self._world is not None:
            self._world.close()
            self._world = None

    def _drawn(self) -> tuple[Kind, int]:
        kind = self._kinds[int(self.np_random.integers(len(self._kinds)))]
        return kind, int(self.np_random.choice(kind.variations(self._split)))

    def _seen(self) -> dict[str, str]:
        assert self._world is not None
        texts = (self._told, self._world.look(), self._world.inventory(), self._task)
        return {name: plain(text) for name, text in zip(TEXTS, texts, strict=True)}

    def _info(self) -> Info:
        assert self._world is not None
        goals = self._world.subgoals()
        found: Info = {
            "score": self._score,
            "is_success": round(100 * self._score) == 100,
            "task_id": self._task_id,
            "subgoals": sum(goal.reached for goal in goals) / max(len(goals), 1),
        }
        return found | ({"valid_actions": self._world.valid_actions()} if self._lists else {})


def _chosen(task: str | None) -> tuple[Kind, ...]:
    """Find the tasks of an environment. Raises ConfigError for an unknown name."""
    found = tuple(kind for kind in kinds().values() if task in (None, kind.task, kind.name))
    if not found:
        raise ConfigError(
            f"task: got {task!r}, expected None or one of {', '.join(kinds())}, or a task's name"
        )
    return found


def _simplified(simplifications: str, chosen: tuple[Kind, ...]) -> str:
    """Compose the simulator's text. Raises ConfigError for a name that is unknown or prevents the task."""
    names = [name.strip() for name in simplifications.split(",") if name.strip()]
    if unknown := [name for name in names if name not in ("easy", *SIMPLIFICATIONS)]:
        expected = f"easy, or of {', '.join(SIMPLIFICATIONS)}, or nothing"
        raise ConfigError(f"simplifications: got {unknown[0]!r}, expected {expected}")
    electrical = [kind.task for kind in chosen if kind.task in ELECTRICAL]
    if "noElectricalAction" in names and electrical:
        raise ConfigError(
            f"simplifications: noElectricalAction makes {', '.join(electrical)} impossible; use easy"
        )
    return ",".join(names)
