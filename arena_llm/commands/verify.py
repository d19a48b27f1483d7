"""Command `arena-llm verify`."""

import json
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import RecordingError
from arena.files import check_output, write_file
from arena.processes import Engine, in_order
from arena_llm.console import line_console, progress_bar, stoppable
from arena_llm.options import EngineName, EngineOption, Jobs, RayAddress, located_testbed, open_engine
from evaluation.verify.sources import Checked, Options, Source, find_sources, located, verify_located


def verify_command(
    targets: Annotated[
        list[Path], typer.Argument(help="Logs (.eval), recordings (.json), or folders of them.")
    ],
    frames: Annotated[bool, typer.Option("--frames", help="Comparison of every sent picture, too.")] = False,
    jobs: Jobs = None,
    testbed: Annotated[
        Path | None,
        typer.Option(
            callback=located_testbed,
            metavar="DIR",
            help="Folder of task files, or original or llm-aai. Default: as in the log.",
        ),
    ] = None,
    task: Annotated[str | None, typer.Option(help="Task file or id of all episodes.")] = None,
    out: Annotated[Path | None, typer.Option("--json", help="JSON file for the findings.")] = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Replay logged episodes and compare every logged value; status 1 if one differs."""
    from arena_llm.verify import is_recording

    console = line_console()
    every: list[Checked] = []
    check_output(out)
    with stoppable(lambda: f"Stopped after {len(every)} episodes."):
        found = find_sources(targets, is_recording)
        with open_engine(engine, ray_address, jobs) as opened:
            verify_sources(found.sources, Options(frames, testbed, task), opened, every)

    from arena_llm.verify import as_json, pass_rates, print_findings, print_summary, worst

    rates, unknown = pass_rates(found.logs, every)
    print_findings(console, every, rates)
    print_summary(console, every, unknown, len(found.skipped))
    if out:
        write_file(out, json.dumps(as_json(every, rates), indent=1) + "\n")
    if problem := worst(every, rates):
        raise RecordingError(problem)


def verify_sources(
    sources: tuple[Source, ...], options: Options, engine: Engine, every: list[Checked]
) -> None:
    """Verify all sources; append each result to `every`."""
    from arena_llm.verify import verify

    jobs = min(engine.jobs, len(sources))
    items = (located(source, options) for source in sources)
    work = in_order(partial(verify_located, options=options, verify=verify), items, jobs, engine, str)
    with closing(work), progress_bar() as bar:
        for checked in bar.track(work, total=len(sources), description="replaying"):
            every += checked
