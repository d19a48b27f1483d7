"""Commands `arena-llm submission`: write, check and rank files for a leaderboard."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from typer.core import TyperGroup

from arena.errors import EvaluationError, RecordingError
from arena.files import check_output
from arena.processes import Engine
from arena_llm.commands.verify import verify_sources
from arena_llm.console import line_console, stoppable, wide_console
from evaluation.verify.sources import Options, find_sources

if TYPE_CHECKING:
    from evaluation.submission import Submission

_SHOWN = 5
"""Differences from a log that are printed."""


class _WriteByDefault(TyperGroup):
    """Group of commands; `arena-llm submission LOG` stands for `arena-llm submission write LOG`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["write", *args]
        return super().parse_args(ctx, args)


submission_app = typer.Typer(
    cls=_WriteByDefault, help="Write, check and rank runs as files for a leaderboard.", no_args_is_help=True
)


@submission_app.command("write")
def write_command(
    log: Annotated[Path | None, typer.Argument(help="Log (.eval) of the run.")] = None,
    out: Annotated[Path, typer.Option(help="Submission file.")] = Path("submission.json"),
    name: Annotated[str, typer.Option(help="Name of the submitter.")] = "",
    contact: Annotated[str, typer.Option(help="Address of the submitter.")] = "",
    notes: Annotated[str, typer.Option(help="Note for readers.")] = "",
    schema: Annotated[bool, typer.Option("--schema", help="JSON schema of the file, printed.")] = False,
) -> None:
    """Write a run as a file that a leaderboard can read: run card, results and rates."""
    from evaluation import submission as files
    from evaluation.log.run import RunLog

    if schema:
        print(files.schema())
        return
    if log is None:
        raise typer.BadParameter("name a log, or --schema", param_hint="LOG")
    if not name:
        raise typer.BadParameter("say who submits", param_hint="--name")
    submitter = files.Submitter(name=name, contact=contact, notes=notes)
    check_output(out)
    run = RunLog(log)
    made = files.submission(run, submitter)
    files.write_submission(made, out)
    _print_state(out, made, "agrees with its results")


@submission_app.command("check")
def check_command(
    file: Annotated[Path, typer.Argument(help="Submission (.json).")],
    log: Annotated[Path | None, typer.Option(help="Log (.eval) to compare with.")] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Replay of every episode, too; needs --log.")
    ] = False,
) -> None:
    """Check a submission alone, against its log, or by replaying every episode."""
    from evaluation.log.run import RunLog
    from evaluation.submission import log_problems, read_submission

    if replay and log is None:
        raise typer.BadParameter("plays the episodes of a log: give --log too", param_hint="--replay")
    made = read_submission(file)
    agrees = "agrees with its results"
    if log is not None:
        found = list(log_problems(made, RunLog(log)))
        if found:
            more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise EvaluationError(f"{file}: does not match {log}: {'; '.join(found[:_SHOWN])}{more}")
        agrees += " and with its log"
    if replay and log is not None:
        _replay(log)
        agrees += ", which a replay reproduces"
    _print_state(file, made, agrees)


@submission_app.command("rank")
def rank_command(files: Annotated[list[Path], typer.Argument(help="Submissions (.json).")]) -> None:
    """Rank submissions of the same tasks and trials by pass rate; missing trials count as failed."""
    from evaluation.submission import ranked, read_submission, recomputed

    console = wide_console(100)
    boards = ranked([(path, read_submission(path)) for path in files])
    for title, entries in boards:
        headings = ("Rank", "Agent", "Submitter", "Passed", "95 % interval", "Judged", "Missing")
        table = Table(*headings, title=title)
        for entry in entries:
            overall = recomputed(entry.made)[0]
            passed = f"{_percent(overall.pass_rate)} ({overall.passes} of {overall.planned})"
            interval = f"{_percent(overall.low)} to {_percent(overall.high)}"
            judged, missing = _percent(overall.judged_rate), str(overall.missing)
            named = (str(entry.rank), entry.made.card.agent, entry.made.submitter.name)
            table.add_row(*named, passed, interval, judged, missing)
        console.print(table)
    if len(boards) > 1:
        print("Runs on different tasks, or with another number of trials, are not ranked together.")
    for path, made in ((entry.path, entry.made) for _, entries in boards for entry in entries):
        _print_unchecked(path, made)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _print_state(path: Path, made: "Submission", agrees: str) -> None:
    from evaluation.submission import recomputed

    overall = recomputed(made)[0]
    rate = f"{overall.passes} of {overall.planned} trials passed"
    rate += f" ({overall.missing} missing)" * bool(overall.missing)
    line_console().print(f"{path}: {made.card.agent}, {rate}; {agrees}.")
    _print_unchecked(path, made)


def _print_unchecked(path: Path, made: "Submission") -> None:
    from evaluation.submission import unchecked

    for sentence in unchecked(made):
        line_console().print(f"{path}: {sentence}.", markup=False)


def _replay(log: Path) -> None:
    """Raise RecordingError if the replies do not reproduce an episode."""
    from arena_llm.verify import is_recording, pass_rates, print_findings, worst

    found = find_sources([log], is_recording)
    every: list[Any] = []
    with stoppable(lambda: f"Stopped after {len(every)} episodes."):
        verify_sources(found.sources, Options(), Engine(1), every)
    rates, _ = pass_rates(found.logs, every)
    if problem := worst(every, rates):
        print_findings(line_console(), every, rates)
        raise RecordingError(f"{log}: {problem}")
