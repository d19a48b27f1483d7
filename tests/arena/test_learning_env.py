"""The environment as learning agents use it: observations, actions, episodes' ends, copies."""

import copy
import pickle
import threading

import cloudpickle
import gymnasium
import numpy as np
import pytest

from arena import ArenaEnv, ConfigError, Episode, LayoutError, RecordingError, load_text
from arena.gym.env import EVENTS, NAMES, OUTCOMES, gray
from arena.gym.registered import register
from arena.gym.vector_env import ArenaVectorEnv
from tests.arena.learning import ENDLESS, FILE, arrays, same
from tests.arena.worlds import item, spec
from tests.cases import cases

CASES = cases(__file__)


class Unfit:
    """A stream that is none: it gives something else than episodes."""

    def __init__(self, kept=None):
        self.kept = kept

    def __repr__(self):
        # Names of tests are made of this, and must be the same in every process.
        return "Unfit()"

    def restart(self, seed):
        pass

    def next(self):
        return 3


ALL = {"observation": NAMES, "resolution": 16}


def test_a_single_name_is_observed_as_an_array():
    observation, info = ArenaEnv(FILE, observation="vector").reset(seed=1)
    assert (observation.shape, observation.dtype) == ((7,), np.float32)
    assert {key: np.asarray(value).dtype for key, value in info.items()} == {
        "is_success": bool, "passed": bool, "outcome": np.int64, "events": np.int64
    }  # fmt: skip
    together = ArenaEnv(FILE, observation=("vector", "rays")).reset(seed=1)[0]
    assert list(together) == ["rays", "vector"]
    assert same(together["vector"], observation)


def test_the_vector_is_health_velocity_and_position_in_animal_ais_order():
    env = ArenaEnv(ENDLESS, observation="vector")
    env.reset(seed=1)
    for _ in range(10):
        observation = env.step(3)[0]
    state = env.episode.agents[0]
    told = (state.health, *state.local_velocity, *state.position)
    assert observation.tolist() == np.array(told, np.float32).tolist()
    right, up, forward = observation[1:4]
    assert forward > 5 > 1 > abs(right) + abs(up)
    assert observation[6] > 22 > 20.1 > observation[4] > 19.9


def test_the_number_of_rays_is_an_option():
    env = ArenaEnv(FILE, observation="rays")
    assert env.reset(seed=1)[0].shape == env.observation_space.shape == (70,)
    assert ArenaEnv(FILE, observation="rays", rays_per_side=3).reset(seed=1)[0].shape == (98,)


def test_a_gray_picture_is_the_mean_of_the_colours():
    frame = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5
    assert gray(frame).shape == (4, 4, 1)
    assert gray(frame)[1, 2, 0] == (90 + 95 + 100) / 3
    assert gray(np.array([[[0, 0, 2]]], np.uint8)).item() == 1
    one, other = (
        ArenaEnv(FILE, resolution=16, grayscale=wanted).reset(seed=1)[0] for wanted in (True, False)
    )
    assert (one["camera"].shape, one["camera"].dtype) == ((16, 16, 1), np.uint8)
    assert (one["camera"] == gray(other["camera"])).all()


def test_frames_are_stacked_oldest_first_and_the_first_is_repeated():
    one, three = ArenaEnv(FILE, **ALL), ArenaEnv(FILE, **ALL, frame_stack=3)
    seen = [one.reset(seed=1)[0]] * 3
    stacked = three.reset(seed=1)[0]
    for action in (3, 4, 5, 6):
        for name in NAMES:
            assert same(stacked[name], np.concatenate([past[name] for past in seen[-3:]], axis=-1))
        seen.append(one.step(action)[0])
        stacked = three.step(action)[0]
    again = three.reset()[0]
    assert same(again["vector"][:7], again["vector"][14:])
    assert three.observation_space.contains(again)


@pytest.mark.parametrize("stack", [1, 2])
def test_observations_are_nobody_elses(stack):
    env = ArenaEnv(FILE, **ALL, frame_stack=stack)
    seen = [env.reset(seed=1)[0]]
    kept = [copy.deepcopy(seen[0])]
    for action in (3, 4, 0, 5):
        seen.append(env.step(action)[0])
        kept.append(copy.deepcopy(seen[-1]))
    assert all(map(same, seen, kept))
    every = [array for observation in seen for array in arrays(observation)]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(every) for b in every[:k])
    untouched = ArenaEnv(FILE, **ALL, frame_stack=stack)
    untouched.reset(seed=1)
    for action in (3, 4, 0, 5):
        untouched.step(action)
    for array in every:
        array[...] = 0
    assert same(env.step(3)[0], untouched.step(3)[0])


def test_every_value_has_its_type():
    env = ArenaEnv(FILE, **ALL)
    env.reset(seed=1)
    ended = False
    while not ended:
        observation, reward, ended, cut, info = env.step(np.int64(1))
        kinds = [type(value) for value in (reward, ended, cut, info["is_success"])]
        assert kinds == [float, bool, bool, bool]
        assert env.observation_space.contains(observation)
        assert info["events"].tolist() == [0] * len(EVENTS)
        assert (OUTCOMES[info["outcome"]] == "stopped") is not ended
    assert (OUTCOMES[info["outcome"]], info["passed"], info["is_success"]) == ("health gone", False, False)


def test_a_success_is_told():
    arena = spec(item("Agent", "10 0 10", rotations="0"), item("GoodGoal", "10 0 12", sizes="1 1 1"))
    env = ArenaEnv(FILE.model_copy(update={"arenas": {0: arena}}), observation="vector")
    env.reset(seed=1)
    ended = False
    while not ended:
        *_, ended, cut, info = env.step(3)
    assert (OUTCOMES[info["outcome"]], info["passed"], info["is_success"], cut) == ("goal", True, True, False)
    assert dict(zip(EVENTS, info["events"].tolist(), strict=True))["good goal"] == info["events"].sum() == 1
    assert [event.name for event in env.events] == ["GoodGoal"]


def test_an_action_can_be_repeated():
    once, thrice = (ArenaEnv(FILE, observation="vector", action_repeat=k) for k in (1, 3))
    once.reset(seed=1)
    thrice.reset(seed=1)
    ended = False
    while not ended:
        total = 0.0
        for _ in range(3):
            if not ended:
                observation, reward, ended, *_ = once.step(4)
                total += reward
        got, reward, over, *_ = thrice.step(4)
        assert (same(got, observation), reward, over) == (True, total, ended)
    assert thrice.metadata["render_fps"] == 6


def test_an_arena_without_a_time_limit_is_cut():
    env = ArenaEnv(ENDLESS, observation="vector", max_episode_steps=4)
    env.reset(seed=1)
    ends = [env.step(0)[2:4] for _ in range(3)]
    *_, terminated, truncated, info = env.step(0)
    assert ends == [(False, False)] * 3
    assert (terminated, truncated, info["outcome"], info["passed"]) == (False, True, 0, False)
    # The module form of the id.
    name = "arena:arena-llm/Arena-v0"
    made = gymnasium.make(name, config=ENDLESS, observation=("vector",), max_episode_steps=2)
    made.reset(seed=1)
    assert [made.step(0)[2:4] for _ in range(2)] == [(False, False), (False, True)]


def test_info_has_the_same_keys_and_types_after_every_reset_and_step_also_at_a_cut():
    """The cut is Gymnasium's own, of which the environment does not know."""
    env = gymnasium.make("arena-llm/Arena-v0", config=FILE, observation="vector", max_episode_steps=12)
    kinds, ends = set(), []
    for episode in range(4):
        infos, over = [env.reset(seed=None if episode else 1)[1]], False
        while not over:
            *_, terminated, truncated, info = env.step(3)
            infos.append(info)
            over = terminated or truncated
        ends.append((terminated, truncated, OUTCOMES[info["outcome"]], info["passed"]))
        kinds |= {tuple((k, type(v), np.shape(v)) for k, v in each.items()) for each in infos}
    assert len(kinds) == 1
    assert ends[:2] == [(True, False, "health gone", False), (False, True, "stopped", False)]


def test_an_episode_that_is_stopped_from_outside_is_truncated():
    env = ArenaEnv(ENDLESS, observation="vector")
    env.reset(seed=1)
    env.episode.stop()
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, OUTCOMES[info["outcome"]]) == (0.0, False, True, "stopped")
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(0)


@pytest.mark.parametrize("use", ["step", "render", "episode"])
def test_an_environment_is_reset_first(use):
    env = ArenaEnv(FILE, observation="vector", render_mode="rgb_array")
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        {"step": lambda: env.step(0), "render": env.render, "episode": lambda: env.episode}[use]()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *CASES["wrong_options"],
        ({"observation": ()}, "observation: got \\(\\), expected"),
        *(({"resolution": side}, f"resolution: got {side}, expected 4 to 1024") for side in (-1, 0, 3, 1025)),
        ({"config": Unfit(threading.Lock())}, "config: the curriculum .* cannot be copied"),
    ],
    ids=str,
)
def test_a_wrong_option_says_what_is_expected(options, message):
    with pytest.raises(ConfigError, match=message):
        ArenaEnv(**{"config": FILE} | options)


def test_numbers_of_numpy_are_numbers():
    plain = {"resolution": 8, "frame_stack": 2, "grayscale": True, "rays_per_side": 1, "action_repeat": 3}
    drawn = {name: np.asarray(value)[()] for name, value in plain.items()}
    both = {"config": FILE, "observation": ("camera", "rays")}
    one = ArenaEnv(**both | plain, max_episode_steps=2, ray_max_degrees=60)
    other = ArenaEnv(**both | drawn, max_episode_steps=np.int32(2), ray_max_degrees=np.float32(60))
    assert one.observation_space == other.observation_space
    assert same(one.reset(seed=1), other.reset(seed=1))
    assert [same(one.step(4), other.step(4)) for _ in range(2)] == [True, True]


def test_seeds_of_numpy_are_seeds():
    envs = ArenaVectorEnv(2, FILE, observation="vector")
    assert same(envs.reset(seed=np.array([4, 9])), envs.reset(seed=[4, 9]))
    with pytest.raises(ConfigError, match=r"seed: got 1.5, expected a whole number"):
        envs.reset(seed=1.5)


def test_a_version_is_not_ignored():
    read = load_text("arenas: {0: {t: 5, items: [{name: Agent}]}}", version="4")
    for version in (None, "4"):
        env = ArenaEnv(read, observation="vector", version=version)
        env.reset(seed=1)
        assert env.episode.spec.version == "4"
    with pytest.raises(ConfigError, match=r"arena 0 was read as version '4', .* version='3.1.3'"):
        ArenaEnv(read, observation="vector", version="3.1.3").reset(seed=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 3}, "got the options {'level': 3}, expected only 'task'"),
        ({"task": "3"}, "task: got '3', expected one of 0, 7$"),
        ({"task": 7.0}, "task: got 7.0, expected the id of a task"),
    ],
    ids=str,
)
def test_wrong_options_of_a_reset_are_refused(options, message):
    env = ArenaEnv(FILE, observation="vector")
    env.reset(options={})
    with pytest.raises(ConfigError, match=message):
        env.reset(options=options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (None, "returned 3, expected an arena.Episode"),
        ({"task": "0"}, r"but Unfit has no method named\(task_id\)"),
    ],
)
def test_a_stream_gives_episodes_and_for_a_named_task_names_them(options, said):
    with pytest.raises(ConfigError, match=said):
        ArenaEnv(Unfit(), observation="vector").reset(seed=1, options=options)


def test_a_named_task_is_played_and_the_stream_continues_after_it():
    env = ArenaEnv(FILE, observation="vector", task_info=True)
    env.reset(seed=1)
    assert [env.reset(options={"task": task})[1]["arena"] for task in (0, "7", "7")] == ["0", "7", "7"]
    assert [env.reset()[1]["arena"] for _ in range(2)] == ["7", "0"]
    assert same(*(env.reset(seed=2, options={"task": "7"})[0] for _ in range(2)))


def test_several_files_are_played_in_turn_and_a_broken_one_is_named(tmp_path):
    good = "!ArenaConfig {arenas: {0: !Arena {items: []}, 1: !Arena {items: []}}}"
    # The agent, placed last, has 0.02 m beside it, which no attempt with this seed finds.
    wall = item("Wall", "20 0 20", sizes="39.99 10 39.99", rotations="0")
    (tmp_path / "easy.yaml").write_text(good)
    (tmp_path / "full.yaml").write_text(f"!ArenaConfig {{arenas: {{0: !Arena {{items: [{wall}]}}}}}}")
    files = [FILE, str(tmp_path / "easy.yaml"), tmp_path / "full.yaml"]
    env = ArenaEnv(files, observation="vector", task_info=True)
    names = [env.reset(seed=2)[1]["arena"]] + [env.reset()[1]["arena"] for _ in range(3)]
    assert names == ["<text>", "<text>#1", "easy", "easy#1"]
    with pytest.raises(LayoutError, match=r"full\.yaml: arena full: the agent cannot be placed"):
        env.reset()
    assert env.reset()[1]["arena"] == "<text>"


def test_the_numbers_of_a_file_name_its_arenas_and_seed_their_episodes():
    env = ArenaEnv(FILE, observation="vector")
    env.reset(seed=5)
    env.reset()
    with Episode(FILE.arenas[7], task_id="7", seed=5, trial=1) as episode:
        assert env.episode.position == episode.position


@pytest.mark.parametrize("way", [pickle, cloudpickle, copy], ids=lambda module: module.__name__)
@pytest.mark.parametrize("steps", [None, 0, 6, 15], ids=lambda steps: f"{steps} steps")
def test_an_environment_can_be_copied_at_any_time(way, steps):
    env = ArenaEnv(FILE, **ALL, frame_stack=2, action_repeat=2, max_episode_steps=20)
    if steps is not None:
        env.reset(seed=3)
        env.reset()
    for k in range(steps or 0):
        if env.step(k % 9)[2]:
            env.reset()
    other = copy.deepcopy(env) if way is copy else way.loads(way.dumps(env))
    if steps is None:
        assert same(*(each.reset(seed=3) for each in (env, other)))
    for k in range(20):
        one, two = (each.step(k % 9) for each in (env, other))
        assert all(map(same, one, two))
        if one[2] or one[3]:
            one, two = env.reset(), other.reset()
            assert all(map(same, one, two))


@pytest.mark.parametrize("names", [("rays", "vector"), "camera"])
def test_environments_that_are_stepped_together_can_be_copied_at_any_time(names):
    envs = ArenaVectorEnv(2, FILE, observation=names, resolution=16, frame_stack=2, max_episode_steps=20)
    envs.reset(seed=3)
    for k in range(12):
        envs.step([k % 9, 3])
    other = pickle.loads(pickle.dumps(copy.deepcopy(envs)))
    for k in range(20):
        assert all(map(same, envs.step([k % 9, 3])[:4], other.step([k % 9, 3])[:4]))
    envs.close()
    assert pickle.loads(pickle.dumps(envs)).closed


def test_a_copy_that_does_not_replay_is_refused():
    env = ArenaEnv(ENDLESS, observation="vector")
    env.reset(seed=3)
    env.step(3)
    state = env.__getstate__()
    recording = state["_episode"].recording
    state["_episode"] = state["_episode"]._replace(recording=recording.model_copy(update={"health": 3.0}))
    with pytest.raises(RecordingError, match=r"does not replay here: .* expected 0 and 3"):
        ArenaEnv.__new__(ArenaEnv).__setstate__(state)


def test_registering_again_changes_nothing():
    spec_before = gymnasium.spec("arena-llm/Arena-v0")
    register()
    assert gymnasium.spec("arena-llm/Arena-v0") is spec_before
