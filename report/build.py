"""The whole report of one or several logs: read, examine, write, one episode at a time."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import pandas as pd

from arena.errors import EvaluationError
from arena.files import read_text
from evaluation import paired
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.report_folder import FileNames, ReportFolder, write_facts
from evaluation.request import deviations
from evaluation.results import GROUP, result_of, results_frame
from evaluation.scale.scaled import Scaled, basis_of, scaled_scores
from evaluation.statistics import counted, task_rates
from evaluation.suites import DEFAULT
from evaluation.summary import RunSummary, sent_words
from report import episode_page, tables
from report.arena.pages import ArenaReport
from report.comparison.runs import has_published_tasks
from report.files import note, prose, render, write_assets, write_cards, write_rates, write_tables
from report.panels import PictureBook, Row, SuiteReport
from report.tables import NONE, GroupRates, count


def run_facts(run: RunSummary, suite: SuiteReport) -> dict[str, str]:
    """Model, options, prompt, software and price of a run, in words."""
    log = run.log
    given = {name: value for name, value in log.arguments.items() if value not in (None, False, "")}
    prompt = log.system_prompt_sha256()
    sent = sent_words(run.requests)
    asked = {"sent": sent} if sent else {}
    hashed = {"system prompt (SHA-256)": prompt} if prompt else {}
    prices = log.metadata.get("prices")
    return {
        "model": log.model,
        "answered by": ", ".join(sorted(run.answered_by)) or "nothing",
        **suite.facts(log),
        **({"played through": f"{log.harness}; no prompts or requests by arena-llm"} if log.harness else {}),
        "options": ", ".join(f"{name}={value}" for name, value in given.items()) or "defaults",
        **({} if log.choices.acts else asked | hashed),
        "log": log.path.name,
        **{name: ", ".join(sorted(versions)) for name, versions in run.versions.items()},
        **({"prices": prices} if prices else {}),
    }


def run_paragraph(run: RunSummary, suite: SuiteReport) -> str:
    """Describe a run in a paragraph."""
    log = run.log
    mishaps = {
        "interruption": log.resumes,
        "failed request": run.counts["failed_attempts"],
        "restarted trial": run.counts["relaunches"],
    }
    values = {
        "others": sorted(run.answered_by - {log.model, log.model.partition("/")[2]}),
        "group": suite.suite.group_name,
        "groups": [name for name in sorted(run.groups, key=lambda each: (str(type(each)), each)) if name],
        "suite": suite.methods(log, run.versions),
        "sent": sent_words(run.requests),
        "unjudged": run.without_verdict.total(),
        "mishaps": [count(number, what) for what, number in mishaps.items() if number],
        "plan": plan_sentence(log),
    }
    return prose("methods.j2", run=run, log=log, **values)


def plan_sentence(log: RunLog) -> str:
    """Write "as planned" or list each deviation; empty for a run without a plan."""
    metadata = log.metadata
    if "plan" not in metadata:
        return ""
    found = list(deviations(metadata["plan"], metadata["done"]))
    if log.finished < log.planned:
        found.append(f"trials: {log.planned} were planned, {log.finished} have a score")
    if not found:
        return "The run was carried out as planned (plan file written before it)."
    return f"The run deviated from its plan: {'; '.join(found)}."


def task_page(task_id: str, rows: Sequence[Row], suite: SuiteReport) -> dict[str, Any]:
    """Collect the values of a task's page."""
    group = rows[0][GROUP]
    task = {
        "id": task_id,
        "group": f"{suite.suite.group_name.capitalize()} {group}",
        "group_name": suite.group_name(group),
        "pass_mark": next((row["pass_mark"] for row in rows if row["pass_mark"] is not None), None),
        "references": {
            name: shares[task_id] for name, shares in suite.references().items() if task_id in shares
        },
    }
    return {"task": task, "panels": suite.task_panels(task_id), "rows": rows}


def _agents(found: pd.DataFrame, results: pd.DataFrame, partial: set[str]) -> list[dict[str, Any]]:
    """A card for each agent: its headline metrics as texts by heading, the published ones first."""
    passes = counted(results).groupby("agent")["passed"].sum()
    return [
        {
            "agent": agent,
            "partial": agent in partial,
            "missing": own["missing"].max(),
            "planned": own["planned"].max(),
            "passes": int(passes.get(agent, 0)),
            "metrics": [
                dict(zip(tables.HEADLINE_HEADINGS, tables.headline_cells(row), strict=True))
                for row in own.to_dict("records")
            ],
        }
        for agent, own in found.groupby("agent", sort=False)
    ]


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
    rows: list[dict[str, Any]] = field(default_factory=list)
    tasks: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    turns: list[dict[str, Any]] = field(default_factory=list)
    runs: list[RunSummary] = field(default_factory=list)
    _names: FileNames = field(default_factory=FileNames)

    def add(self, log: RunLog, advance: Callable[[], None]) -> None:
        """Read a log and write the pages of its episodes; `advance` is called after each."""
        self.suite.begin(log)
        self.runs.append(RunSummary(log))
        pages = (self._episode(episode, log) for episode in self.runs[-1].episodes())
        # Each page with those before and after it, None at the ends.
        for (before, values), (_, after) in pairwise(pairwise(chain([None], pages, [None]))):
            assert values is not None
            row = values["row"]
            values |= {
                "partial": log.partial,
                "before": before and before["row"]["page"],
                "after": after and after["row"]["page"],
            }
            title = f"{row['task_id']}, {row['agent']}, trial {row['trial'] + 1}"
            page = render("episode.html.j2", depth=2, title=title, report_title=self.title, **values)
            self.folder.write(row["page"], page)
            advance()

    def _episode(self, episode: LoggedEpisode, log: RunLog) -> dict[str, Any]:
        """Collect the values of an episode's page; add its rows to the tables."""
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
        self.tasks.setdefault(result.task_id, []).append(row)
        self.turns += episode_page.turn_rows(episode, self.suite)
        return {"row": row, **episode_page.page(book, findings)}

    def finish(self) -> WrittenReport:
        """Write the tables, the pages of tasks and the first page."""
        write_assets(self.folder)
        for task_id, rows in self.tasks.items():
            values = task_page(task_id, rows, self.suite)
            title = f"Task {task_id}"
            page = render("task.html.j2", depth=1, title=title, report_title=self.title, **values)
            self.folder.write(rows[0]["task_page"], page)
        metrics = self.suite.suite.headline.values()
        results = results_frame(result_of(row, metrics) for row in self.rows)
        rates = self.suite.rates(results)
        scaled = scaled_scores(
            results, self.suite.suite, {run.log.agent: basis_of(run.log) for run in self.runs}
        )
        values = self._first_page(results, rates, scaled)
        page = render("index.html.j2", title=self.title, **values)
        return WrittenReport(self.folder.write("index.html", page), results, rates, scaled)

    def _first_page(self, results: pd.DataFrame, rates: GroupRates, scaled: Scaled) -> dict[str, Any]:
        """Write figure, tables and facts; returns what the template of the first page is given."""
        folder, suite, rows, runs = self.folder, self.suite, self.rows, self.runs
        logs, group = [run.log for run in runs], suite.suite.group_name
        apart = {
            (one.agent, other.agent): paired.other_tasks(one.digests, other.digests)
            for one, other in combinations(logs, 2)
        }
        pairs = paired.compare_agents(results, apart)
        agents = {log.agent: log.agent if log.complete else f"{log.agent} (partial run)" for log in logs}
        facts = {run.log.agent: run_facts(run, suite) for run in runs}
        of_first, *others = facts.values()
        shared = {key: value for key, value in of_first.items() if all(o.get(key) == value for o in others)}
        cards = [run.card for run in runs]
        write_cards(folder, cards)
        bases = {log.agent: basis_of(log) for log in logs}
        originals = all(
            log.suite.name == DEFAULT and has_published_tasks(log.digests, log.task_ids) for log in logs
        )
        write_facts(folder, shared, originals, suite.suite.name, [log.digests for log in logs], bases)
        write_rates(folder, f"{group}s", rates, results, shared)
        first, several = tables.headlines(results, suite.suite.headline), paired.reliability(results)
        whole = {"steps": "Int64", "turns": "Int64", "order": "Int64", "passed": "boolean"}
        episodes = pd.DataFrame(rows).drop(columns="task_page").astype(whole)
        frames = {"results": results, "episodes": episodes, "turns": pd.DataFrame(self.turns)}
        frames |= {f"{group}s": rates.table, "headlines": first}
        found_too = {"comparisons": pairs, "reliability": several, "scaled": scaled.table}
        frames |= {name: frame for name, frame in found_too.items() if len(frame)}
        reasons = sorted({row["status"] for row in rows if row["status"]})
        references = suite.references()
        return {
            "results": results,
            "trials": counted(results),
            "limits": Counter(row["limit"] for row in rows if row["limit"]),
            "apart": list(paired.apart_sentences(results, apart)),
            "cards": cards,
            "runs": tables.runs_table(cards),
            "agents": _agents(first, results, {log.agent for log in logs if not log.complete}),
            "group": group,
            "comparisons": tables.pairs_table(pairs, group),
            "paired_note": note("paired", power=paired.POWER),
            "reliability": tables.reliability_table(several),
            "reliability_note": note("reliability"),
            **tables.first_page_values(results, rates, scaled, group),
            "panels": suite.run_panels(rows, agents),
            "unjudged": tables.counted_table("Without a verdict", "status", reasons, rows, agents),
            "tasks": self._tasks(list(agents), references),
            "references": list(references),
            "rows": rows,
            "costs": tables.costs_table(rows, agents, cards),
            "methods": [
                *(run_paragraph(run, suite) for run in runs),
                prose("analysis.j2", compared=len(logs) > 1, suite=suite.analysis(rows)),
            ],
            "facts": tables.facts_table(facts),
            **write_tables(folder, frames),
        }

    def _tasks(
        self, agents: Sequence[str], references: Mapping[str, Mapping[str, str]]
    ) -> list[dict[str, Any]]:
        rates = {
            (row["agent"], row["task_id"]): row
            for row in task_rates(results_frame(map(result_of, self.rows))).to_dict("records")
        }
        return [
            {
                "id": task_id,
                "page": own[0]["task_page"],
                "group": own[0][GROUP],
                "group_name": self.suite.group_name(own[0][GROUP]),
                "cells": [rates.get((agent, task_id)) for agent in agents],
                "references": [shares.get(task_id, NONE) for shares in references.values()],
            }
            for task_id, own in sorted(self.tasks.items())
        ]


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
    heading = title or f"{tables.listed([log.agent for log in logs])}: {suite.suite.title}"
    with ReportFolder(folder) as own:
        report = _Report(own, heading, suite, frames)
        for log in logs:
            report.add(log, advance)
        return report.finish()


def suite_report(logs: Sequence[RunLog], frames: bool) -> SuiteReport:
    """The part of the logs' suite in their report. Raises EvaluationError if they are of several."""
    suites = {log.suite.name: log.suite for log in logs}
    if len(suites) > 1:
        raise EvaluationError(f"logs of several suites ({', '.join(suites)}); report each suite separately")
    return ArenaReport(logs, frames) if "arena" in suites else SuiteReport(logs[0].suite)


def faults(log: RunLog, folder: Path) -> Iterator[str]:
    """Describe what a run's report lacks: pages of episodes, and rows with the logged scores."""
    out = Path(mkdtemp(dir=folder))
    page = write_log_report([log], out).page
    rows = list(csv.DictReader(io.StringIO(read_text(out / "episodes.csv"))))
    if len(rows) != log.planned:
        yield f"episodes.csv has {len(rows)} rows, of {log.planned} planned episodes"
    text = read_text(page)
    unnamed = [each for each in log.task_ids if each not in text]
    yield from (f"the first page of the report does not name {each}" for each in unnamed)
    logged = {(each.task_id, each.trial): each for each in log.results()}
    for row in rows:
        result = logged[row["task_id"], int(row["trial"])]
        if row["passed"] != ("" if result.passed is None else str(result.passed)):
            yield f"episodes.csv: passed of {result.task_id} is {row['passed']!r}, in the log {result.passed}"
