"""The requests of an agent: those for replies, and those beside them, which the log names."""

from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    Content,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
)
from inspect_ai.tool import Tool

from evaluation.choices.run_choices import RunChoices
from evaluation.generation.generate import generate
from evaluation.generation.image_budget import ImageBudget
from evaluation.generation.memory import ALONE, rule_of, sent
from evaluation.generation.stops import stop_of
from evaluation.prompts import PromptSet


class CallStopped(Exception):
    """What came of a request beside the replies is no answer; `stop` says why, as `stop_of` does."""

    def __init__(self, stop: dict[str, Any]) -> None:
        super().__init__(stop)
        self.stop = stop


@dataclass
class Calls:
    """Asks the model in one sample.

    The first `opening` messages of its conversation are always sent. `log` goes to the sample's metadata: in
    `calls` it names the kind of each request beside the replies, by the id of the message that answered it,
    and in `asking` that of one which is in progress.
    """

    model: Model
    choices: RunChoices
    prompts: PromptSet
    tools: list[Tool]
    config: GenerateConfig
    images: ImageBudget
    opening: int
    log: dict[str, Any] = field(default_factory=dict)

    async def reply(
        self, messages: list[ChatMessage], note: str = "", turns: int | None = None
    ) -> ModelOutput:
        """The next reply; a `note` follows the last observation. At most the last `turns` are sent.

        Nothing follows an observation that is sent alone.
        """
        note = "" if rule_of(messages[-1]) == ALONE else note
        return await self._ask(self._sent(messages, turns), note, self.tools)

    async def aside(self, kind: str, messages: list[ChatMessage], note: str, turns: int | None = 0) -> str:
        """The answer to a request that sees the last observation, and a note. Raises CallStopped.

        It also sees at most that many earlier `turns`; None: as many as the choices allow.
        """
        # Stays if a limit ends the sample by this request.
        self.log["asking"] = kind
        output = await self._ask(self._sent(messages, turns), note, [])
        del self.log["asking"]
        self.name(output, kind)
        if (stop := stop_of(output)) is not None:
            raise CallStopped(stop)
        return output.completion

    def name(self, output: ModelOutput, kind: str) -> None:
        """Have the log say that an output is no reply, but of this kind."""
        self.log.setdefault("calls", {})[output.message.id] = kind

    def _sent(self, messages: list[ChatMessage], turns: int | None) -> list[ChatMessage]:
        limits = [each for each in (self.choices.memory_turns, turns) if each is not None]
        most, choices = min(limits, default=None), self.choices
        return sent(messages, self.opening, most, choices.memory_characters, choices.short_turns)

    async def _ask(self, messages: list[ChatMessage], note: str, tools: list[Tool]) -> ModelOutput:
        noted = _with_note(messages, note) if note else messages
        output, self.config = await generate(self.model, noted, tools, self.config, self.images)
        return output


def _with_note(messages: list[ChatMessage], note: str) -> list[ChatMessage]:
    """The messages with a text at their end; a tool's result may not have it, so it is a message then."""
    last = messages[-1]
    if last.role != "user":
        return [*messages, ChatMessageUser(content=note)]
    own = last.content
    parts: list[Content] = [ContentText(text=own)] if isinstance(own, str) else list(own)
    return [*messages[:-1], ChatMessageUser(content=[*parts, ContentText(text=note)])]
