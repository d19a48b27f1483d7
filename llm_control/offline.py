"""The arena's offline agents that answer messages: `random`, `pixels`, `oracle`, `ideal`, `replay/FOLDER`.

The last three also know the episode (`llm_control.agents.informed`). What the first two draw at random
depends on the episode's seed and the number of the reply alone.
"""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.errors import EvaluationError
from evaluation.suite import AgentTurn
from llm_control.agents.fit_reply import as_call, fitted, is_over, script_of
from llm_control.agents.informed import ideal_reply, oracle_reply, replay_reply
from llm_control.agents.perceiving import asked_kind, guess, perceive
from llm_control.agents.pixels import answer
from llm_control.agents.plan_replies import WAIT
from llm_control.script import random_script
from render import Frame, decode

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

REPLAY = "replay/"
"""What the name of the replaying agent begins with; the folder of recordings follows."""

_NOTHING_SEEN = ("I see no ball", "No ball anywhere")


async def _reply(turn: AgentTurn) -> str | tuple[str, dict[str, Any]]:
    """Answer the conversation with a script, or call `act` with it if there is that tool."""
    if (kind := asked_kind(turn.messages[-1].text)) is not None:
        rng = np.random.default_rng(turn.seed)
        return guess(kind, rng) if turn.name == "random" else perceive(kind, _last_image(turn.messages), rng)
    if is_over(turn.messages):
        # An agent leaves a scaffold by its tool `submit`.
        return ("submit", {"answer": "done"}) if "submit" in turn.tools else "done"
    script = await _script(turn)
    return _by_tools(script if script == WAIT else fitted(script, turn.messages), turn.tools)


AGENTS = dict.fromkeys(("pixels", "random", "oracle", "ideal", "replay/FOLDER"), _reply)
"""The agents by name."""


async def _script(turn: AgentTurn) -> str:
    if turn.name == "oracle":
        return await oracle_reply()
    if turn.name == "ideal":
        return ideal_reply()
    if turn.name.startswith(REPLAY):
        return replay_reply(Path(turn.name.removeprefix(REPLAY)))
    replies = [script_of(message) for message in turn.messages if message.role == "assistant"]
    rng = np.random.default_rng([turn.seed, len(replies)])
    if turn.name == "random":
        return random_script(rng)
    return answer(_last_image(turn.messages), fruitless(replies), rng)


def _by_tools(script: str, tools: tuple[str, ...]) -> str | tuple[str, dict[str, Any]]:
    """A script as text, or by the available tools; waiting is no script, so it is no `go` or `turn`."""
    if "act" in tools:
        return "act", {"script": script}
    if script != WAIT and ("go" in tools or "turn" in tools):
        return as_call(script, tools)
    return script


def _last_image(messages: "Sequence[ChatMessage]") -> Frame:
    for message in reversed(messages):
        if message.role in ("user", "tool") and not isinstance(message.content, str):
            images = [part for part in message.content if part.type == "image"]
            if images:
                return decode(base64.b64decode(images[-1].image.partition(",")[2]))
    raise EvaluationError("arena/pixels needs pictures, and this conversation has none; use arena/random")


def fruitless(replies: list[str]) -> int:
    """The number of replies at the end that saw nothing."""
    count = 0
    for each in reversed(replies):
        if not any(words in each for words in _NOTHING_SEEN):
            break
        count += 1
    return count
