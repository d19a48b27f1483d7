"""How a picture is put into a message: as PNG, without any loss, or as JPEG."""

import base64

from evaluation.suite import Frame
from render.image import decode, jpeg, png

JPEG_QUALITY = 75
"""Pillow's default, with which the paper's program saved its pictures (`src/vision/camera.py` of LLM-AAI)."""

_JPEG_BEGINS = b"\xff\xd8"


def encoded(frame: Frame, image_format: str) -> bytes:
    """A frame as the bytes of a `png` or `jpeg` file."""
    return jpeg(frame, JPEG_QUALITY) if image_format == "jpeg" else png(frame)


def data_uri(image: bytes) -> str:
    """The bytes of a PNG or JPEG file as they are put into a message."""
    kind = "jpeg" if image.startswith(_JPEG_BEGINS) else "png"
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


def as_sent(frame: Frame, image_format: str) -> Frame:
    """A frame as whoever decodes the message sees it: JPEG loses a little."""
    return decode(encoded(frame, image_format)) if image_format == "jpeg" else frame
