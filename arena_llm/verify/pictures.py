"""Whether the pictures that a model was sent are those of the arena."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from arena import Episode
from arena_llm.verify.report import Finding
from evaluation.log.exchanges import picture
from llm_control.choices import Protocol
from llm_control.demonstration import demonstration
from llm_control.observations import Eye, degraded
from render import Frame


def unknown_choices(protocol: Mapping[str, Any]) -> str | None:
    """The choices of a logged protocol that this version does not know, so pictures cannot be foretold."""
    return ", ".join(f"{k}={v}" for k, v in protocol.items() if k not in Protocol.model_fields) or None


class Pictures:
    """The pictures of one episode's log, compared one after another with those that are drawn again.

    `eye` draws as the protocol wants it, controls included. Raises RenderError where no picture can be drawn.
    """

    def __init__(self, logged: Iterable[str], eye: Eye) -> None:
        self._logged = iter(logged)
        self._eye = eye
        self.compared = 0
        self.findings: list[Finding] = []

    def demonstrate(self, logged: Sequence[str], protocol: Protocol) -> None:
        """Compare the pictures of the demonstration that precedes the episode."""
        shown = demonstration(protocol.image_size)
        own, self._logged = self._logged, iter(logged)
        for frame in (*shown.first_frames, *shown.frames):
            self._compare(None, "picture of the demonstration", degraded(frame, protocol))
        self.end()
        self._logged = own

    def draw(self, turn: int, episode: Episode) -> None:
        """Compare the next picture, which the model saw before its reply of that turn."""
        self._compare(turn, "picture", self._eye.frame(episode.scene()))

    def end(self) -> None:
        """Note the pictures that are left over."""
        extra = sum(1 for _ in self._logged)
        if extra:
            self.findings.append(Finding(None, "pictures", self.compared + extra, self.compared))

    def _compare(self, turn: int | None, what: str, frame: Frame) -> None:
        uri = next(self._logged, None)
        if uri is None:
            self.findings.append(Finding(turn, what, "none", _hash(frame)))
            return
        self.compared += 1
        self.findings += unlike(turn, what, uri, frame)


def unlike(turn: int | None, what: str, uri: str, frame: Frame) -> Iterator[Finding]:
    """Whether and how a logged picture is not the frame, uint8 (H, W, 3)."""
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
