"""The whole report of one or several logs: read, replay, write, one episode at a time."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from arena import ArenaSpec
from arena.errors import EvaluationError
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.report_folder import FileNames, ReportFolder
from evaluation.results import TrialResult
from llm_control.logged import logged_specs
from report.run import episode_page, index_page, site
from report.run.drawings import plan_svg
from report.run.methods import RunFacts
from report.run.sent_pictures import Draw

Advance = Callable[[], None]
Row = dict[str, Any]


def open_logs(named: Sequence[tuple[str | None, Path]]) -> list[RunLog]:
    """The logs of a report; each is a file, and a name for its agent if wanted.

    Raises EvaluationError where one is broken, and where two have agents of one name.
    """
    logs = [RunLog(path, name) for name, path in named]
    owners: dict[str, Path] = {}
    for log in logs:
        if log.agent in owners:
            raise EvaluationError(
                f"{log.path}: {owners[log.agent]} has episodes of {log.agent!r} too; "
                "tell them apart with NAME=FILE"
            )
        owners[log.agent] = log.path
    return logs


@dataclass(slots=True)
class Report:
    """A report in the making. `draw` makes the pictures, or is None; `renderer` says in words what with."""

    folder: ReportFolder
    title: str
    draw: Draw | None = None
    renderer: str | None = None
    rows: list[Row] = field(default_factory=list)
    turns: list[Row] = field(default_factory=list)
    facts: list[RunFacts] = field(default_factory=list)
    _names: FileNames = field(default_factory=FileNames)
    _plans: dict[str, str] = field(default_factory=dict)
    _last: tuple[dict[str, Any], Row] | None = None

    def add(self, log: RunLog, advance: Advance) -> None:
        """Read a log and write the pages of its episodes; `advance` is called after each."""
        specs = logged_specs(log)
        facts = RunFacts()
        self.facts.append(facts)
        for episode in log.episodes():
            facts.add(episode)
            self._episode(episode, specs.get(episode.result.task_id), log, facts)
            advance()
        self._write_episode(None)

    def _episode(self, episode: LoggedEpisode, spec: ArenaSpec | None, log: RunLog, facts: RunFacts) -> None:
        stem, task = self._stem(episode.result), self._names.of(episode.result.task_id)
        place = f"episodes/{stem}"
        played = episode_page.play(
            episode,
            spec,
            log.choices,
            self.draw,
            lambda name, data: self.folder.write(f"{place}/{name}", data),
        )
        facts.replayed += played.trace is not None
        facts.inexact += played.trace is not None and played.problem is not None
        if played.trace is not None:
            title = f"Task {episode.result.task_id}"
            self._plans.setdefault(episode.result.task_id, plan_svg(played.trace.layout, title))
        row = {**episode_page.row(played), "page": f"{place}.html", "task_page": f"tasks/{task}.html"}
        self.rows.append(row)
        self.turns += episode_page.turn_rows(episode)
        partial = None if log.complete else index_page.partial_sentence(log)
        self._write_episode((episode_page.page(played, row, stem.partition("/")[2], partial), row))

    def _write_episode(self, upcoming: tuple[dict[str, Any], Row] | None) -> None:
        """Write the episode before, whose page names the one after it."""
        if self._last is not None:
            values, row = self._last
            place = len(self.rows) - (2 if upcoming else 1)
            before = self.rows[place - 1] if place > 0 else None
            values |= {
                "before": before["page"] if before and before["agent"] == row["agent"] else None,
                "after": upcoming[1]["page"] if upcoming else None,
            }
            title = f"{row['task_id']}, {row['agent']}, trial {row['trial'] + 1}"
            page = site.render("episode.html.j2", depth=2, title=title, report_title=self.title, **values)
            self.folder.write(row["page"], page)
        self._last = upcoming

    def _stem(self, result: TrialResult) -> str:
        agent, task = self._names.of(result.agent), self._names.of(result.task_id)
        return f"{agent}/{task}_{result.trial + 1}"

    def finish(self, logs: Sequence[RunLog], same_layouts: bool) -> Path:
        """Write the tables, the pages of tasks and the first page, whose path is returned."""
        for name in site.ASSETS:
            self.folder.write(name, site.asset(name))
        children = index_page.children_shares(same_layouts)
        for task_id, rows in _by_task(self.rows):
            values = index_page.task_page(task_id, rows, self._plans.get(task_id), children)
            page = site.render(
                "task.html.j2", depth=1, title=f"Task {task_id}", report_title=self.title, **values
            )
            self.folder.write(rows[0]["task_page"], page)
        values = index_page.index_page(
            self.folder, logs, self.rows, pd.DataFrame(self.turns), self.facts, same_layouts, self.renderer
        )
        return self.folder.write("index.html", site.render("index.html.j2", title=self.title, **values))


def _by_task(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    tasks: dict[str, list[Row]] = {}
    for row in rows:
        tasks.setdefault(row["task_id"], []).append(row)
    return sorted(tasks.items())


def write_log_report(
    logs: Sequence[RunLog],
    folder: Path,
    *,
    title: str | None = None,
    draw: Draw | None = None,
    renderer: str | None = None,
    advance: Advance = lambda: None,
) -> Path:
    """Write the report of logs into a folder and return the path of its first page.

    `draw` makes a picture of a scene, uint8 (512, 512, 3); without it there are none. Memory does not
    grow with the pictures: one episode at a time is read, replayed and forgotten. Files of an earlier report
    in the folder are replaced or removed, other files are left alone.

    Raises EvaluationError where a log is broken, there is nothing to report or the folder refuses.
    """
    if not any(log.planned for log in logs):
        raise EvaluationError("the logs hold no planned trial; evaluate a model first (arena-llm eval)")
    own = ReportFolder(folder)
    report = Report(own, title or _title(logs), draw, renderer)
    try:
        for log in logs:
            report.add(log, advance)
        same_layouts = all(log.arguments.get("folder") for log in logs)
        page = report.finish(logs, same_layouts)
        own.finish()
    finally:
        own.close()
    return page


def _title(logs: Sequence[RunLog]) -> str:
    names = [log.agent for log in logs]
    return (
        f"{names[0]} in the arena"
        if len(names) == 1
        else f"{', '.join(names[:-1])} and {names[-1]} in the arena"
    )
