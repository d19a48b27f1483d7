"""Many environments at once give what each of them gives alone."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from arena import ArenaEnv
from arena.gym.env import NAMES
from arena.gym.vector_env import ArenaVectorEnv
from render import BatchRenderer
from testbed.curriculum import Generated
from tests.arena.learning import ENDLESS, FILE, arrays, same

MODES = list(AutoresetMode)
OPTIONS = {"config": FILE, "observation": ("rays", "vector"), "frame_stack": 2}
DRAWN = {"config": Generated("1-10"), "max_episode_steps": 9, "task_info": True}
ID = "arena-llm/Arena-v0"


@pytest.fixture
def vector():
    """Makes vector environments that are closed after the test."""
    made = []

    def make(num_envs=3, **options):
        made.append(ArenaVectorEnv(num_envs, **OPTIONS | options))
        return made[-1]

    yield make
    for env in made:
        env.close()


def batch_of(count, side, name):
    """The renderer that the entry point leads to, also where the installed package does not know it yet."""
    return BatchRenderer(count, side, side)


def rollout(envs, mode, count=40, seed=4):
    """Everything that a vector environment returns."""
    yield envs.reset(seed=seed)
    for taken in np.random.default_rng(0).integers(9, size=(count, envs.num_envs)):
        step = envs.step(taken)
        yield step
        over = step[2] | step[3]
        if mode is AutoresetMode.DISABLED and over.any():
            yield envs.reset(options={"reset_mask": over})


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("more", [{}, DRAWN], ids=["file", "drawn"])
def test_it_returns_what_gymnasiums_own_returns(vector, mode, more):
    ours = vector(autoreset_mode=mode, **more)
    theirs = SyncVectorEnv([lambda: gymnasium.make(ID, **OPTIONS | more)] * 3, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.metadata == theirs.metadata
    ended = 0
    for one, two in zip(rollout(ours, mode), rollout(theirs, mode), strict=True):
        assert same(one, two)
        assert ours.observation_space.contains(one[0])
        ended += len(one) == 5 and (one[2] | one[3]).sum()
    assert ended >= 6


@pytest.mark.parametrize("given", [lambda mode: mode, lambda mode: mode.value], ids=["mode", "value"])
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_gymnasiums_statistics_of_episodes_are_those_of_its_own(mode, given):
    """Also where the environment is made again from its specification."""
    ours = gymnasium.make_vec(ID, num_envs=3, autoreset_mode=given(mode), **OPTIONS)
    theirs = gymnasium.make_vec(
        ID, num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **OPTIONS
    )
    again = gymnasium.make_vec(ours.spec)
    assert ours.autoreset_mode is theirs.autoreset_mode is again.autoreset_mode is mode
    queues = []
    for envs in map(RecordEpisodeStatistics, (ours, theirs, again)):
        list(rollout(envs, mode))
        queues.append((list(envs.length_queue), list(envs.return_queue)))
        envs.close()
    assert queues[0] == queues[1] == queues[2]
    assert len(queues[0][0]) >= 6


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP"])
def test_cameras_draw_the_same_in_one_call_and_one_by_one(vector, monkeypatch, mode):
    seen = []
    for batch in (batch_of, lambda *_: None):
        monkeypatch.setattr("arena.gym.vector_env.open_batch", batch)
        seen.append(rollout(vector(observation=NAMES, resolution=24, autoreset_mode=mode), None, count=12))
    assert all(map(same, *seen))


@pytest.mark.parametrize("grayscale", [False, True])
def test_a_single_array_is_batched_as_one(vector, monkeypatch, grayscale):
    monkeypatch.setattr("arena.gym.vector_env.open_batch", batch_of)
    envs = vector(observation="camera", resolution=16, grayscale=grayscale)
    observation, _ = envs.reset(seed=1)
    assert observation.shape == (3, 16, 16, 2 if grayscale else 6)
    assert envs.observation_space.contains(observation)
    assert observation.any()


def test_what_was_returned_stays_unless_asked_otherwise(vector):
    for copy in (True, False):
        envs = vector(copy=copy)
        first = [envs.reset(seed=1)[0]]
        first += envs.step(np.full(3, 3))[:4]
        before = [array.copy() for part in first for array in arrays(part)]
        for _ in range(10):
            later = envs.step(np.full(3, 4))
        after = [array for part in first for array in arrays(part)]
        assert all(map(same, before, after)) is copy
        shared = np.shares_memory(first[0]["vector"], later[0]["vector"])
        assert shared is not copy


def test_seeds_may_be_a_list_or_missing(vector):
    envs, alone = vector(frame_stack=1, task_info=True), ArenaEnv(FILE, observation="vector")
    seen, _ = envs.reset(seed=[7, 8, 7])
    assert same(seen["vector"][0], seen["vector"][2])
    assert same(seen["vector"][1], alone.reset(seed=8)[0])
    first = [alone.reset(seed=9)[0], alone.reset()[0]]
    seen, infos = envs.reset(seed=[9, None, 9])
    assert infos["arena"].tolist() == ["0", "7", "0"]
    seen, _ = envs.reset()
    assert same(seen["vector"][0], first[1])
    fresh = vector()
    fresh.reset()
    seeds = fresh.np_random_seed
    assert [seed - seeds[0] for seed in seeds] == [0, 1, 2]


def test_a_mask_resets_some(vector):
    envs = vector(autoreset_mode="DISABLED", frame_stack=1)
    before, _ = envs.reset(seed=1)
    seen, *_ = envs.step(np.full(3, 3))
    mask = np.array([False, True, False])
    after, infos = envs.reset(seed=1, options={"reset_mask": mask})
    assert same(after["vector"][0], seen["vector"][0])
    assert same(after["vector"][1], before["vector"][1])
    assert infos["_passed"].tolist() == mask.tolist()


def test_methods_and_attributes_of_all_can_be_used(vector):
    envs = vector(render_mode="rgb_array", render_resolution=16, config=ENDLESS)
    envs.reset(seed=1)
    assert [frame.shape for frame in envs.render()] == [(16, 16, 3)] * 3
    assert envs.get_attr("render_mode") == ("rgb_array",) * 3
    envs.set_attr("mark", ["a", "b", "c"])
    assert envs.get_attr("mark") == ("a", "b", "c")
    envs.set_attr("mark", 5)
    assert envs.call("get_wrapper_attr", "mark") == (5, 5, 5)


@pytest.mark.parametrize("mode", ["sync", pytest.param("async", marks=pytest.mark.e2e), "vector_entry_point"])
def test_gymnasium_makes_it_in_every_mode_and_passes_a_step_limit_on(mode):
    envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode=mode, max_episode_steps=3, **OPTIONS)
    reference = ArenaVectorEnv(2, max_episode_steps=3, **OPTIONS)
    steps = list(rollout(envs, None, 12))
    assert all(map(same, steps, rollout(reference, None, 12)))
    assert steps[3][3].all()
    envs.close()


UNEVENTFUL = ["01-01-01", "01-16-03", "05-07-02", "05-23-01", "10-15-01"]
"""Tasks in which nearly all steps are uneventful; balls roll in three of them."""


@pytest.mark.parametrize("observation", ["rays", "vector", ("rays", "vector")])
@pytest.mark.parametrize(
    "options",
    [
        {"autoreset_mode": "SAME_STEP"},
        {"action_repeat": 2, "max_episode_steps": 70, "task_info": True},
        {"action": "multidiscrete", "version": "4"},
        {"frame_stack": 3},
    ],
    ids=["same step", "repeated and cut", "version 4", "stacked"],
)
def test_uneventful_steps_of_many_are_those_of_each_alone(vector, observation, options):
    """The kernel takes most of these steps in one call."""
    more = {"observation": observation, "frame_stack": 1, "config": UNEVENTFUL}
    envs = vector(5, **more | options)
    apart = {key: value for key, value in options.items() if key != "autoreset_mode"}
    theirs = SyncVectorEnv(
        [lambda: ArenaEnv(**OPTIONS | more | apart)] * 5, autoreset_mode=envs.autoreset_mode
    )
    rng, attached = np.random.default_rng(1), 0
    assert same(envs.reset(seed=2), theirs.reset(seed=2))
    for number in range(80):
        if number % 5 == 0:
            taken = rng.integers(3, size=(5, 2)) if "action" in options else rng.integers(9, size=5)
        assert same(envs.step(taken), theirs.step(taken))
        attached += int(envs._batched.attached.sum())
        if number % 40 == 39:
            assert envs.get_attr("steps") == theirs.get_attr("steps")
            for mine, other in zip(envs._players, theirs.envs, strict=True):
                assert mine.episode.recording() == other.episode.recording()
                scenes = [each.episode.scene() for each in (mine, other)]
                assert same(*(scene.positions for scene in scenes))
                assert same(*(scene.rotations for scene in scenes))
    assert attached > 100
