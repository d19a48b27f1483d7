"""The messages of a log: their texts, and what of them was played."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.agents.replies import Reply, read_reply
from evaluation.choices.run_choices import RunChoices
from evaluation.suite import Suite

_ATTACHED = "attachment://"
"""What a log has in the place of a long text or a picture, followed by its name among the attachments."""


def resolved(text: str, attachments: Mapping[str, str]) -> str:
    """A text of a log as it was before the log took it apart."""
    return attachments.get(text.removeprefix(_ATTACHED), text) if text.startswith(_ATTACHED) else text


def texts_of(message: Any, kept: Mapping[str, str]) -> Iterator[str]:
    """The texts of a message in order; `kept` are the log's attachments."""
    if isinstance(message.content, str):
        yield resolved(message.content, kept)
        return
    for part in message.content:
        if part.type == "text":
            yield resolved(part.text, kept)


def text_of(message: Any, kept: Mapping[str, str]) -> str:
    """The whole text of a message."""
    return "\n".join(texts_of(message, kept))


def replies_of(
    message: Any, suite: Suite, played: set[str | None], kept: Mapping[str, str], choices: RunChoices
) -> Iterator[Reply]:
    """What of a message was played: its text, or what its calls of the suite's tools stand for."""
    text = text_of(message, kept)
    if not message.tool_calls:
        yield read_reply(text, choices)
    thought = "" if choices.agent == "direct" else text
    for call in message.tool_calls or ():
        name = call.function.rpartition("/")[2]
        if name in suite.tools() and call.id in played:
            yield Reply(thought, resolved(suite.called(name, call.arguments), kept))


def agent_facts(sample: Any) -> Mapping[str, Any]:
    """What a sample of a log has of the agent that played it, as `Calls.log`; empty without one."""
    return (sample.metadata or {}).get("agent") or {}


def reasoning_of(message: Any, kept: Mapping[str, str]) -> str:
    """A model's own reasoning, or the provider's summary if the text itself is withheld."""
    parts = message.content if not isinstance(message.content, str) else ()
    texts = (
        part.summary if part.redacted or not part.reasoning else part.reasoning
        for part in parts
        if part.type == "reasoning"
    )
    return "\n".join(resolved(text, kept) for text in texts if text)
