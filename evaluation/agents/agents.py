"""The agent of a run: what it adds to the first messages, and what asks the model for the next reply."""

from typing import TYPE_CHECKING, Protocol

from inspect_ai.model import ChatMessage, ChatMessageSystem, ModelOutput

from evaluation.agents.calls import Calls
from evaluation.agents.hypothesizer import SUMMARY_EVERY, Hypothesizer
from evaluation.agents.plan_execute import PlanExecute
from evaluation.choices.run_choices import RunChoices
from evaluation.prompts import PromptSet

if TYPE_CHECKING:
    from evaluation.suite import Suite


class ReplyingAgent(Protocol):
    """What asks the model for its replies in one sample."""

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """The next reply in a conversation that ends with an observation.

        Raises CallStopped if the model stops in a request beside the replies.
        """


def agent_of(calls: Calls, most: int | None) -> ReplyingAgent:
    """The agent of the choices; `most` are the most replies that the episode can have, None if unknown.

    ReAct differs from the plain conversation by its instructions and its memory, so `Calls` is its agent too.
    """
    name = calls.choices.agent
    if name != "direct":
        calls.log["name"] = name
    if name == "plan-execute":
        return PlanExecute(calls, most)
    return Hypothesizer(calls) if name == "hypothesizer" else calls


def opening(suite: "Suite", choices: RunChoices, prompts: PromptSet, episodes: int) -> list[ChatMessage]:
    """The messages before the first observation: those of the suite, with the instructions of its agent."""
    messages = suite.opening(choices, prompts, episodes)
    if choices.agent == "direct":
        return messages
    action = prompts["action_tools" if choices.replies == "tools" else "action_text"].fill()
    text = prompts[choices.agent.replace("-", "_")].fill(action=action)
    first, *rest = (
        messages if messages and messages[0].role == "system" else [ChatMessageSystem(content=""), *messages]
    )
    return [ChatMessageSystem(content="\n\n".join(filter(None, [first.text, text]))), *rest]


def asides(agent: str, turn: int) -> tuple[str, ...]:
    """The kinds of the most requests that an agent makes beside the reply of a turn, from 0."""
    if agent == "plan-execute":
        return ("result", "plan") if turn else ("plan",)
    if agent == "hypothesizer" and turn:
        return ("reflection",) if turn % SUMMARY_EVERY else ("reflection", "summary")
    return ()
