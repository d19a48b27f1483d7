"""The pictures of an episode's page: what the model was sent, as the log has it, and what it was not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from arena import Scene
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.exchanges import EpisodeTalk, Exchange, Request, picture
from llm_control.choices import ArenaChoices
from render import Frame
from render.image import webp
from report.run.replay import Look

Draw = Callable[[Scene], Frame]
Save = Callable[[str, bytes], object]


class Kind(StrEnum):
    """What a picture of the page is; the text stands under it."""

    SENT = "sent to the model"
    COLLAGE = "sent to the model, in the place of all pictures so far"
    LEFT_OUT = "left out: the model was not sent this"
    UNKNOWN = "of the conversation; what was sent for this reply is not in the log"
    TRUE = "the true view: the model was not sent this"
    AHEAD = "ahead of the agent, drawn again: it has sensors of its own"
    DRAWN = "drawn again: the log does not tell what was sent"


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture on the page: its file and what it is."""

    file: str
    kind: Kind

    @property
    def style(self) -> str:
        """Its class on the page."""
        return self.kind.name.lower().replace("_", "-")


@dataclass(slots=True)
class Gallery:
    """The pictures of one episode, by the turn before whose reply they stand; None is the end.

    `notes` say by turn what was sent and what was dropped; `true` are the files of true views by turn.
    """

    shown: dict[int | None, list[Shown]] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    dropped: int = 0

    def note(self, turn: int, text: str) -> None:
        """Say something of a turn, after what was said before."""
        self.notes[turn] = f"{self.notes.get(turn, '')} {text}".strip()

    def add(self, turn: int | None, file: str, kind: Kind) -> None:
        """Put a picture before a turn."""
        self.shown.setdefault(turn, []).append(Shown(file, kind))


class PictureBook:
    """Makes the gallery of one episode: sent pictures from the log, true views drawn again.

    `draw` is None for a gallery without pictures, which still tells what was sent; `save` is given a name
    such as 01.webp and the file's bytes.
    """

    def __init__(self, episode: LoggedEpisode, protocol: ArenaChoices, draw: Draw | None, save: Save) -> None:
        self.gallery = Gallery()
        self._draw, self._save, self._files = draw, save, 0
        self._acts = protocol.acts
        self._altered = is_altered(protocol) or not protocol.shows_images
        self._talk = episode.talk
        if self._talk is not None and protocol.shows_images:
            for number, exchange in enumerate(self._talk.exchanges, start=1):
                self._show(number, exchange, protocol)
            self._show_last(len(self._talk.exchanges) + 1, self._talk)

    def take(self, scene: Scene, turn: int | None) -> None:
        """Draw the true view where the page shows it: where something else was sent, and at the end."""
        if self._draw is None:
            return
        known = self._talk is not None
        if turn is None or not known or self._altered:
            kind = Kind.AHEAD if self._acts else Kind.TRUE if known or turn is None else Kind.DRAWN
            self.gallery.add(turn, self._keep(self._draw(scene)), kind)

    def _show(self, turn: int, exchange: Exchange, protocol: ArenaChoices) -> None:
        request = exchange.request
        if request is None or request.collage is None:
            for uri, kind in zip(exchange.shown, kinds(exchange), strict=True):
                self._add(turn, uri, kind)
        if request is None:
            self.gallery.note(
                turn,
                "What was sent for this reply is not in the log: it was kept from an attempt that was "
                "broken off.",
            )
            return
        if request.collage is not None:
            self._add(turn, request.collage, Kind.COLLAGE)
        dropped = exchange.so_far - request.sent
        self.gallery.dropped += dropped > 0
        self.gallery.note(turn, sent_note(request, exchange.so_far, protocol))

    def _show_last(self, turn: int, talk: EpisodeTalk) -> None:
        """The view after the last reply that was played, where one was shown."""
        for uri in talk.rest:
            self._add(turn, uri, Kind.SENT if talk.unplayed else Kind.UNKNOWN)

    def _add(self, turn: int, uri: str, kind: Kind) -> None:
        if self._draw is None:
            return
        try:
            self.gallery.add(turn, self._keep(picture(uri)), kind)
        except (ValueError, OSError):
            self.gallery.note(turn, "A picture of this turn is broken in the log.")

    def _keep(self, frame: Frame) -> str:
        self._files += 1
        name = f"{self._files:02d}.webp"
        self._save(name, webp(frame))
        return name


def is_altered(protocol: ArenaChoices) -> bool:
    """Whether the model was sent other pictures than the true views."""
    plain = protocol.resolution is None and not protocol.blur_px and not protocol.grayscale
    return protocol.vision != "true" or not plain


def kinds(exchange: Exchange) -> list[Kind]:
    """What became of each new picture before a reply: the last places of its request are theirs."""
    count, request = len(exchange.shown), exchange.request
    if request is None:
        return [Kind.UNKNOWN] * count
    if request.collage is not None:
        return [Kind.SENT] * count
    places = request.slots[len(request.slots) - count :] if count else ()
    padded = (*[None] * (count - len(places)), *places)
    return [Kind.SENT if place is not None else Kind.LEFT_OUT for place in padded]


def sent_note(request: Request, so_far: int, protocol: ArenaChoices) -> str:
    """How many of the conversation's pictures went with a request, in a sentence."""
    if request.collage is not None:
        return f"Sent: one picture into which all {len(request.slots)} so far are put."
    forgotten = so_far - len(request.slots)
    left_out = len(request.slots) - request.sent
    text = f"Sent: {request.sent} of the {so_far} pictures so far."
    if left_out:
        budget = request.budget or protocol.images
        why = ", all that the server takes" if request.budget else ""
        text += f" {left_out} left out (images = {budget}{why})."
    if forgotten > 0:
        text += f" {forgotten} no longer sent (memory_turns = {protocol.memory_turns})."
    return text


def as_given(looks: Sequence[Look], talk: EpisodeTalk | None, protocol: ArenaChoices) -> list[Look]:
    """The looks with no goal in view where the model was not sent the true picture of it."""
    if protocol.vision != "true":
        return [look if look.turn is None else _unseen(look) for look in looks]
    if talk is None or not protocol.shows_images:
        return list(looks)
    seen: dict[int, int] = {}
    given = []
    for look in looks:
        place = seen.get(look.turn or 0, 0)
        seen[look.turn or 0] = place + 1
        given.append(_unseen(look) if _is_dropped(look, place, talk) else look)
    return given


def _unseen(look: Look) -> Look:
    return replace(look, seen=frozenset(), in_view=look.seen)


def _is_dropped(look: Look, place: int, talk: EpisodeTalk) -> bool:
    if look.turn is None or look.turn > len(talk.exchanges):
        return False
    exchange = talk.exchanges[look.turn - 1]
    if exchange.request is None or exchange.request.collage is not None:
        return False
    found = kinds(exchange)
    return place >= len(found) or found[place] is Kind.LEFT_OUT


def sent_of(talk: EpisodeTalk | None) -> dict[int, dict[str, int]]:
    """How many of the conversation's pictures went with each turn's request, and how many did not."""
    exchanges = enumerate(talk.exchanges if talk else (), start=1)
    return {
        turn: {"pictures_sent": each.request.sent, "pictures_left_out": each.so_far - each.request.sent}
        for turn, each in exchanges
        if each.request is not None
    }
