"""Themes, levels and unit tests, without the package."""

import re
from functools import cache
from typing import NamedTuple

from pydantic_core import PydanticCustomError

from arena.packages import rows_of

LEVELS = ("easy", "normal", "challenge")

METRICS = ("procedure", "completion", "knowledge")
"""The three metrics of the paper, each from 0 to 1."""

PUBLISHED = ("react", "planexec", "hypothesizer", "human")
"""Agents of the paper's Table 4 and people of Table 6, from published.csv."""

MOST_SEEDS = 10_000
"""Exclusive upper limit of seeds."""

PAPER_SEEDS = "0-4"


class Kind(NamedTuple):
    """Theme at a level, or unit test: id without seed, package's names. `skill` describes its tasks."""

    name: str
    theme: str
    level: str
    skill: str
    scenario: str
    difficulty: str


@cache
def kinds() -> dict[str, Kind]:
    """All themes by level, then unit tests, by name, in the paper's order."""
    return {row["name"]: Kind(**row) for row in rows_of("suites.discoveryworld", "kinds.csv")}


THEMES = tuple(name.removesuffix("-easy") for name, kind in kinds().items() if kind.level == "easy")
"""Ids of the themes."""


def selected(name: str) -> list[Kind]:
    """Find the kinds of a name: itself, theme, level, or `unit`. Empty for other names."""
    every = kinds()
    if name in every:
        return [every[name]]
    return [k for k in every.values() if k.level == name or k.name.rpartition("-")[0] == name != "unit"]


def find_world(task_id: str) -> tuple[Kind, int] | None:
    """Split an id such as proteomics-easy-0 into kind and seed, otherwise None."""
    found = re.fullmatch(r"(.+)-(0|[1-9][0-9]{0,3})", task_id)
    kind = kinds().get(found[1]) if found else None
    return (kind, int(found[2])) if found and kind else None


def seed_list(text: str) -> tuple[int, ...]:
    """Parse seeds such as 0-4 or 0,7,100-120. Raises PydanticCustomError for any other."""
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
    """The paper's Tables 4 and 6 by theme and level, agent, and metric."""
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for row in rows_of("suites.discoveryworld", "published.csv"):
        figures = {metric: float(row[metric]) for metric in METRICS}
        found.setdefault((row["theme"], row["level"]), {})[row["who"]] = figures
    return found
