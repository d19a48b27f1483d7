"""What the model was sent, and what could really be seen."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evaluation.log.episodes import LoggedEpisode
from evaluation.log.exchanges import EpisodeTalk
from llm_control.choices import ArenaChoices
from report.arena.replay import Look, Trace
from report.pictures import Kind, kinds


def true_view(turn: int | None, episode: LoggedEpisode, choices: ArenaChoices) -> Kind | None:
    """What a true view before a turn, or at the end, would show; None if the page has it already."""
    if choices.acts:
        return Kind.AHEAD
    if turn is None or episode.talk is None:
        return Kind.TRUE if turn is None else Kind.DRAWN
    plain = choices.resolution is None and not choices.blur_px and not choices.grayscale
    return None if plain and choices.vision == "true" and choices.shows_images else Kind.TRUE


def as_sent(looks: Sequence[Look], talk: EpisodeTalk | None, choices: ArenaChoices) -> list[Look]:
    """The looks, with no goal seen in those whose true picture the model was not sent."""
    if choices.vision != "true":
        return [look if look.turn is None else _unseen(look) for look in looks]
    if talk is None or not choices.shows_images:
        return list(looks)
    numbers: dict[int, int] = {}
    found = []
    for look in looks:
        number = numbers.get(look.turn or 0, 0)
        numbers[look.turn or 0] = number + 1
        found.append(_unseen(look) if _is_dropped(look, number, talk) else look)
    return found


def _unseen(look: Look) -> Look:
    return replace(look, seen=frozenset(), in_view=look.seen)


def _is_dropped(look: Look, number: int, talk: EpisodeTalk) -> bool:
    """Whether the picture with this number of those before a reply was left out of its request."""
    if look.turn is None or look.turn > len(talk.exchanges):
        return False
    exchange = talk.exchanges[look.turn - 1]
    if exchange.request is None or exchange.request.collage is not None:
        return False
    found = kinds(exchange)
    return number >= len(found) or found[number] is Kind.LEFT_OUT


def seen_sentences(trace: Trace | None) -> dict[int, str]:
    """By turn, whether a goal was on the pictures before its reply; empty if there never was one."""
    if trace is None or not trace.had_goal:
        return {}
    by_turn: dict[int, list[Look]] = {}
    for look in trace.looks:
        if look.turn is not None:
            by_turn.setdefault(look.turn, []).append(look)
    return {turn: _seen_in(looks) for turn, looks in by_turn.items()}


def _seen_in(looks: Iterable[Look]) -> str:
    if any(look.seen for look in looks):
        return "A goal is in view."
    hidden = any(look.in_view for look in looks)
    return "A goal was in view, but the model was not sent it." if hidden else "No goal in view."
