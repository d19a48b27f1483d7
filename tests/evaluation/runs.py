"""Results of imagined runs."""

from evaluation.results import TrialResult


def rows(verdicts: dict[str, list[bool | None]], agent: str = "a/b", level: int = 1) -> list[TrialResult]:
    """Trials by task; None is a trial that failed before a verdict."""
    return [
        TrialResult(
            *(agent, task, level, trial, 0.0, 1.0, verdict, "goal", 10, 1),
            error=None if verdict is not None else "x",
        )
        for task, trials in verdicts.items()
        for trial, verdict in enumerate(trials)
    ]


def level(number: int, passes: int, tasks: int = 12, agent: str = "a/b") -> list[TrialResult]:
    """One trial of each of a level's tasks, three variants a task; the first ones are passed."""
    ids = [f"{number:02d}-{place // 3 + 1:02d}-{place % 3 + 1:02d}" for place in range(tasks)]
    return rows({task: [place < passes] for place, task in enumerate(ids)}, agent, number)
