"""The `arena-llm` command: registers the commands and turns errors into one sentence."""

import errno
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from arena.errors import ArenaError, ConfigError
from arena.packages import missing_package
from arena_llm.commands.baselines import baselines_command
from arena_llm.commands.compare import compare_command
from arena_llm.commands.dataset import dataset_command
from arena_llm.commands.doctor import doctor_command
from arena_llm.commands.estimate import estimate_command
from arena_llm.commands.eval import evaluate_command
from arena_llm.commands.fidelity import fidelity_command
from arena_llm.commands.people import people_app
from arena_llm.commands.play import play_command, play_suite_command
from arena_llm.commands.probe import probe_command
from arena_llm.commands.prompts import prompts_command
from arena_llm.commands.replay import replay_command
from arena_llm.commands.report import report_command
from arena_llm.commands.run import run_command
from arena_llm.commands.show import show_command
from arena_llm.commands.study import study_command
from arena_llm.commands.submission import submission_app
from arena_llm.commands.suites import suites_app
from arena_llm.commands.testbed import testbed_app
from arena_llm.commands.verify import verify_command
from arena_llm.console import INTERRUPTED
from arena_llm.interrupts import exit_unwritten
from arena_llm.suite_options import command_for, suite_in, with_choices
from evaluation.suites import DEFAULT

_OF_SUITES: dict[str, Callable[..., None]] = {"eval": evaluate_command, "estimate": estimate_command}
"""Commands whose options are those of the chosen suite."""

_OF_OTHER_SUITES = {**_OF_SUITES, "play": play_suite_command}
"""The same for suites other than the default; by keys in the arena, people play in another way."""


class _Commands(TyperGroup):
    """Gives commands the options of the chosen suite, and reports Ctrl-C in a sentence (Typer: "Aborted")."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command, with the options of the suite that its arguments name."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in _OF_OTHER_SUITES and (suite := suite_in(rest)) != DEFAULT:
            command = command_for(_OF_OTHER_SUITES[name], suite)
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print("arena-llm: stopped", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=_Commands,
    help="Measure physical common sense in the Animal-AI arena.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_UNWRITTEN = {errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG}
_COMMANDS: dict[str, Callable[..., None]] = {
    **{name: with_choices(command, DEFAULT) for name, command in _OF_SUITES.items()},
    "report": report_command,
    "verify": verify_command,
    "compare": compare_command,
    "probe": probe_command,
    "prompts": prompts_command,
    "dataset": dataset_command,
    "run": run_command,
    "replay": replay_command,
    "show": show_command,
    "fidelity": fidelity_command,
    "play": play_command,
    "study": study_command,
    "baselines": baselines_command,
    "doctor": doctor_command,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)
app.add_typer(testbed_app, name="testbed")
app.add_typer(people_app, name="people")
app.add_typer(submission_app, name="submission")
app.add_typer(suites_app, name="suites")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"arena-llm {version('arena-llm')}")
        raise typer.Exit


@app.callback()
def _options(
    shown: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version.")
    ] = False,
) -> None:
    """Measure physical common sense in the Animal-AI arena."""


@app.command("bench", hidden=True, context_settings={"ignore_unknown_options": True})
def _bench(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Say where the benchmarks are, which were a command once."""
    raise ConfigError("the benchmarks are in the source tree: run `python -m benchmarks` in a clone")


def main() -> None:
    """Run the command; an error that a user can fix is one sentence and exit status 1."""
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except ArenaError as error:
        print(f"arena-llm: {error}", file=sys.stderr)
        sys.exit(1)
    except ModuleNotFoundError as error:
        if not (missing := missing_package(error)):
            raise
        print(f"arena-llm: {missing}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        # Files are written elsewhere: their errors have a name, or are sentences already.
        if error.filename is None and error.errno in _UNWRITTEN:
            exit_unwritten(error)
        if error.errno != errno.ENAMETOOLONG:
            raise
        print(f"arena-llm: {str(error.filename)[:60]}...: {error.strerror}", file=sys.stderr)
        sys.exit(1)
