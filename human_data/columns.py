"""Descriptions of the tables of baselines and their columns, read from `columns.yaml`."""

from importlib.resources import files
from typing import Literal, NamedTuple

import yaml

Kind = Literal["integer", "float", "string", "boolean"]


class Column(NamedTuple):
    """A column: name, kind of values, unit ("-" for none), meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


class TableDescription(NamedTuple):
    """A table: its contents in a phrase, the source of its counts, and its columns in order."""

    about: str
    source: str
    columns: tuple[Column, ...]


TABLE_DESCRIPTIONS = {
    name: TableDescription(table["about"], table["source"], tuple(Column(*row) for row in table["columns"]))
    for name, table in yaml.safe_load(
        (files("human_data") / "columns.yaml").read_text(encoding="utf-8")
    ).items()
}
"""Every table of baselines, by the name of the function in `human_data.baselines` that returns it."""

KNOWN_ERROR = (
    "The published figure of the Animal-AI 3 paper (arXiv 2312.11414) shows wrong pass rates of children: "
    "its script mixes pass flags and scores under one task name and compares both with the pass mark, which "
    "gives 0.600 overall instead of 0.559 (1320 of 2360), and is off by up to 0.41 on a level. Here only the "
    "pass flags are counted, which agree with score >= pass mark in every recorded attempt."
)
"""A known error in a published figure, and how this project avoids it."""
