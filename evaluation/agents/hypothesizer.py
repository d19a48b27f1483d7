"""Hypothesizer: the model acts, then notes what it learnt in a memory of hypotheses and measurements.

After Jansen and others, "DiscoveryWorld" (arXiv 2406.06769), section 4 and appendix D.3.
"""

import json

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ModelOutput

from evaluation.agents.calls import Calls
from evaluation.agents.memory import Memory
from evaluation.generation.memory import lasting, lasting_turns, rule_of

SUMMARY_EVERY = 10
"""Replies after which the memory is summarised, as in the paper."""

ENTRIES, TOKENS = 40, 2000
"""The most that a summary of the memory has, as in the paper."""


class Hypothesizer:
    """An episode played with a memory, which the log has as it was at the end.

    The memory is changed before each reply except the first. Questions that are asked once and the answers to
    them change nothing, and what is shown after the end never reaches it.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls, self._memory = calls, Memory()
        self._keep()

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """The next reply, after the memory has taken in what came of the last one."""
        turn = lasting_turns(messages[self._calls.opening :])
        if turn and not rule_of(messages[-1]):
            await self._reflect(messages)
            if turn % SUMMARY_EVERY == 0:
                await self._summarise(messages)
        note = self._calls.prompts["memory"].fill(memory=self._memory.text())
        return await self._calls.reply(messages, note)

    async def _reflect(self, messages: list[ChatMessage]) -> None:
        last = next(message for message in reversed(lasting(messages)) if message.role == "assistant")
        note = self._calls.prompts["reflect"].fill(reply=_as_text(last), memory=self._memory.text())
        self._took(self._memory.change(await self._calls.aside("reflection", messages, note)), "reflection")

    async def _summarise(self, messages: list[ChatMessage]) -> None:
        note = self._calls.prompts["summarise"].fill(
            memory=self._memory.text(), entries=ENTRIES, tokens=TOKENS
        )
        answer = await self._calls.aside("summary", messages, note)
        self._took(self._memory.replace(answer, ENTRIES, TOKENS), "summary")

    def _took(self, read: bool, kind: str) -> None:
        self._keep()
        before = self._calls.log.get("dropped", 0)
        if dropped := self._memory.dropped - before:
            self._calls.log["dropped"] = before + dropped
            transcript().info({"dropped": dropped, "of": kind}, source="arena_llm")
        if not read:
            self._calls.log["unreadable"] = self._calls.log.get("unreadable", 0) + 1
            transcript().info({"not read": kind}, source="arena_llm")

    def _keep(self) -> None:
        self._calls.log["memory"] = self._memory.plain()


def _as_text(message: ChatMessage) -> str:
    """A reply with its calls of tools, in words."""
    calls = (message.tool_calls or ()) if message.role == "assistant" else ()
    return "\n".join(
        filter(None, [message.text, *(f"{c.function}({json.dumps(c.arguments)})" for c in calls)])
    )
