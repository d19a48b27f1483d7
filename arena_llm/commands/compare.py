"""The command `arena-llm compare`."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import EvaluationError
from arena_llm.status import INTERRUPTED
from arena_llm.wide import wide_console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.request import EvalRequest
    from report.comparison.whole import Comparison

PLAYED = "Playing (only with --run)"


Runs = Annotated[
    list[str] | None,
    typer.Argument(
        help="A report's results.csv or folder, a log (.eval), or a database of people's data; "
        "NAME=FILE renames its agent."
    ),
]
Others = Annotated[
    str,
    typer.Option(
        "--with",
        help="With whom: children, competition, agents, models, and studies (.csv, .parquet, .db or a "
        "database's URL, with #STUDY where it has several), with commas between.",
    ),
]
Version = Annotated[
    str | None,
    typer.Option(
        help="Version of Animal-AI: with --run the one to play (2 where left out, as children were "
        "scored), and what a RUN was played with that does not say so itself."
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        help="Offline agent to play first where its log is not there yet, such as arena/pixels; "
        "may be repeated.",
        rich_help_panel=PLAYED,
    ),
]
Testbed = Annotated[
    Path | None,
    typer.Option(help="Folder of task files; the shipped battery where left out.", rich_help_panel=PLAYED),
]
Tasks = Annotated[
    str, typer.Option(help="Ids of the tasks, or children: the 40 they did.", rich_help_panel=PLAYED)
]
Trials = Annotated[int, typer.Option(min=1, help="Trials per task.", rich_help_panel=PLAYED)]
LogDir = Annotated[Path, typer.Option(help="Folder for logs.", rich_help_panel=PLAYED)]


def compare_command(
    runs: Runs = None,
    others: Others = "children,competition,models",
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("comparison"),
    original: Annotated[
        bool, typer.Option("--original", help="The tasks are the original battery's files.")
    ] = False,
    animal_ai: Version = None,
    run: Agents = None,
    testbed: Testbed = None,
    tasks: Tasks = "children",
    trials: Trials = 1,
    log_dir: LogDir = Path("logs"),
) -> None:
    """Compare runs with children, the 2019 competition, published agents and models, and studies."""
    from evaluation.folders import check_writable
    from report.comparison.whole import compare
    from report.comparison_pages import read_groups, read_runs_apart

    if not runs and not run:
        raise typer.BadParameter("name a run, or an agent to play with --run", param_hint="RUN")
    _check_version(animal_ai)
    groups = read_groups([word.strip() for word in others.split(",") if word.strip()])
    named = [_named(text) for text in runs or ()]
    found = read_runs_apart(named, original=original, animal_ai=animal_ai)
    requests = _requests(run or (), testbed, tasks, trials, animal_ai)
    check_writable(out, "--out")
    logs = [_log_of(request, log_dir) for request in requests]
    if logs:
        played = [*named, *((None, str(log)) for log in logs)]
        found = read_runs_apart(played, original=original, animal_ai=animal_ai)
    places = [*named, *((None, str(log)) for log in logs)]
    origins = _without_password("; ".join(f"{name} = {at}" if name else at for name, at in places))
    _report(compare(found, groups), out, {"runs": origins, "compared with": _without_password(others)})


def _named(text: str) -> tuple[str | None, str]:
    """NAME=PLACE; a URL or a path that has an equals sign of its own is taken as it is."""
    name, equals, place = text.partition("=")
    own = not equals or not name or ":" in name or Path(text).exists()
    return (None, text) if own else (name, place)


def _without_password(place: str) -> str:
    return re.sub(r"//[^@/,]*@", "//", place)


def _check_version(animal_ai: str | None) -> None:
    from arena.errors import ConfigError
    from arena.taskfile import versions

    known = tuple(versions.Version)
    if animal_ai is not None and animal_ai not in known:
        raise ConfigError(f"--animal-ai: got {animal_ai!r}, expected one of: {', '.join(known)}")


def _requests(
    agents: "Sequence[str]", testbed: Path | None, tasks: str, trials: int, animal_ai: str | None
) -> "list[EvalRequest]":
    """What is to be played, checked before anything is: only agents that cost nothing."""
    from evaluation.models import full_name
    from evaluation.request import EvalRequest
    from evaluation.suites import get_suite
    from report.comparison.runs import THEIRS

    choices = {"tasks": tasks, "trials": str(trials), "animal_ai": animal_ai or THEIRS}
    suite = get_suite("arena")
    requests = [EvalRequest(suite, agent, testbed, choices=choices) for agent in dict.fromkeys(agents)]
    for request in requests:
        if not full_name(suite, request.model).startswith("arena/"):
            offline = ", ".join(f"arena/{agent}" for agent in suite.agents)
            raise EvaluationError(
                f"--run: got {request.model!r}, expected one of: {offline}; evaluate a model by "
                "arena-llm eval, which has limits on its cost, and name its log here"
            )
        assert request.tasks
    return requests


def _log_of(request: "EvalRequest", log_dir: Path) -> Path:
    """The log of a finished run; what is missing is played first."""
    from evaluation.evaluate import earlier_log, evaluate

    earlier = earlier_log(request, log_dir)
    if earlier and earlier[1]:
        print(f"{request.model}: {earlier[0]} is there already", file=sys.stderr)
        return earlier[0]
    print(f"{request.model}: playing {len(request.tasks)} tasks", file=sys.stderr)
    try:
        return evaluate(request, log_dir, resume=earlier is not None, display="none").path
    except KeyboardInterrupt:
        print(f"Stopped. Finished episodes are kept in {log_dir}; the same command goes on.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _report(compared: "Comparison", out: Path, facts: dict[str, str]) -> None:
    from importlib.metadata import version

    from report.comparison import levels_table
    from report.comparison_pages import summary_table, write_comparison

    versions = {run.animal_ai for run in compared.runs}
    same = {"Animal-AI": str(*versions)} if len(versions) == 1 and None not in versions else {}
    known = {"arena-llm": version("arena-llm"), **same, **facts}
    files = write_comparison(compared, out, title="Runs compared", facts=known)
    console = wide_console(100)
    console.print(levels_table(compared.levels))
    console.print(summary_table(compared))
    for text in compared.cautions:
        console.print(text, markup=False, highlight=False)
    console.print(f"Report: {files.page}", soft_wrap=True)
