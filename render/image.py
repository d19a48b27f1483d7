"""Frames: size, image files (the only place of encoding), and altered pictures."""

import base64
import io
from types import ModuleType

import numpy as np
import numpy.typing as npt

from arena.cameras import RESOLUTIONS
from arena.errors import RenderError

Frame = npt.NDArray[np.uint8]

PREVIEW_PX = 256
"""Approximate width and height of a picture kept by `webp`."""


JPEG_QUALITY = 75
"""Pillow's default JPEG quality, used by the paper (`src/vision/camera.py` of LLM-AAI)."""


def check_size(width: int, height: int) -> None:
    """Raises RenderError for a frame that is too small or too large."""
    least, most = RESOLUTIONS
    if not all(isinstance(side, int) and least <= side <= most for side in (width, height)):
        raise RenderError(f"resolution: got {width} x {height}, expected {least} to {most} pixels a side")


def _pillow() -> ModuleType:
    """Pillow, which is imported only for image files and altered pictures."""
    from PIL import Image

    return Image


def png(frame: Frame) -> bytes:
    """Encode a frame, uint8 (H, W, 3), as PNG bytes; lossless."""
    buffer = io.BytesIO()
    _pillow().fromarray(frame).save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


def jpeg(frame: Frame, quality: int) -> bytes:
    """Return a frame as a JPEG file's bytes, `quality` 1 to 95. Small, fast and lossy."""
    buffer = io.BytesIO()
    _pillow().fromarray(frame).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def webp(frame: Frame) -> bytes:
    """Encode a frame, uint8 (H, W, 3), as WebP for pages. About `PREVIEW_PX` wide; lossy."""
    buffer = io.BytesIO()
    small = _pillow().fromarray(frame).reduce(max(1, frame.shape[0] // PREVIEW_PX))
    small.save(buffer, "WEBP", quality=80, method=2)
    return buffer.getvalue()


def decode(data: bytes) -> Frame:
    """Return an image file's bytes as a frame, uint8 (H, W, 3)."""
    return np.asarray(_pillow().open(io.BytesIO(data)).convert("RGB"))


def encoded(frame: Frame, image_format: str) -> bytes:
    """Return a frame as the bytes of a `png` or `jpeg` file."""
    return jpeg(frame, JPEG_QUALITY) if image_format == "jpeg" else png(frame)


def data_uri(image: bytes) -> str:
    """Return a PNG or JPEG file's bytes as a message's data URI."""
    kind = "jpeg" if image.startswith(b"\xff\xd8") else "png"
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


def as_sent(frame: Frame, image_format: str) -> Frame:
    """Return a frame as decoded from a message. JPEG loses a little."""
    return decode(encoded(frame, image_format)) if image_format == "jpeg" else frame


def in_grey(frame: Frame) -> Frame:
    """Return the picture in grey by ITU-R 601 luma. It has three equal channels."""
    return np.asarray(_pillow().fromarray(frame).convert("L").convert("RGB"))


def coarse(frame: Frame, pixels: int) -> Frame:
    """Return the picture coarsened to `pixels` a side by area means. It is enlarged to its former shape."""
    height, width = frame.shape[:2]
    small = _pillow().fromarray(frame).resize((pixels, pixels), _pillow().Resampling.BOX)
    return np.asarray(small.resize((width, height), _pillow().Resampling.NEAREST))


def with_gutter(frame: Frame, columns: int) -> Frame:
    """Return the picture with white columns added left and right. Their number is that on each side."""
    return np.pad(frame, ((0, 0), (columns, columns), (0, 0)), constant_values=255)


def blurred(frame: Frame, sigma_px: float) -> Frame:
    """Return the picture blurred by a Gaussian. The standard deviation is in pixels."""
    from PIL.ImageFilter import GaussianBlur

    return np.asarray(_pillow().fromarray(frame).filter(GaussianBlur(sigma_px)))
