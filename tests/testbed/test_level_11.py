"""Level 11, the machine with a body: its arenas, its ideal player, guesses, and what models are told."""

from contextlib import closing

import numpy as np
import pytest

from arena import Episode
from arena.science.families import questions, truth
from evaluation.capabilities import prompts_of
from evaluation.suite import EpisodeSetup
from llm_control.suite import SUITE
from testbed.oracle.attempt import Attempt
from testbed.oracle.experimenter import Experimenter
from testbed.oracle.solve import guess
from testbed.oracle.world_model import Strategy
from testbed.proof.solutions import verify_all
from testbed.tasks import SHIPPED_FOLDER, find_tasks

TASKS = find_tasks((11,))


def started(task, trial=0):
    return closing(Episode(task.spec, task_id=task.id, trial=trial))


def test_the_battery_is_without_the_laboratory():
    assert {task.level for task in find_tasks()} == set(range(1, 11))
    assert [task.level_name for task in TASKS] == ["Machine"] * 30


def test_questions_are_those_of_the_suite_with_twice_the_experiments():
    for task, question in zip(TASKS, questions(11), strict=True):
        assert task.spec.question == question.model_copy(update={"experiments": 2 * question.experiments})


def play(episode, door=None):
    attempt = Attempt(episode, Strategy())
    Experimenter(attempt).run(door)
    attempt.run()


def test_all_are_proven():
    assert [each for each in verify_all(TASKS, SHIPPED_FOLDER, 1) if each.problem] == []


@pytest.mark.parametrize("task", TASKS[::6], ids=lambda task: task.id)
def test_the_ideal_player_passes_with_time_to_spare(task):
    for trial in (1, 2):
        with started(task, trial) as episode:
            play(episode)
            assert episode.passed
            assert episode.steps < 0.6 * task.spec.time_limit * 5 / 3
            assert len(episode.experiments.seen) <= 0.6 * task.spec.question.experiments


def test_a_door_without_experiments_passes_as_often_as_the_prior_says():
    passes = []
    for task in TASKS[:20]:
        with started(task, trial=3) as episode:
            play(episode, door=0)
            right = task.spec.question.hidden.doors[truth(task.spec.question, 0, task.id, 3)]
            assert bool(episode.passed and episode.done) == (right == 0)
            passes.append(episode.done)
    assert 3 <= sum(passes) <= 12


def test_a_wrong_door_shows_nothing_and_ends_nothing():
    with started(TASKS[3]) as episode:
        guess(episode)
        assert (episode.done, episode.experiments.seen) == (False, ())
        assert episode.experiments.door is not None
        assert not any("Goal" in thing.kind for thing in episode.scene().things)


def test_nothing_at_the_start_tells_what_is_hidden():
    for task in TASKS:
        scenes = []
        for trial in range(3):
            with started(task, trial) as episode:
                scenes.append(episode.scene())
        first = scenes[0]
        for scene in scenes[1:]:
            assert scene.things == first.things
            assert np.array_equal(scene.positions, first.positions)
            assert np.array_equal(scene.visible, first.visible)


@pytest.mark.parametrize(("name", "tells"), [("11-04-01", True), ("10-01-01", False)])
def test_models_are_told_what_is_asked(name, tells):
    choices = SUITE.choices(image_size=32)
    (task,) = SUITE.named(name, choices, None)
    opened = SUITE.open(EpisodeSetup(SUITE, task, 0, choices, prompts_of(SUITE, choices)))
    text = "\n".join(part for part in opened.begin().parts if isinstance(part, str))
    opened.close()
    assert ("Which of the first 3 things counts?" in text) is tells
    assert ("- orange: thing 2 (orange)" in text) is tells
    assert ("At most 8 such changes" in text) is tells
