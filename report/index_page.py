"""The first page of a report, the pages of tasks, and the files beside them."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any, NamedTuple

import pandas as pd

from evaluation.log.run import RunLog
from evaluation.paired import PAIRED_NOTE, apart_sentences, compare_agents, other_tasks
from evaluation.reliability import RELIABILITY_NOTE, reliability
from evaluation.report_folder import ReportFolder, write_facts
from evaluation.results import GROUP, TrialResult, results_frame
from evaluation.run_card import RunFacts, run_card
from evaluation.scale.scaled import Scaled, basis_of
from evaluation.statistics import MISSING_NOTE, counted, task_rates
from evaluation.suites import DEFAULT
from report import tables
from report.comparison.runs import has_published_tasks
from report.files import write_cards, write_rates, write_tables
from report.formats import NONE, count
from report.methods import analysis_paragraph, partial_sentence, run_facts, run_paragraph
from report.panels import Row, SuiteReport
from report.rates import HEADLINE_HEADINGS, GroupRates, headline_cells, headlines
from report.scaled import scaled_values


class Tables(NamedTuple):
    """The tables of a report: results, rates by group, a row for each episode and turn, scaled scores."""

    results: pd.DataFrame
    rates: GroupRates
    episodes: Sequence[Row]
    turns: pd.DataFrame
    scaled: Scaled


def write_index(
    folder: ReportFolder,
    logs: Sequence[RunLog],
    found: Tables,
    known: Sequence[RunFacts],
    suite: SuiteReport,
) -> dict[str, Any]:
    """Write figure, tables and facts; returns what the template of the first page is given."""
    results, rates, rows, turns, scaled = found
    name, digests = f"{suite.suite.group_name}s", [log.digests for log in logs]
    apart = {
        (one.agent, other.agent): other_tasks(one.digests, other.digests)
        for one, other in combinations(logs, 2)
    }
    pairs = compare_agents(results, apart)
    agents = {log.agent: log.agent if log.complete else f"{log.agent} (partial run)" for log in logs}
    facts = {log.agent: run_facts(log, each, suite) for log, each in zip(logs, known, strict=True)}
    shared = _shared(list(facts.values()))
    cards = [
        run_card(log, each, "" if log.complete else partial_sentence(log))
        for log, each in zip(logs, known, strict=True)
    ]
    write_cards(folder, cards)
    bases = {log.agent: basis_of(log) for log in logs}
    write_facts(folder, shared, _played_originals(logs), suite.suite.name, digests, bases)
    write_rates(folder, name, rates, results, shared)
    first = headlines(results, suite.suite.headline)
    frames = {"results": results, "episodes": _episodes(rows), "turns": turns, name: rates.table}
    frames["headlines"] = first
    several = reliability(results)
    found_too = {"comparisons": pairs, "reliability": several, "scaled": scaled.table}
    files = write_tables(folder, frames | {name: frame for name, frame in found_too.items() if len(frame)})
    reasons = sorted({row["status"] for row in rows if row["status"]})
    references = suite.references()
    return {
        "summary": _summary(results),
        "warnings": [
            *(card.partial for card in cards if card.partial),
            *_limits(rows),
            *apart_sentences(results, apart),
        ],
        "runs": tables.runs_table(cards),
        "agents": _agents(first, results, {log.agent for log in logs if not log.complete}),
        "group": suite.suite.group_name,
        "figure": name,
        "rates": tables.group_table(rates.table, suite.suite.group_name.capitalize()),
        "rate_notes": (MISSING_NOTE, *rates.notes),
        "scores": tables.scores_table(results, suite.suite.group_name.capitalize()),
        "comparisons": tables.pairs_table(pairs, suite.suite.group_name),
        "paired_note": PAIRED_NOTE,
        "reliability": tables.reliability_table(several),
        "reliability_note": RELIABILITY_NOTE,
        **scaled_values(scaled),
        "panels": suite.run_panels(rows, agents),
        "unjudged": tables.counted_table("Without a verdict", "status", reasons, rows, agents),
        "tasks": _tasks(rows, list(agents), suite, references),
        "references": list(references),
        "rows": rows,
        "costs": tables.costs_table(rows, agents, cards),
        "methods": [
            *(run_paragraph(log, each, suite) for log, each in zip(logs, known, strict=True)),
            analysis_paragraph(len(logs) > 1, suite.analysis(rows)),
        ],
        "facts": tables.facts_table(facts),
        **files,
    }


def _played_originals(logs: Sequence[RunLog]) -> bool:
    """Whether all runs played the original's files."""
    return all(log.suite.name == DEFAULT and has_published_tasks(log.digests, log.task_ids) for log in logs)


def task_page(task_id: str, rows: Sequence[Row], suite: SuiteReport) -> dict[str, Any]:
    """What the template of a task's page is given."""
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


def _shared(facts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What holds for all runs."""
    return {key: value for key, value in facts[0].items() if all(own.get(key) == value for own in facts)}


def results_of(rows: Sequence[Row], metrics: Collection[str] = ()) -> pd.DataFrame:
    """The columns of `TrialResult` of the rows of episodes; `metrics` are names of its further ones."""
    names = {field.name: GROUP if field.name == "group" else field.name for field in fields(TrialResult)}
    del names["metrics"]
    return results_frame(
        TrialResult(
            **{name: row[column] for name, column in names.items()},
            metrics={name: row[name] for name in metrics if name not in names and row.get(name) is not None},
        )
        for row in rows
    )


def _episodes(rows: Sequence[Row]) -> pd.DataFrame:
    whole = {"steps": "Int64", "turns": "Int64", "order": "Int64", "passed": "boolean"}
    return pd.DataFrame(rows).drop(columns="task_page").astype(whole)


def _summary(results: pd.DataFrame) -> str:
    trials = counted(results)
    judged = len(trials) - int(trials["missing"].sum())
    agents, tasks = results["agent"].nunique(), results["task_id"].nunique()
    return (
        f"{count(agents, 'agent')} on {count(tasks, 'task')}: {count(len(results), 'planned episode')}, "
        f"{judged} with a verdict."
    )


def _limits(rows: Sequence[Row]) -> Iterator[str]:
    """A sentence on episodes that a limit ended, if there are any."""
    kinds = Counter(row["limit"] for row in rows if row["limit"])
    if kinds:
        by_kind = ", ".join(f"{number} by the {kind} limit" for kind, number in kinds.items())
        yield (
            f"{count(kinds.total(), 'episode')} ended by a limit ({by_kind}): without a verdict, and counted "
            "as failed."
        )


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
                dict(zip(HEADLINE_HEADINGS, headline_cells(row), strict=True))
                for row in own.to_dict("records")
            ],
        }
        for agent, own in found.groupby("agent", sort=False)
    ]


def _tasks(
    rows: Sequence[Row],
    agents: Sequence[str],
    suite: SuiteReport,
    references: Mapping[str, Mapping[str, str]],
) -> list[dict[str, Any]]:
    rates = {(row["agent"], row["task_id"]): row for row in task_rates(results_of(rows)).to_dict("records")}
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["task_id"], []).append(row)
    return [
        {
            "id": task_id,
            "page": own[0]["task_page"],
            "group": own[0][GROUP],
            "group_name": suite.group_name(own[0][GROUP]),
            "cells": [_cell(rates.get((agent, task_id))) for agent in agents],
            "references": [shares.get(task_id, NONE) for shares in references.values()],
        }
        for task_id, own in sorted(found.items())
    ]


def _cell(row: Mapping[Any, Any] | None) -> dict[str, Any]:
    """How many of an agent's trials of a task were passed, as text and as a share to sort by."""
    if row is None:
        return {"share": -1.0, "text": NONE}
    trials, rate = row["trials"], row["rate"]
    missing = round((row["most"] - rate) * trials)
    text = f"{round(rate * trials)}/{trials}"
    return {"share": rate, "text": f"{text} ({missing} missing)" if missing else text}
