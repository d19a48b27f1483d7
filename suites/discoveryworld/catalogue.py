"""The themes, levels and unit tests, without the package."""

import re
from functools import cache
from typing import NamedTuple

from pydantic_core import PydanticCustomError

from arena.packages import rows_of

LEVELS = ("easy", "normal", "challenge")

METRICS = ("procedure", "completion", "knowledge")
"""The three metrics of the paper, each from 0 to 1."""

PUBLISHED = ("react", "planexec", "hypothesizer", "human")
"""The agents of the paper's Table 4 and the people of its Table 6, as in published.csv."""

MOST_SEEDS = 10_000
"""Seeds are below this number."""

PAPER_SEEDS = "0-4"


class Kind(NamedTuple):
    """A theme at a level, or a unit test: its id without the seed, and the names that it has in the package.

    `skill` says what a task of it asks for.
    """

    name: str
    theme: str
    level: str
    skill: str
    scenario: str
    difficulty: str


@cache
def kinds() -> dict[str, Kind]:
    """All themes by level, in the order of the paper's tables, and all unit tests, by their names."""
    return {row["name"]: Kind(**row) for row in rows_of("suites.discoveryworld", "kinds.csv")}


THEMES = tuple(name.removesuffix("-easy") for name, kind in kinds().items() if kind.level == "easy")
"""The ids of the themes."""


def selected(name: str) -> list[Kind]:
    """The kinds that a name stands for: itself, a theme, a level, or `unit`; empty if for none."""
    every = kinds()
    if name in every:
        return [every[name]]
    return [k for k in every.values() if k.level == name or k.name.rpartition("-")[0] == name != "unit"]


def find_world(task_id: str) -> tuple[Kind, int] | None:
    """The kind and the seed of an id such as proteomics-easy-0; None if there is none."""
    found = re.fullmatch(r"(.+)-(0|[1-9][0-9]{0,3})", task_id)
    kind = kinds().get(found[1]) if found else None
    return (kind, int(found[2])) if found and kind else None


def seed_list(text: str) -> tuple[int, ...]:
    """The seeds of a text such as 0-4 or 0,7,100-120. Raises PydanticCustomError for any other."""
    parts = [re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part.strip()) for part in text.split(",")]
    ends = [(int(each[1]), int(each[2] or each[1])) for each in parts if each]
    sound = all(parts) and max(map(max, ends)) < MOST_SEEDS
    seeds = dict.fromkeys(seed for low, high in ends for seed in range(low, high + 1)) if sound else {}
    if not seeds:
        raise PydanticCustomError(
            "seeds", f"numbers below {MOST_SEEDS} and rising ranges, such as 0-4 or 3,7"
        )
    return tuple(seeds)


@cache
def published() -> dict[tuple[str, str], dict[str, dict[str, float]]]:
    """The paper's figures, its Tables 4 and 6: by theme and level, who, and metric."""
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for row in rows_of("suites.discoveryworld", "published.csv"):
        figures = {metric: float(row[metric]) for metric in METRICS}
        found.setdefault((row["theme"], row["level"]), {})[row["who"]] = figures
    return found
