"""Rows of results, and the same beside the paper's Tables 3 and 4."""

import csv
import io
from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

from rich.table import Table

FIGURES = ("context_accuracy", "context_reward", "accuracy", "reward")
"""The columns that the paper has too: after the four context panels, and after the episode."""


class Row(NamedTuple):
    """What one run reached in `episodes` test episodes after `steps` training steps, in `seconds` of
    processor time, tests included. Accuracies are percentages."""

    learner: str
    observation: str
    seed: int
    steps: int
    seconds: int
    episodes: int
    context_accuracy: float
    context_reward: float
    accuracy: float
    reward: float
    versions: str

    @property
    def figures(self) -> tuple[float, ...]:
        """Those of `FIGURES`."""
        return tuple(getattr(self, name) for name in FIGURES)


def as_csv(rows: Iterable[Row]) -> str:
    """Rows as a table with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows(rows)
    return text.getvalue()


def trained() -> list[Row]:
    """The rows that come with the package."""
    kinds: dict[str, type] = Row.__annotations__
    return [Row(**{name: kinds[name](text) for name, text in row.items()}) for row in _table("trained.csv")]


def published() -> dict[tuple[str, str], tuple[float, ...]]:
    """Tables 3 and 4 of the paper, by observation and our learners' names."""
    return {
        (row["observation"], row["learner"]): tuple(float(row[name]) for name in FIGURES)
        for row in _table("published.csv")
    }


def _table(name: str) -> list[dict[str, str]]:
    text = files("suites.est.learners").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


HEADERS = ("learner", "seed", "steps", "tests", "context\nacc., %", "context\nreward", "acc., %", "reward")
"""Of the printed table; "context" is after the four context panels, the last two after the episode."""


CAPTION = "not trained: recurrent DDPG and TD3 (stable-baselines3 has neither); images here: 80 x 60"


def printed(rows: Iterable[Row], title: str) -> Table:
    """Each learner's rows with the paper's figures below; the paper's learners without rows too."""
    table = Table(
        title=title,
        title_justify="left",
        caption_justify="left",
        box=None,
        padding=(0, 1, 0, 0),
        caption=CAPTION,
    )
    for place, header in enumerate(HEADERS):
        table.add_column(header, justify="right" if place else "left", no_wrap=True)
    paper, ours = published(), list(rows)
    for observation, learner in dict.fromkeys([*((r.observation, r.learner) for r in ours), *paper]):
        name = learner if observation == "symbol" else f"{learner}, {observation}"
        for row in ours:
            if (row.observation, row.learner) == (observation, learner):
                cells = (str(row.seed), f"{row.steps:,}", f"{row.episodes:,}")
                table.add_row(name, *cells, *_cells(row.figures))
        if figures := paper.get((observation, learner)):
            table.add_row(name, "paper", "", "", *_cells(figures), style="dim")
    return table


def _cells(figures: Iterable[float]) -> list[str]:
    return [f"{figure:.2f}" for figure in figures]
