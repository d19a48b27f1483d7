"""Find commands, and print errors as one sentence."""

import errno
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from arena.errors import ArenaError
from arena.packages import missing_package
from arena_llm.console import INTERRUPTED
from arena_llm.interrupts import exit_unwritten
from arena_llm.options import command_of, group_of, suite_in
from evaluation.suites import DEFAULT, register_on_use

_OF_SUITES = ("eval", "estimate", "dataset", "mcp", "serve")
"""Commands whose options are those of the chosen suite."""

_FOR_PEOPLE = "play"
"""Command with such options only for suites other than the arena, where people play with keys."""

_COMMANDS = (
    *_OF_SUITES,
    *("report", "verify", "compare", "probe", "prompts", "run", "replay", "show", "fidelity"),
    *("conformance", "play", "study", "baselines", "doctor"),
)
"""Each is the function `NAME_command` of its module in `arena_llm.commands`, which is imported on use."""

_GROUPS = ("testbed", "people", "submission", "suites")
"""The same of commands that have commands: `NAME_app`."""


def _loaded(name: str, suite: str) -> Any:
    module = import_module(f"arena_llm.commands.{name}")
    if name in _GROUPS:
        return group_of(getattr(module, f"{name}_app"), name)
    if name == _FOR_PEOPLE and suite != DEFAULT:
        return command_of(module.play_suite_command, name, suite)
    return command_of(getattr(module, f"{name}_command"), name, suite if name in _OF_SUITES else None)


class _Commands(TyperGroup):
    """Commands imported when called; Ctrl-C is reported in a sentence (Typer: "Aborted")."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*_COMMANDS, *_GROUPS, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in (*_COMMANDS, *_GROUPS):
            return _loaded(cmd_name, DEFAULT)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command, with the options of the suite in its arguments."""
        if args[0] in (*_OF_SUITES, _FOR_PEOPLE) and (suite := suite_in(args)) != DEFAULT:
            return args[0], _loaded(args[0], suite), args[1:]
        return super().resolve_command(ctx, args)

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


def main() -> None:
    """Run the command; an error that a user can fix is one sentence and exit status 1."""
    register_on_use()
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
