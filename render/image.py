"""Frames: their size, and image files: the only place of encoding and decoding."""

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from arena.cameras import RESOLUTIONS
from arena.errors import RenderError

Frame = npt.NDArray[np.uint8]

SMALLEST, LARGEST = RESOLUTIONS
"""Bounds of a frame's sides in pixels."""

PREVIEW_PX = 256
"""Approximate width and height of a picture kept by `webp`."""


def check_size(width: int, height: int) -> None:
    """Raises RenderError for a frame that is too small or too large."""
    if not all(isinstance(side, int) and SMALLEST <= side <= LARGEST for side in (width, height)):
        raise RenderError(
            f"resolution: got {width} x {height}, expected {SMALLEST} to {LARGEST} pixels a side"
        )


def png(frame: Frame) -> bytes:
    """A frame, uint8 (H, W, 3), as a PNG file's bytes; lossless."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


def jpeg(frame: Frame, quality: int) -> bytes:
    """A frame as a JPEG file's bytes, `quality` 1 to 95; small, fast and lossy."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def webp(frame: Frame) -> bytes:
    """A frame, uint8 (H, W, 3), as a small WebP file for pages, about `PREVIEW_PX` wide; lossy."""
    buffer = io.BytesIO()
    small = Image.fromarray(frame).reduce(max(1, frame.shape[0] // PREVIEW_PX))
    small.save(buffer, "WEBP", quality=80, method=2)
    return buffer.getvalue()


def decode(data: bytes) -> Frame:
    """An image file's bytes as a frame, uint8 (H, W, 3)."""
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
