"""Videos and animated pictures, written frame by frame: none but the present one is kept in memory."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from arena import ConfigError, EvaluationError
from arena_llm.files import atomic_file
from arena_llm.pictures.encoders import Encoder, Gif, Mp4, check_encoder, first_line
from render import Frame

STEPS_PER_S = 50 / 3
"""Steps in a second of the original: one takes 3 ticks of 0.02 s."""

_FASTEST_GIF = 50.0
"""A GIF's delays are hundredths of a second, and readers slow down those below two."""


class Video:
    """A video file that is being written; `frames` counts those it has. Made by `open_video`."""

    def __init__(self, path: Path, make: Callable[[tuple[int, ...]], Encoder]) -> None:
        """`make` makes the encoder from the shape of the first frame."""
        self._path, self._make = path, make
        self._encoder: Encoder | None = None
        self._shape: tuple[int, ...] = ()
        self.frames = 0

    def add(self, frame: Frame) -> None:
        """Write the next frame, uint8 (H, W, 3), of the size of the first.

        Raises EvaluationError for another size and where the encoder fails.
        """
        self._shape = self._shape or frame.shape
        if frame.shape != self._shape:
            raise EvaluationError(
                f"{self._path}: frame {self.frames} is {frame.shape}, expected {self._shape} like the first"
            )
        with self._encoding():
            self._encoder = self._encoder or self._make(frame.shape)
            self._encoder.add(frame)
        self.frames += 1

    def finish(self) -> None:
        """Write what the encoder still holds; raises EvaluationError where it fails or got no frame."""
        if self._encoder is None:
            raise EvaluationError(f"{self._path}: no video, as it got no frame")
        with self._encoding():
            self._encoder.close()

    def abandon(self) -> None:
        """Stop the encoder, whatever state it is in."""
        if self._encoder is not None:
            # Ctrl-C reaches the encoder's process too, so there may be nobody to take the rest.
            with suppress(Exception):
                self._encoder.close()

    @contextmanager
    def _encoding(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise EvaluationError(f"{self._path}: the encoder failed ({first_line(error)})") from None


@contextmanager
def open_video(path: Path, fps: float = STEPS_PER_S) -> Iterator[Video]:
    """A video file, `.mp4` (H.264) or `.gif`, that appears whole when the block ends well.

    Where the block fails or is interrupted, no part of it stays. `fps` is frames per second. Sides of odd
    length get a white line of pixels more in an `.mp4`, which takes even ones only.

    Raises ConfigError for another suffix and an impossible `fps`, EvaluationError where the extra `video`
    is missing or the file cannot be written.
    """
    encoder = _encoder_for(path, fps)
    with atomic_file(path) as beside:
        video = Video(path, partial(encoder, beside, fps))
        try:
            yield video
        except BaseException:
            video.abandon()
            raise
        video.finish()


def _encoder_for(path: Path, fps: float) -> Callable[[Path, float, tuple[int, ...]], Encoder]:
    kind = path.suffix.lower()
    if kind not in (".mp4", ".gif"):
        raise ConfigError(f"{path}: got {path.suffix or 'no suffix'!r}, expected a name in .mp4 or .gif")
    highest = _FASTEST_GIF if kind == ".gif" else 1000.0
    if not 0.1 <= fps <= highest:
        raise ConfigError(f"fps: got {fps:g}, expected 0.1 to {highest:g} frames per second for {kind}")
    if kind == ".gif":
        return Gif
    check_encoder()
    return Mp4
