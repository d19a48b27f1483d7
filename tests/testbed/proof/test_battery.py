"""The shipped battery: complete, made by its blueprints, left to no chance, proven."""

import hashlib
import json
from collections import Counter
from contextlib import closing

import numpy as np
import pytest

from arena import Episode
from testbed import find_tasks
from testbed.blueprints import CONDITIONS, FOLDERS, SHIPPED_SEED, text
from testbed.blueprints.blueprint import DIFFICULTIES, Draw
from testbed.proof import solutions
from testbed.proof.prove import shipped
from testbed.tasks import CANARY, LEVEL_NAMES, LEVELS_FOLDER, without_notice

PROOFS = solutions.read(LEVELS_FOLDER)


@pytest.fixture(scope="module")
def tasks():
    return find_tasks()


def test_every_level_has_thirty_tasks_in_three_variants(tasks):
    assert (len(tasks), {len(CONDITIONS[level]) for level in LEVEL_NAMES}) == (900, {30})
    assert {task.id for task in tasks} == {order.task_id for order in shipped(list(LEVEL_NAMES))}
    assert {task.path.parent.name for task in tasks} == {FOLDERS[level] for level in LEVEL_NAMES}


def test_every_level_has_several_paradigms_of_every_difficulty():
    for level in LEVEL_NAMES:
        conditions = CONDITIONS[level]
        assert len({condition.paradigm for condition in conditions}) >= 4, level
        assert {condition.difficulty for condition in conditions} == set(DIFFICULTIES), level
        assert all(condition.paradigm.__doc__ for condition in conditions), level


def test_every_file_is_what_its_blueprint_makes(tasks):
    for task in tasks:
        kept = task.path.read_text(encoding="utf-8")
        draw = Draw.of_text(kept, str(task.path))
        assert (f"{draw.level:02d}-{draw.task:02d}-{draw.variant:02d}", draw.seed) == (task.id, SHIPPED_SEED)
        assert kept == text(draw), task.id


def test_every_file_has_licence_and_canary_and_the_digest_that_it_had_without(tmp_path, tasks):
    for task in tasks:
        content = task.path.read_text(encoding="utf-8")
        assert content.count(CANARY) == content.count("SPDX-License-Identifier: Apache-2.0") == 1, task.id
    # But for the order of things in 18 tasks that of version 0.2, whose files had no notice: logs, plans and
    # unfinished runs name the same tasks.
    digests = json.dumps({task.id: task.sha256 for task in tasks}, sort_keys=True)
    assert hashlib.sha256(digests.encode()).hexdigest().startswith("520e8b95a58fbca4a124246d87694898")
    (tmp_path / "01-01-01.yaml").write_bytes(without_notice(tasks[0].path.read_bytes()))
    assert CANARY not in (tmp_path / "01-01-01.yaml").read_text()
    assert find_tasks(folder=tmp_path)[0].sha256 == tasks[0].sha256


def test_every_task_is_built_as_written_whatever_the_seed_and_as_no_other(tasks):
    layouts = set()
    for task in tasks:
        assert task.warnings == (), task.id
        assert task.spec.pass_mark is not None, task.id
        found = []
        for seed in (0, 1):
            with closing(Episode(task.spec, task_id=task.id, seed=seed)) as episode:
                assert not any(thing.blocked for thing in episode.layout.things), task.id
                start = episode.layout.agent
                found.append((episode.layout.things, start.position, start.yaw, start.frozen_s))
        assert found[0] == found[1], task.id
        things, *agent = found[0]
        layouts.add((*((t.kind.name, *np.round([*t.position, *t.size, t.yaw], 1)) for t in things), *agent))
    assert len(layouts) == len(tasks)


def test_every_task_has_a_proof_and_no_proof_is_left_over(tasks):
    assert set(PROOFS) == {task.id for task in tasks}
    assert all(proof.solution.passed and proof.failure.passed is False for proof in PROOFS.values())


def test_proofs_are_replayed_to_the_same_bits(tasks):
    # Every paradigm's turn comes with some variant; `arena-llm testbed verify` replays all.
    for task in tasks[::23]:
        assert solutions.verify(task, PROOFS[task.id]).problem == "", task.id


def test_variants_of_a_task_are_different_draws():
    for level in CONDITIONS:
        for number in range(1, 31):
            texts = [text(Draw(level, number, variant, 5)) for variant in range(1, 5)]
            assert len(set(texts)) == 4, (level, number)


def test_the_demands_are_of_these_tasks(tasks):
    lines = (LEVELS_FOLDER / "demands.csv").read_text(encoding="utf-8").splitlines()
    assert Counter(line.split(",")[0] for line in lines[1:]) == Counter(task.id for task in tasks)
