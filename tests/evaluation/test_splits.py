"""No task is in both splits of a suite, and each can be opened by its id."""

from itertools import islice

import pytest

from arena.taskfile.config import ArenaSpec
from evaluation.opened import SPLITS, Opened
from evaluation.suites import suite_names


def what_defines(setup):
    """A task without its name; arenas without the comments of their files, too."""
    content = setup.task.content
    if isinstance(getattr(content, "spec", None), ArenaSpec):
        return content.spec.model_dump_json()
    return setup.task.sha256


@pytest.mark.parametrize("suite", suite_names())
def test_the_splits_share_no_task(suite):
    opened = Opened.named(suite)
    ids = {split: list(islice(opened.split(split), 300)) for split in SPLITS}
    assert not {*ids["train"]} & {*ids["test"]}
    digests = {split: [what_defines(opened.setup(name)) for name in ids[split]] for split in SPLITS}
    assert not {*digests["train"]} & {*digests["test"]}
    assert all(len({*digests[split]}) == len(ids[split]) > 50 for split in SPLITS)


@pytest.mark.parametrize("suite", suite_names())
def test_what_is_evaluated_by_default_is_in_no_training(suite):
    opened = Opened.named(suite)
    evaluated = {task.id for task in opened.suite.tasks(opened.choices, None)}
    assert evaluated <= {*opened.split("test")}
    assert not evaluated & {*islice(opened.split("train"), 100_000)}


def test_choices_select_tasks_of_a_split():
    assert {name[:2] for name in islice(Opened.named("arena", levels="3").split("train"), 20)} == {"03"}
    assert next(Opened.named("est", machine="noisy").split("train")) == "noisy-10001"
    assert {*Opened.named("scienceworld", tasks="4-1").split("test")} < {f"4-1-{n:04}" for n in range(1000)}
    assert next(Opened.named("boxing", environments="irt").split("train")) == "irt-prediction-500"
    assert next(Opened.named("discoveryworld", tasks="easy").split("train")) == "proteomics-easy-5"
