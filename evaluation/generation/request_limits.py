"""How many pictures and bytes a provider takes in one request, and a warning where a run would send more.

Sources, as of 2025: OpenAI, "Images and vision: image input requirements" (platform.openai.com/docs/guides/
images-vision); Anthropic, "Vision: basics and limits" (docs.claude.com; 600 pictures for models with longer
contexts); Google, "Image understanding" (ai.google.dev/gemini-api/docs). Other providers are unknown.
"""

import math

from evaluation.choices.run_choices import RunChoices

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
