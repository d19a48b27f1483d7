"""Scaled scores as a report shows them: on its pages and in a terminal."""

import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from evaluation.scale.scaled import OVERALL, SCALE_NOTE, Scaled
from report.formats import NONE, decimals, interval
from report.tables import Table

HEADINGS = ("Group", "Who", "Tasks", "Score", "Floor", "Best", "Scaled [95 %]")


def scaled_values(found: Scaled) -> dict[str, Any]:
    """Table and notes for the templates of first pages."""
    rows = [_cells(row) for row in found.table.to_dict("records")]
    return {
        "scaled": Table(HEADINGS, rows, 2),
        "scaled_notes": [*([SCALE_NOTE] if rows else []), *found.reasons],
    }


def scaled_lines(found: Scaled) -> Iterator[str]:
    """A sentence for each agent, for a terminal."""
    whole = found.table[found.table["group"] == OVERALL]
    for row in whole.to_dict("records"):
        if not math.isnan(row["scaled"]):
            yield (
                f"{row['agent']}: scaled score {_scaled(row)}, where 0 is what silence or the prior gets and "
                "1 what the best reference agent gets."
            )
    yield from found.reasons


def _cells(row: Mapping[Hashable, Any]) -> tuple[object, ...]:
    floor = f"{decimals(row['floor'])} ({row['floor_agent']})" if not math.isnan(row["floor"]) else NONE
    ends = (_number(row["score"]), floor, _number(row["best"]))
    return (row["group"], row["agent"], row["tasks"], *ends, _scaled(row))


def _scaled(row: Mapping[Hashable, Any]) -> str:
    return interval("{:.2f}".format, row["scaled"], row["low"], row["high"])


def _number(value: float) -> str:
    return NONE if math.isnan(value) else decimals(value)
