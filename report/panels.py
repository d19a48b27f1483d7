"""What a suite adds to the report of its logs. By default an episode's page is a transcript."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd
from markupsafe import Markup, escape

from evaluation.capabilities import episode_panels, run_panels
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.results import result_row
from evaluation.suite import Suite
from report.pictures import PictureBook
from report.rates import GroupRates, group_rates

Row = Mapping[str, Any]


class Panel(NamedTuple):
    """A part of a page; `body` is markup, shown as it is."""

    title: str
    body: Markup


@dataclass
class EpisodeFindings:
    """What a suite knows of an episode beyond its log, for its page and the tables.

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
        """The name of a group beside its number; empty if it has none."""
        return ""

    def begin(self, log: RunLog) -> None:
        """Prepare for the episodes of a log, which follow."""

    def examine(self, episode: LoggedEpisode, book: PictureBook) -> EpisodeFindings:
        """What there is to know of an episode; `book` takes pictures that the log does not have."""
        record = {**result_row(episode.result), "turns": episode.turns, "replay": episode.replay}
        # A task may have a score and no verdict; a trial that was broken off has no outcome.
        if episode.result.outcome is not None:
            self._records.setdefault(episode.result.agent, []).append(record)
        return EpisodeFindings(_marked_up(episode_panels(self.suite, record)), episode.metrics)

    def turn_columns(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """Further columns of a turn in turns.csv."""
        return {}

    def rates(self, results: pd.DataFrame) -> GroupRates:
        """The rates by group that figure and page show; `results` has the columns of `results_frame`."""
        return GroupRates(group_rates(results, self.group_name))

    def references(self) -> Mapping[str, Mapping[str, str]]:
        """How others did on each task, in words, by their name and the task's id."""
        return {}

    def task_panels(self, task_id: str) -> Sequence[Panel]:
        """Panels of a task's page."""
        return ()

    def run_panels(self, rows: Sequence[Row], agents: Mapping[str, str]) -> Sequence[Panel]:
        """Panels of the first page; `rows` are all episodes, `agents` headings by agent."""
        named = {agents.get(agent, agent): records for agent, records in self._records.items()}
        return _marked_up(run_panels(self.suite, named))

    def facts(self, log: RunLog) -> Mapping[str, str]:
        """Facts of a run by their names, for its table of facts and run.json."""
        return {}

    def methods(self, log: RunLog, versions: Mapping[str, set[str]]) -> str:
        """Sentences on how the tasks were played; `versions` is the software that recorded them."""
        return f"The tasks are of the suite {self.suite.title}."

    def analysis(self, rows: Sequence[Row]) -> str:
        """Sentences on what the report computed from the episodes."""
        return ""


def _marked_up(panels: Sequence[tuple[str, str]]) -> list[Panel]:
    return [Panel(title, Markup(body)) for title, body in panels]


def agent_panels(agent: Mapping[str, Any]) -> Iterator[Panel]:
    """The panels for what a log has of an agent (`evaluation.agents.calls.Calls.log`)."""
    if plan := agent.get("plan"):
        rows = [(str(step["after"] + 1), step["step"], step["result"] or "") for step in plan]
        yield Panel("The agent's plan", _table(("from turn", "step", "result"), rows))
    if memory := agent.get("memory"):
        stated = [
            (each["id"], each["statement"], each["status"], "; ".join(each["evidence"]))
            for each in memory["hypotheses"]
        ]
        measured = [(each["id"], each["statement"], "measured", "") for each in memory["measurements"]]
        header = ("", "entry", "status", "evidence")
        yield Panel("The agent's memory at the end", _table(header, [*stated, *measured]))
    if programs := agent.get("programs"):
        written = [
            (str(each["experiments"]), *(_preformatted(each[name]) for name in ("program", "result")))
            for each in programs
        ]
        yield Panel(
            "The agent's programs", _table(("after experiments", "program", "what came of it"), written)
        )


def _preformatted(text: str) -> Markup:
    return Markup("<pre>{}</pre>").format(text)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markup:
    lines = [("th", header), *(("td", row) for row in rows)]
    cells = (
        Markup("").join(Markup("<{0}>{1}</{0}>").format(Markup(tag), escape(cell)) for cell in row)
        for tag, row in lines
    )
    return Markup("<table>{}</table>").format(Markup("").join(Markup("<tr>{}</tr>").format(c) for c in cells))
