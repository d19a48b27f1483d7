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


_THEMES = (
    ("proteomics", "Proteomics", "clustering", "Proteomics"),
    ("chemistry", "Chemistry", "hill climbing", "Combinatorial Chemistry"),
    ("archaeology", "Archaeology", "dating", "Archaeology Dating"),
    ("reactor-lab", "Reactor Lab", "regression", "Reactor Lab"),
    ("plant-nutrients", "Plant Nutrients", "rule induction", "Plant Nutrients"),
    ("space-sick", "Space Sick", "open-ended search", "Space Sick"),
    ("rocket-science", "Rocket Science", "formulas", "It's (not) Rocket Science!"),
    ("translation", "Translation", "grounding of words", "Lost in Translation"),
)
"""In the order of the paper's tables: id, name, skill, name in the package."""

THEMES = tuple(name for name, *_ in _THEMES)
"""Their ids."""

_TESTS = (
    ("dialog", "conversation", "Dialog"),
    ("measurement", "use of an instrument", "Instrument Measurement"),
    ("pick-and-place", "pick up and place", "Pick and Place"),
    ("pick-and-give", "pick up and give", "Pick and Give"),
    ("discovery-feed", "reading posts", "Discovery Feed"),
    ("doors", "doors", "Doors"),
    ("keys", "doors with keys", "Doors with Keys"),
    ("house", "finding the way in a house", "Navigation in a House"),
    ("search", "search", "Search"),
    ("moving-agents", "others that move", "Moving Agents"),
)


@cache
def kinds() -> dict[str, Kind]:
    """All themes by level and all unit tests, by their names."""
    found = [
        Kind(f"{slug}-{level}", theme, level, skill, scenario, level.capitalize())
        for slug, theme, skill, scenario in _THEMES
        for level in LEVELS
    ]
    found += [
        Kind(f"unit-{slug}", "unit tests", "unit", skill, f"Small Skills: {scenario} Test", "Normal")
        for slug, skill, scenario in _TESTS
    ]
    return {kind.name: kind for kind in found}


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
