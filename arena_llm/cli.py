"""The `arena-llm` command."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import arena_llm.commands.testbed_battery  # noqa: F401  (adds commands to `testbed`)
from arena.errors import ArenaError, ConfigError
from arena_llm.commands.baselines import baselines_command
from arena_llm.commands.compare import compare_command
from arena_llm.commands.dataset import dataset_command
from arena_llm.commands.doctor import doctor_command
from arena_llm.commands.estimate import estimate_command
from arena_llm.commands.eval import evaluate_command
from arena_llm.commands.fidelity import fidelity_command
from arena_llm.commands.people import people_app
from arena_llm.commands.play import play_command
from arena_llm.commands.probe import probe_command
from arena_llm.commands.replay import replay_command
from arena_llm.commands.report import report_command
from arena_llm.commands.show import show_command
from arena_llm.commands.study import study_command
from arena_llm.commands.suites import suites_command
from arena_llm.commands.testbed import testbed_app
from arena_llm.commands.verify import verify_command
from arena_llm.status import INTERRUPTED
from arena_llm.suite_options import command_for
from arena_llm.version_option import AnimalAI

_OF_SUITES: dict[str, Callable[..., None]] = {"eval": evaluate_command, "estimate": estimate_command}
"""Commands whose options are those of the chosen suite."""


class _Commands(TyperGroup):
    """Adds the options of a suite, and reports Ctrl-C in a sentence (Typer would print "Aborted")."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command, with the options of the suite that its arguments name."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in _OF_SUITES:
            command = command_for(_OF_SUITES[name], rest)
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
)
app.add_typer(testbed_app, name="testbed")
app.command("baselines")(baselines_command)
app.add_typer(people_app, name="people")
app.command("compare")(compare_command)
app.command("dataset")(dataset_command)
app.command("doctor")(doctor_command)
app.command("fidelity")(fidelity_command)
app.command("replay")(replay_command)
app.command("show")(show_command)
app.command("report")(report_command)
for _name, _function in _OF_SUITES.items():
    app.command(_name, help=_function.__doc__)(lambda: None)
app.command("play")(play_command)
app.command("study")(study_command)
app.command("probe")(probe_command)
app.command("suites")(suites_command)
app.command("verify")(verify_command)


@app.command("bench", hidden=True, context_settings={"ignore_unknown_options": True})
def bench_command(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Say where the benchmarks are."""
    raise ConfigError("the benchmarks are in the source tree: run `python -m benchmarks` in a clone")


@app.command("run")
def run_command(
    task: Annotated[str, typer.Argument(help="A task file, or the id of a shipped task such as 01-01-01.")],
    scripts: Annotated[Path, typer.Option(help="File with one script per line.")],
    frames: Annotated[
        Path | None, typer.Option(help="Folder for the pictures obs-<turn>.<steps>.png.")
    ] = None,
    recording: Annotated[
        Path | None, typer.Option(help="JSON file for the episode, for `arena-llm replay`.")
    ] = None,
    initial: Annotated[
        str, typer.Option(help="Idle steps before the first script: paper or none.")
    ] = "paper",
    seed: Annotated[int, typer.Option(help="Seed of the arena's randomness.")] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Take the paper's script syntax only.")] = False,
    animal_ai: AnimalAI = "3.1.3",
) -> None:
    """Play scripts and print one line of JSON per turn."""
    from arena_llm.commands.run import run_scripts

    for line in run_scripts(task, scripts, frames, initial, seed, strict, animal_ai, recording):
        print(json.dumps(line), flush=True)


def main() -> None:
    """Run the command; every error that a user can mend is one sentence and exit status 1."""
    try:
        app()
    except ArenaError as error:
        print(f"arena-llm: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(1)
