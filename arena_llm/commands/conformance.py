"""Command `arena-llm conformance`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from arena.errors import EvaluationError
from arena.files import check_output_folder, write_file
from arena_llm.console import line_console, progress_bar, stoppable
from arena_llm.options import AnimalAI
from testbed.originals import located

_SHOWN = 24
"""Pairs of pictures on a sheet: those that differ most."""


def conformance_command(
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            help="Checkout of the original, or original or llm-aai (testbed fetch); may be repeated. Its "
            "programs and tests run on this machine, in a copy.",
        ),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of Unity's CSV logs and pictures NAME.png, each with its arena NAME.yml."),
    ] = None,
    animal_ai: AnimalAI = "4",
    seed: Annotated[int | None, typer.Option(help="Unity's seed. Default: logs 0, pictures 1234.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the page, results and pictures.")] = None,
) -> None:
    """Compare this program with the original's public material; status 1 below a threshold.

    --animal-ai and --seed are those of logs and pictures; the seed matters if an arena is random.
    """
    from arena_llm.fidelity.conformance import AGAINST, CHECKS, Result, Setup, found_in, page
    from arena_llm.fidelity.pictures import write_sheet

    check_output_folder(out)
    folders = [(located(name), ()) for name in source or ()] + [(each, AGAINST) for each in against or ()]
    if not folders:
        raise typer.BadParameter("give one of them", param_hint="--from or --against")
    for folder, _ in folders:
        if not folder.is_dir():
            raise typer.BadParameter(f"{folder}: expected a folder")
    setup, found = Setup(animal_ai, seed, []), list[Result]()
    with stoppable(lambda: f"Stopped after {len(found)} results."), progress_bar() as bar:
        for folder, patterns in folders:
            found.extend(bar.track(found_in(folder, setup, patterns), description=f"comparing {folder}"))
    if not found:
        raise EvaluationError(
            "nothing to compare: expected a checkout of animal-ai, animal-ai-python, animal-ai-e2e or "
            "LLM-AAI, or logs (.csv) and pictures (.png) of Unity, each with its arena (.yml)"
        )
    found.sort(key=lambda each: (list(CHECKS).index(each.check), each.version, each.source))
    text = page(found)
    line_console().print(text)
    if out:
        values = [
            each._asdict() | {"result": each.verdict, "threshold": CHECKS[each.check]} for each in found
        ]
        write_file(out / "conformance.md", text)
        write_file(out / "results.json", json.dumps(values, indent=1) + "\n")
        for side in {pair.ours.shape[0] for pair in setup.pairs}:
            alike = [pair for pair in setup.pairs if pair.ours.shape[0] == side]
            write_sheet(
                out / f"pictures-{side}.png", sorted(alike, key=lambda each: each.match.same)[:_SHOWN]
            )
        line_console().print(f"Results: {out}")
    if any(each.verdict == "missed" for each in found) or not any(each.counts[1] for each in found):
        raise typer.Exit(1)
