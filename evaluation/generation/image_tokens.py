"""How many tokens a picture costs at each provider, and how many pictures it takes in one request.

Sources, as of 2025: OpenAI, "Images and vision: calculating costs" and "image input requirements"
(platform.openai.com/docs/guides/images-vision); Anthropic, "Vision: calculate image costs" and "Vision:
basics and limits" (docs.claude.com; 600 pictures for models with longer contexts); Google, "Understand and
count tokens" and "Image understanding" (ai.google.dev/gemini-api/docs). A model that these do not name is
unknown, because newer ones count otherwise.
"""

import math
import re
from collections.abc import Callable

from evaluation.choices.run_choices import RunChoices

NOTE = (
    "Tokens per picture follow the providers' rules as of 2025, not verified; they are in "
    "evaluation/generation/image_tokens.py."
)
"""Goes with every figure that rests on these rules."""

_OPENAI_TILES = (
    ("gpt-4o-mini", 2833, 5667),
    ("gpt-4o", 85, 170),
    ("gpt-4.1", 85, 170),
    ("gpt-5", 70, 140),
    ("o1", 75, 150),
    ("o3", 75, 150),
)
"""Model, tokens of a picture, tokens of each tile of 512 pixels."""

_OPENAI_PATCHES = (
    ("gpt-5-mini", 1.62),
    ("gpt-5-nano", 2.46),
    ("gpt-4.1-mini", 1.62),
    ("gpt-4.1-nano", 2.46),
    ("o4-mini", 1.72),
)
"""Model, and tokens of each patch of 32 pixels, of which there are at most 1536."""

_DATED = re.compile(r"(-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest|preview.*))?")
"""What a dated name adds to the model's."""

_CLAUDE = re.compile(r"claude-(3-|(sonnet|opus|haiku)-4(-[0-6])?(-\d{8})?$)")
"""Up to 4.6; later models see larger pictures."""

_CLAUDE_MOST = 1600
"""A picture of more tokens, or of more than 1568 pixels a side, is made smaller before it is counted."""


def image_tokens(model: str, height: int, width: int | None = None, detail: str = "auto") -> int | None:
    """Tokens of a picture for provider/model; None where unknown.

    Sides are in pixels, at most 2048 (default: a square). With the `detail` low, OpenAI's tiles are left out.
    """
    provider, _, name = model.partition("/")
    rules: dict[str, Callable[[str, int, int, str], int | None]] = {
        "openai": _openai,
        "anthropic": _anthropic,
        "google": _google,
        "arena": lambda name, height, width, detail: 0,
    }
    return rules[provider](name, height, width or height, detail) if provider in rules else None


def _is_version(name: str, known: str) -> bool:
    """Whether a model's name is a known one, with a date, a number or `latest` behind it or not."""
    return name.startswith(known) and bool(_DATED.fullmatch(name.removeprefix(known)))


def _openai(name: str, height: int, width: int, detail: str) -> int | None:
    for known, factor in _OPENAI_PATCHES:
        if _is_version(name, known):
            return math.ceil(min(math.ceil(height / 32) * math.ceil(width / 32), 1536) * factor)
    scale = min(1, 768 / min(height, width))
    tiles = math.ceil(height * scale / 512) * math.ceil(width * scale / 512)
    for known, base, tile in _OPENAI_TILES:
        if _is_version(name, known):
            return base + (tile * tiles if detail != "low" else 0)
    return None


def _anthropic(name: str, height: int, width: int, detail: str) -> int | None:
    if not _CLAUDE.match(name):
        return None
    return min(math.ceil(height * width / 750), _CLAUDE_MOST)


def _google(name: str, height: int, width: int, detail: str) -> int | None:
    if not name.startswith(("gemini-1", "gemini-2")):
        return None
    if max(height, width) <= 384 or name.startswith("gemini-1"):
        return 258
    unit = math.floor(min(height, width) / 1.5)
    return 258 * math.ceil(height / unit) * math.ceil(width / unit)


_PICTURES = {"openai": 500, "anthropic": 100, "google": 3600}
_MEGABYTES = {"openai": 50, "anthropic": 32, "google": 20}

PNG_BYTES = 9.7
"""Bytes of a PNG per (pixels a side) ** 1.5: 9 of 10 first pictures of every 30th task of the battery have at
most this many if drawn with 64 to 512 pixels a side (measured, 90 pictures each)."""


JPEG_BYTES = 7.1
"""The same of a JPEG of quality 75, per (pixels a side) ** 1.25."""


def picture_bytes(side: int, image_format: str = "png") -> int:
    """Bytes of a picture of `side` pixels a side in a request, where base64 makes four bytes of three."""
    data = JPEG_BYTES * side**1.25 if image_format == "jpeg" else PNG_BYTES * side * math.sqrt(side)
    return round(data * 4 / 3)


def request_warnings(model: str, choices: RunChoices, most_images: int) -> list[str]:
    """Sentences on each limit of a model's provider that the largest request of a run may exceed."""
    provider = model.partition("/")[0]
    megabytes = most_images * picture_bytes(choices.bounds().image_px, choices.image_format) / 1e6
    sent = {"pictures": (float(most_images), _PICTURES), "MB of pictures": (megabytes, _MEGABYTES)}
    return [
        f"The largest request may have {amount:,.0f} {what}, and {provider} takes {known[provider]} (as of "
        "2025, not verified): send fewer, for example with --images last-4 or --memory-turns 10."
        for what, (amount, known) in sent.items()
        if provider in known and amount > known[provider]
    ]
