"""A picture and a sound beside a study's file."""

import wave
from pathlib import Path

from PIL import Image


def write_picture(path: Path) -> None:
    """A picture of 8 x 8 pixels."""
    Image.new("RGB", (8, 8), (0, 160, 0)).save(path)


def write_sound(path: Path) -> None:
    """A second of silence."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 8000)
