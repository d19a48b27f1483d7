"""The pictures of an episode's page: what the model was sent, as the log has it, and what it was not."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from evaluation.choices.run_choices import RunChoices
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.exchanges import EpisodeTalk, Exchange, Request, picture
from render import Frame
from render.image import webp

Save = Callable[[str, bytes], object]


class Kind(StrEnum):
    """What a picture of the page is; the text stands under it."""

    SENT = "sent to the model"
    COLLAGE = "sent to the model, in place of all pictures so far"
    LEFT_OUT = "left out: the model was not sent this"
    UNKNOWN = "of the conversation; the log does not say what was sent for this reply"
    TRUE = "the true view: the model was not sent this"
    AHEAD = "the view ahead, drawn again: the agent has sensors of its own"
    DRAWN = "drawn again: the log does not say what was sent"


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture on the page: its file, as seen from the page, and what it is."""

    file: str
    kind: Kind

    @property
    def style(self) -> str:
        """Its class on the page."""
        return self.kind.name.lower().replace("_", "-")


@dataclass(slots=True)
class PictureBook:
    """The pictures of one episode, by the turn before whose reply they stand; None is the end.

    `save` is given a file's bytes and its name, which is in `folder`; None for a page without pictures, which
    still says what was sent. `notes` say by turn what was sent; `dropped` counts turns without some pictures.
    """

    episode: LoggedEpisode
    choices: RunChoices
    folder: str
    save: Save | None
    shown: dict[int | None, list[Shown]] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    dropped: int = 0
    _files: int = 0

    def __post_init__(self) -> None:
        talk = self.episode.talk
        if talk is not None:
            for number, exchange in enumerate(talk.exchanges, start=1):
                if exchange.so_far:
                    self._add_exchange(number, exchange)
            # The view after the last reply that was played.
            for uri in talk.rest:
                self._add(len(talk.exchanges) + 1, uri, Kind.SENT if talk.unplayed else Kind.UNKNOWN)

    def add(self, turn: int | None, draw: Callable[[], Frame], kind: Kind) -> None:
        """Draw a picture that is not in the log, if the page has pictures."""
        if self.save is not None:
            self._keep(turn, draw(), kind)

    def _add_exchange(self, turn: int, exchange: Exchange) -> None:
        request = exchange.request
        if request is None or request.collage is None:
            for uri, kind in zip(exchange.shown, kinds(exchange), strict=True):
                self._add(turn, uri, kind)
        if request is None:
            self._note(
                turn,
                "The log does not say what was sent for this reply: it was kept from an attempt that was "
                "broken off.",
            )
            return
        if request.collage is not None:
            self._add(turn, request.collage, Kind.COLLAGE)
        self.dropped += exchange.so_far > request.sent
        self._note(turn, sent_note(request, exchange.so_far, self.choices))

    def _add(self, turn: int, uri: str, kind: Kind) -> None:
        if self.save is None:
            return
        try:
            self._keep(turn, picture(uri), kind)
        except (ValueError, OSError):
            self._note(turn, "A picture of this turn is broken in the log.")

    def _keep(self, turn: int | None, frame: Frame, kind: Kind) -> None:
        assert self.save is not None
        self._files += 1
        name = f"{self.folder}/{self._files:02d}.webp"
        self.save(name, webp(frame))
        self.shown.setdefault(turn, []).append(Shown(name, kind))

    def _note(self, turn: int, text: str) -> None:
        self.notes[turn] = f"{self.notes.get(turn, '')} {text}".strip()


def kinds(exchange: Exchange) -> list[Kind]:
    """What became of each new picture before a reply: the last slots of its request are theirs."""
    number, request = len(exchange.shown), exchange.request
    if request is None:
        return [Kind.UNKNOWN] * number
    if request.collage is not None:
        return [Kind.SENT] * number
    slots = request.slots[len(request.slots) - number :] if number else ()
    padded = (*[None] * (number - len(slots)), *slots)
    return [Kind.SENT if slot is not None else Kind.LEFT_OUT for slot in padded]


def sent_note(request: Request, so_far: int, choices: RunChoices) -> str:
    """How many of the conversation's pictures were in a request, in a sentence."""
    if request.collage is not None:
        return f"Sent: one picture that combines all {len(request.slots)} so far."
    forgotten = so_far - len(request.slots)
    left_out = len(request.slots) - request.sent
    text = f"Sent: {request.sent} of the {so_far} pictures so far."
    if left_out:
        budget = request.budget or choices.images
        why = ", the most that the server accepts" if request.budget else ""
        text += f" {left_out} left out (images = {budget}{why})."
    if forgotten > 0:
        text += f" {forgotten} no longer sent ({choices.memory})."
    return text


def sent_counts(talk: EpisodeTalk | None) -> dict[int, dict[str, int]]:
    """How many of the conversation's pictures were in each turn's request, and how many were not."""
    exchanges = enumerate(talk.exchanges if talk else (), start=1)
    return {
        turn: {"pictures_sent": each.request.sent, "pictures_left_out": each.so_far - each.request.sent}
        for turn, each in exchanges
        if each.request is not None
    }
