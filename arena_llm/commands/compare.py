"""Command `arena-llm compare`."""

import re
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import EvaluationError
from arena_llm.console import stoppable, wide_console
from arena_llm.interrupts import work_begins
from arena_llm.options import TESTBED_HELP, known_version, located_testbed, named_path
from evaluation.request import EvalRequest, full_name
from evaluation.scale.references import agent_names
from evaluation.suites import get_suite

if TYPE_CHECKING:
    from report.comparison.whole import Comparison

PLAYED = "Playing (only with --run)"

RUN = "A report's results.csv or folder, a log (.eval), a submission (.json), or a study's database"

Runs = Annotated[list[str] | None, typer.Argument(help=f"{RUN}; NAME=FILE renames its agent.")]
Others = Annotated[
    str, typer.Option("--with", help="Comparison groups, with commas: children, competition, agents, models.")
]
Original = Annotated[
    bool, typer.Option("--original", help="Runs without digests of their tasks played the original's files.")
]
Version = Annotated[
    str | None,
    typer.Option(
        callback=known_version,
        help="Animal-AI version for --run (default: 2, as children were scored), and of each RUN that "
        "records none.",
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        help="Offline agent, such as arena/pixels, played first unless its log exists; may be repeated.",
        rich_help_panel=PLAYED,
    ),
]
Testbed = Annotated[
    Path | None,
    typer.Option(callback=located_testbed, metavar="DIR", help=TESTBED_HELP, rich_help_panel=PLAYED),
]
Tasks = Annotated[
    str, typer.Option(help="Task ids, or short-form: 40 tasks, four per level.", rich_help_panel=PLAYED)
]
Trials = Annotated[int, typer.Option(min=1, help="Trials per task.", rich_help_panel=PLAYED)]
Hidden = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=FILE: run NAME on a hidden split (testbed generate --hidden), for the contamination gap; "
        "may be repeated."
    ),
]
LogDir = Annotated[Path, typer.Option(help="Folder for logs.", rich_help_panel=PLAYED)]


def compare_command(
    runs: Runs = None,
    others: Others = "children,competition,models",
    hidden: Hidden = None,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("comparison"),
    original: Original = False,
    animal_ai: Version = None,
    run: Agents = None,
    testbed: Testbed = None,
    tasks: Tasks = "short-form",
    trials: Trials = 1,
    log_dir: LogDir = Path("logs"),
) -> None:
    """Compare runs with children, the 2019 competition, published agents and models, and studies."""
    places, splits = [*map(named_path, runs or ())], [*map(named_path, hidden or ())]
    for _, place in (*places, *splits):
        if "://" not in place and "#" not in place and not Path(place).exists():
            raise EvaluationError(
                f"{place}: cannot be read (no such file or folder); expected {RUN[0].lower()}{RUN[1:]}"
            )

    from evaluation.report_folder import check_writable
    from report.comparison.page import studies_summary
    from report.comparison.read import OpenSuite, overviews, read_runs_apart
    from report.comparison.runs import shipped_groups
    from report.comparison.whole import compare

    if not runs and not run:
        raise typer.BadParameter("name a run, or an agent to play with --run", param_hint="RUN")
    groups = shipped_groups([word.strip() for word in others.split(",") if word.strip()])
    studies = overviews([place for _, place in places])
    for table in studies_summary(studies) if len(studies) else ():
        wide_console(100).print(table)
    try:
        found = read_runs_apart(places, original=original, animal_ai=animal_ai)
    except OpenSuite as several:
        print(f"One suite is compared at a time. {several}")
        return
    requests = _requests(run or (), testbed, tasks, trials, animal_ai)
    check_writable(out, "--out")
    if requests:
        places += [(None, str(_log_of(request, log_dir))) for request in requests]
        found = read_runs_apart(places, original=original, animal_ai=animal_ai)
    origins = _without_password("; ".join(f"{name} = {at}" if name else at for name, at in places))
    compared = compare(found, groups, read_runs_apart(splits, animal_ai=animal_ai), studies)
    beside = {"compared with": _without_password(others)} if compared.groups else {}
    _report(compared, out, {"runs": origins, **beside, **({"hidden split": "yes"} if splits else {})})


def _without_password(place: str) -> str:
    return re.sub(r"//[^@/,]*@", "//", place)


def _requests(
    agents: Sequence[str], testbed: Path | None, tasks: str, trials: int, animal_ai: str | None
) -> list[EvalRequest]:
    """Check which runs to play; only agents without cost are allowed."""
    from report.comparison.runs import THEIRS

    choices = {"tasks": tasks, "trials": str(trials), "animal_ai": animal_ai or THEIRS}
    suite = get_suite("arena")
    requests = [EvalRequest(suite, agent, testbed, choices=choices) for agent in dict.fromkeys(agents)]
    for request in requests:
        if not full_name(suite, request.model).startswith("arena/"):
            offline = ", ".join(f"arena/{agent}" for agent in agent_names(suite))
            raise EvaluationError(
                f"--run: got {request.model!r}, expected one of: {offline}; evaluate a model by "
                "arena-llm eval, which has limits on its cost, and name its log here"
            )
        assert request.tasks
    return requests


def _log_of(request: EvalRequest, log_dir: Path) -> Path:
    """Return the log of a finished run, after playing missing episodes."""
    from evaluation.evaluate import earlier_log, evaluate

    earlier = earlier_log(request, log_dir)
    if earlier and earlier[1]:
        print(f"{request.model}: {earlier[0]} already exists", file=sys.stderr)
        return earlier[0]
    work_begins()
    print(f"{request.model}: playing {len(request.tasks)} tasks", file=sys.stderr)
    with stoppable(f"Stopped. Finished episodes are kept in {log_dir}; the same command continues."):
        return evaluate(request, log_dir, resume=earlier is not None, display="none").path


def _report(compared: "Comparison", out: Path, facts: dict[str, str]) -> None:
    from report.comparison.page import gaps_summary, pairs_summary, summary_table, write_comparison
    from report.tables import headline_table, rates_table, scaled_lines

    versions = {run.animal_ai for run in compared.runs}
    same = {"Animal-AI": str(*versions)} if len(versions) == 1 and None not in versions else {}
    known = {"arena-llm": version("arena-llm"), **same, **facts}
    page = write_comparison(compared, out, title="Runs compared", facts=known)
    console = wide_console(100)
    console.print(headline_table(compared.tables["headlines"]).terminal("All tasks"))
    console.print(rates_table(compared.rates.table, compared.group, *compared.rates.notes[:1]))
    if compared.groups:
        console.print(summary_table(compared))
    for table in (pairs_summary(compared), gaps_summary(compared)):
        if table is not None:
            console.print(table)
    for text in (*scaled_lines(compared.scaled), *compared.cautions):
        console.print(text, markup=False, highlight=False)
    console.print(f"Report: {page}", soft_wrap=True)
