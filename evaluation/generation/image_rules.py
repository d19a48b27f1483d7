"""How a budget of pictures is written, and which pictures it keeps.

Apart from `evaluation.generation.image_budget`, which applies it to messages, so that commands that send none
need not load Inspect AI.
"""

PATTERN = r"^(all|last-[1-9][0-9]{0,4}|first\+last|collage)$"
"""How a budget is written."""

LEFT_OUT = "[picture left out]"
"""What stands where a picture was."""

COLLAGE = "[The pictures so far are put into one, row by row from the earliest to the present.]"
"""What stands before a collage."""

COLLAGE_PX = 2048
"""Longest side of a collage; OpenAI and Anthropic shrink larger pictures themselves (their vision guides)."""


def kept_images(rule: str, count: int) -> frozenset[int]:
    """Which of `count` pictures a budget keeps, counted from 0; for a collage, its position."""
    if rule == "all":
        return frozenset(range(count))
    if rule == "first+last":
        return frozenset({0, count - 1} if count else ())
    last = 1 if rule == "collage" else int(rule.removeprefix("last-"))
    return frozenset(range(max(count - last, 0), count))
