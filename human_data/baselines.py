"""The shipped tables of baselines as data frames; sources are in `human_data/README.md`."""

from importlib.resources import files
from typing import Literal

import pandas as pd

Scope = Literal["all 900", "children 40"]
"""All 900 tasks of the 2019 battery, or the 40 of them that children did, four a level."""

_TWIN = "Psidon"
"""Its results equal Oltau.ai's in all 900 tasks, so the top ten counts the pair once."""


def children_by_level() -> pd.DataFrame:
    """59 children on four tasks a level.

    Columns: `level` 1-10; `children`; `trials`; `passes`; `pass_rate`; `sd`, `quartile_1`, `median`,
    `quartile_3` of the share of the four tasks that a child passed.
    """
    return _with_rate(_read("children_by_level"))


def children_by_task() -> pd.DataFrame:
    """59 children on each of the 40 tasks.

    Columns: `task_id`; `level`; `pass_mark`; `children`; `passes`; `pass_rate`; `mean_score`, `sd_score`
    of the total reward.
    """
    frame = _read("children_by_task")
    return frame.assign(pass_rate=frame["passes"] / frame["children"])


def competition_by_level(scope: Scope = "children 40") -> pd.DataFrame:
    """The 68 teams of the 2019 competition by level.

    Columns: `team`; `rank` over all 900 tasks; `top_ten` (of distinct results); `level`; `tasks`;
    `passes`; `pass_rate`.
    """
    frame = _read("competition_by_level")
    frame = frame[frame["scope"] == scope].drop(columns="scope").reset_index(drop=True)
    top = frame["top_ten"].astype(bool) & (frame["team"] != _TWIN)
    return frame.assign(top_ten=top, pass_rate=frame["passes"] / frame["tasks"])


def top_ten_by_level(scope: Scope = "children 40") -> pd.DataFrame:
    """The ten best teams of 2019 by level.

    Columns: `level`; `teams`; `pass_rate` (their mean); `quartile_1`, `median`, `quartile_3`, `best`.
    """
    frame = competition_by_level(scope)
    rates = frame[frame["top_ten"]].groupby("level")["pass_rate"]
    return pd.DataFrame(
        {
            "teams": rates.count(),
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
    frame = _read("agents_by_level")
    frame = frame[frame["scope"] == scope].drop(columns="scope").reset_index(drop=True)
    return frame.assign(pass_rate=frame["passes"] / frame["tasks"])


def language_models_by_level() -> pd.DataFrame:
    """Published language-model results that are exact counts (arXiv 2410.23242).

    Columns: `model`; `checkpoint`; `experiment`; `condition`; `level`; `tasks`; `trials`; `passes`;
    `pass_rate`.
    """
    return _with_rate(_read("language_models_by_level"))


def _read(name: str) -> pd.DataFrame:
    with (files("human_data") / f"{name}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file)


def _with_rate(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(pass_rate=frame["passes"] / frame["trials"])
