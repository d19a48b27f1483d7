"""Curricula that are changed while an agent learns, and that learn how episodes end."""

import copy
import threading
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

from arena import ArenaEnv, ConfigError, Episode, load_text
from arena.gym.curriculum import Files
from arena.gym.vector_env import ArenaVectorEnv
from testbed.curriculum import Generated
from tests.arena.learning import ENDLESS, FILE
from tests.arena.worlds import item, spec

ID = "arena-llm/Arena-v0"
OPTIONS = {"observation": "vector", "task_info": True}


def drawn(text, count):
    """The ids of the arenas that are played, one after another."""
    stream = Files([load_text(text, version="4")])
    ids = []
    for _ in range(count):
        with stream.next() as run:
            ids.append(run.task_id)
    return ids


def file_of(*merges, randomize=True):
    arenas = ", ".join(
        f"{k}: !Arena {{t: 10, mergeNextArena: {str(merge).lower()}, items: []}}"
        for k, merge in enumerate(merges)
    )
    return f"!ArenaConfig {{randomizeArenas: {str(randomize).lower()}, arenas: {{{arenas}}}}}"


def test_merged_arenas_are_played_through_their_first_only():
    merges = (True, True, False, False, True, False)
    assert drawn(file_of(*merges, randomize=False), 5) == ["0", "3", "4", "0", "3"]
    ids = drawn(file_of(*merges), 60)
    assert set(ids) == {"0", "3", "4"}
    assert all(one != other for one, other in pairwise(ids))
    assert drawn(file_of(True, False), 3) == ["0", "0", "0"]


class Adaptive:
    """A ball that is moved one metre farther away whenever it is eaten, and nearer whenever it is not."""

    def __init__(self):
        self.restart(0)

    def restart(self, seed):
        self.seed, self.metres, self.ends = seed, 2 + seed % 3, []

    def next(self):
        ball = item("GoodGoal", f"10 0 {10 + self.metres}", sizes="1 1 1")
        arena = spec(item("Agent", "10 0 10", rotations="0"), ball, t=10)
        return Episode(arena, task_id=f"{self.metres} m", seed=self.seed, trial=len(self.ends))

    def ended(self, task_id, outcome, passed, reward):
        self.ends.append((task_id, outcome, passed, reward > 0))
        self.metres = max(2, self.metres + (1 if passed else -1))


def test_a_curriculum_is_called_with_the_end_of_each_episode():
    env = ArenaEnv(Adaptive(), **OPTIONS)
    env.reset(seed=0)
    for action in (3, 0, 3):
        ended = False
        while not ended:
            *_, ended, _, _ = env.step(action)
        env.reset()
    assert env.curriculum.ends == [
        ("2 m", "goal", True, True), ("3 m", "health gone", False, False), ("2 m", "goal", True, True)
    ]  # fmt: skip


@pytest.mark.parametrize("how", ["TimeLimit", "max_episode_steps", "reset", "copy"])
def test_a_cut_is_an_end_once(how):
    options = OPTIONS | {"config": Adaptive()}
    if how == "TimeLimit":
        env = gymnasium.make(ID, max_episode_steps=3, **options)
    else:
        env = ArenaEnv(max_episode_steps=3 if how == "max_episode_steps" else None, **options)
    env.reset(seed=1)
    env.reset()
    for _ in range(3):
        env.step(0)
    env = copy.deepcopy(env) if how == "copy" else env
    env.reset()
    env.reset()
    assert [end[:3] for end in env.unwrapped.curriculum.ends] == [("3 m", "stopped", False)]


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP"])
def test_each_environment_adapts_alone(mode):
    envs = ArenaVectorEnv(3, Adaptive(), autoreset_mode=mode, **OPTIONS)
    infos = [envs.reset(seed=1)[1], *(envs.step(np.full(3, 3))[4] for _ in range(60))]
    played = [info["arena"].tolist() for info in infos]
    assert played[0] == ["3 m", "4 m", "2 m"]
    assert len({task for tasks in played for task in tasks}) >= 3


@pytest.mark.parametrize("whose", ["ours", "gymnasium's own"])
@pytest.mark.parametrize("attribute", [False, True])
def test_a_curriculum_that_is_set_is_copied_and_restarted_with_each_seed(whose, attribute):
    if whose == "gymnasium's own":
        envs = SyncVectorEnv([lambda: gymnasium.make(ID, config=FILE, **OPTIONS)] * 3)
    else:
        envs = ArenaVectorEnv(3, FILE, **OPTIONS)
    envs.reset(seed=4)
    stream = Generated("2")
    stream.restart(99)
    if attribute:
        envs.set_attr("curriculum", stream)
    else:
        envs.call("set_curriculum", stream)
    before = envs.step([0, 0, 0])[4]["arena"].tolist()
    after = [envs.reset()[1]["arena"].tolist() for _ in range(2)]
    envs.close()
    assert before == ["0"] * 3
    alone = [ArenaEnv(Generated("2"), **OPTIONS) for _ in range(3)]
    assert after[0] == [env.reset(seed=4 + k)[1]["arena"] for k, env in enumerate(alone)]
    assert after[1] == [env.reset()[1]["arena"] for env in alone]
    assert len({*after[0], *after[1]}) == 6
    with stream.next() as episode:
        assert episode.seed == 99


def test_a_curriculum_that_is_set_before_the_first_reset_is_that_of_the_constructor():
    one, other = ArenaEnv(FILE, **OPTIONS), ArenaEnv(Generated("2"), **OPTIONS)
    one.set_curriculum(Generated("2"))
    assert one.reset(seed=3)[1]["arena"] == other.reset(seed=3)[1]["arena"]


def test_the_end_of_an_episode_is_not_the_new_curriculums():
    env = ArenaEnv(ENDLESS, **OPTIONS)
    env.reset(seed=1)
    env.step(0)
    env.set_curriculum(Adaptive())
    env.step(0)
    env.reset()
    assert env.curriculum.ends == []


def test_what_is_no_curriculum_is_refused():
    stream = Adaptive()
    stream.lock = threading.Lock()
    envs = ArenaVectorEnv(2, FILE, **OPTIONS)
    with pytest.raises(ConfigError, match=r"the curriculum .* cannot be copied"):
        envs.set_curriculum(stream)
    with pytest.raises(ConfigError, match="config: got 3, expected a task file's path"):
        envs.set_curriculum(3)
    envs.close()
