"""The offline agents as a model provider of Inspect AI, so that they go the same way as any model."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from arena.errors import EvaluationError
from evaluation.inspect_task.errors import Refused
from evaluation.models import policy_file
from llm_control.agents.fitting import as_call, fitted, is_over, script_of
from llm_control.agents.informed import oracle_reply, plan_elsewhere, replay_reply
from llm_control.agents.perceiving import asked_kind, guess, perceive
from llm_control.agents.pixels import answer
from llm_control.agents.random_agent import random_script
from llm_control.agents.telling import WAIT
from render import Frame, decode

REPLAY = "replay/"
"""What the name of the replaying agent begins with; the folder of recordings follows."""

_NOTHING_SEEN = ("I see no ball", "No ball anywhere")


class ArenaAgents(ModelAPI):
    """`arena/random`, `arena/pixels`, `arena/oracle`, `arena/replay/FOLDER` and `arena/policy/FILE`.

    The third and fourth also know the episode (`llm_control.agents.informed`); the last is never asked, as it
    acts at every step (`llm_control.acting`). What the first two draw at random
    depends on the configuration's seed and the number of the reply alone.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **model_args: Any,
    ) -> None:
        """Raises Refused for a name that is no agent's, or a folder of recordings that is not there."""
        super().__init__(model_name, base_url, api_key, [], config)
        if policy_file(f"arena/{model_name}") is not None:
            return
        if model_name not in ("random", "pixels", "oracle") and not model_name.startswith(REPLAY):
            raise Refused(
                f"unknown agent arena/{model_name}; the offline agents are arena/random, arena/pixels, "
                "arena/oracle, arena/replay/FOLDER, arena/policy/FILE"
            )
        if model_name.startswith(REPLAY) and not Path(model_name.removeprefix(REPLAY)).is_dir():
            raise Refused(f"arena/{model_name}: no such folder; expected one of recordings, TASK.json")

    def tool_result_images(self) -> bool:
        """Pictures in the results of tool calls are looked at where they are."""
        return True

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Answer the conversation with a script, or call `act` with it where there is that tool."""
        name = f"arena/{self.model_name}"
        if policy_file(name) is not None:
            raise Refused(
                f"{name}: a learned policy acts at every step; it answers nothing and calls no tools"
            )
        if (kind := asked_kind(input[-1].text)) is not None:
            return _unpaid(ModelOutput.from_content(name, self._answer(kind, input, config)))
        if is_over(input):
            return _unpaid(_end(name, [tool.name for tool in tools]))
        if self.model_name == "oracle":
            await plan_elsewhere()
        script = self._script(input, config)
        if script != WAIT:
            script = fitted(script, input)
        return _unpaid(_said(name, script, [tool.name for tool in tools]))

    def _answer(self, kind: str, input: list[ChatMessage], config: GenerateConfig) -> str:
        rng = np.random.default_rng(config.seed or 0)
        if self.model_name == "random":
            return guess(kind, rng)
        return perceive(kind, _last_image(input), rng)

    def _script(self, input: list[ChatMessage], config: GenerateConfig) -> str:
        replies = [script_of(message) for message in input if isinstance(message, ChatMessageAssistant)]
        rng = np.random.default_rng([config.seed or 0, len(replies)])
        if self.model_name == "random":
            return random_script(rng)
        if self.model_name == "oracle":
            return oracle_reply()
        if self.model_name.startswith(REPLAY):
            return replay_reply(Path(self.model_name.removeprefix(REPLAY)))
        return answer(_last_image(input), _fruitless(replies), rng)


def _end(name: str, tools: list[str]) -> ModelOutput:
    """How an agent leaves a scaffold: by its tool `submit` where there is one."""
    if "submit" in tools:
        return ModelOutput.for_tool_call(name, "submit", {"answer": "done"})
    return ModelOutput.from_content(name, "done")


def _said(name: str, script: str, tools: list[str]) -> ModelOutput:
    """A script as text, or by the tools that there are; waiting is no script, so it is no `go` or `turn`."""
    if "act" in tools:
        return ModelOutput.for_tool_call(name, "act", {"script": script})
    if script != WAIT and ("go" in tools or "turn" in tools):
        return ModelOutput.for_tool_call(name, *as_call(script, tools))
    return ModelOutput.from_content(name, script)


def _unpaid(output: ModelOutput) -> ModelOutput:
    # Without a usage of zero, Inspect would fetch a tokenizer to count for itself.
    output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
    return output


def _last_image(messages: list[ChatMessage]) -> Frame:
    for message in reversed(messages):
        if isinstance(message, ChatMessageUser | ChatMessageTool) and not isinstance(message.content, str):
            images = [part for part in message.content if isinstance(part, ContentImage)]
            if images:
                return decode(base64.b64decode(images[-1].image.partition(",")[2]))
    raise EvaluationError("arena/pixels needs pictures, and this conversation has none; use arena/random")


def _fruitless(replies: list[str]) -> int:
    """How many of the last replies in a row saw nothing."""
    count = 0
    for reply in reversed(replies):
        if not any(words in reply for words in _NOTHING_SEEN):
            break
        count += 1
    return count


def agent_seed(seed: int, task_id: str, trial: int) -> int:
    """A seed of 31 bits for one episode of an offline agent."""
    digest = hashlib.sha256(f"{seed}/{task_id}/{trial}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
