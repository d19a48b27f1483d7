"""Whether the pictures that a model was sent are those of the arena."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from arena import Episode
from arena_llm.verify.report import Finding
from llm_control.demonstration import demonstration
from llm_control.observations import degraded
from llm_control.protocol import Protocol
from render import Frame, Renderer, decode

_DRAWN_THE_SAME = {
    *("battery", "tasks", "levels", "animal_ai", "trials", "seed", "demonstration", "initial_idle_steps"),
    *("one_step", "strict", "max_scripts", "loop_turns", "thought_chars"),
    *("image_size", "grayscale", "blur_px", "resolution"),
    *("temperature", "max_tokens", "reasoning_effort", "reasoning_tokens"),
}
"""Choices of a protocol that are followed here or change no picture."""


def altering(protocol: Mapping[str, Any]) -> str | None:
    """The choices of a logged protocol for which the pictures cannot be foretold here; None for none.

    A choice that has its default in this version changes nothing.
    """
    known = {name: field.get_default() for name, field in Protocol.model_fields.items()}
    return ", ".join(
        f"{name}={value}"
        for name, value in protocol.items()
        if name not in _DRAWN_THE_SAME and (name not in known or _plain(known[name]) != _plain(value))
    )


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


class Pictures:
    """The pictures of one episode's log, compared one after another with those that are drawn again.

    Raises RenderError where no picture can be drawn.
    """

    def __init__(self, logged: tuple[str, ...], protocol: Protocol) -> None:
        self._logged = iter(logged)
        self._protocol = protocol
        self.compared = 0
        self.findings: list[Finding] = []
        if protocol.demonstration:
            shown = demonstration(protocol.image_size)
            for frame in (*shown.first_frames, *shown.frames):
                self._compare(None, "picture of the demonstration", degraded(frame, protocol))

    def draw(self, turn: int, episode: Episode) -> None:
        """Compare the next picture, which the model saw before its reply of that turn."""
        frame = _renderer(self._protocol.image_size).frame(episode.scene())
        self._compare(turn, "picture", degraded(frame, self._protocol))

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
        self.findings += _unlike(turn, what, uri, frame)


@cache
def _renderer(size: int) -> Renderer:
    return Renderer(size, size)


def _unlike(turn: int | None, what: str, uri: str, frame: Frame) -> Iterator[Finding]:
    try:
        logged = decode(base64.b64decode(uri.partition(",")[2], validate=True))
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
