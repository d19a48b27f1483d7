"""Additions of a suite to the report of its logs. By default an episode's page is a transcript."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import pandas as pd
from markupsafe import Markup

from evaluation.capabilities import Panel, episode_panels, run_panels
from evaluation.choices.run_choices import RunChoices
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.exchanges import Exchange, Request, picture
from evaluation.log.run import RunLog
from evaluation.results import result_row
from evaluation.suite import Suite
from render import Frame
from render.image import webp
from report.files import part
from report.tables import GroupRates, group_rates

Save = Callable[[str, bytes], object]


class Kind(StrEnum):
    """Kind of a picture on the page; the text is its caption."""

    SENT = "sent to the model"
    COLLAGE = "sent to the model, in place of all pictures so far"
    LEFT_OUT = "left out: the model was not sent this"
    UNKNOWN = "from the conversation; the log does not say what was sent for this reply"
    TRUE = "the true view: the model was not sent this"
    AHEAD = "the view ahead, drawn again: the agent has sensors of its own"
    DRAWN = "drawn again: the log does not say what was sent"


class Shown(NamedTuple):
    """A picture on the page: its file, as seen from the page, and what it is."""

    file: str
    kind: Kind

    @property
    def style(self) -> str:
        """Return the CSS class on the page."""
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
        if self.save is None:
            return
        frame = draw()
        self._files += 1
        name = f"{self.folder}/{self._files:02d}.webp"
        self.save(name, webp(frame))
        self.shown.setdefault(turn, []).append(Shown(name, kind))

    def _add_exchange(self, turn: int, exchange: Exchange) -> None:
        request = exchange.request
        if request is not None and request.collage is not None:
            self._add(turn, request.collage, Kind.COLLAGE)
        else:
            for uri, kind in zip(exchange.shown, kinds(exchange), strict=True):
                self._add(turn, uri, kind)
        self.dropped += request is not None and exchange.so_far > request.sent
        self._note(turn, sent_note(request, exchange.so_far, self.choices))

    def _add(self, turn: int, uri: str, kind: Kind) -> None:
        try:
            self.add(turn, lambda: picture(uri), kind)
        except (ValueError, OSError):
            self._note(turn, "A picture of this turn is broken in the log.")

    def _note(self, turn: int, text: str) -> None:
        self.notes[turn] = f"{self.notes.get(turn, '')} {text}".strip()


def kinds(exchange: Exchange) -> list[Kind]:
    """Classify each new picture before a reply: the last slots of its request are theirs."""
    number, request = len(exchange.shown), exchange.request
    if request is None:
        return [Kind.UNKNOWN] * number
    if request.collage is not None:
        return [Kind.SENT] * number
    slots = request.slots[len(request.slots) - number :] if number else ()
    padded = (*[None] * (number - len(slots)), *slots)
    return [Kind.SENT if slot is not None else Kind.LEFT_OUT for slot in padded]


def sent_note(request: Request | None, so_far: int, choices: RunChoices) -> str:
    """Write a sentence on how many of the conversation's pictures a request had."""
    if request is None:
        why = "it was kept from an interrupted attempt"
        return f"The log does not say what was sent for this reply: {why}."
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


Row = Mapping[str, Any]


@dataclass
class EpisodeFindings:
    """Findings of a suite about an episode, beyond its log, for its page and the tables.

    `columns` go to the episode's row in episodes.csv; a column `failure` says why it was failed.
    `seen` and `results` are sentences by turn: on what its pictures show, and on what its reply led to.
    `provenance` ends the page.
    """

    panels: Sequence[Panel] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    seen: Mapping[int, str] = field(default_factory=dict)
    results: Mapping[int, str] = field(default_factory=dict)
    provenance: str = ""


class SuiteReport:
    """A suite's part in a report; as it stands, that of any suite. `suite` may have panels of an episode."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._records: dict[str, list[Row]] = {}

    def group_name(self, group: int | str) -> str:
        """Return a group's name besides its number; empty if it has none."""
        return ""

    def begin(self, log: RunLog) -> None:
        """Prepare for the episodes of a log, which follow."""

    def examine(self, episode: LoggedEpisode, book: PictureBook) -> EpisodeFindings:
        """Examine an episode; `book` takes pictures that the log lacks."""
        record = {**result_row(episode.result), "turns": episode.turns, "replay": episode.replay}
        # A task may have a score and no verdict; a trial that was broken off has no outcome.
        if episode.result.outcome is not None:
            self._records.setdefault(episode.result.agent, []).append(record)
        return EpisodeFindings(episode_panels(self.suite, record), episode.metrics)

    def turn_columns(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """Further columns of a turn in turns.csv."""
        return {}

    def rates(self, results: pd.DataFrame) -> GroupRates:
        """The rates by group that figure and page show; `results` has the columns of `results_frame`."""
        return GroupRates(group_rates(results, self.group_name))

    def references(self) -> Mapping[str, Mapping[str, str]]:
        """Describe others' results on each task, by their name and the task's id."""
        return {}

    def task_panels(self, task_id: str) -> Sequence[Panel]:
        """Panels of a task's page."""
        return ()

    def run_panels(self, rows: Sequence[Row], agents: Mapping[str, str]) -> Sequence[Panel]:
        """Panels of the first page; `rows` are all episodes, `agents` headings by agent."""
        named = {agents.get(agent, agent): records for agent, records in self._records.items()}
        return run_panels(self.suite, named)

    def facts(self, log: RunLog) -> Mapping[str, str]:
        """Facts of a run by their names, for its table of facts and run.json."""
        return {}

    def methods(self, log: RunLog, versions: Mapping[str, set[str]]) -> str:
        """Sentences on how the tasks were played; `versions` is the software that recorded them."""
        return f"The tasks are of the suite {self.suite.title}."

    def analysis(self, rows: Sequence[Row]) -> str:
        """Sentences on what the report computed from the episodes."""
        return ""


def agent_panels(agent: Mapping[str, Any]) -> Iterator[Panel]:
    """The panels for what a log has of an agent (`evaluation.agents.agents.Calls.log`)."""
    rows: list[tuple[str, ...]]
    if plan := agent.get("plan"):
        rows = [(str(step["after"] + 1), step["step"], step["result"] or "") for step in plan]
        yield _panel("The agent's plan", ("from turn", "step", "result"), rows)
    if memory := agent.get("memory"):
        rows = [
            (each["id"], each["statement"], each["status"], "; ".join(each["evidence"]))
            for each in memory["hypotheses"]
        ]
        rows += [(each["id"], each["statement"], "measured", "") for each in memory["measurements"]]
        yield _panel("The agent's memory at the end", ("", "entry", "status", "evidence"), rows)
    if changes := agent.get("memory_changes"):
        rows = [(str(each["turn"]), each["id"], *_change(each["entry"], each["new"])) for each in changes]
        yield _panel("The agent's memory over time", ("from turn", "", "change", "entry", "status"), rows)
    if programs := agent.get("programs"):
        as_is = Markup("<pre>{}</pre>").format
        rows = [
            (str(each["experiments"]), as_is(each["program"]), as_is(each["result"])) for each in programs
        ]
        yield _panel("The agent's programs", ("after experiments", "program", "result"), rows)


def _change(entry: Mapping[str, Any] | None, new: bool) -> tuple[str, str, str]:
    """The words of a changed entry of a memory; None if it was removed."""
    if entry is None:
        return "removed", "", ""
    return "added" if new else "changed", entry["statement"], entry.get("status", "measured")


def _panel(title: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Panel:
    return Panel(title, part("table.html.j2", header=header, rows=rows))
