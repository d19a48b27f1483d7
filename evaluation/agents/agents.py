"""The agent of a run: what it adds to the first messages, and what asks the model for the next reply."""

from typing import TYPE_CHECKING, Protocol

from inspect_ai.model import ChatMessage, ChatMessageSystem, ModelOutput

from evaluation.agents.calls import Calls
from evaluation.agents.hypothesizer import SUMMARY_EVERY, TOKENS, Hypothesizer
from evaluation.agents.plan_execute import PlanExecute
from evaluation.choices.run_choices import RunChoices
from evaluation.prompts import PromptSet, Variables

if TYPE_CHECKING:
    from evaluation.suite import Suite


class ReplyingAgent(Protocol):
    """What asks the model for its replies in one sample."""

    async def reply(self, messages: list[ChatMessage]) -> ModelOutput:
        """The next reply in a conversation that ends with an observation.

        Raises CallStopped if the model stops in a request beside the replies.
        """


class OwnAgent(Protocol):
    """The module of an agent that only one suite has.

    `TEXTS` are its texts by name, in files of its package `prompts`; the text with the agent's own name
    follows the rules of the suite, as `react` does. `NOTE_TOKENS` are the most that it adds to a request.
    """

    TEXTS: Variables
    NOTE_TOKENS: int

    def agent(self, calls: Calls) -> ReplyingAgent:
        """What asks the model in one sample."""

    def asides(self, choices: RunChoices, turn: int) -> tuple[int, ...]:
        """As the function of this name."""


def _own(choices: RunChoices) -> OwnAgent | None:
    found: OwnAgent | None = choices.own_agent
    return found


def agent_of(calls: Calls, most: int | None) -> ReplyingAgent:
    """The agent of the choices; `most` are the most replies that the episode can have, None if unknown.

    ReAct differs from the plain conversation by its instructions and its memory, so `Calls` is its agent too.
    """
    name = calls.choices.agent
    if name != "direct":
        calls.log["name"] = name
    if (own := _own(calls.choices)) is not None:
        return own.agent(calls)
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


def asides(choices: RunChoices, turn: int) -> tuple[int, ...]:
    """The most requests that an agent makes beside the reply of a turn, from 0.

    For each the tokens of its answer, 0 if it is about as long as a reply.
    """
    if (own := _own(choices)) is not None:
        return own.asides(choices, turn)
    if choices.agent == "plan-execute":
        return (0, 0) if turn else (0,)
    if choices.agent == "hypothesizer" and turn:
        return (0,) if turn % SUMMARY_EVERY else (0, TOKENS)
    return ()


def note_tokens(choices: RunChoices) -> int:
    """The most tokens of what an agent adds to each request, for estimates."""
    if (own := _own(choices)) is not None:
        return own.NOTE_TOKENS
    return TOKENS if choices.agent == "hypothesizer" else 0
