"""The `arena-llm verify` command."""

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from arena.errors import RecordingError
from arena_llm.engine_option import EngineName, EngineOption, RayAddress, opened
from arena_llm.status import INTERRUPTED
from arena_llm.wide import bar_beside

if TYPE_CHECKING:
    from arena.parallel import Engine
    from evaluation.verify.result import Checked
    from evaluation.verify.sources import Options, Source


def verify_command(
    targets: Annotated[
        list[Path],
        typer.Argument(help="Logs of `eval` (.eval), recordings of `run --recording`, or folders of them."),
    ],
    frames: Annotated[
        bool, typer.Option("--frames", help="Also draw every picture again that a model was sent.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; as many as there are cores where left out.")
    ] = None,
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of the task files; that of the log where left out.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="The task file or id of all the episodes.")] = None,
    out: Annotated[Path | None, typer.Option("--json", help="Also write the findings to this file.")] = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Play logged episodes again and compare every logged value; status 1 if one differs."""
    from arena_llm.pictures.writing import whole_file
    from arena_llm.verify.recordings import is_recording
    from arena_llm.verify.tables import as_json, pass_rates, print_findings, print_summary, worst
    from evaluation.verify.sources import Options, find_sources

    console = Console(soft_wrap=True, highlight=False)
    every: list[Checked] = []
    try:
        found = find_sources(targets, is_recording)
        with opened(engine, ray_address, jobs) as spread:
            _run(found.sources, Options(frames, testbed, task), spread, every)
    except KeyboardInterrupt:
        print(f"Stopped after {len(every)} episodes.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    rates, unknown = pass_rates(found.logs, every)
    print_findings(console, every, rates)
    print_summary(console, every, unknown, len(found.skipped))
    if out:
        with whole_file(out) as beside:
            beside.write_text(json.dumps(as_json(every, rates), indent=1) + "\n", encoding="utf-8")
    if problem := worst(every, rates):
        raise RecordingError(problem)


def _run(sources: "tuple[Source, ...]", options: "Options", engine: "Engine", every: "list[Checked]") -> None:
    """Verify all, and add each result to `every` as it comes."""
    from functools import partial

    from arena.parallel import in_order
    from arena_llm.verify.recordings import verify
    from evaluation.verify.sources import located, verify_located

    jobs = min(engine.jobs, len(sources))
    items = (located(source, options) for source in sources)
    work = in_order(partial(verify_located, options=options, verify=verify), items, jobs, engine, str)
    with closing(work), bar_beside(Console()) as bar:
        for checked in bar.track(work, total=len(sources), description="replaying"):
            every += checked
