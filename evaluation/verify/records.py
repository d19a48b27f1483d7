"""What a log has of an episode, compared with the episode played again: record, conversation, pictures."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from inspect_ai.model import ContentImage
from pydantic_core import to_jsonable_python

from arena.errors import EvaluationError, RecordingError
from evaluation.agents.plan_execute import turns_since_step
from evaluation.choices.run_choices import RunChoices
from evaluation.generation.image_budget import collage
from evaluation.generation.image_rules import kept_images
from evaluation.generation.memory import sent
from evaluation.image_format import as_sent
from evaluation.log.episodes import LoggedSample, replay_of
from evaluation.log.exchanges import EpisodeTalk, Exchange, Request, agent_facts, picture, picture_slots
from evaluation.log.schema import Turn, check
from evaluation.suite import EpisodeSetup, Frame, Observation, Record
from evaluation.verify.sources import Finding


def unlike_picture(turn: int | None, what: str, uri: str | None, frame: Frame) -> Iterator[Finding]:
    """Whether and how a logged picture, None if there is none, is not the frame, uint8 (H, W, 3)."""
    if uri is None:
        yield Finding(turn, what, "none", _hash(frame))
        return
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


Row = Mapping[str, Any]


def unlike(logged: Row, again: Record) -> Iterator[Finding]:
    """What of a record is not as logged, turn by turn and as a whole."""
    played = to_jsonable_python(again.as_dict(), inf_nan_mode="constants")
    for number, (turn, other) in enumerate(zip(logged["turns"], played["turns"], strict=False), start=1):
        yield from _fields(number, turn, other)
    recorded = {k: v for k, v in replay_of(logged).items() if k != "versions"}
    yield from _fields(None, recorded, played["replay"])
    whole = {k: v for k, v in logged.items() if k in played and k not in ("turns", "replay", "model_end")}
    yield from (f for f in _fields(None, whole, played) if f.what not in recorded)


def turns_of(logged: Row) -> Sequence[Row]:
    """The turns of a record that no log has checked. Raises RecordingError if they are broken."""
    try:
        check(list[Turn], logged.get("turns"), "its turns are broken")
    except EvaluationError as error:
        raise RecordingError(str(error)) from None
    return logged["turns"]  # type: ignore[no-any-return]


def _fields(turn: int | None, logged: Row, played: Row) -> Iterator[Finding]:
    for name, value in played.items():
        if name in logged and not same(logged[name], value):
            yield Finding(turn, name, logged[name], value)


def same(logged: object, played: object) -> bool:
    """Equal to the bit; two NaN are."""
    both_nan = isinstance(logged, float) and isinstance(played, float) and math.isnan(logged)
    return logged == played or (both_nan and math.isnan(played))  # type: ignore[arg-type]


class Requests:
    """Compares what was sent for the replies of one sample with what follows from its conversation."""

    def __init__(self, sample: LoggedSample, choices: RunChoices) -> None:
        self._messages, self._choices = sample.raw.messages, choices
        self._attachments: Mapping[str, str] = sample.raw.attachments or {}
        self._plan = agent_facts(sample.raw).get("plan") or ()
        said = sample.said.exchanges if sample.said else ()
        # Exactly one message, the first view, stands between the opening and the first reply.
        self._opening = said[0].message - 1 if said else 0

    def findings(self, number: int, exchange: Exchange) -> Iterator[Finding]:
        """What differs in the request for a turn's reply, which must be in the log."""
        if exchange.request is not None:
            yield from self._unlike(number, exchange.message, exchange.request)

    def _turns(self, number: int, place: int) -> int | None:
        """How many earlier turns may be sent at most."""
        limit = self._choices.memory_turns
        if self._choices.agent != "plan-execute":
            return limit
        since = turns_since_step(self._plan, number, self._messages[self._opening : place])
        return since if limit is None else min(limit, since)

    def _unlike(self, number: int, place: int, request: Request) -> Iterator[Finding]:
        choices = self._choices
        memory = self._turns(number, place), choices.memory_characters, choices.short_turns
        messages = sent(self._messages[:place], self._opening, *memory)
        there = [uri for uri in picture_slots(messages, self._attachments) if uri is not None]
        rule = request.budget or self._choices.images
        kept = kept_images(rule, len(there))
        if rule == "collage" and len(there) > 1:
            yield from _collage_findings(number, there, request)
            return
        expected = tuple(uri if place in kept else None for place, uri in enumerate(there))
        if request.collage or request.slots != expected:
            yield Finding(
                number, "pictures sent", described(request.slots, there), described(expected, there)
            )


def _collage_findings(number: int, there: list[str], request: Request) -> Iterator[Finding]:
    if request.collage is None or len(request.slots) != len(there):
        yield Finding(number, "pictures sent", described(request.slots, there), f"{len(there)} in one")
        return
    whole = collage([ContentImage(image=uri) for uri in there])
    yield from unlike_picture(number, "collage", request.collage, picture(whole.image))


def described(slots: tuple[str | None, ...], there: list[str]) -> str:
    """Which of the conversation's pictures were sent, in words."""
    kept = [str(n) for n, slot in enumerate(slots, start=1) if slot is not None]
    other = sum(slot is not None and slot not in there for slot in slots)
    strange = f", {other} of them of no picture of the conversation" if other else ""
    return f"{', '.join(kept) or 'none'} of {len(slots)}{strange}"


def missing_requests(talk: EpisodeTalk) -> Iterator[str]:
    """A note on the replies of an episode for which the log does not have what was sent."""
    missing = sum(each.request is None for each in talk.exchanges)
    if missing:
        yield (
            f"what was sent for {missing} of its replies is not in the log: they were kept from an earlier, "
            "interrupted attempt"
        )


class Replies:
    """Plays the replies of logged turns. `said` is the logged conversation, None if it is not compared.

    With `frames` pictures are compared too, of which `pictures` counts the compared ones; `drawn_by` is the
    renderer here. Raises RenderError if a picture is needed and cannot be drawn.
    """

    def __init__(
        self, setup: EpisodeSetup, turns: Sequence[Mapping[str, Any]], said: EpisodeTalk | None, frames: bool
    ) -> None:
        self.frames = frames
        self._setup, self._turns, self._said = setup._replace(draws=self.frames), turns, said
        self.findings: list[Finding] = []
        self.pictures = 0
        self.drawn_by: str | None = None

    def compare_opening(self, logged: Sequence[str], episodes: int) -> None:
        """Compare the pictures before the first observation, such as those of a demonstration."""
        if not self.frames:
            return
        messages = self._setup.suite.opening(self._setup.choices, self._setup.prompts, episodes)
        parts = [p for m in messages if not isinstance(m.content, str) for p in m.content]
        shown = [picture(part.image) for part in parts if part.type == "image"]
        self._compare_pictures(None, "picture of the opening", logged, shown)

    def play(self) -> Record:
        """Play all replies, and end the episode."""
        environment = self._setup.suite.open(self._setup)
        refused = self._setup.prompts["no_call"].text
        try:
            observation = environment.begin()
            self._compare(1, observation)
            for number, turn in enumerate(self._turns, start=1):
                if observation.done:
                    end = f"over after turn {number - 1}"
                    self.findings.append(Finding(None, "turns", len(self._turns), end))
                    break
                text = str(turn["reply"])
                no_call = self._setup.choices.replies == "tools" and turn.get("error") == refused
                observation = environment.refuse(text, refused) if no_call else environment.reply(text)
                self._compare_reply(number, text)
                self._compare(number + 1, observation)
            return environment.finish()
        finally:
            environment.close()

    def _compare_reply(self, number: int, text: str) -> None:
        """Whether a turn's reply is the model's message, or its call of a tool."""
        if self._said is not None and number <= len(self._said.exchanges):
            sent = self._said.exchanges[number - 1].reply
            if text != sent:
                self.findings.append(Finding(number, "reply", text, sent))

    def _compare(self, turn: int, observation: Observation) -> None:
        """Compare an observation with what was logged before a turn's reply; the last is not shown."""
        self.drawn_by = observation.drawn_by or self.drawn_by
        if self._said is None or (observation.done and turn > 1):
            return
        place = turn - 1
        exchanges = self._said.exchanges
        shown = exchanges[place].shown if place < len(exchanges) else self._said.rest
        told = exchanges[place].told if place < len(exchanges) else self._said.told_last
        for part in observation.parts:
            if isinstance(part, str) and part not in told:
                self.findings.append(Finding(turn, "observation", told, part))
        if self.frames:
            kind = self._setup.choices.image_format
            drawn = [as_sent(part, kind) for part in observation.parts if not isinstance(part, str)]
            self._compare_pictures(turn, "picture", shown, drawn)

    def _compare_pictures(
        self, turn: int | None, what: str, logged: Sequence[str], drawn: Sequence[Any]
    ) -> None:
        for place, frame in enumerate(drawn):
            uri = logged[place] if place < len(logged) else None
            self.pictures += uri is not None
            self.findings += unlike_picture(turn, what, uri, frame)
        if len(logged) > len(drawn):
            self.findings.append(Finding(turn, f"{what}s", len(logged), len(drawn)))
