"""The whole report of one or several logs: read, examine, write, one episode at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from arena.errors import EvaluationError
from evaluation.report_folder import FileNames, ReportFolder
from report import episode_page, index_page, site
from report.arena.pages import ArenaReport, Draw
from report.formats import listed
from report.methods import RunFacts, partial_sentence
from report.panels import SuiteReport
from report.pictures import PictureBook
from report.run import RunLog
from report.run.logged import LoggedEpisode

Advance = Callable[[], None]
Row = dict[str, Any]
T = TypeVar("T")


class WrittenReport(NamedTuple):
    """The first page, the results that it shows, and the suite's part in it."""

    page: Path
    results: pd.DataFrame
    suite: SuiteReport


@dataclass(slots=True)
class _Report:
    """A report in the making."""

    folder: ReportFolder
    title: str
    suite: SuiteReport
    with_pictures: bool
    rows: list[Row] = field(default_factory=list)
    turns: list[Row] = field(default_factory=list)
    facts: list[RunFacts] = field(default_factory=list)
    _names: FileNames = field(default_factory=FileNames)

    def add(self, log: RunLog, advance: Advance) -> None:
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

        book = PictureBook(episode, log.protocol, stem, save if self.with_pictures else None)
        findings = self.suite.examine(episode, book)
        pages = {"page": f"{folder}/{stem}.html", "task_page": f"tasks/{task}.html"}
        row = {**episode_page.row(episode, findings), **pages}
        self.rows.append(row)
        self.turns += episode_page.turn_rows(episode, self.suite)
        return {"row": row, **episode_page.page(book, findings)}

    def finish(self, logs: Sequence[RunLog]) -> tuple[Path, pd.DataFrame]:
        """Write the tables, the pages of tasks and the first page; returns its path and the results."""
        site.write_assets(self.folder)
        for task_id in dict.fromkeys(row["task_id"] for row in self.rows):
            rows = [row for row in self.rows if row["task_id"] == task_id]
            values = index_page.task_page(task_id, rows, self.suite)
            title = f"Task {task_id}"
            page = site.render("task.html.j2", depth=1, title=title, report_title=self.title, **values)
            self.folder.write(rows[0]["task_page"], page)
        turns = pd.DataFrame(self.turns)
        results, values = index_page.write_index(self.folder, logs, self.rows, turns, self.facts, self.suite)
        page = site.render("index.html.j2", title=self.title, **values)
        return self.folder.write("index.html", page), results


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
    draw: Draw | None = None,
    renderer: str | None = None,
    suite: SuiteReport | None = None,
    advance: Advance = lambda: None,
) -> WrittenReport:
    """Write the report of logs into a folder.

    `draw` makes a picture of a scene, uint8 (512, 512, 3), and `renderer` says with what; without it there
    are no pictures. `suite` is that of the logs' tasks, default: the arena. Memory does not grow with the
    pictures: one episode at a time is read, replayed and forgotten. Files of an earlier report in the folder
    are replaced or removed, other files are left alone.

    Raises EvaluationError if a log is broken, there is nothing to report or the folder refuses.
    """
    if not any(log.planned for log in logs):
        raise EvaluationError("the logs hold no planned trial; evaluate a model first (arena-llm eval)")
    same_layouts = all(log.arguments.get("folder") for log in logs)
    suite = suite or ArenaReport(draw, renderer, same_layouts)
    heading = title or f"{listed([log.agent for log in logs])} {suite.place}".strip()
    with ReportFolder(folder) as own:
        report = _Report(own, heading, suite, draw is not None)
        for log in logs:
            report.add(log, advance)
        return WrittenReport(*report.finish(logs), suite)
