"""The command `python -m benchmarks.references SUITE`: measure a suite's reference agents."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from arena.errors import ArenaError, ConfigError
from arena.files import write_file
from benchmarks import run
from evaluation.choices.effective import effective
from evaluation.results import GROUP, TrialResult, results_frame
from evaluation.scale.references import RUNNERS, Reference, Scale, as_csv, references, scale_of
from evaluation.scale.scaled import headline_scores
from evaluation.statistics import mean_half
from evaluation.suite import Suite, TaskSpec
from evaluation.suites import chosen_tasks, get_suite
from evaluation.transcript import play


def main(
    suite: Annotated[str, typer.Argument(help="Name of the suite.")],
    agent: Annotated[
        list[str] | None, typer.Option(help="Only this role, such as silent; may be repeated.")
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(help="Only this group of the scale; may be repeated.")
    ] = None,
    choices: Annotated[
        list[str] | None,
        typer.Option("--set", help="Choice, such as seeds=20 for more worlds; may be repeated."),
    ] = None,
) -> None:
    """Measure the scores of a suite's reference agents, and write its table."""
    found = get_suite(suite)
    scale = scale_of(found)
    if scale is None:
        raise ConfigError(f"suite {suite}: it has no module `references` with a scale")
    read = effective(found, None, dict(each.partition("=")[::2] for each in choices or ()))
    given = {name: getattr(read.choices, name) for name, origin in read.origins.items() if origin == "option"}
    scale = scale._replace(settings=tuple({**setting, **given} for setting in scale.settings))
    known = (*RUNNERS, *scale.agents)
    chosen = agent or list(known)
    if unknown := [name for name in chosen if name not in known]:
        raise ConfigError(f"--agent: got {unknown[0]!r}, expected one of {', '.join(known)}")
    found.check(f"{suite}/{chosen[0]}", (), found.choices())
    rows = {_key(row): row for row in references(scale.table)}
    for row in measure(found, scale, chosen, group or ()):
        place = f"{row.conditions:40} {row.group:24} {row.agent:11}"
        print(f"{place} {row.score:.3f} ± {row.half:.3f}", flush=True)
        rows[_key(row)] = row
        # After each group, so that an interrupted measurement is not lost.
        write_file(scale.table, as_csv(rows.values()))


def measure(
    suite: Suite, scale: Scale, agents: Sequence[str], groups: Sequence[str] = ()
) -> Iterator[Reference]:
    """The scores of agents on all tasks of each setting, group by group.

    With `groups` only those; a group that an agent cannot play is left out.
    """
    for setting in scale.settings:
        choices = suite.choices(**setting)
        found: dict[str, list[TaskSpec]] = {}
        for task in chosen_tasks(suite, choices, None):
            found.setdefault(scale.group(task.id, task.group), []).append(task)
        about = (scale.conditions(choices.model_dump()), suite.task_version(), scale.scoring)
        for agent in agents:
            for group, tasks in found.items():
                if (groups and group not in groups) or not _can_play(suite, agent, tasks, choices):
                    continue
                yield Reference(*about, group, agent, *mean_score(suite, agent, tasks, choices))


def _can_play(suite: Suite, agent: str, tasks: Sequence[TaskSpec], choices: Any) -> bool:
    try:
        suite.check(f"{suite.name}/{agent}", tasks, choices)
    except ArenaError:
        return False
    return True


def mean_score(suite: Suite, agent: str, tasks: Sequence[TaskSpec], choices: Any) -> tuple[int, float, float]:
    """Number of episodes, mean of the headline metric, and half its 95 % interval over tasks."""
    rows = []
    for task in tasks:
        record = play(suite, agent, task, choices)
        result = TrialResult(agent, task.id, task.group, 0, None, passed=record.passed)
        rows.append(replace(result, outcome=record.outcome, score=record.score))
    results = results_frame(rows)
    # Each task as a group of its own, so that only its value is left.
    means = headline_scores(results.assign(**{GROUP: results["task_id"]}), suite)["score"]
    return len(rows), float(means.mean()), mean_half(means.to_numpy(float)) if means.nunique() > 1 else 0.0


def _key(row: Reference) -> tuple[str, str, str]:
    return row.conditions, row.group, row.agent


if __name__ == "__main__":
    run(main, "benchmarks.references")
