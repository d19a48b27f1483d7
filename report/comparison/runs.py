"""A run as it is compared: its results, and what weakens its comparison with others."""

from dataclasses import dataclass

import pandas as pd

from arena.taskfile.versions import Version
from evaluation.suites import DEFAULT
from human_data.baselines import children_by_task
from report.formats import listed

THEIRS = Version.V2.value
"""The version whose clock children and competition were scored with."""


@dataclass(frozen=True, eq=False)
class Run:
    """One agent's trials. `results` has the columns of `results_frame`.

    `original` says that the tasks come from a folder that counts as the original battery, `animal_ai` which
    version was re-enacted, None if unknown. `partial` is a sentence on a run that did not end,
    `refuted` one on tasks that were claimed to be the original ones and are not. `suite` is the name of that
    of its tasks; only the arena's can be the original ones.
    """

    agent: str
    results: pd.DataFrame
    original: bool = False
    animal_ai: str | None = None
    partial: str = ""
    refuted: str = ""
    suite: str = DEFAULT

    def task_rates(self) -> pd.DataFrame:
        """Share of trials passed, one row per task with a verdict: `task_id`, `level`, `rate`, `trials`."""
        judged = self.results[self.results["passed"].notna()]
        passed = judged["passed"].astype(float).groupby([judged["task_id"], judged["level"]])
        return (
            passed.agg(["mean", "count"])
            .reset_index()
            .set_axis(["task_id", "level", "rate", "trials"], axis=1)
        )


def played_run(
    results: pd.DataFrame,
    original: bool,
    animal_ai: str | None = None,
    partial: str = "",
    suite: str = DEFAULT,
) -> Run:
    """The run of one agent's results; `original` holds unless the results refute it."""
    original = original and suite == DEFAULT
    against = refuted(results) if original else ""
    agent = str(results["agent"].iloc[0])
    return Run(agent, results, original and not against, animal_ai, partial, against, suite)


def cautions(runs: list[Run]) -> list[str]:
    """What makes a comparison with others weaker than it looks, one or two sentences each."""
    found = [text for run in runs for text in (run.partial, run.refuted, _missing(run)) if text]
    if any(run.suite != DEFAULT for run in runs):
        return found
    ours = [run.agent for run in runs if not run.original]
    if ours:
        found.append(
            f"Other layouts: the tasks of {listed(ours)} are not the original files. They test the same "
            "capacities, under the same ids, in other arenas than children and competitors saw: "
            "differences from these are between batteries as well as between players."
        )
    claimed = [run.agent for run in runs if run.original]
    if claimed:
        found.append(
            f"The tasks of {listed(claimed)} come from a folder that the user named; their ids count as "
            "those of the original files. Children and competitors played these in Unity."
        )
    return [*found, *_clocks(runs), *_informed(runs)]


def _clocks(runs: list[Run]) -> list[str]:
    by_version: dict[str | None, list[Run]] = {}
    for run in runs:
        if run.animal_ai != THEIRS:
            by_version.setdefault(run.animal_ai, []).append(run)
    return [_clock(version, those) for version, those in by_version.items()]


def _clock(version: str | None, runs: list[Run]) -> str:
    names = listed([run.agent for run in runs])
    ninth = any((run.results["level"] == 9).any() and run.original for run in runs)
    advice = f"Play with --animal-ai {THEIRS} to compare level 9." if ninth else ""
    if version is None:
        known = f"The version of Animal-AI that {names} played is unknown (give it with --animal-ai). "
        return known + f"Children and teams were scored with the clock of version {THEIRS}. {advice}".strip()
    lost = (
        "Level 9 cannot be compared: with this clock most of its official marks cannot be reached "
        "at all, because each ball refills health and waiting until it is used up costs up to 1 more. "
        if ninth
        else ""
    )
    return (
        f"Different scoring clock: {names} used {version} (balls refill health); children and teams were "
        f"scored with the 2019 clock. {lost}{advice}"
    ).strip()


def _missing(run: Run) -> str:
    missing = int(run.results["passed"].isna().sum())
    if not missing or run.partial:
        return ""
    return (
        f"{missing} of {len(run.results)} planned trials of {run.agent} have no verdict; they count neither "
        "as passed nor as failed."
    )


def refuted(results: pd.DataFrame) -> str:
    """Why tasks cannot be the original ones, which ids cannot show; empty if nothing speaks against it."""
    known = children_by_task().set_index("task_id")["pass_mark"]
    own = marks_of(results)
    shared = own[own.index.isin(known.index)]
    wrong = shared[~((shared - known[shared.index]).abs() < 1e-6)]
    if wrong.empty:
        return ""
    return (
        f"{len(wrong)} of {len(shared)} tasks of {results['agent'].iloc[0]} do not have the pass mark that "
        f"children had (the first is {wrong.index[0]}): they are not the original files."
    )


def marks_of(results: pd.DataFrame) -> "pd.Series[float]":
    """Pass marks by task id."""
    return results.drop_duplicates("task_id").set_index("task_id")["pass_mark"].astype(float)


_KNOWING = {"arena/oracle": "knows the layout", "arena/replay": "repeats recordings"}


def _informed(runs: list[Run]) -> list[str]:
    return [
        f"{run.agent} {why}: an upper bound of what can be reached, not a player like the others."
        for run in runs
        for start, why in _KNOWING.items()
        if run.agent == start or run.agent.startswith(f"{start}/")
    ]
