"""The `arena-llm` command."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

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
from arena_llm.commands.testbed import testbed_app
from arena_llm.commands.verify import verify_command
from arena_llm.engine_option import EngineName, EngineOption, RayAddress, opened
from arena_llm.status import INTERRUPTED
from arena_llm.version_option import AnimalAI


class _Commands(TyperGroup):
    """Says in a sentence that Ctrl-C stopped a command, which Typer would put as "Aborted"."""

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
app.command("estimate")(estimate_command)
app.command("eval")(evaluate_command)
app.command("play")(play_command)
app.command("study")(study_command)
app.command("probe")(probe_command)
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


@app.command("baseline")
def baseline_command(
    agent: Annotated[str, typer.Option(help="random, held, braitenberg, oracle or policy:FILE.")],
    out: Annotated[Path, typer.Option(help="CSV file to write: one row per episode.")],
    levels: Annotated[
        str | None, typer.Option(help="Levels to play, such as 1-3 or 1,4; all where left out.")
    ] = None,
    testbed: Annotated[
        Path | None, typer.Option(help="Folder of task files; the shipped battery where left out.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Times that each task is played.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the arenas' and the agent's randomness.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; as many as processors where left out.")
    ] = None,
    animal_ai: AnimalAI = "3.1.3",
    engine: EngineOption = EngineName.LOCAL,
    ray_address: RayAddress = None,
) -> None:
    """Play an agent that acts at every step without a model, and compare it with published ones.

    Published numbers of children and others are printed by `arena-llm baselines` (with an s).
    """
    from arena_llm.baseline import run_baseline
    from report.comparison.published_agents import OTHER_BATTERY, compare_with_published, published_table

    console = Console()
    try:
        with opened(engine, ray_address, jobs) as spread:
            results = run_baseline(agent, levels, testbed, animal_ai, trials, seed, out, console, spread)
    except KeyboardInterrupt:
        print(f"Stopped. The episodes so far are in {out}.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    console.print(published_table(compare_with_published(results)))
    if testbed is None:
        console.print(OTHER_BATTERY)
    console.print(f"Episodes: {out}", soft_wrap=True)


def main() -> None:
    """Run the command; every error that a user can mend is one sentence and exit status 1."""
    try:
        app()
    except ArenaError as error:
        print(f"arena-llm: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(1)
