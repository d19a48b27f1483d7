"""Reads films back."""

import numpy as np
import pytest


def read_film(path):
    """ffmpeg's facts about an .mp4 file, such as `fps` and `duration` in seconds, and its frames."""
    reader = pytest.importorskip("imageio_ffmpeg").read_frames(str(path))
    facts = next(reader)
    width, height = facts["size"]
    return facts, [np.frombuffer(data, np.uint8).reshape(height, width, 3) for data in reader]
