"""One episode: its rows in the tables, and its page with a transcript turn by turn."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from evaluation.log.episodes import LoggedEpisode
from evaluation.log.exchanges import Exchange
from evaluation.results import result_row
from report.panels import EpisodeFindings, PictureBook, SuiteReport, agent_panels


class Column(NamedTuple):
    """A column of a table: its meaning, and the value in the row of an episode or a turn."""

    meaning: str
    value: Callable[..., Any]


EPISODE_COLUMNS: Mapping[str, Column] = {
    "status": Column("reason for a missing verdict", lambda e: e.status),
    "order": Column("place in its conversation, from 1", lambda e: e.place),
    "limit": Column("limit or stop that ended the model's part", lambda e: e.limit.kind if e.limit else None),
    "invalid_replies": Column("replies that could not be used", lambda e: e.invalid_replies),
    "repaired_replies": Column("replies whose slips were corrected", lambda e: e.repaired_replies),
    "input_tokens": Column("tokens sent, cached ones included", lambda e: e.usage.input_tokens),
    "output_tokens": Column("tokens received, reasoning included", lambda e: e.usage.output_tokens),
    "reasoning_tokens": Column("reasoning tokens", lambda e: e.usage.reasoning_tokens),
    "cost_usd": Column("price in US dollars; empty if unknown", lambda e: e.usage.cost),
    "seconds": Column("duration of the episode, waiting included", lambda e: e.seconds),
}
"""Further columns of episodes.csv, behind those of results.csv and of the suite."""

TURN_COLUMNS: Mapping[str, Column] = {
    "agent": Column("as in results.csv", lambda t: t.episode.result.agent),
    "task_id": Column("as in results.csv", lambda t: t.episode.result.task_id),
    "trial": Column("as in results.csv", lambda t: t.episode.result.trial),
    "order": Column("as in episodes.csv", lambda t: t.episode.place),
    "pictures_sent": Column("pictures of the conversation in the request", lambda t: t.sent[0]),
    "pictures_left_out": Column("earlier pictures left out of the request", lambda t: t.sent[1]),
    "turn": Column("number of the reply, from 1", lambda t: t.number),
}
"""Columns of turns.csv in front of the suite's own."""

REPLY_COLUMNS: Mapping[str, Column] = {
    "reply": Column("text of the reply", lambda t: t.turn["reply"]),
    "thoughts": Column("thoughts written in or before the reply", lambda t: " / ".join(t.thoughts)),
    "reasoning": Column("the model's own reasoning, or its summary", lambda t: t.reasoning),
    "error": Column("error message to the model, if the reply was invalid", lambda t: t.turn["error"]),
    "repairs": Column("slips that were corrected", lambda t: "; ".join(t.turn.get("repairs", ()))),
}
"""Columns of turns.csv behind the suite's own."""


class _Reply(NamedTuple):
    """A turn of an episode, with its number from 1."""

    episode: LoggedEpisode
    number: int
    turn: Mapping[str, Any]

    @property
    def exchange(self) -> Exchange | None:
        """Return request and reply; None if the log lacks them."""
        exchanges = self.episode.talk.exchanges if self.episode.talk else ()
        return exchanges[self.number - 1] if self.number <= len(exchanges) else None

    @property
    def sent(self) -> tuple[int | None, int | None]:
        """Count the conversation's pictures in the turn's request, and those left out."""
        exchange, request = self.exchange, self.exchange and self.exchange.request
        return (request.sent, exchange.so_far - request.sent) if exchange and request else (None, None)

    @property
    def thoughts(self) -> tuple[str, ...]:
        """Return the model's text before a reply, and the reply's own thoughts: several, or one text."""
        before = self.exchange.thought if self.exchange else ""
        own = self.turn.get("thoughts", ())
        return tuple(filter(None, (before, *([own] if isinstance(own, str) else own))))

    @property
    def reasoning(self) -> str:
        """A model's own reasoning before a reply, or the provider's summary; empty if the log has none."""
        request = self.exchange.request if self.exchange else None
        return request.reasoning if request else ""


def row(episode: LoggedEpisode, findings: EpisodeFindings) -> dict[str, Any]:
    """The episode in the tables: `TrialResult`, the suite's columns, and `EPISODE_COLUMNS`."""
    own = {name: column.value(episode) for name, column in EPISODE_COLUMNS.items()}
    return {**result_row(episode.result), **findings.columns, **own}


def turn_rows(episode: LoggedEpisode, suite: SuiteReport) -> list[dict[str, Any]]:
    """The episode's turns in the table of turns."""
    replies = [_Reply(episode, number, turn) for number, turn in enumerate(episode.turns, start=1)]
    return [
        {
            **{name: column.value(reply) for name, column in TURN_COLUMNS.items()},
            **suite.turn_columns(reply.turn),
            **{name: column.value(reply) for name, column in REPLY_COLUMNS.items()},
        }
        for reply in replies
    ]


def page(book: PictureBook, findings: EpisodeFindings) -> dict[str, Any]:
    """Collect an episode's own values for its page."""
    episode, acts = book.episode, book.choices.acts
    exchanges = episode.talk.exchanges if episode.talk else ()
    after = len(episode.turns) + 1
    unplayed = {
        "number": after,
        "pictures": book.shown.get(after, ()),
        "reply": episode.talk.unplayed.reply if episode.talk and episode.talk.unplayed else None,
    }
    return {
        "episode": episode,
        "dropped": book.dropped,
        "warnings": findings.warnings,
        "panels": [*findings.panels, *agent_panels(episode.agent)],
        "strip": sorted(book.shown.items(), key=lambda item: item[0] or after + 1),
        "in_words": bool(exchanges) and not any(each.so_far for each in exchanges),
        "acts": acts,
        "rules": episode.talk.rules if episode.talk else "",
        "turns": [_turn(number, turn, book, findings) for number, turn in enumerate(episode.turns, start=1)],
        "unplayed": unplayed if episode.limit or unplayed["pictures"] else None,
        "end": book.shown.get(None, ())[-1:],
        "provenance": findings.provenance,
    }


def _turn(
    number: int, turn: Mapping[str, Any], book: PictureBook, findings: EpisodeFindings
) -> dict[str, Any]:
    acts, reply = book.choices.acts, _Reply(book.episode, number, turn)
    return {
        "number": number,
        "pictures": book.shown.get(number, ()),
        "sent": book.notes.get(number),
        "observation": reply.exchange.told if reply.exchange and not acts else None,
        "seen": findings.seen.get(number),
        "thoughts": reply.thoughts,
        "reasoning": reply.reasoning,
        "reply": None if acts else turn["reply"],
        "error": turn["error"],
        "repairs": turn.get("repairs", ()),
        "result": findings.results.get(number),
    }
