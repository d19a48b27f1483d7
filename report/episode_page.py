"""One episode: its rows in the tables, and its page with a transcript turn by turn."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.log.episodes import LoggedEpisode
from evaluation.log.exchanges import Exchange
from evaluation.results import result_row
from report.panels import EpisodeFindings, SuiteReport, agent_panels
from report.pictures import PictureBook, sent_counts


def row(episode: LoggedEpisode, findings: EpisodeFindings) -> dict[str, Any]:
    """The episode in the tables: `TrialResult`, the suite's columns, replies, tokens, price and time."""
    usage = episode.usage
    return {
        **result_row(episode.result),
        **findings.columns,
        "status": episode.status,
        "order": episode.place,
        "limit": episode.limit.kind if episode.limit else None,
        "invalid_replies": episode.invalid_replies,
        "repaired_replies": episode.repaired_replies,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": usage.cost,
        "seconds": episode.seconds,
    }


def turn_rows(episode: LoggedEpisode, suite: SuiteReport) -> list[dict[str, Any]]:
    """The episode's turns in the table of turns."""
    key = {name: getattr(episode.result, name) for name in ("agent", "task_id", "trial")}
    sent = sent_counts(episode.talk)
    exchanges = episode.talk.exchanges if episode.talk else ()
    return [
        {
            **key,
            "order": episode.place,
            **sent.get(number, {"pictures_sent": None, "pictures_left_out": None}),
            "turn": number,
            **suite.turn_columns(turn),
            "reply": turn["reply"],
            "thoughts": " / ".join(_thoughts(exchanges, number, turn)),
            "reasoning": _reasoning(episode, number),
            "error": turn["error"],
            "repairs": "; ".join(turn.get("repairs", ())),
        }
        for number, turn in enumerate(episode.turns, start=1)
    ]


def page(book: PictureBook, findings: EpisodeFindings) -> dict[str, Any]:
    """What the template of an episode's page is given of the episode itself."""
    episode, acts = book.episode, book.choices.acts
    exchanges = episode.talk.exchanges if episode.talk else ()
    after = len(episode.turns) + 1
    unplayed = {
        "number": after,
        "pictures": book.shown.get(after, ()),
        "reply": episode.talk.unplayed.reply if episode.talk and episode.talk.unplayed else None,
    }
    return {
        "warnings": [*_warnings(book), *findings.warnings],
        "panels": [*findings.panels, *agent_panels(episode.agent)],
        "strip": sorted(book.shown.items(), key=lambda item: item[0] or after + 1),
        "in_words": bool(exchanges) and not any(each.so_far for each in exchanges),
        "acts": acts,
        "turns": [_turn(number, turn, book, findings) for number, turn in enumerate(episode.turns, start=1)],
        "unplayed": unplayed if episode.limit or unplayed["pictures"] else None,
        "end": book.shown.get(None, ())[-1:],
        "provenance": findings.provenance,
    }


def _reasoning(episode: LoggedEpisode, number: int) -> str:
    """A model's own reasoning before a reply, or the provider's summary of it; empty if the log has none."""
    exchanges = episode.talk.exchanges if episode.talk else ()
    request = exchanges[number - 1].request if number <= len(exchanges) else None
    return request.reasoning if request else ""


def _thoughts(exchanges: Sequence[Exchange], number: int, turn: Mapping[str, Any]) -> tuple[str, ...]:
    """What an agent's model wrote before a reply, and the reply's own thoughts: several, or one text."""
    before = exchanges[number - 1].thought if number <= len(exchanges) else ""
    own = turn.get("thoughts", ())
    return tuple(filter(None, (before, *([own] if isinstance(own, str) else own))))


def _turn(
    number: int, turn: Mapping[str, Any], book: PictureBook, findings: EpisodeFindings
) -> dict[str, Any]:
    acts = book.choices.acts
    exchanges = book.episode.talk.exchanges if book.episode.talk and not acts else ()
    return {
        "number": number,
        "pictures": book.shown.get(number, ()),
        "sent": book.notes.get(number),
        "observation": exchanges[number - 1].told if number <= len(exchanges) else None,
        "seen": findings.seen.get(number),
        "thoughts": _thoughts(exchanges, number, turn),
        "reasoning": _reasoning(book.episode, number),
        "reply": None if acts else turn["reply"],
        "error": turn["error"],
        "repairs": turn.get("repairs", ()),
        "result": findings.results.get(number),
    }


def _warnings(book: PictureBook) -> Iterable[str]:
    episode, end = book.episode, book.episode.ran_down
    if episode.result.error:
        yield f"No verdict: {episode.result.error}"
    if end is not None:
        reward = f" with a total reward of {end.total_reward:.3f}" if end.total_reward is not None else ""
        yield (
            "The limit ended the model's part, not the task: this is no failure. The episode then ran to its "
            f"end, {end.outcome}{reward}, which does not count."
        )
    if book.dropped:
        yield (
            f"Pictures were dropped: in {book.dropped} of {len(episode.turns)} turns the model was "
            "not sent all pictures so far. Each turn says which."
        )
    if episode.turns and episode.talk is None:
        yield (
            "What the model was sent cannot be matched to its turns; pictures are drawn again from the "
            "recording."
        )
