"""The paper's Table 2."""

import csv
from importlib.resources import files

COLUMNS = ("context accuracy, %", "context reward", "accuracy, %", "reward")
"""After the four context panels, and after the episode; rewards are totals."""


def published() -> dict[str, tuple[float, ...]]:
    """Rows of `COLUMNS`, by our agents' names."""
    text = files("suites.est").joinpath("published.csv").read_text(encoding="utf-8")
    return {name: tuple(map(float, figures)) for name, *figures in csv.reader(text.splitlines()[1:])}
