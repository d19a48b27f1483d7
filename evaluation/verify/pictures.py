"""How a logged picture differs from one that was drawn again."""

import hashlib
from collections.abc import Iterator

import numpy as np

from evaluation.log.exchanges import picture
from evaluation.suite import Frame
from evaluation.verify.result import Finding


def unlike(turn: int | None, what: str, uri: str | None, frame: Frame) -> Iterator[Finding]:
    """Whether and how a logged picture, None if there is none, is not the frame, uint8 (H, W, 3)."""
    if uri is None:
        yield Finding(turn, what, "none", _hash(frame))
        return
    try:
        logged = picture(uri)
    except (ValueError, OSError) as error:
        yield Finding(turn, what, f"no picture ({str(error)[:60]})", _hash(frame))
        return
    if logged.shape != frame.shape:
        yield Finding(turn, what, _size(logged), _size(frame))
    elif not np.array_equal(logged, frame):
        apart = np.abs(logged.astype(np.int16) - frame).max(axis=2)
        most = f"{np.count_nonzero(apart)} pixels differ, by up to {apart.max()}"
        yield Finding(turn, what, f"{_hash(logged)} ({most})", _hash(frame))


def _size(frame: Frame) -> str:
    return f"{frame.shape[1]} x {frame.shape[0]} pixels"


def _hash(frame: Frame) -> str:
    return hashlib.sha256(np.ascontiguousarray(frame).tobytes()).hexdigest()[:12]
