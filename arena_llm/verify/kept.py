"""The episodes of a sample as their log has them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from arena import ArenaSpec, ConfigError, RecordingError
from arena.recording import Recording
from arena_llm.replay import arena_of
from arena_llm.verify.battery import logged_spec
from arena_llm.verify.found import Source
from llm_control.exchanges import EpisodeTalk, Talk, first_pictures, matched, parted, talk
from llm_control.protocol import Protocol

_LONG = {"events", "store"}
"""Parts of a sample that are read only where they are needed; events repeat what was sent for every reply."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One episode: recording, turns as plain values, and, of a log, what surrounds them.

    `model_end` is why the model was asked no more, `talk` its part of the conversation, None where messages
    and turns cannot be matched; `score` the facts that Inspect's scores state of it, by the score's name.
    """

    recording: Recording
    turns: tuple[Mapping[str, Any], ...] = ()
    model_end: str | None = None
    talk: EpisodeTalk | None = None
    score: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptSample:
    """A sample of a log; `planned` are its tasks in the order of play, `together` says in one conversation.

    `plain` are the finished episodes by task as logged and played, `scores` Inspect's by name, `limit` the
    kind of limit that ended it, `drawn_by` the renderer where it is known, `problem` why messages are not
    matched to turns.
    """

    planned: tuple[str, ...]
    together: bool
    plain: Mapping[str, Any]
    parts: Mapping[str, EpisodeTalk]
    scores: Mapping[str, Any]
    sample: Any
    said: Talk | None = None
    limit: str | None = None
    drawn_by: str | None = None
    problem: str | None = None

    def episode(self, task_id: str) -> Kept | None:
        """The episode of a task; None where it was not finished. Raises RecordingError where it is broken."""
        plain = self.plain.get(task_id)
        if plain is None:
            return None
        try:
            recording = Recording.model_validate(plain["recording"])
            turns = tuple(_whole(turn) for turn in plain["turns"])
            end = plain.get("model_end")
        except (ValidationError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordingError(f"its recording is broken: {str(error).splitlines()[0]}") from None
        return Kept(recording, turns, end, self.parts.get(task_id), self._score(task_id))

    def _score(self, task_id: str) -> dict[str, Mapping[str, Any]]:
        facts = {name: score.metadata or {} for name, score in self.scores.items()}
        if not self.together:
            return facts
        return {name: dict(known.get("tasks") or {}).get(task_id) or {} for name, known in facts.items()}


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


def read_sample(source: Source, protocol: Protocol, requests: bool) -> KeptSample:
    """A sample of a log; with `requests`, also what was sent for each reply.

    Raises RecordingError where it cannot be read.
    """
    assert source.run is not None
    sample = _sample(source, requests)
    metadata = sample.metadata or {}
    together = "order" in metadata or protocol.conversation == "run"
    if together:
        plain = metadata.get("episodes") or {}
        planned = tuple(map(str, metadata.get("order") or metadata.get("tasks") or plain))
    else:
        planned = (str(source.sample),)
        plain = {planned[0]: metadata["episode"]} if metadata.get("episode") is not None else {}
    kept = KeptSample(
        planned,
        together,
        plain,
        parts={},
        scores=sample.scores or {},
        sample=sample,
        limit=sample.limit.type if sample.limit else None,
        drawn_by=metadata.get("drawn_by"),
    )
    return _with_talk(kept, protocol, source.run.ours)


def _with_talk(kept: KeptSample, protocol: Protocol, ours: bool) -> KeptSample:
    """The sample with its messages matched to the turns of its episodes, or the reason why they are not."""
    try:
        turns = [[str(turn["reply"]) for turn in plain["turns"]] for plain in kept.plain.values()]
    except (KeyError, TypeError):
        return replace(kept, problem="an episode is broken, so messages are not matched to turns")
    replies = [reply for episode in turns for reply in episode]
    said = matched(talk(kept.sample, ours), replies, protocol.demonstration)
    if said is None:
        return replace(kept, problem="it has fewer messages than turns, so these are not matched")
    parts = parted(said, list(map(len, turns)), first_pictures(protocol))
    return replace(kept, said=said, parts=dict(zip(kept.plain, parts, strict=True)))


def _sample(source: Source, requests: bool) -> Any:
    from inspect_ai.log import read_eval_log_sample

    try:
        return read_eval_log_sample(
            str(source.path),
            source.sample,
            source.epoch,
            exclude_fields=_LONG - ({"events"} if requests else set()),
        )
    except Exception as error:  # a cut or changed file fails anywhere in Inspect
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise RecordingError(f"it cannot be read from the log ({reason[:200]})") from None


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
        spec = logged_spec(source.path, recording.task_id) if source.run else None
        if spec is None or not recording.is_of(spec):
            raise
        return spec, False
