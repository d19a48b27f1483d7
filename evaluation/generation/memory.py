"""Context truncation: messages sent, pictures sent, and their substitutes."""

import base64
import json
import math
import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
)
from PIL import Image

from evaluation.choices.run_choices import COLLAGE, COLLAGE_PX, LEFT_OUT, kept_images
from render import Frame, decode, png

SENT = "sent"
"""Metadata key of a message sent only at times: `ONCE` or `ALONE`."""

TOLD = "told"
"""Metadata key of an observation's line in earlier turns."""

ONCE, ALONE = "once", "alone"
"""Sent for one reply only, and for `ALONE` as the only message."""


def sent(
    messages: Sequence[ChatMessage],
    opening: int,
    turns: int | None,
    characters: int | None,
    short: bool = False,
) -> list[ChatMessage]:
    """Select the messages of a conversation for the next request.

    The first `opening` messages stay. After them come the last replies, each with the answer to it: at most
    `turns` of them, with together at most that many `characters` (None: all). Before them comes the view that
    the first of these replies was made from. With `short`, an observation's line replaces it in earlier
    turns, if it has one; the present observation counts as its line.

    Messages that are sent only once are left out later, with the replies to them; one sent alone is the only
    message.
    """
    if messages and rule_of(messages[-1]) == ALONE:
        return [messages[-1]]
    messages = lasting(messages)
    head, rest = list(messages[:opening]), list(messages[opening:])
    starts = [i for i, message in enumerate(rest) if isinstance(message, ChatMessageAssistant)]
    counted = [_in_a_line(message) for message in rest] if short else rest
    now = starts[-1] + 1 if starts else 0
    rest = counted[:now] + rest[now:]
    kept = len(starts) if turns is None else min(turns, len(starts))
    if characters is not None:
        lengths = [sum(map(_characters, counted[start:end])) for start, end in pairwise([*starts, len(rest)])]
        kept = min(kept, sum(total <= characters for total in accumulate(reversed(lengths))))
    if kept == len(starts):
        return head + rest
    first = starts[-kept] if kept else len(rest)
    earlier = starts[len(starts) - kept - 1]
    return [*head, _as_view(rest[earlier + 1 : first]), *rest[first:]]


def lasting(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Drop messages sent once, except the last, with their replies."""
    passed = _passed(messages)
    return [
        message
        for i, message in enumerate(messages)
        if i not in passed and not (i - 1 in passed and isinstance(message, ChatMessageAssistant))
    ]


def lasting_turns(messages: Sequence[ChatMessage], after: int = 0) -> int:
    """Count the replies sent again, without the first `after` ones."""
    passed = _passed(messages)
    replies = [i for i, message in enumerate(messages) if isinstance(message, ChatMessageAssistant)]
    return sum(i - 1 not in passed for i in replies[after:])


def rule_of(message: ChatMessage) -> str | None:
    """Return `ONCE` or `ALONE`; None for a message that is always sent."""
    return (message.metadata or {}).get(SENT)


def _passed(messages: Sequence[ChatMessage]) -> set[int]:
    """Find the places of messages sent once and already answered."""
    return {i for i, message in enumerate(messages[:-1]) if rule_of(message)}


def _in_a_line(message: ChatMessage) -> ChatMessage:
    """Shorten the message as in an earlier turn."""
    told = (message.metadata or {}).get(TOLD)
    return message if told is None else message.model_copy(update={"content": told})


def _characters(message: ChatMessage) -> int:
    """Count the characters of a message's texts and tool arguments, without reasoning."""
    parts = message.content
    texts = [parts] if isinstance(parts, str) else [part.text for part in parts if part.type == "text"]
    for call in (message.tool_calls or ()) if isinstance(message, ChatMessageAssistant) else ():
        texts += [v if isinstance(v, str) else json.dumps(v) for v in call.arguments.values()]
    return sum(map(len, texts))


def _as_view(answers: Sequence[ChatMessage]) -> ChatMessageUser:
    """Merge answers to an omitted reply, as tool results need their call."""
    parts: list[Content] = []
    for answer in answers:
        text = isinstance(answer.content, str)
        parts += [ContentText(text=answer.text)] if text else answer.content  # type: ignore[arg-type]
    return ChatMessageUser(content=parts)


_ONE_ONLY = re.compile(
    r"(at most|only|more than|maximum|max|limit)\W+(of|is|accepts?|supports?)?\W*(1|one|a single)\W+image"
    r"|(single|one) image (only|per|is)|multiple images",
    re.IGNORECASE,
)
"""Error texts of servers that accept one picture, such as "At most 1 image(s) may be provided" (vLLM)."""


class ImageBudget:
    """Pictures sent in a sample. `rule` is the protocol's until a server refuses it."""

    def __init__(self, rule: str) -> None:
        self.rule = rule

    def applied(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Apply the budget to the messages; the log notes omitted pictures."""
        count = sum(len(_images(message)) for message in messages)
        kept = kept_images(self.rule, count)
        if len(kept) == count:
            return list(messages)
        merged = collage([i for m in messages for i in _images(m)]) if self.rule == "collage" else None
        left_out = [number for number in range(1, count + 1) if number - 1 not in kept]
        told: dict[str, Any] = {"images": self.rule, "pictures": count, "left out": left_out}
        transcript().info(told | ({"in one picture": count} if merged else {}), source="arena_llm")
        return _replaced(messages, kept, merged)

    def give_way(self, error: BaseException) -> bool:
        """Keep only the last picture if a server accepts no more. The log notes it."""
        if self.rule in ("last-1", "collage") or not _ONE_ONLY.search(str(error)):
            return False
        said = str(error)[:500]
        transcript().info({"images": "last-1", "instead of": self.rule, "because": said}, source="arena_llm")
        self.rule = "last-1"
        return True


def collage(images: Sequence[ContentImage]) -> ContentImage:
    """Combine pictures of one size, nearly square, at most `COLLAGE_PX` a side."""
    frames = [decode(base64.b64decode(image.image.partition(",")[2])) for image in images]
    columns = math.ceil(math.sqrt(len(frames)))
    side = min(frames[0].shape[0], COLLAGE_PX // columns)
    whole: Frame = np.zeros((math.ceil(len(frames) / columns) * side, columns * side, 3), np.uint8)
    for number, frame in enumerate(frames):
        top, left = number // columns * side, number % columns * side
        small = Image.fromarray(frame).resize((side, side), Image.Resampling.BOX)
        whole[top : top + side, left : left + side] = np.asarray(small)
    return ContentImage(image="data:image/png;base64," + base64.b64encode(png(whole)).decode())


def _images(message: ChatMessage) -> list[ContentImage]:
    parts = () if isinstance(message.content, str) else message.content
    return [part for part in parts if isinstance(part, ContentImage)]


def _replaced(
    messages: Sequence[ChatMessage], kept: frozenset[int], merged: ContentImage | None
) -> list[ChatMessage]:
    number, result = 0, []
    for message in messages:
        parts: list[Content] = []
        for part in () if isinstance(message.content, str) else message.content:
            if not isinstance(part, ContentImage):
                parts.append(part)
                continue
            if number not in kept:
                parts.append(ContentText(text=LEFT_OUT))
            else:
                parts += [ContentText(text=COLLAGE), merged] if merged else [part]
            number += 1
        result.append(message.model_copy(update={"content": parts}) if parts else message)
    return result
