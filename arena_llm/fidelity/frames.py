"""Comparison of two pictures by the classes of their pixels.

The class of a pixel is the one with the nearest colour by hue and saturation; brightness has little weight,
so that a shadow changes little.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from arena import RecordingError
from arena.files import MAX_DATA_BYTES, read_bytes
from render import Frame, decode

Classes = npt.NDArray[np.intp]

COLORS: tuple[tuple[str, tuple[int, int, int]], ...] = (
    ("magenta", (250, 0, 250)),
    ("magenta", (170, 0, 212)),
    ("green ball", (190, 224, 140)),
    ("yellow ball", (247, 220, 103)),
    ("red", (207, 89, 89)),
    ("red", (215, 30, 25)),
    ("orange", (250, 150, 40)),
    ("blue", (20, 30, 230)),
    ("cyan", (20, 220, 230)),
    ("green", (20, 200, 30)),
    ("sky", (122, 156, 202)),
    ("sky", (90, 122, 158)),
    ("floor", (204, 172, 112)),
    ("floor", (124, 120, 92)),
    ("floor", (132, 124, 104)),
    ("floor", (112, 86, 44)),
    ("pale", (168, 184, 198)),
    ("pale", (152, 152, 152)),
    ("pale", (250, 250, 250)),
    ("black", (0, 0, 0)),
)
"""Colours of surfaces in pictures of Animal-AI 3.1.3, lit and in shadow, with the class of each.

Pale are fence, grey boxes and the sun; strong blue, cyan and green are possible colours of walls.
"""

CLASSES = tuple(dict.fromkeys(name for name, _ in COLORS))
"""The classes in the order of their indices."""

SMALLEST_SHARE = 0.003
"""The overlap of a class is judged only if it covers this share of a picture: 200 of 256 x 256 pixels."""

COMPARED_HEIGHT = 256
"""Pictures are reduced to about this many rows, which removes most of JPEG's colour noise."""

_VALUE_WEIGHT = 0.25
_WHITE = 240
_CODE = np.array([1 << 16, 1 << 8, 1])


@dataclass(frozen=True, slots=True)
class FrameMatch:
    """Comparison of a picture with ours: the share of pixels in the same class, and each class's overlap.

    `iou` is intersection over union, for classes that cover enough of either picture.
    """

    name: str
    same: float
    iou: Mapping[str, float]


def load_picture(path: Path) -> Frame:
    """A recorded picture, uint8 (H, W, 3), without the white margins that some have on both sides.

    Raises RecordingError if it cannot be read.
    """
    try:
        frame = decode(read_bytes(path, MAX_DATA_BYTES))
    except OSError as error:
        raise RecordingError(f"{path}: not a picture ({error.strerror or 'unknown format'})") from None
    return without_margins(frame)


def compare_frames(name: str, recorded: Frame, ours: Frame) -> FrameMatch:
    """Compare two pictures of the same size, uint8 (H, W, 3)."""
    one, other = classify(reduced(recorded)), classify(reduced(ours))
    return FrameMatch(name, float((one == other).mean()), _overlaps(one, other))


def classify(frame: Frame) -> Classes:
    """Index into `CLASSES` of each pixel, (H, W)."""
    # A picture has far fewer colours than pixels, so each colour is classified once.
    codes, back = np.unique(frame.astype(np.int64) @ _CODE, return_inverse=True)
    points = _colour_points((codes[:, None] // _CODE % 256).astype(np.uint8))
    distances = ((points[:, None] - _ANCHORS) ** 2).sum(axis=2)
    classes: Classes = _ANCHOR_CLASSES[distances.argmin(axis=1)][back].reshape(frame.shape[:2])
    return classes


def reduced(frame: Frame) -> Frame:
    """A picture reduced to about `COMPARED_HEIGHT` rows by an integer factor."""
    return np.asarray(Image.fromarray(frame).reduce(max(1, frame.shape[0] // COMPARED_HEIGHT)))


def _overlaps(one: Classes, other: Classes) -> dict[str, float]:
    found = {}
    for index, name in enumerate(CLASSES):
        here, there = one == index, other == index
        if max(here.mean(), there.mean()) >= SMALLEST_SHARE:
            found[name] = float((here & there).sum() / (here | there).sum())
    return found


def without_margins(frame: Frame) -> Frame:
    """Crop a wide picture to a square if its margins on both sides are white."""
    height, width, _ = frame.shape
    margin, odd = divmod(width - height, 2)
    if margin <= 0 or odd:
        return frame
    sides = np.concatenate([frame[:, :margin], frame[:, width - margin :]], axis=1)
    return frame[:, margin : width - margin] if np.median(sides) >= _WHITE else frame


def _colour_points(colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Colours (n, 3) as points (n, 3): hue and saturation as polar coordinates of a plane, and value."""
    hsv = np.asarray(Image.fromarray(colors[None]).convert("HSV"))[0] / 255
    hue, saturation, value = 2 * np.pi * hsv[:, 0], hsv[:, 1], hsv[:, 2]
    return np.stack([saturation * np.cos(hue), saturation * np.sin(hue), _VALUE_WEIGHT * value], axis=1)


_ANCHORS = _colour_points(np.array([color for _, color in COLORS], np.uint8))
_ANCHOR_CLASSES = np.array([CLASSES.index(name) for name, _ in COLORS])
