"""Textures in the user's cache: making them takes 1.8 s of a processor's time, reading them 0.1 s."""

import hashlib
import zlib
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_dir

from arena.errors import EvaluationError
from arena.files import read_bytes, write_file
from render.looks import textures

_SOURCES = "textures.py", "look.py"
"""What the textures follow from, besides NumPy."""

_MAX_BYTES = 2**26
"""Maximum size of the file, which has 4 MB."""


def kept_layers() -> npt.NDArray[np.uint8]:
    """`textures.layers`, from the user's cache if it holds what the same sources made; do not write to it.

    The cache only saves time: without it, or with a broken file in it, they are made.
    """
    path = _path()
    with suppress(OSError, ValueError, zlib.error):
        return _unpacked(read_bytes(path, _MAX_BYTES))
    made = textures.layers()
    if path.is_absolute():  # relative without a home
        with suppress(EvaluationError, OSError):
            write_file(path, zlib.compress(made.tobytes(), 1))
    return made


def _path() -> Path:
    """The file for these sources."""
    digest = hashlib.sha256(np.__version__.encode())
    for name in _SOURCES:
        digest.update((files("render.looks") / name).read_bytes())
    folder = Path(user_cache_dir("arena-llm", appauthor=False))
    return folder / f"textures-{digest.hexdigest()[:16]}.z"


def _unpacked(packed: bytes) -> npt.NDArray[np.uint8]:
    """The layers; raises ValueError or zlib.error if they are not whole."""
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed, textures.LAYERS * textures.SIDE**2 * 4 + 1)
    if not unpacker.eof:
        raise ValueError("the file ends too early or is too long")
    return np.frombuffer(content, np.uint8).reshape(textures.LAYERS, textures.SIDE, textures.SIDE, 4)
