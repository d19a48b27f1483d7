"""Videos and animated pictures, written frame by frame: only the current frame is kept in memory."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from arena import ConfigError, EvaluationError
from arena.action import STEP_S
from arena.files import atomic_file
from arena_llm.pictures.encoders import Gif, Mp4, check_ffmpeg, first_line
from render import Frame

Encoder = Mp4 | Gif

STEPS_PER_S = 1 / STEP_S

_FASTEST_GIF = 50.0
"""A GIF's delays are hundredths of a second, and viewers slow down those below two."""


class Video:
    """A video file while it is written; `frames` counts its frames. Made by `open_video`."""

    def __init__(self, path: Path, encoder: Callable[[tuple[int, ...]], Encoder]) -> None:
        """`encoder` makes one for frames of a shape."""
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
    """A video file, `.mp4` (H.264) or `.gif`, that appears complete when the block succeeds.

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
