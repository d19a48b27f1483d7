"""How many of a conversation's pictures a model is sent, and what it is sent in their place."""

import base64
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, Content, ContentImage, ContentText
from PIL import Image

from evaluation.generation.image_rules import COLLAGE, COLLAGE_PX, LEFT_OUT, kept_images
from render import Frame, decode, png

_ONE_ONLY = re.compile(
    r"(at most|only|more than|maximum|max|limit)\W+(of|is|accepts?|supports?)?\W*(1|one|a single)\W+image"
    r"|(single|one) image (only|per|is)|multiple images",
    re.IGNORECASE,
)
"""What servers say that take one picture; vLLM: "At most 1 image(s) may be provided in one prompt."."""


class ImageBudget:
    """The pictures that a sample's model is sent; `rule` is the protocol's until a server refuses it."""

    def __init__(self, rule: str) -> None:
        self.rule = rule

    def applied(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The messages as they are sent; the log notes which pictures are left out."""
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
        """Continue with the last picture only, if a server says that it takes no more; the log notes it."""
        if self.rule in ("last-1", "collage") or not takes_one_only(error):
            return False
        said = str(error)[:500]
        transcript().info({"images": "last-1", "instead of": self.rule, "because": said}, source="arena_llm")
        self.rule = "last-1"
        return True


def takes_one_only(error: BaseException) -> bool:
    """Whether a server's error says that a request may have one picture only."""
    return _ONE_ONLY.search(str(error)) is not None


def collage(images: Sequence[ContentImage]) -> ContentImage:
    """Pictures of one size as one, row by row, as square as can be, at most `COLLAGE_PX` a side."""
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
    return [p for p in message.content if isinstance(p, ContentImage)] if _in_parts(message) else []


def _in_parts(message: ChatMessage) -> bool:
    return not isinstance(message.content, str)


def _replaced(
    messages: Sequence[ChatMessage], kept: frozenset[int], merged: ContentImage | None
) -> list[ChatMessage]:
    number, result = 0, []
    for message in messages:
        parts: list[Content] = []
        for part in message.content if _in_parts(message) else ():
            if not isinstance(part, ContentImage):
                parts.append(part)  # type: ignore[arg-type]
                continue
            if number not in kept:
                parts.append(ContentText(text=LEFT_OUT))
            else:
                parts += [ContentText(text=COLLAGE), merged] if merged else [part]
            number += 1
        result.append(message.model_copy(update={"content": parts}) if parts else message)
    return result
