"""Commands `arena-llm suites`: list, show, check and create suites."""

import re
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from arena.errors import ArenaError, ConfigError, EvaluationError
from arena.files import write_file
from arena_llm.console import line_console
from evaluation.capabilities import brought, players_of, tools_of
from evaluation.choices.effective import preset_names
from evaluation.scale.references import agent_names, scale_of
from evaluation.suite import Suite
from evaluation.suites import get_suite, suite_names

suites_app = typer.Typer(
    help="List, show, check and create suites of tasks.", invoke_without_command=True, no_args_is_help=False
)

Name = Annotated[str, typer.Argument(help="Installed suite, or MODULE:SUITE for any other.")]


@suites_app.callback()
def suites_command(context: typer.Context) -> None:
    """List the suites and their task versions."""
    if context.invoked_subcommand is not None:
        return
    console = line_console()
    for name in suite_names():
        try:
            suite = get_suite(name)
            console.print(f"{name:<15} {suite.task_version()}  {suite.title}", soft_wrap=True)
        except ArenaError as error:
            console.print(f"{name:<15} {error}", soft_wrap=True)
    typer.echo("\nPresets and agents: arena-llm suites show NAME")
    typer.echo("Run one:            arena-llm eval --suite NAME --model MODEL")


@suites_app.command("show")
def show_command(name: Name) -> None:
    """Show a suite's presets, offline agents and other parts."""
    suite = _suite(name)
    people = "by `arena-llm play`" if brought(suite, "form", "form") or suite.name == "arena" else "cannot"
    facts = {
        "measures": f"{suite.title}; {', '.join(suite.headline)} by {suite.group_name}",
        "tasks": suite.task_version(),
        "presets": ", ".join(preset_names(suite)) or "none",
        "agents": ", ".join(f"{suite.name}/{agent}" for agent in agent_names(suite)),
        "players": ", ".join(players_of(suite)) or "none",
        "tools": ", ".join(tools_of(suite)) or "none",
        "scaled scores": "yes" if scale_of(suite) else "no",
        "people play": people,
    }
    for fact, said in facts.items():
        line_console().print(f"{fact:<14} {said}", soft_wrap=True)


@suites_app.command("check")
def check_command(
    name: Name,
    only: Annotated[
        list[str] | None, typer.Option(help="Check to run; may be repeated. Default: all.")
    ] = None,
) -> None:
    """Check a suite's contract and suggest changes; status 1 if something is wrong."""
    from evaluation.conformance import CHECKS, check_suite

    if wrong := [check for check in only or () if check not in CHECKS]:
        raise ConfigError(f"--only {wrong[0]}: no such check; expected some of {', '.join(CHECKS)}")
    suite, console, faults = _suite(name), line_console(), 0
    for check in only or CHECKS:
        found = check_suite(suite, (check,))
        console.print(f"{check:<14} {'ok' if not found else ''}", markup=False)
        for fault in found:
            console.print(f"  {fault.said}", markup=False, soft_wrap=True)
        faults += len(found)
        if found and check in ("data", "tasks", "texts"):
            break
    if faults:
        raise EvaluationError(f"{name}: {faults} faults; docs/add-suite.md has the contract")


@suites_app.command("new")
def new_command(
    name: Annotated[str, typer.Argument(help="Name of the suite: lower-case letters, digits and _.")],
    out: Annotated[Path, typer.Option(help="Folder for the suite.")] = Path(),
) -> None:
    """Write a small suite that passes all checks, as a start."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ConfigError(f"NAME: got {name!r}, expected lower case letters, digits and _")
    folder = out / name
    if folder.exists():
        raise ConfigError(f"{folder}: exists already; name another --out")
    words = {"name": name, "Name": name.title().replace("_", "")}
    written = {folder / "pyproject.toml": "pyproject.txt", folder / f"{name}_suite.py": "suite.txt"}
    for path, template in written.items():
        text = Template(files("arena_llm").joinpath("skeleton", template).read_text()).substitute(words)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    typer.echo(f"Written: {folder}. Next: pip install -e {folder} && arena-llm suites check {name}")


def _suite(name: str) -> Suite:
    """Find an installed suite, or that of `MODULE:SUITE`."""
    module, colon, attribute = name.partition(":")
    if not colon:
        return get_suite(name)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{name}: cannot be imported ({error}); expected MODULE:SUITE") from None
