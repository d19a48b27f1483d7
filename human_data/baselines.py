"""The shipped tables of baselines as data frames; sources are in `human_data/README.md`."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

import pandas as pd

from arena.errors import EvaluationError

Scope = Literal["all 900", "children 40"]
"""All 900 tasks of the 2019 battery, or the 40 of them that children did, four a level."""

_TWIN = "Psidon"
"""Its results equal Oltau.ai's in all 900 tasks, so the top ten counts the pair once."""

TABLES: dict[str, tuple[str, ...]] = {
    "children_by_level": (
        *("level", "children", "trials", "passes"),
        *("sd", "quartile_1", "median", "quartile_3"),
    ),
    "children_by_task": ("task_id", "level", "pass_mark", "children", "passes", "mean_score", "sd_score"),
    "competition_by_level": ("team", "rank", "top_ten", "level", "scope", "tasks", "passes"),
    "agents_by_level": ("agent", "paper_version", "run", "level", "scope", "tasks", "passes"),
    "language_models_by_task": (
        *("model", "checkpoint", "experiment", "condition"),
        *("task_id", "level", "trials", "passes"),
    ),
}
"""The shipped files, without `.csv`, and the columns of each."""


def children_by_level() -> pd.DataFrame:
    """59 children on four tasks a level.

    Columns: `level` 1-10; `children`; `trials`; `passes`; `pass_rate`; `sd`, `quartile_1`, `median`,
    `quartile_3` of the share of the four tasks that a child passed.
    """
    return _with_rate(read_table("children_by_level"), "trials")


def children_by_task() -> pd.DataFrame:
    """59 children on each of the 40 tasks.

    Columns: `task_id`; `level`; `pass_mark`; `children`; `passes`; `pass_rate`; `mean_score`, `sd_score`
    of the total reward.
    """
    return _with_rate(read_table("children_by_task"), "children")


def competition_by_level(scope: Scope = "children 40") -> pd.DataFrame:
    """The 68 teams of the 2019 competition by level.

    Columns: `team`; `rank` over all 900 tasks; `top_ten` (of distinct results, over all 900 tasks);
    `level`; `tasks`; `passes`; `pass_rate`.
    """
    frame = _with_rate(_in_scope("competition_by_level", scope), "tasks")
    return frame.assign(top_ten=frame["top_ten"].astype(bool) & (frame["team"] != _TWIN))


def top_ten_by_level(scope: Scope = "children 40") -> pd.DataFrame:
    """The ten best teams of 2019 by level.

    Columns: `level`; `teams`; `tasks` (each team did them once); `passes` of all ten together;
    `pass_rate` (the teams' mean); `quartile_1`, `median`, `quartile_3`, `best` of the teams' rates.
    """
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
    """Random, heuristic and learned agents (arXiv 2312.11414).

    Columns: `agent`; `paper_version`; `run`; `level`; `tasks`; `passes`; `pass_rate`.
    """
    return _with_rate(_in_scope("agents_by_level", scope), "tasks")


def language_models_by_task() -> pd.DataFrame:
    """Published language-model results that are exact counts (arXiv 2410.23242).

    Columns: `model`; `checkpoint`; `experiment`; `condition`; `task_id`; `level`; `trials`; `passes`;
    `pass_rate`.
    """
    return _with_rate(read_table("language_models_by_task"), "trials")


def read_table(name: str, folder: Traversable | None = None) -> pd.DataFrame:
    """One of `TABLES`, from this package where no folder is named.

    Raises EvaluationError where the file is absent, is no CSV, or lacks columns or values.
    """
    path = (folder or files("human_data")) / f"{name}.csv"
    advice = "install arena-llm again"
    try:
        with path.open(encoding="utf-8") as file:
            frame = pd.read_csv(file)
    except OSError as error:
        raise EvaluationError(
            f"{path}: this table cannot be read ({error.strerror or error}); {advice}"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: no valid CSV ({str(error).strip()}); {advice}") from None
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
