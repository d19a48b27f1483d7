"""People's results as those of groups: the participants of a condition are one agent."""

from collections.abc import Iterable

import pandas as pd

from evaluation.statistics import PERSON

PEOPLE, SCRIPTS = "person", " (scripts)"
"""Name of people as one agent, and the end of the names of those who played by scripts."""


def together(results: pd.DataFrame) -> pd.DataFrame:
    """Results in which each participant is an agent as those of groups, with the column `PERSON`.

    Conditions and trials by scripts stay apart, and blocks if a task is in several of them.
    """
    agents = results["agent"]
    groups = pd.DataFrame({"condition": _texts(results, "condition"), "block": _blocks(results)})
    groups["scripts"] = agents.str.endswith(SCRIPTS).map({True: "scripts", False: ""})
    named = results.assign(
        agent=[group_name(parts) for parts in groups.itertuples(index=False)],
        **{PERSON: agents.str.removesuffix(SCRIPTS)},
    )
    return named.assign(trial=named.groupby(["agent", "task_id"]).cumcount())


def group_name(parts: Iterable[str]) -> str:
    """The name of a group of people by its parts, such as "person (hard, scripts)"."""
    given = ", ".join(filter(None, parts))
    return f"{PEOPLE} ({given})" if given else PEOPLE


def is_group(agent: str) -> bool:
    """Whether an agent's name is that of a group of people."""
    return agent == PEOPLE or agent.startswith(f"{PEOPLE} (")


def _texts(results: pd.DataFrame, column: str) -> "pd.Series[str]":
    """A column of texts, empty where there is none."""
    return results.get(column, pd.Series("", results.index))


def _blocks(results: pd.DataFrame) -> "pd.Series[str]":
    """The blocks of trials if tasks were played in several, otherwise empty texts."""
    blocks = _texts(results, "block")
    shared = blocks.groupby(results["task_id"]).nunique().max() > 1
    return blocks if shared else pd.Series("", results.index)
