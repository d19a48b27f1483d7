"""How much of a conversation a model is sent."""

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, Content, ContentText


def sent(messages: Sequence[ChatMessage], opening: int, turns: int | None) -> list[ChatMessage]:
    """The messages of a conversation that the model is sent next.

    The first `opening` messages stay. After them come the last `turns` replies (None: all), each with
    what was answered to it, and before them the view that the first of these replies was made from.
    """
    head, rest = list(messages[:opening]), list(messages[opening:])
    starts = [i for i, message in enumerate(rest) if isinstance(message, ChatMessageAssistant)]
    if turns is None or len(starts) <= turns:
        return head + rest
    first = starts[-turns] if turns else len(rest)
    earlier = starts[len(starts) - turns - 1]
    return [*head, _as_view(rest[earlier + 1 : first]), *rest[first:]]


def _as_view(answers: Sequence[ChatMessage]) -> ChatMessageUser:
    """What was answered to a reply that is left out: a tool's result may not stand without its call."""
    parts: list[Content] = []
    for answer in answers:
        text = isinstance(answer.content, str)
        parts += [ContentText(text=answer.text)] if text else answer.content  # type: ignore[arg-type]
    return ChatMessageUser(content=parts)
