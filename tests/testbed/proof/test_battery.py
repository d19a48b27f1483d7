"""The shipped battery: complete, made by its blueprints, left to no chance, proven."""

import hashlib
import json
from collections import Counter
from contextlib import closing

import pytest

from arena import Episode
from testbed import find_tasks
from testbed.blueprints import (
    CONDITIONS,
    DIFFICULTIES,
    FOLDERS,
    SHIPPED_SEED,
    VARIANTS,
    Draw,
    text,
)
from testbed.notice import CANARY, without_notice
from testbed.proof import solutions
from testbed.proof.similarity import layouts, nearest
from testbed.tasks import LEVEL_NAMES, LEVELS_FOLDER

TASKS = find_tasks()
PROOFS = solutions.read(LEVELS_FOLDER)
SAMPLE = TASKS[::23]
"""Every paradigm's turn comes with some variant; all are replayed by `arena-llm testbed verify`."""

EVERY = [
    pytest.param(level, number, id=f"{level:02d}-{number:02d}")
    for level in CONDITIONS
    for number in range(1, 31)
]


def test_every_level_has_thirty_tasks_in_three_variants():
    assert set(CONDITIONS) == set(LEVEL_NAMES)
    expected = {
        f"{level:02d}-{task:02d}-{variant:02d}"
        for level in CONDITIONS
        for task in range(1, 31)
        for variant in VARIANTS
    }
    assert {task.id for task in TASKS} == expected
    assert {task.path.parent.name for task in TASKS} == set(FOLDERS.values())


@pytest.mark.parametrize("level", CONDITIONS)
def test_a_level_has_several_paradigms_of_every_difficulty(level):
    conditions = CONDITIONS[level]
    assert len({condition.paradigm for condition in conditions}) >= 4
    assert {condition.difficulty for condition in conditions} == set(DIFFICULTIES)
    assert all(condition.paradigm.__doc__ for condition in conditions)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_file_is_what_its_blueprint_makes(task):
    kept = task.path.read_text(encoding="utf-8")
    draw = Draw.of_text(kept, str(task.path))
    assert (f"{draw.level:02d}-{draw.task:02d}-{draw.variant:02d}", draw.seed) == (task.id, SHIPPED_SEED)
    assert kept == text(draw)


def test_every_file_has_licence_and_canary_and_the_digest_that_it_had_without(tmp_path):
    for task in TASKS:
        content = task.path.read_text(encoding="utf-8")
        assert content.count(CANARY) == content.count("SPDX-License-Identifier: Apache-2.0") == 1, task.id
    # Of version 0.2, whose files had no notice: logs, plans and unfinished runs name the same tasks.
    digests = json.dumps({task.id: task.sha256 for task in TASKS}, sort_keys=True)
    assert hashlib.sha256(digests.encode()).hexdigest().startswith("5fead60b7e89db11d8b880dd92476622")
    (tmp_path / "01-01-01.yaml").write_bytes(without_notice(TASKS[0].path.read_bytes()))
    assert CANARY not in (tmp_path / "01-01-01.yaml").read_text()
    assert find_tasks(folder=tmp_path)[0].sha256 == TASKS[0].sha256


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_task_is_built_as_written_whatever_the_seed(task):
    assert task.warnings == ()
    assert task.spec.pass_mark is not None
    found = []
    for seed in (0, 1):
        with closing(Episode(task.spec, task_id=task.id, seed=seed)) as episode:
            assert not any(thing.blocked for thing in episode.layout.things)
            start = episode.layout.agent
            found.append((episode.layout.things, start.position, start.yaw, start.frozen_s))
    assert found[0] == found[1]


def test_no_two_files_are_alike():
    one, other, metres = nearest(layouts(TASKS))
    assert metres > 0.05, (one, other)


def test_every_task_has_a_proof_and_no_proof_is_left_over():
    assert set(PROOFS) == {task.id for task in TASKS}
    assert all(proof.solution.passed and proof.failure.passed is False for proof in PROOFS.values())


@pytest.mark.parametrize("task", SAMPLE, ids=lambda task: task.id)
def test_a_proof_is_replayed_to_the_same_bits(task):
    assert solutions.verify(task, PROOFS[task.id]).problem == ""


@pytest.mark.parametrize(("level", "number"), EVERY)
def test_variants_of_a_task_are_different_draws(level, number):
    texts = [text(Draw(level, number, variant, 5)) for variant in range(1, 5)]
    assert len(set(texts)) == 4


def test_the_demands_are_of_these_tasks():
    lines = (LEVELS_FOLDER / "demands.csv").read_text(encoding="utf-8").splitlines()
    assert Counter(line.split(",")[0] for line in lines[1:]) == Counter(task.id for task in TASKS)
