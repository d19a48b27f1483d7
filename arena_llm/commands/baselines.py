"""Command `arena-llm baselines`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from arena_llm.console import wide_console

if TYPE_CHECKING:
    import pandas as pd


def baselines_command(
    table: Annotated[
        str | None, typer.Argument(help="Table to print. Default: list all tables.", show_default=False)
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="CSV instead of a table.")] = False,
) -> None:
    """Print published numbers of children, the 2019 competition, agents and models."""
    from human_data.baselines import KNOWN_ERROR, TABLE_DESCRIPTIONS, baseline_table

    if table is None:
        if csv:
            raise typer.BadParameter("name a table, such as children_by_task", param_hint="TABLE")
        _list()
        return
    frame = baseline_table(table)
    if csv:
        frame.to_csv(sys.stdout, index=False)
        return
    description = TABLE_DESCRIPTIONS[table]
    console = wide_console(110)
    console.print(_table(table, frame))
    meanings = Table("Column", "Kind", "Unit", "Meaning", title="Columns")
    for column in description.columns:
        meanings.add_row(*column)
    console.print(meanings)
    console.print(f"Source: {description.source}. More: human_data/README.md", highlight=False)
    if table.startswith("children"):
        console.print(f"Note: {KNOWN_ERROR}", highlight=False)


def _list() -> None:
    from human_data.baselines import KNOWN_ERROR, TABLE_DESCRIPTIONS, baseline_table

    listed = Table("Table", "Rows", "What", "Source")
    for name, description in TABLE_DESCRIPTIONS.items():
        listed.add_row(name, str(len(baseline_table(name))), description.about, description.source)
    console = wide_console(110)
    console.print(listed)
    console.print(
        "arena-llm baselines TABLE prints one table and explains its columns; --csv prints it as CSV."
    )
    console.print(f"Note: {KNOWN_ERROR}", highlight=False)


def _table(name: str, frame: "pd.DataFrame") -> Table:
    printed = Table(*map(str, frame.columns), title=name)
    for row in frame.itertuples(index=False):
        printed.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row))
    return printed
