"""Levels 11 to 14: their arenas, the ideal player, guesses, what models are told, and what tells nothing."""

from contextlib import closing
from functools import cache

import numpy as np
import pytest

from arena import Episode, load_text
from arena.replay import Replay
from arena.science import Experiments, Seen
from arena.science.families import questions, truth
from arena.taskfile.config import Item
from evaluation.capabilities import prompts_of
from evaluation.suite import EpisodeSetup
from llm_control.observations import describe
from llm_control.suite import SUITE
from render import Renderer
from suites.laboratory.suite import SUITE as LABORATORY
from testbed.blueprints import text
from testbed.blueprints.blueprint import Draw
from testbed.oracle.motion import Driver
from testbed.oracle.solve import Experimenter, experiment, guess
from testbed.oracle.world_model import Strategy
from testbed.proof.solutions import verify_all
from testbed.tasks import SHIPPED_FOLDER, find_tasks

tasks = cache(lambda: find_tasks((11, 12, 13, 14)))


def started(task, trial=0):
    return closing(Episode(task.spec, task_id=task.id, trial=trial))


def play(episode, door=None):
    chosen = Experimenter(episode, Strategy())
    chosen.run(door, experiments=door is None)
    chosen.attempt.run()


def test_each_family_is_a_level():
    names = [task.level_name for task in tasks()[::90]]
    assert (len(tasks()), names) == (360, ["Machine", "Slopes", "Instrument", "Strange Floor"])


def test_questions_are_those_of_the_suite_and_the_same_history_says_the_same():
    """Of the machine each change is an experiment, so there are twice as many."""
    rng = np.random.default_rng(7)
    asked = [question for level in range(11, 15) for question in questions(level)]
    named = LABORATORY.tasks(LABORATORY.choices(), None)
    for task, question, words in zip(tasks()[::3], asked, named, strict=True):
        assert task.id == words.id
        experiments = question.experiments * (2 if task.level == 11 else 1)
        assert task.spec.question == question.model_copy(update={"experiments": experiments})
        hidden, body = question.hidden, task.spec.question.hidden
        for _ in range(9):
            right, history = hidden.draw(rng), []
            for _ in range(4):
                experiment = int(rng.integers(len(hidden.likelihood)))
                history.append(Seen(experiment, hidden.happen(right, experiment, rng)))
            seen = [*body.turns(Experiments(tuple(history)))]
            assert seen[-1]["posterior"] == hidden.of_doors(hidden.posterior(history)).tolist()


def test_variants_differ_in_motion_alone():
    kinds = [{item.name for item in task.spec.items} for task in tasks()]
    for number in range(0, 360, 3):
        driven, pushed, blocked = tasks()[number : number + 3]
        assert driven.id[:6] + "02" == pushed.id
        assert driven.id[:6] + "03" == blocked.id
        assert driven.spec.question == pushed.spec.question == blocked.spec.question
        hidden = {truth(task.spec.question, 5, task.id, 2) for task in (driven, pushed, blocked)}
        assert len(hidden) == 1
        assert kinds[number] - {"Pad"} == kinds[number + 1] - {"Block", "BlockPad"}
        assert kinds[number + 1] == kinds[number + 2]
        walls = [sum(item.name == "Wall" for item in task.spec.items) for task in (pushed, blocked)]
        assert walls[1] > walls[0]


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_all_are_proven(every):
    assert [each for each in verify_all(tasks()[::every], SHIPPED_FOLDER, 1) if each.problem] == []


@pytest.mark.parametrize("number", range(0, 360, 37))
def test_the_ideal_player_passes_with_time_to_spare(number):
    task = tasks()[number]
    for trial in (1, 2):
        with started(task, trial) as episode:
            play(episode)
            assert episode.passed
            assert episode.steps < 0.6 * task.spec.time_limit * 5 / 3
            assert len(episode.experiments.seen) <= 0.6 * task.spec.question.experiments + 1


def test_a_door_without_experiments_passes_as_often_as_the_prior_says():
    passes = []
    for task in tasks()[::19]:
        with started(task, trial=3) as episode:
            play(episode, door=0)
            right = task.spec.question.hidden.doors[truth(task.spec.question, 0, task.id, 3)]
            assert bool(episode.passed and episode.done) == (right == 0)
            passes.append(episode.done)
    assert 3 <= sum(passes) <= 12


@pytest.mark.parametrize("number", range(1, 360, 71))
def test_players_without_a_plan(number):
    """All experiments at random and the likeliest door; or the first of the likeliest doors at once."""
    task = tasks()[number]
    named = {"task_id": task.id, "seed": 0, "trial": 1, "taken": ()}
    doors = {}
    for at_random in (True, False):
        recording = experiment(at_random, task.spec, **named).recording
        with Replay(recording, task.spec) as replay:
            doors[at_random] = replay.to_end().experiments
    hidden = task.spec.question.hidden
    assert doors[False] == Experiments((), int(hidden.of_doors(hidden.prior).argmax()))
    assert 0 < len(doors[True].seen) <= task.spec.question.experiments
    if doors[True].door is not None:
        assert hidden.of_doors(hidden.posterior(doors[True].seen)).argmax() == doors[True].door


@pytest.mark.parametrize(
    ("level", "sentence"),
    [
        (12, "sliding box {outcome}.0 m along the blue floor"),
        (13, "meter that shows {reading}"),
        (14, "blue rolling ball 6.5 m along the grey floor, {aside} of its middle"),
    ],
)
def test_an_outcome_is_seen_when_it_happened(level, sentence):
    """The meter shows one number less than its outcome; lanes have a place and outcomes a side."""
    task = next(task for task in tasks() if task.level == level and task.spec.question.experiments > 5)
    with started(task) as episode:
        chosen, renderer = Experimenter(episode, Strategy()), Renderer(200, 200)
        before = renderer.frame(episode.scene())
        assert chosen.visit(0)
        (seen,) = episode.experiments.seen
        x, z = chosen.places("Pad")[0]
        chosen.attempt.go_near(x, z - 3, [])
        Driver(episode).face(0.0)
        assert (renderer.frame(episode.scene()) != before).any()
        question, outcome = task.spec.question, seen.outcome
        lane = question.place(question.open_lanes()[0]) + outcome - 4 if level == 14 else 0
        aside = f"{abs(lane):.1f} m {'left' if lane < 0 else 'right'}"
        said = sentence.format(outcome=outcome, reading=outcome - 1, aside=aside)
        assert said in describe(episode.scene())


class Heard:
    """The kinds of all events of an episode."""

    def __init__(self):
        self.kinds = []

    def before_tick(self, actions):
        pass

    def after_tick(self, events):
        self.kinds += [str(event.kind) for event in events]


def test_pads_have_no_effect_while_something_moves():
    arena = tasks()[90].spec
    (pad,) = (item for item in arena.items if item.name == "Pad")
    before = pad.positions[0].model_copy(update={"z": 6.5})
    agent = Item(name="Agent", positions=(before,), rotations=(0.0,))
    arena = arena.model_copy(update={"items": (agent, *arena.items[1:])})
    with closing(Episode(arena, task_id="pads")) as episode:
        episode.observer = heard = Heard()
        for steps in (8, -9, 14):
            Driver(episode).drive(steps)
        assert heard.kinds == ["no experiment"]
        Driver(episode).idle(60)
        assert heard.kinds == ["no experiment", "experiment"]


def test_a_wrong_door_shows_nothing_and_ends_nothing():
    with started(tasks()[3]) as episode:
        guess(episode)
        assert (episode.done, episode.experiments.seen) == (False, ())
        assert episode.experiments.door is not None
        assert not any("Goal" in thing.kind for thing in episode.scene().things)


def test_nothing_at_the_start_tells_what_is_hidden():
    for task in tasks():
        scenes = []
        for trial in range(3):
            with started(task, trial) as episode:
                scenes.append(episode.scene())
        first = scenes[0]
        for scene in scenes[1:]:
            assert scene.things == first.things
            assert np.array_equal(scene.positions, first.positions)
            assert np.array_equal(scene.visible, first.visible)


@pytest.mark.parametrize(
    ("name", "tells", "pushes"),
    [("11-04-01", True, False), ("11-04-03", True, True), ("10-01-01", False, False)],
)
def test_models_are_told_what_is_asked(name, tells, pushes):
    choices = SUITE.choices(image_size=32)
    (task,) = SUITE.named(name, choices, None)
    opened = SUITE.open(EpisodeSetup(SUITE, task, 0, choices, prompts_of(SUITE, choices)))
    text = "\n".join(part for part in opened.begin().parts if isinstance(part, str))
    opened.close()
    assert ("Which of the first 3 things counts?" in text) is tells
    assert ("- orange: thing 2 (orange)" in text) is tells
    assert ("At most 8 experiments have an effect" in text) is tells
    assert ("Driving onto a pad has no effect" in text) is pushes
    assert ("Driving onto a pad puts its thing on the plate" in text) is (tells and not pushes)


@pytest.mark.slow
def test_a_classifier_of_first_views_and_layouts_stays_at_the_prior():
    """Least squares on 1,500 drawn tasks with three doors, tried on 500 others."""
    rows, labels, renderer = [], [], Renderer(16, 16)
    for number in range(2000):
        level, seed = 11 + number % 4, 1000 + number
        choices = [k for k, each in enumerate(questions(level), start=1) if each.doors == 3]
        draw = Draw(level, choices[number % len(choices)], 1 + number // 4 % 3, seed)
        spec = load_text(text(draw)).arenas[0]
        with closing(Episode(spec, seed=seed, task_id=draw.task_id)) as episode:
            scene = episode.scene()
            places = np.sort(scene.positions.ravel())[:40]
            seen = renderer.frame(scene).ravel() / 255
            rows.append(np.concatenate([seen, places, scene.agent_position, [1.0]]))
            hidden = spec.question.hidden
            labels.append(hidden.doors[truth(spec.question, seed, draw.task_id, 0)])
    x, y = np.array(rows), np.array(labels)
    ridge = x[:1500].T @ x[:1500] + np.eye(x.shape[1])
    weights = np.linalg.solve(ridge, x[:1500].T @ (y[:1500, None] == np.arange(3)))
    right = ((x[1500:] @ weights).argmax(axis=1) == y[1500:]).mean()
    assert right < 1 / 3 + 3 * np.sqrt(2 / 9 / 500)
