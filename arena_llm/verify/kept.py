"""One episode as its log has it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from arena import ArenaSpec, ConfigError, RecordingError
from arena.recording import Recording, spec_sha256
from arena_llm.replay import arena_of
from arena_llm.verify.found import Source

_UNUSED = {"events", "store"}
"""Parts of a sample that are not read; the first repeats all messages before every reply."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was logged: recording, turns as plain values, and, of a log, what surrounds them.

    `pictures` are the data URIs that the model was sent, in order, `replies` the texts of its messages,
    `scores` those of Inspect by name, `drawn_by` the renderer where it is known.
    """

    recording: Recording
    turns: tuple[Mapping[str, Any], ...] = ()
    pictures: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    scores: Mapping[str, Any] | None = None
    drawn_by: str | None = None


def read_kept(source: Source, frames: bool) -> Kept | None:
    """The episode, None where the log has it unfinished; with `frames`, also its pictures.

    Raises RecordingError where it cannot be read.
    """
    if source.run is None:
        return Kept(Recording.read(source.path))
    sample = _sample(source, frames)
    episode = (sample.metadata or {}).get("episode")
    if episode is None:
        return None
    try:
        recording = Recording.model_validate(episode["recording"])
        turns = tuple(_whole(turn) for turn in episode["turns"])
    except (ValidationError, KeyError, TypeError, ValueError) as error:
        raise RecordingError(f"its recording is broken: {str(error).splitlines()[0]}") from None
    return Kept(
        recording,
        turns,
        tuple(_pictures(sample)) if frames else (),
        tuple(message.text for message in sample.messages if message.role == "assistant"),
        sample.scores or {},
        sample.metadata.get("drawn_by"),
    )


class _Turn(BaseModel):
    """What the comparison needs of a logged turn; the rest is only compared."""

    reply: str
    thoughts: list[str]
    repairs: list[str]
    error: str | None
    steps: Annotated[int, Field(ge=0)]
    done: bool
    outcome: str | None


def _whole(turn: Mapping[str, Any]) -> Mapping[str, Any]:
    _Turn.model_validate(turn)
    return turn


def _sample(source: Source, frames: bool) -> Any:
    from inspect_ai.log import read_eval_log_sample

    try:
        return read_eval_log_sample(
            str(source.path), source.sample, source.epoch, resolve_attachments=frames, exclude_fields=_UNUSED
        )
    except Exception as error:  # a cut or changed file fails anywhere in Inspect
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise RecordingError(f"it cannot be read from the log ({reason[:200]})") from None


def _pictures(sample: Any) -> list[str]:
    parts = [
        part
        for message in sample.messages
        if message.role in ("user", "tool") and not isinstance(message.content, str)
        for part in message.content
    ]
    return [part.image for part in parts if part.type == "image"]


def arena(
    source: Source, recording: Recording, task: str | None, folder: Path | None
) -> tuple[ArenaSpec, bool]:
    """The arena of a recording, and whether it is a task file's.

    Where no file has it, that of the log is taken, if its hash is the recording's. Raises ConfigError or
    RecordingError where it is nowhere.
    """
    where = folder or (source.run.folder if source.run else None)
    try:
        return arena_of(recording, task, where), True
    except (ConfigError, RecordingError):
        spec = _from_log(source)
        if spec is None or spec_sha256(spec) != recording.spec_sha256:
            raise
        return spec, False


def _from_log(source: Source) -> ArenaSpec | None:
    if source.spec is None:
        return None
    try:
        return ArenaSpec.model_validate_json(json.dumps(source.spec))
    except ValidationError:
        return None
