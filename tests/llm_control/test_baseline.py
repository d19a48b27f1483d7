from pathlib import Path

import pytest
from llm_control.baseline import play_trial, trials_of

from arena import LayoutError
from arena.parallel import in_order
from testbed import Task, find_tasks
from tests.arena.worlds import agent, item, spec


def test_the_number_of_processes_does_not_matter():
    tasks = find_tasks((1,))[:3]
    planned = trials_of("held", tasks, 2, 7)
    alone, together = (list(in_order(play_trial, planned, jobs)) for jobs in (1, 2))
    assert alone == together
    assert [(row.task_id, row.trial) for row in alone] == [(task.id, k) for task in tasks for k in (0, 1)]
    assert {(row.agent, row.level, row.seed) for row in alone} == {("held", 1, 7)}
    assert len({row.total_reward for row in alone}) > 1


def test_a_task_without_a_pass_mark_has_no_verdict():
    task = Task("a", 0, Path("a.yaml"), spec(agent(), t=5).model_copy(update={"pass_mark": None}), "")
    (row,) = map(play_trial, trials_of("random", [task]))
    assert (row.passed, row.level) == (None, 0)
    assert row.total_reward == pytest.approx(-1, abs=1e-4)


def test_an_arena_that_cannot_be_built_is_named():
    full = spec(item("Agent", "20 0 20", rotations="0"), t=5)
    walled = full.model_copy(
        update={"items": (*spec(item("Wall", "20 0 20", sizes="40 9 40", rotations="0")).items,)}
    )
    with pytest.raises(LayoutError, match=r"^walled: the agent cannot be placed"):
        list(map(play_trial, trials_of("random", [Task("walled", 0, Path("walled.yaml"), walled, "")])))
