"""The shipped tables of baselines as data frames; `human_data/README.md` lists their sources."""

from collections.abc import Callable
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal, NamedTuple

import pandas as pd

from arena.errors import EvaluationError
from arena.packages import data_of
from evaluation.statistics import wilson

Scope = Literal["all 900", "children 40"]
"""All 900 tasks of the 2019 battery, or the children's 40. There are four per level."""

_DUPLICATE = "Psidon"
"""Entry that equals Oltau.ai in all 900 tasks. The pair counts once in the top ten."""

TABLES: dict[str, tuple[str, ...]] = {
    name: tuple(table["file"].split())
    for name, table in data_of("human_data", "columns.yaml").items()
    if "file" in table
}
"""The shipped files, without `.csv`, and the columns of each."""


def children_by_level() -> pd.DataFrame:
    """59 children on four tasks per level; `columns.TABLE_DESCRIPTIONS` explains the columns."""
    return _with_rate(read_table("children_by_level"), "trials")


def children_by_task() -> pd.DataFrame:
    """Return 59 children's results on each of the 40 tasks. With Wilson's 95 % interval over children."""
    frame = _with_rate(read_table("children_by_task"), "children")
    ends = [wilson(*counts) for counts in zip(frame["passes"], frame["children"], strict=True)]
    return frame.assign(low=[low for low, _ in ends], high=[high for _, high in ends])


def children_passed_of_level() -> pd.DataFrame:
    """Return the numbers of children who passed 0 to 4 tasks. There are 59, and 4 a level."""
    return read_table("children_passed_of_level")


def children_passed_of_40() -> pd.DataFrame:
    """Return the numbers of 59 children who passed 0 to 40 tasks."""
    return read_table("children_passed_of_40")


def competition() -> pd.DataFrame:
    """Return the 68 teams of 2019, best first. Tasks passed, of all 900 and of the children's 40."""
    parts = []
    scopes: tuple[tuple[Scope, int], ...] = (("all 900", 900), ("children 40", 40))
    for scope, tasks in scopes:
        levels = competition_by_level(scope).groupby(["team", "rank", "top_ten"], sort=False)
        passes = levels["passes"].sum().rename(f"passes_{tasks}")
        parts += [passes, (passes / tasks).rename(f"pass_rate_{tasks}")]
    return pd.concat(parts, axis=1).reset_index().sort_values("rank", kind="stable", ignore_index=True)


def competition_by_level(scope: Scope = "children 40") -> pd.DataFrame:
    """Return the 68 teams of the 2019 competition by level."""
    return _teams(_with_rate(_in_scope("competition_by_level", scope), "tasks"))


def competition_by_task() -> pd.DataFrame:
    """Return the 2019 teams' results on each of the children's 40 tasks."""
    ranks = read_table("competition_by_level")[["team", "rank", "top_ten"]].drop_duplicates("team")
    frame = ranks.merge(read_table("competition_by_task"), on="team", validate="one_to_many")
    return _teams(frame).astype({"passed": bool})


def top_ten_by_level(scope: Scope = "children 40") -> pd.DataFrame:
    """Return the ten best teams of 2019 by level."""
    frame = competition_by_level(scope)
    levels = frame[frame["top_ten"]].groupby("level")
    rates = levels["pass_rate"]
    return pd.DataFrame(
        {
            "teams": rates.count(),
            "tasks": levels["tasks"].first(),
            "passes": levels["passes"].sum(),
            "pass_rate": rates.mean(),
            "quartile_1": rates.quantile(0.25),
            "median": rates.median(),
            "quartile_3": rates.quantile(0.75),
            "best": rates.max(),
        }
    ).reset_index()


def agents_by_level(scope: Scope = "children 40") -> pd.DataFrame:
    """Random, heuristic and learned agents (arXiv 2312.11414) by level."""
    return _with_rate(_in_scope("agents_by_level", scope), "tasks")


def agents_by_task() -> pd.DataFrame:
    """Return the agents' results on each of the children's 40 tasks."""
    return read_table("agents_by_task").astype({"passed": bool})


def language_models_by_task() -> pd.DataFrame:
    """Published results of language models, if given as exact counts (arXiv 2410.23242)."""
    return _with_rate(read_table("language_models_by_task"), "trials")


def agents_on_both_batteries() -> pd.DataFrame:
    """Return agents' results on the short form and the children's tasks. Agents of many kinds, by level; the
    short form is that of the shipped battery."""
    return _with_rate(read_table("agents_on_both_batteries"), "tasks")


def baseline_table(name: str) -> pd.DataFrame:
    """Return a table of baselines by name. Raises EvaluationError if there is none."""
    if name not in LOADERS:
        near = get_close_matches(name, LOADERS, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise EvaluationError(f"no table {name!r}; {meant}the tables are {', '.join(LOADERS)}")
    return LOADERS[name]()


LOADERS: dict[str, Callable[[], pd.DataFrame]] = {
    loader.__name__: loader
    for loader in (
        *(children_by_level, children_by_task, children_passed_of_level, children_passed_of_40),
        *(competition, competition_by_level, competition_by_task, top_ten_by_level),
        *(agents_by_level, agents_by_task, language_models_by_task, agents_on_both_batteries),
    )
}
"""Every table of baselines by its name."""


def read_table(name: str, folder: Traversable | None = None) -> pd.DataFrame:
    """One of `TABLES`, from a folder (default: this package). Raises EvaluationError if the file is missing,
    not valid CSV, or lacks columns or values."""
    path = (folder or files("human_data")) / f"{name}.csv"
    advice = "reinstall arena-llm"
    try:
        with path.open(encoding="utf-8") as file:
            frame = pd.read_csv(file)
    except OSError as error:
        raise EvaluationError(
            f"{path}: this table cannot be read ({error.strerror or error}); {advice}"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: not valid CSV ({str(error).strip()}); {advice}") from None
    if tuple(frame.columns) != TABLES[name]:
        raise EvaluationError(
            f"{path}:1: got columns {', '.join(map(str, frame.columns))}; "
            f"expected {', '.join(TABLES[name])}; {advice}"
        )
    incomplete = frame.isna().any(axis=1)
    if incomplete.any():
        raise EvaluationError(f"{path}:{int(incomplete.argmax()) + 2}: a value is missing; {advice}")
    return frame


def _in_scope(name: str, scope: Scope) -> pd.DataFrame:
    frame = read_table(name)
    return frame[frame["scope"] == scope].drop(columns="scope").reset_index(drop=True)


def _with_rate(frame: pd.DataFrame, attempts: str) -> pd.DataFrame:
    return frame.assign(pass_rate=frame["passes"] / frame[attempts])


def _teams(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(top_ten=frame["top_ten"].astype(bool) & (frame["team"] != _DUPLICATE))


Kind = Literal["integer", "float", "string", "boolean"]


class Column(NamedTuple):
    """A column: name, kind of values, unit ("-" for none), meaning."""

    name: str
    kind: Kind
    unit: str
    meaning: str


class TableDescription(NamedTuple):
    """A table: contents in a phrase, source of counts, and columns. Columns are in order."""

    about: str
    source: str
    columns: tuple[Column, ...]


TABLE_DESCRIPTIONS = {
    name: TableDescription(table["about"], table["source"], tuple(Column(*row) for row in table["columns"]))
    for name, table in data_of("human_data", "columns.yaml").items()
}
"""Every table of baselines, by its function in `human_data.baselines`."""

KNOWN_ERROR: str = data_of("human_data", "notes.yaml")["known_error"]
"""Known error in a published figure, and its avoidance here."""
