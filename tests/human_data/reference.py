"""The shipped tables as they follow from the reference tables, which are not part of this project."""

from pathlib import Path

import pandas as pd

from tests.cases import cases

COLUMNS = cases(__file__)
"""Our table: the reference table, and for each of our columns its own."""

SCOPES = {"testbed_900": "all 900", "children_40": "children 40"}


def converted(folder: Path) -> dict[str, pd.DataFrame]:
    """Our tables by name, in our columns, order and types."""
    tables = {name: pd.read_csv(folder / f"{table['source']}.csv") for name, table in COLUMNS.items()}
    return {name: _ours(name, frame) for name, frame in tables.items()}


def _ours(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    columns = COLUMNS[name]["columns"]
    frame = frame.rename(columns={theirs: ours for ours, theirs in columns.items()})[list(columns)]
    return frame.replace({"scope": SCOPES}) if "scope" in columns else frame
