"""The benchmark of learned policies: its environments, its fixed test tasks and its score."""

import gymnasium
import numpy as np
import pytest

import arena  # noqa: F401  registers the environments
from arena import ConfigError, EvaluationError
from testbed.benchmark import TEST_SEED, Score, score, scored_tasks
from testbed.blueprints import CONDITIONS, VARIANTS
from testbed.blueprints.blueprint import Draw
from testbed.proof.prove import scored
from testbed.tasks import ALL_NAMES

LEVELS = list(ALL_NAMES)


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_is_an_environment_with_two_splits(level):
    played = {}
    options = {"observation": "vector", "task_info": True}
    for split in ("train", "test"):
        env = gymnasium.make(f"arena-llm/Level{level}-v0", split=split, **options)
        played[split] = [env.reset(seed=seed)[1]["arena"] for seed in (1, 2)]
        env.step(env.action_space.sample())
        env.close()
    last = scored_tasks(level)[-1].id
    env = gymnasium.make(f"arena-llm/Level{level}-v0", split="test", **options)
    assert env.reset(options={"task": last})[1]["arena"] == last
    assert played["test"] == [scored_tasks(level)[0].id] * 2
    assert len({*played["train"], *played["test"]}) == 3
    assert all(task.startswith(f"{level:02d}-") for tasks in played.values() for task in tasks)


def test_a_level_is_a_vector_environment_too():
    envs = gymnasium.make_vec(
        "arena-llm/Level4-v0",
        num_envs=2,
        vectorization_mode="vector_entry_point",
        observation="rays",
        task_info=True,
    )
    _, infos = envs.reset(seed=3)
    assert len(set(infos["arena"])) == 2
    envs.close()


@pytest.mark.parametrize("level", LEVELS)
def test_the_blueprints_still_draw_the_published_tasks(level):
    tasks = scored_tasks(level)
    paradigms = range(1, len(CONDITIONS[level]) + 1)
    assert [(task.draw.task, task.draw.variant) for task in tasks] == [
        (paradigm, variant) for paradigm in paradigms for variant in VARIANTS
    ]
    for task in tasks:
        task.text()


@pytest.mark.parametrize("place", [(1, 1, 1), (4, 7, 3), (12, 5, 2)], ids=str)
def test_the_published_rewards_are_those_of_random_actions_and_of_the_oracle(place):
    draw = Draw(*place, TEST_SEED)
    assert scored(draw) in scored_tasks(draw.level)


def test_a_policy_is_scored_between_random_actions_and_the_oracle():
    waiting = iter(scored_tasks(4))

    def act(observation, first):
        if first:
            act.rng = np.random.default_rng([TEST_SEED, *next(waiting).draw[:3]])
        return act.rng.integers(9)

    found = score(4, act, observation="vector")
    assert found.rewards == pytest.approx([task.random for task in scored_tasks(4)], abs=1e-9)
    assert found.normalised == pytest.approx(0, abs=1e-9)
    assert found.interval_95 == pytest.approx((0, 0), abs=1e-9)
    oracle = Score(4, tuple(task.oracle for task in scored_tasks(4)), 90)
    assert (oracle.normalised, oracle.pass_rate) == (pytest.approx(1), 1)
    low, high = oracle.interval_95
    assert low < 1 < high


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"split": "validation"}, "split: got 'validation', expected one of train, test"),
        ({"config": "task.yaml"}, "config: not an option of Level1"),
    ],
)
def test_what_is_fixed_cannot_be_changed(options, reason):
    with pytest.raises(ConfigError, match=reason):
        gymnasium.make("arena-llm/Level1-v0", **options)


def test_another_task_than_the_published_one_is_refused():
    task = scored_tasks(1)[0]._replace(sha256="0" * 64)
    with pytest.raises(EvaluationError, match="01-01-1: the blueprints draw a different task"):
        task.episode()
