"""Measure the table that links the two batteries.

`python -m benchmarks.linking --original original --out human_data/agents_on_both_batteries.csv`
"""

from importlib.metadata import version
from multiprocessing import Pool
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
import typer
from rich.progress import track

from arena import Episode
from arena.files import write_file
from arena.taskfile.versions import Version
from arena_llm.options import located_testbed
from benchmarks.linking.agents import AGENTS, passes
from human_data.baselines import TABLES
from human_data.linking import ORIGINAL, SHIPPED, short_form_version
from testbed import SHORT_FORM, Task, find_tasks


class _Order(NamedTuple):
    """An agent, and the battery and version whose short form it plays."""

    agent: str
    battery: str
    animal_ai: str
    folder: Path | None


def main(
    original: Annotated[
        Path, typer.Option(callback=located_testbed, metavar="DIR", help="The original's files.")
    ],
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
) -> None:
    """Let every agent play the 40 tasks of both batteries once, and write its passes by level."""
    clocks = {SHIPPED: (Version.V3, Version.V2), ORIGINAL: (Version.V2,)}
    folders = {SHIPPED: None, ORIGINAL: original}
    orders = [
        _Order(agent, battery, animal_ai.value, folders[battery])
        for agent in AGENTS
        for battery, versions in clocks.items()
        for animal_ai in versions
    ]
    with Pool(jobs) as pool:
        rows = [row for part in track(pool.imap(_played, orders), total=len(orders)) for row in part]
    frame = pd.DataFrame(rows, columns=list(TABLES["agents_on_both_batteries"]))
    write_file(out, frame.to_csv(index=False, lineterminator="\n"))
    print(f"{len(AGENTS)} agents on both short forms: {out}")


def _tasks(folder: Path | None, animal_ai: str) -> list[Task]:
    return [task for task in find_tasks(None, folder, animal_ai) if task.id in SHORT_FORM]


def _played(order: _Order) -> list[tuple[str, str, str, str, str, int, int, int]]:
    """Tasks and passes of an agent by level; a task without a mark does not count."""
    verdicts: dict[int, list[bool]] = {}
    tasks = _tasks(order.folder, order.animal_ai)
    tasks_version, arena_llm = (
        short_form_version({task.id: task.sha256 for task in tasks}),
        version("arena-llm"),
    )
    for task in tasks:
        with Episode(task.spec, task_id=task.id) as episode:
            if (passed := passes(order.agent, episode)) is not None:
                verdicts.setdefault(task.level, []).append(passed)
    return [
        (order.agent, order.battery, tasks_version, arena_llm, order.animal_ai, level, len(found), sum(found))
        for level, found in sorted(verdicts.items())
    ]


if __name__ == "__main__":
    typer.run(main)
