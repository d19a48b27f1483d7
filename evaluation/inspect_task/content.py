"""What a message of ours is made of: texts and pictures in order."""

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ContentImage, ContentText

from evaluation.choices.run_choices import RunChoices
from evaluation.image_format import data_uri, encoded
from evaluation.prompts import Layout
from evaluation.suite import Part

Content = list[ContentText | ContentImage]
"""The content of a message."""


def content(parts: Sequence[Part | bytes], choices: RunChoices, before: str = "") -> Content:
    """Texts and pictures as the content of a message; `before` precedes its first text.

    A frame is encoded as the choices say, the bytes of an image file are taken as they are.
    """
    found: Content = []
    for part in parts:
        if isinstance(part, str):
            found.append(ContentText(text=f"{before}\n\n{part}" if before else part))
            before = ""
        else:
            image = part if isinstance(part, bytes) else encoded(part, choices.image_format)
            found.append(ContentImage(image=data_uri(image), detail=choices.image_detail))
    return [ContentText(text=before), *found] if before else found


def joined(messages: Sequence[ChatMessage], layout: Layout) -> list[ChatMessage]:
    """The first messages of a conversation in the roles that the layout gives them.

    With the role `user` everything up to the first reply is one message; where two messages meet, their texts
    become one without anything in between.
    """
    first = next((i for i, m in enumerate(messages) if isinstance(m, ChatMessageAssistant)), len(messages))
    if layout.roles == "system" or not first:
        return list(messages)
    whole: Content = []
    for message in messages[:first]:
        own = message.content
        parts: Content = [ContentText(text=own)] if isinstance(own, str) else own  # type: ignore[assignment]
        if whole and parts and isinstance(whole[-1], ContentText) and isinstance(parts[0], ContentText):
            whole[-1] = ContentText(text=whole[-1].text + parts[0].text)
            parts = parts[1:]
        whole += parts
    return [ChatMessageUser(content=list(whole)), *messages[first:]]
