"""Environments and prompts of any suite, for TRL's `GRPOTrainer`.

`environment("est", machine="ivre")` is its `environment_factory`, `prompts("est", machine="ivre")` its
`train_dataset`, with the same choices. They are in `docs/train-llm.md`.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from PIL import Image

from arena.errors import ConfigError
from arena.packages import require
from evaluation.agents.agents import opening
from evaluation.capabilities import prompts_of, reply_of, tools_of
from evaluation.opened import Opened
from evaluation.suite import Environment, Observation, Part, Record
from evaluation.suites import get_suite

if TYPE_CHECKING:
    from datasets import Dataset

Shown = str | list[dict[str, Any]]
"""Observation for a model: a text, or with pictures the parts of a message as vision models take them."""

Shaping = Callable[[Observation], float]
"""Addition to the reward for an observation, the last one included."""


class TrainingEnvironment:
    """One episode at a time, played by its public methods; made by `environment`.

    An unfinished episode is scored as if its model had fallen silent, so stopping early never pays.
    """

    _opened: ClassVar[Opened]
    _reward: ClassVar[str]

    def __init__(self) -> None:
        self._environment: Environment | None = None
        self._now, self._shaped, self._last = Observation(done=True), 0.0, "No episode has begun."

    def reset(self, task_id: str, trial: int = 0, **example: Any) -> Shown:
        """Begin the episode of a task; return its observation. Raises ConfigError if it does not exist.

        Further columns of a row of prompts are left alone.
        """
        if self._environment is not None:
            self._environment.close()
        self.__dict__.pop("record", None)
        setup = self._opened.setup(task_id, trial)
        self._environment, self._shaped = setup.suite.open(setup), 0.0
        self._last = setup.prompts["episode_last"].fill()
        return self._shown(self._environment.begin())

    def get_reward(self) -> float:
        """End the episode and return its reward: the chosen number of its record, plus any shaping.

        Raises ConfigError if the record has no such number.
        """
        row = self.record.row()
        found = row.get(self._reward)
        if not isinstance(found, int | float):
            numbers = ", ".join(name for name, value in row.items() if isinstance(value, int | float))
            raise ConfigError(f"reward: the episode has no {self._reward!r}, expected one of: {numbers}")
        return float(found) + self._shaped

    @cached_property
    def record(self) -> Record:
        """End the episode and return its record. Raises ConfigError before the first `reset`."""
        if self._environment is None:
            raise ConfigError("no episode has begun; call reset(task_id=...) first")
        while not self.done:
            self._play("")
        return self._environment.finish()

    @property
    def done(self) -> bool:
        """Return whether the episode is over."""
        return self._now.done

    def _play(self, reply: str) -> Shown:
        """Play a reply; return the next observation."""
        if self.done or self._environment is None:
            return self._last
        return self._shown(self._environment.reply(reply))

    def _shaping(self, now: Observation) -> float:
        return 0.0

    def _shown(self, now: Observation) -> Shown:
        self._now = now
        self._shaped += self._shaping(now)
        return f"{self.record.summary}\n\n{self._last}" if now.done else _message(now.parts)


class _ByText(TrainingEnvironment):
    """One episode at a time, played by a model's texts."""

    def act(self, reply: str) -> str:
        """Play a reply, and see the result.

        Args:
            reply: The reply, as the rules ask for it.
        """
        return self._play(reply)  # type: ignore[return-value]  # as for the other tools, pictures are told by none


def environment(
    suite: str, *, reward: str = "score", shaping: Shaping | None = None, **choices: Any
) -> type[TrainingEnvironment]:
    """Make a class of environments with a method per tool of a suite, for TRL's `environment_factory`.

    The methods have signature and docstring of the suite's own tools. With `replies="text"`, or if the suite
    has no tools, there is one, `act(reply)`, which plays what a model writes. `reward` is the number of an
    episode's record that it is worth: `score` from 0 to 1, or one of the suite's metrics such as
    `total_reward`; `shaping` adds to it. Raises ConfigError as `Opened.named`.
    """
    opened = _opened(suite, choices)
    members: dict[str, Any] = {"_opened": opened, "_reward": reward, "__doc__": TrainingEnvironment.__doc__}
    if shaping is not None:
        members["_shaping"] = lambda self, now: shaping(now)
    if opened.choices.replies == "tools":
        tools = tools_of(opened.suite)
        members |= {name: _method(opened, name, tools[name]()) for name in opened.choices.tool_names}
    base = TrainingEnvironment if opened.choices.replies == "tools" else _ByText
    return type(f"{opened.suite.name.title()}Environment", (base,), members)


def _opened(suite: str, choices: Mapping[str, Any]) -> Opened:
    """Open a suite with tool calls, if it has tools and the choices do not forbid it."""
    calls = {"replies": "tools"} if get_suite(suite).choices().tool_names else {}
    return Opened.named(suite, **{**calls, **choices})


def _method(opened: Opened, name: str, tool: Callable[..., Any]) -> Callable[..., Shown]:
    """Make a method of a tool; wrong arguments become an unreadable reply, which costs a turn."""
    signature = inspect.signature(tool)

    def called(self: TrainingEnvironment, *given: Any, **named: Any) -> Shown:
        arguments = {**dict(zip(signature.parameters, given, strict=False)), **named}
        return self._play(reply_of(opened.suite, name, arguments))

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    called.__name__, called.__doc__ = name, tool.__doc__
    called.__annotations__ = {key: each.annotation for key, each in signature.parameters.items()}
    called.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[own, *signature.parameters.values()], return_annotation=str
    )
    return called


def _message(parts: tuple[Part, ...]) -> Shown:
    """Convert an observation's parts to the content of a message."""
    if all(isinstance(part, str) for part in parts):
        return "\n\n".join(map(str, parts))
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "image": Image.fromarray(part)}
        for part in parts
    ]


def prompts(suite: str, split: str = "train", size: int = 1000, **choices: Any) -> "Dataset":
    """List the first tasks of a split with the rules for a model: `prompt`, `task_id` and `trial`.

    If there are fewer tasks than `size`, they come again as further trials. The first observation follows by
    `reset`. Raises ConfigError as `environment` and `Opened.split`, and if the extra `train` is missing.
    """
    require("train", "datasets")
    from datasets import Dataset

    opened = _opened(suite, choices)
    told = opening(opened.suite, opened.choices, prompts_of(opened.suite, opened.choices), 1)
    if any(message.role != "system" for message in told):
        raise ConfigError("demonstration: a prompt for training has rules alone; leave it out")
    prompt = [{"role": str(message.role), "content": message.text} for message in told]
    prompt.append({"role": "user", "content": ""})
    rows = islice(opened.episodes(split), size)
    return Dataset.from_list([{"prompt": prompt, "task_id": name, "trial": trial} for name, trial in rows])
