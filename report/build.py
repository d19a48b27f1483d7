"""The whole report of one or several logs: read, examine, write, one episode at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from arena.errors import EvaluationError
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.report_folder import FileNames, ReportFolder
from evaluation.run_card import RunFacts
from evaluation.scale.scaled import Scaled, basis_of, scaled_scores
from report import episode_page, index_page, site
from report.arena.pages import ArenaReport
from report.formats import listed
from report.methods import partial_sentence
from report.panels import SuiteReport
from report.pictures import PictureBook
from report.rates import GroupRates

Row = dict[str, Any]
T = TypeVar("T")


class WrittenReport(NamedTuple):
    """The first page, and the results, rates and scaled scores that it shows."""

    page: Path
    results: pd.DataFrame
    rates: GroupRates
    scaled: Scaled


@dataclass(slots=True)
class _Report:
    """A report in the making."""

    folder: ReportFolder
    title: str
    suite: SuiteReport
    frames: bool
    rows: list[Row] = field(default_factory=list)
    turns: list[Row] = field(default_factory=list)
    facts: list[RunFacts] = field(default_factory=list)
    _names: FileNames = field(default_factory=FileNames)

    def add(self, log: RunLog, advance: Callable[[], None]) -> None:
        """Read a log and write the pages of its episodes; `advance` is called after each."""
        self.suite.begin(log)
        self.facts.append(RunFacts())
        partial = [] if log.complete else [partial_sentence(log)]
        for before, values, after in _with_neighbours(self._episodes(log)):
            row = values["row"]
            values["warnings"] = [*partial, *values["warnings"]]
            values |= {"before": before and before["row"]["page"], "after": after and after["row"]["page"]}
            title = f"{row['task_id']}, {row['agent']}, trial {row['trial'] + 1}"
            page = site.render("episode.html.j2", depth=2, title=title, report_title=self.title, **values)
            self.folder.write(row["page"], page)
            advance()

    def _episodes(self, log: RunLog) -> Iterator[Row]:
        for episode in log.episodes():
            self.facts[-1].add(episode)
            yield self._episode(episode, log)

    def _episode(self, episode: LoggedEpisode, log: RunLog) -> Row:
        """What the template of the episode's page is given; its rows are added to the tables."""
        result = episode.result
        agent, task = self._names.of(result.agent), self._names.of(result.task_id)
        folder, stem = f"episodes/{agent}", f"{task}_{result.trial + 1}"

        def save(name: str, data: bytes) -> None:
            self.folder.write(f"{folder}/{name}", data)

        book = PictureBook(episode, log.choices, stem, save if self.frames else None)
        findings = self.suite.examine(episode, book)
        pages = {"page": f"{folder}/{stem}.html", "task_page": f"tasks/{task}.html"}
        row = {**episode_page.row(episode, findings), **pages}
        self.rows.append(row)
        self.turns += episode_page.turn_rows(episode, self.suite)
        return {"row": row, **episode_page.page(book, findings)}

    def finish(self, logs: Sequence[RunLog]) -> WrittenReport:
        """Write the tables, the pages of tasks and the first page."""
        site.write_assets(self.folder)
        for task_id in dict.fromkeys(row["task_id"] for row in self.rows):
            rows = [row for row in self.rows if row["task_id"] == task_id]
            values = index_page.task_page(task_id, rows, self.suite)
            title = f"Task {task_id}"
            page = site.render("task.html.j2", depth=1, title=title, report_title=self.title, **values)
            self.folder.write(rows[0]["task_page"], page)
        results = index_page.results_of(self.rows, self.suite.suite.headline.values())
        rates = self.suite.rates(results)
        scaled = scaled_scores(results, self.suite.suite, {log.agent: basis_of(log) for log in logs})
        tables = index_page.Tables(results, rates, self.rows, pd.DataFrame(self.turns), scaled)
        values = index_page.write_index(self.folder, logs, tables, self.facts, self.suite)
        page = site.render("index.html.j2", title=self.title, **values)
        return WrittenReport(self.folder.write("index.html", page), results, rates, scaled)


def _with_neighbours(items: Iterable[T]) -> Iterator[tuple[T | None, T, T | None]]:
    """Each item with the one before and the one after it, None at the ends."""
    before: T | None = None
    item: T | None = None
    for after in chain(items, [None]):
        if item is not None:
            yield before, item, after
        before, item = item, after


def write_log_report(
    logs: Sequence[RunLog],
    folder: Path,
    *,
    title: str | None = None,
    frames: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> WrittenReport:
    """Write the report of logs of one suite into a folder, with pictures if `frames` are wanted.

    Memory does not grow with the pictures: one episode at a time is read, replayed and forgotten. Files of an
    earlier report in the folder are replaced or removed, other files are left alone.

    Raises EvaluationError if a log is broken, there is nothing to report or the folder refuses, RenderError
    if pictures are to be drawn and cannot be.
    """
    if not any(log.planned for log in logs):
        raise EvaluationError("the logs hold no planned trial; evaluate a model first (arena-llm eval)")
    suite = suite_report(logs, frames)
    heading = title or f"{listed([log.agent for log in logs])}: {suite.suite.title}"
    with ReportFolder(folder) as own:
        report = _Report(own, heading, suite, frames)
        for log in logs:
            report.add(log, advance)
        return report.finish(logs)


def suite_report(logs: Sequence[RunLog], frames: bool) -> SuiteReport:
    """The part of the logs' suite in their report. Raises EvaluationError if they are of several."""
    suites = {log.suite.name: log.suite for log in logs}
    if len(suites) > 1:
        raise EvaluationError(f"logs of several suites ({', '.join(suites)}); report each suite by itself")
    return ArenaReport(logs, frames) if "arena" in suites else SuiteReport(logs[0].suite)
