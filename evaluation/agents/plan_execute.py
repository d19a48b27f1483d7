"""Plan+Execute: the model plans one step at a time, and carries it out as a ReAct agent.

After Jansen and others, "DiscoveryWorld" (arXiv 2406.06769), section 4 and appendix D.2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ModelOutput

from evaluation.agents.calls import Calls
from evaluation.agents.replies import result_in, step_in
from evaluation.generation.memory import lasting_turns, rule_of
from evaluation.generation.stops import stop_of

STEP_SHARE = 5
"""A step of the plan may take the episode's replies divided by this, as in the paper."""

UNBOUNDED_SHARE = 20
"""Replies for a step of the plan if nothing bounds those of the episode."""


class PlanExecute:
    """An episode played by a plan, which is in the log: each step, the turn before it, and its result.

    `most` are the most replies that the episode can have, None if nothing bounds them.
    """

    def __init__(self, calls: Calls, most: int | None) -> None:
        self._calls = calls
        self._share = UNBOUNDED_SHARE if most is None else max(most // STEP_SHARE, 1)
        self._plan: list[dict[str, Any]] = calls.log.setdefault("plan", [])

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """The next reply of the executor; a step that it says is over is followed by the next one."""
        played = messages[self._calls.opening :]
        turn = sum(message.role == "assistant" for message in played)
        taken = turns_since_step(self._plan, turn + 1, played)
        if rule_of(messages[-1]):
            # A question that is not asked again is no part of the plan.
            note = self._calls.prompts["plan_so_far"].fill(earlier=_listed(self._plan))
            return await self._calls.reply(messages, note, taken)
        if self._plan and taken >= self._share:
            self._plan[-1]["result"] = f"failed, because its {self._share} actions were used up"
        if not self._plan or self._plan[-1]["result"] is not None:
            await self._next_step(messages, turn)
            taken = 0
        output = await self._execute(messages, taken)
        step = self._plan[-1]
        if not taken or (result := _result(output)) is None:
            return output
        self._calls.name(output, "result")
        step["result"] = result
        await self._next_step(messages, turn)
        return await self._execute(messages, 0)

    async def _next_step(self, messages: list[ChatMessage], turn: int) -> None:
        number = len(self._plan) + 1
        note = self._calls.prompts["plan"].fill(number=number, earlier=_listed(self._plan), share=self._share)
        step = step_in(await self._calls.aside("plan", messages, note))
        self._plan.append({"step": step, "after": turn, "result": None})

    async def _execute(self, messages: list[ChatMessage], taken: int) -> ModelOutput:
        *earlier, step = self._plan
        note = self._calls.prompts["plan_step"].fill(
            number=len(self._plan), step=step["step"], earlier=_listed(earlier), left=self._share - taken
        )
        return await self._calls.reply(messages, note, taken)


def turns_since_step(plan: Sequence[Mapping[str, Any]], turn: int, messages: Sequence[ChatMessage]) -> int:
    """How many turns of its step came before a turn, from 1, by the logged plan; questions are none.

    `messages` are those from the first observation to the one before the turn.
    """
    return lasting_turns(messages, max((step["after"] for step in plan if step["after"] < turn), default=0))


def _result(output: ModelOutput) -> str | None:
    if output.message.tool_calls or stop_of(output) is not None:
        return None
    return result_in(output.completion)


def _listed(plan: list[dict[str, Any]]) -> str:
    """Steps with their results, as the model is shown them."""
    lines = (f"{each['step']}\n   {each['result'] or 'not ended'}" for each in plan)
    return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1)) or "none"
