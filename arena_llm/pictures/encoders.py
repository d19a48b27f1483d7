"""What makes a file of frames: H.264 by ffmpeg, and animated GIFs."""

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from PIL import GifImagePlugin, Image

from arena import EvaluationError
from render import Frame

_COLORS = 255
"""Colours of a GIF frame; one number more stands for pixels that stay as they are."""


class Encoder(Protocol):
    """What takes frames of one size and makes a file of them; both methods raise OSError where that fails."""

    def add(self, frame: Frame) -> None:
        """The next frame, uint8 (H, W, 3)."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


class Mp4:
    """H.264 by ffmpeg, through imageio."""

    def __init__(self, path: Path, fps: float, shape: tuple[int, ...]) -> None:
        self._path = path
        self._padding = ((0, shape[0] % 2), (0, shape[1] % 2), (0, 0))
        self._frames = 0
        self._writer = _imageio().get_writer(
            str(path),
            format="FFMPEG",
            mode="I",
            fps=fps,
            codec="libx264",
            quality=8,
            macro_block_size=2,
            # Players begin before the whole file has come only where the index stands in front.
            output_params=["-movflags", "+faststart"],
        )

    def add(self, frame: Frame) -> None:
        """The next frame; odd sides get a white line of pixels more."""
        self._writer.append_data(np.pad(frame, self._padding, constant_values=255))
        self._frames += 1

    def close(self) -> None:
        """Finish the file, and see whether it is whole, for imageio does not hear of ffmpeg's last errors."""
        import imageio_ffmpeg

        self._writer.close()
        try:
            written, _ = imageio_ffmpeg.count_frames_and_secs(str(self._path))
        except RuntimeError:
            written = 0
        if written != self._frames:
            raise OSError(f"{written} of {self._frames} frames are in the file; is the disk full?")


class Gif:
    """Frames with a palette of their own each, which hold only what has changed.

    By Pillow's encoder of single frames: that of whole animations, which imageio uses too, keeps all frames
    in memory until the end.
    """

    def __init__(self, path: Path, fps: float, shape: tuple[int, ...]) -> None:
        self._file = path.open("wb")
        self._fps = fps
        self._frames = 0
        # Differs from every frame, so that the first is written whole.
        self._last = np.full(shape, -1, np.int16)

    def add(self, frame: Frame) -> None:
        """The next frame; its delay is a whole number of hundredths, whose sum stays right for every rate."""
        changed = (frame != self._last).any(axis=2)
        rows, columns = _extent(changed.any(axis=1)), _extent(changed.any(axis=0))
        part = _only(frame[rows, columns], changed[rows, columns])
        if not self._frames:
            blocks, _ = GifImagePlugin.getheader(part.copy(), info={"loop": 0})
            self._file.writelines(blocks)
        start, end = (round(100 * count / self._fps) for count in (self._frames, self._frames + 1))
        options: dict[str, Any] = {"duration": 10 * (end - start), "include_color_table": True}
        if self._frames:
            options |= {"transparency": _COLORS, "disposal": 1}
        self._file.writelines(GifImagePlugin.getdata(part, (columns.start, rows.start), **options))
        self._last[:] = frame
        self._frames += 1

    def close(self) -> None:
        """Finish the file."""
        with self._file:
            self._file.write(b";")


def _only(frame: Frame, changed: npt.NDArray[np.bool_]) -> Image.Image:
    """A frame in its best colours, with the number `_COLORS` where nothing has changed."""
    numbers = np.full(changed.shape, _COLORS, np.uint8)
    palette: list[int] = []
    if changed.any():
        row = Image.fromarray(frame[changed][None]).quantize(_COLORS)
        numbers[changed] = np.asarray(row)[0]
        palette = row.getpalette() or []
    image = Image.fromarray(numbers)
    image.putpalette(palette + [0] * (3 * (_COLORS + 1) - len(palette)))
    return image


def check_encoder() -> None:
    """Raise EvaluationError, with what to install, where no `.mp4` can be written."""
    try:
        _imageio()
        import imageio_ffmpeg
    except ImportError as error:
        raise EvaluationError(
            f"videos need imageio and imageio-ffmpeg ({error}): pip install 'arena-llm[video]'"
        ) from None
    try:
        imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:
        raise EvaluationError(f"videos need ffmpeg: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """The first line of an error's text, or its name where it has none."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _imageio() -> Any:
    import imageio.v2

    return imageio.v2


def _extent(used: npt.NDArray[np.bool_]) -> slice:
    """From the first to the last place that is used; the first alone where none is."""
    places = np.flatnonzero(used)
    return slice(int(places[0]), int(places[-1]) + 1) if len(places) else slice(0, 1)
