"""Frames as image files; the only place where pixels are encoded or decoded."""

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

Frame = npt.NDArray[np.uint8]

PREVIEW_PX = 256
"""Width and height at which `webp` keeps a picture."""


def png(frame: Frame) -> bytes:
    """A frame, uint8 (H, W, 3), as a PNG file's bytes; lossless."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


def jpeg(frame: Frame, quality: int) -> bytes:
    """A frame as a JPEG file's bytes, `quality` 1 to 95; small, quick, and not exact."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def webp(frame: Frame) -> bytes:
    """A frame, uint8 (H, W, 3), as a small WebP file for pages, about `PREVIEW_PX` wide; not exact."""
    buffer = io.BytesIO()
    small = Image.fromarray(frame).reduce(max(1, frame.shape[0] // PREVIEW_PX))
    small.save(buffer, "WEBP", quality=80, method=2)
    return buffer.getvalue()


def decode(data: bytes) -> Frame:
    """An image file's bytes as a frame, uint8 (H, W, 3)."""
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
