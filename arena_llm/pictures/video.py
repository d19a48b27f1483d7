"""Videos and animated pictures, written frame by frame: only the current frame is kept in memory."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import GifImagePlugin, Image

from arena import ConfigError, EvaluationError
from arena.action import STEP_S
from arena.errors import first_line
from arena.files import atomic_file
from render import Frame

_COLORS = 255
"""Colours of a GIF frame; the index after them marks pixels that do not change."""


class Mp4:
    """Encoder of H.264, by ffmpeg; `add` and `close` raise OSError if writing fails."""

    def __init__(self, path: Path, fps: float, shape: tuple[int, ...]) -> None:
        from imageio_ffmpeg import write_frames

        height, width, _ = shape
        self._path = path
        self._padding = ((0, height % 2), (0, width % 2), (0, 0))
        self._frames = 0
        self._ffmpeg = write_frames(
            str(path),
            (width + width % 2, height + height % 2),
            fps=fps,
            codec="libx264",
            quality=8,
            macro_block_size=2,
            # Ctrl-C in the middle of a frame leaves a part of it, which ffmpeg would complain about.
            ffmpeg_log_level="fatal",
            # Players can start before the whole file is loaded only if its index comes first.
            output_params=["-movflags", "+faststart"],
        )
        self._ffmpeg.send(None)

    def add(self, frame: Frame) -> None:
        """Write the next frame; an odd side gets one more line of white pixels."""
        self._ffmpeg.send(np.pad(frame, self._padding, constant_values=255))
        self._frames += 1

    def close(self) -> None:
        """Finish the file and count its frames: ffmpeg's last errors are not reported otherwise."""
        from imageio_ffmpeg import count_frames_and_secs

        self._ffmpeg.close()
        try:
            written, _ = count_frames_and_secs(str(self._path))
        except RuntimeError:
            written = 0
        if written != self._frames:
            raise OSError(f"{written} of {self._frames} frames are in the file; is the disk full?")


class Gif:
    """Encoder of GIF: changed pixels only, a palette per frame; `add` and `close` may raise OSError.

    Uses Pillow's encoder of single frames, because its encoder of animations keeps all frames in memory.
    """

    def __init__(self, path: Path, fps: float, shape: tuple[int, ...]) -> None:
        self._file = path.open("wb")
        self._fps = fps
        self._frames = 0
        # Differs from every frame, so that the first is written completely.
        self._last = np.full(shape, -1, np.int16)

    def add(self, frame: Frame) -> None:
        """Write the next frame; its delay is in hundredths of a second, rounded to keep the sum right."""
        changed = (frame != self._last).any(axis=2)
        rows, columns = _extent(changed.any(axis=1)), _extent(changed.any(axis=0))
        part = _quantized(frame[rows, columns], changed[rows, columns])
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


def _quantized(frame: Frame, changed: npt.NDArray[np.bool_]) -> Image.Image:
    """Quantize a frame to its best colours, with the index `_COLORS` for unchanged pixels."""
    indices = np.full(changed.shape, _COLORS, np.uint8)
    palette: list[int] = []
    if changed.any():
        row = Image.fromarray(frame[changed][None]).quantize(_COLORS)
        indices[changed] = np.asarray(row)[0]
        palette = row.getpalette() or []
    image = Image.fromarray(indices)
    image.putpalette(palette + [0] * (3 * (_COLORS + 1) - len(palette)))
    return image


def check_ffmpeg() -> None:
    """Raise EvaluationError, with what to install, if no `.mp4` can be written."""
    try:
        import imageio_ffmpeg

        imageio_ffmpeg.get_ffmpeg_exe()
    except ImportError as error:
        raise EvaluationError(
            f"videos need imageio-ffmpeg ({error}): pip install 'arena-llm[video]'"
        ) from None
    except RuntimeError as error:
        raise EvaluationError(f"videos need ffmpeg: {first_line(error)}") from None


def _extent(used: npt.NDArray[np.bool_]) -> slice:
    """Bound the used indices; only index 0 if none is used."""
    indices = np.flatnonzero(used)
    return slice(int(indices[0]), int(indices[-1]) + 1) if len(indices) else slice(0, 1)


Encoder = Mp4 | Gif

STEPS_PER_S = 1 / STEP_S

_FASTEST_GIF = 50.0
"""A GIF's delays are hundredths of a second, and viewers slow down those below two."""


class Video:
    """Video file during writing; `frames` counts its frames. Made by `open_video`."""

    def __init__(self, path: Path, encoder: Callable[[tuple[int, ...]], Encoder]) -> None:
        """Take `encoder`, which makes an encoder for frames of a shape."""
        self._path, self._make = path, encoder
        self._encoder: Encoder | None = None
        self._shape: tuple[int, ...] = ()
        self.frames = 0

    def add(self, frame: Frame) -> None:
        """Write the next frame, uint8 (H, W, 3), of the size of the first.

        Raises EvaluationError for another size and if the encoder fails.
        """
        if self._shape not in ((), frame.shape):
            raise EvaluationError(
                f"{self._path}: frame {self.frames} is {frame.shape}, expected {self._shape} like the first"
            )
        self._shape = frame.shape
        with self._encoder_errors():
            self._encoder = self._encoder or self._make(frame.shape)
            self._encoder.add(frame)
        self.frames += 1

    def close(self) -> None:
        """Finish the file; raises EvaluationError if the encoder fails or got no frame."""
        if self._encoder is None:
            raise EvaluationError(f"{self._path}: no video, as it got no frame")
        with self._encoder_errors():
            self._encoder.close()

    @contextmanager
    def _encoder_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise EvaluationError(f"{self._path}: the encoder failed ({first_line(error)})") from None


@contextmanager
def open_video(path: Path, fps: float = STEPS_PER_S) -> Iterator[Video]:
    """Open a video file, `.mp4` (H.264) or `.gif`, that appears complete when the block succeeds.

    If the block fails or is interrupted, nothing is left. `fps` is frames per second. An odd side gets one
    more line of white pixels in an `.mp4`, which takes only even sides.

    Raises ConfigError for another suffix and an impossible `fps`, EvaluationError if the extra `video` is
    missing or the file cannot be written.
    """
    encoder = _encoder_for(path, fps)
    with atomic_file(path) as beside:
        video = Video(path, partial(encoder, beside, fps))
        try:
            yield video
        except BaseException:
            # The encoder may have been interrupted as well, or never been started.
            with suppress(Exception):
                video.close()
            raise
        video.close()


def _encoder_for(path: Path, fps: float) -> Callable[[Path, float, tuple[int, ...]], Encoder]:
    suffix = path.suffix.lower()
    if suffix not in (".mp4", ".gif"):
        raise ConfigError(f"{path}: got {path.suffix or 'no suffix'!r}, expected a name in .mp4 or .gif")
    highest = _FASTEST_GIF if suffix == ".gif" else 1000.0
    if not 0.1 <= fps <= highest:
        raise ConfigError(f"fps: got {fps:g}, expected 0.1 to {highest:g} frames per second for {suffix}")
    if suffix == ".gif":
        return Gif
    check_ffmpeg()
    return Mp4
