"""The command `arena-llm suites`."""

import typer
from rich.console import Console
from rich.table import Table

from arena.errors import ArenaError


def suites_command() -> None:
    """List the suites with the version of their tasks, and the commands that install missing ones."""
    from evaluation.choices.presets import preset_names
    from evaluation.scale.references import agent_names
    from evaluation.suites import EXTRAS, get_suite, suite_names

    table = Table("suite", "what it measures", "its tasks", "presets", "offline agents")
    for column in table.columns:
        column.overflow = "fold"
    # Names are for copying; what else is long may take several lines.
    table.columns[0].no_wrap = table.columns[2].no_wrap = True
    table.columns[1].width = 15
    for name in suite_names():
        try:
            suite = get_suite(name)
            version = suite.task_version()
        except ArenaError as error:
            table.add_row(name, str(error))
            continue
        presets, agents = preset_names(suite), agent_names(suite)
        table.add_row(name, suite.title, version, ", ".join(presets) or "-", ", ".join(agents) or "-")
    for name, install in EXTRAS.items():
        if name not in suite_names():
            table.add_row(name, f"not installed: {install}")
    Console().print(table)
    typer.echo("Run one with: arena-llm eval --suite NAME --model MODEL")
