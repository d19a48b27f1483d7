"""Results of studies by group: a condition's people, or one agent's participants."""

import pandas as pd

from evaluation.results import OF_PEOPLE
from evaluation.statistics import PERSON

PEOPLE = "person"
"""Agent name of people in tables of results."""


def together(results: pd.DataFrame) -> pd.DataFrame:
    """Name agents by group, such as "person (hard, scripts)".

    Conditions stay apart, people's trials by scripts, children and adults if there are both, and blocks if a
    task is in several of them. Results without participants are returned unchanged.
    """
    if PERSON not in results:
        return results
    results = results.assign(**{name: "" for name in OF_PEOPLE if name not in results})
    people = results["agent"] == PEOPLE
    shared = results["block"].groupby(results["task_id"]).nunique().max() > 1
    parts = pd.DataFrame(
        {
            "kind": results["kind"].where(people & (results["kind"][people].nunique() > 1), ""),
            "condition": results["condition"],
            "block": results["block"] if shared else "",
            "scripts": results["mode"].where(people & (results["mode"] == "scripts"), ""),
        }
    )
    names = [
        f"{agent} ({given})" if (given := ", ".join(filter(None, each))) else agent
        for agent, each in zip(results["agent"], parts.itertuples(index=False), strict=True)
    ]
    named = results.assign(agent=names)
    return named.assign(trial=named.groupby(["agent", "task_id"]).cumcount())


def is_group(agent: str) -> bool:
    """Return whether an agent's name denotes a group of people."""
    return agent == PEOPLE or agent.startswith(f"{PEOPLE} (")
