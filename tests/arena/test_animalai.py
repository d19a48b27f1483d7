"""The interface of the `animalai` package: shapes, numbers, the course of episodes, scripts of users."""

import importlib
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from arena import ACTIONS, ArenaEnv, ConfigError
from arena.animalai import (
    AAIAction,
    AAIActions,
    ActionTuple,
    AnimalAIEnvironment,
    AnimalAIGymnasiumWrapper,
    RayCastObjects,
    RayCastParser,
    UnityToGymWrapper,
    make_animalai_vec_env,
    stack_actions,
)
from arena.animalai.exception import UnityActionException, UnityEnvironmentException
from arena.rays import TAGS, TAGS_4_4
from tests.arena.learning import FILE
from tests.cases import cases

CASES = cases(__file__)

ROOT = Path(__file__).parents[2]
TASK = str(ROOT / "testbed" / "levels" / "01_food_retrieval" / "01-01-01.yaml")
BEHAVIOR = "AnimalAI?team=0"

PLAIN = """
from arena.animalai.actions import AAIActions
from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.environment import find_executable
from arena.animalai.raycastparser import RayCastObjects, RayCastParser

RAYS = 9
env = AnimalAIEnvironment(
    file_name=str(find_executable("env")), arenas_configurations="task.yaml", base_port=5123,
    worker_id=2, seed=7,    useCamera=False, useRayCasts=True, raysPerSide=(RAYS - 1) // 2, rayMaxDegrees=30,
    no_graphics=True, timescale=300,
)
parser = RayCastParser([RayCastObjects.GOODGOAL], RAYS)
actions = AAIActions()
behavior = list(env.behavior_specs.keys())[0]
for episode in range(2):
    total = 0
    while True:
        env.step()
        dec, term = env.get_steps(behavior)
        if len(term) > 0:
            total += term.reward
            break
        total += dec.reward
        goal = parser.parse(env.get_obs_dict(dec.obs)["rays"])[0]
        ahead = goal[RAYS // 2] > 0
        env.set_actions(behavior, (actions.FORWARDS if ahead else actions.LEFT).action_tuple)
    print(float(total[0]) > 0)
env.close()
"""
"""Turn until the ball is ahead, then drive: it eats the ball of the task both times."""

TRAINING = """
import random
from pathlib import Path
from stable_baselines3 import PPO
from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.wrappers import UnityToGymWrapper

env = AnimalAIEnvironment(
    file_name="env/AnimalAI.x86_64", log_folder="logs", arenas_configurations=Path("task.yaml"),
    base_port=5500 + random.randint(0, 1000), resolution=36, useCamera=True, useRayCasts=False, raysPerSide=2,
    grayscale=False, timescale=300, inference=False,
)
env = UnityToGymWrapper(env, uint8_visual=True, allow_multiple_obs=False, flatten_branched=True)
model = PPO("CnnPolicy", env, n_steps=50, batch_size=50, n_epochs=1, device="cpu")
model.learn(total_timesteps=200)
model.save("model")
env.close()
print(model.num_timesteps)
"""


def run_script(text, folder):
    (folder / "task.yaml").write_bytes(Path(TASK).read_bytes())
    (folder / "script.py").write_text(text)
    return subprocess.run(
        [sys.executable, "script.py"],
        cwd=folder,
        # Should a library crash, its stack is in the test's message.
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONFAULTHANDLER": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )


def test_a_script_with_steps_of_agents_runs(tmp_path):
    done = run_script(PLAIN, tmp_path)
    assert (done.stdout, done.stderr) == ("True\nTrue\n", "")


def test_a_script_that_trains_runs(tmp_path):
    pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    done = run_script(TRAINING, tmp_path)
    assert (done.returncode, done.stdout) == (0, "200\n"), done.stderr
    assert (tmp_path / "model.zip").is_file()


def test_what_the_original_has_in_files_of_its_own_is_imported_from_there():
    for module, name in (
        ("agents.braitenberg", "Braitenberg"),
        ("agents.randomActionAgent", "RandomActionAgent"),
        ("executable", "find_or_download_executable"),
        ("wrappers.animalai_gymnasium", "AnimalAIGymnasiumWrapper"),
        ("wrappers.unity_gymnasium", "UnityToGymnasiumWrapper"),
        ("wrappers.vector", "make_animalai_vec_env"),
    ):
        assert callable(getattr(importlib.import_module(f"arena.animalai.{module}"), name)), module


def test_every_module_of_the_documented_table_is_imported():
    """Modules of which scripts for animalai 3, 4 and 6 import names, and where these are here."""
    page = (ROOT / "docs" / "rl.md").read_text(encoding="utf-8")
    table = page.split("| before | now |\n|---|---|\n")[1].split("\n\n")[0]
    found = {}
    for before, now in (line.strip("| ").split(" | ") for line in table.splitlines()):
        old, new = (re.findall(r"`([a-z_.][\w.]*)`", cell) for cell in (before, now))
        if "and so on" in now:
            old = [re.sub(r"^\.", "animalai.", name).replace(".envs", "") for name in old]
            new = [f"arena.{name}" for name in old]
        found |= zip(old, new if len(new) == len(old) else new * len(old), strict=True)
    for name, has in (
        ("animalai.environment", "AnimalAIEnvironment"),
        ("animalai.actions", "AAIActions"),
        ("animalai.LLM_scaffolds", "FrameByFrameScaffold"),
        ("animalai.braitenberg", "Braitenberg"),
        ("gym_unity.envs", "UnityToGymWrapper"),
        ("mlagents_envs.envs.unity_gym_env", "UnityToGymWrapper"),
        ("mlagents_envs.base_env", "DecisionSteps"),
        ("mlagents_envs.exception", "UnityCommunicationException"),
    ):
        assert hasattr(importlib.import_module(found[name]), has), name
    assert all(importlib.import_module(module) for module in found.values())


def test_it_needs_no_mlagents():
    program = "import sys; sys.modules['mlagents_envs'] = None; import arena.animalai"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0


@pytest.fixture
def make():
    """Makes environments that are closed after the test."""
    made = []

    def new(**options):
        made.append(AnimalAIEnvironment(**{"useCamera": False, "arenas_configurations": FILE} | options))
        return made[-1]

    yield new
    for env in made:
        env.close()


def play(env, *action):
    env.set_actions(BEHAVIOR, ActionTuple(discrete=[action]))
    env.step()
    return env.get_steps(BEHAVIOR)


def test_the_observations_are_those_of_our_environment(make):
    env = make(useCamera=True, useRayCasts=True, resolution=20, raysPerSide=(7 - 1) / 2, rayMaxDegrees=45)
    ours = ArenaEnv(
        FILE.drawn_by("unity"),
        observation=("camera", "rays", "vector"),
        resolution=20,
        rays_per_side=3,
        ray_max_degrees=45,
        ray_tags=18,
    )
    ours.reset(seed=env._playing.np_random_seed)
    decision, terminal = play(env, 1, 2)
    seen, reward, *_ = ours.step(5)
    named = env.get_obs_dict(decision.obs)
    assert [each.shape for each in decision.obs] == [(1, 3, 20, 20), (1, 140), (1, 7)]
    assert {each.dtype for each in decision.obs} == {np.dtype(np.float32)}
    assert [each.shape for each in terminal.obs] == [(0, 3, 20, 20), (0, 140), (0, 7)]
    assert (np.rint(named["camera"] * 255).transpose(1, 2, 0) == seen["camera"]).all()
    assert 0 < named["camera"].max() <= 1
    assert (named["rays"] == seen["rays"]).all()
    assert (np.hstack([named["health"], named["velocity"], named["position"]]) == seen["vector"]).all()
    assert named["health"].shape == ()
    assert decision.reward == np.float32(reward)
    specs = env.behavior_specs[BEHAVIOR].observation_specs
    assert [each.shape for each in specs] == [(3, 20, 20), (140,), (7,)]
    assert [each.name for each in specs] == ["camera", "rays", "vector"]
    assert env.obsdict["rays"] is named["rays"]


def test_channels_and_rays_as_in_3_by_options(make):
    env = make(useCamera=True, useRayCasts=True, resolution=20, channels_first=False, rayTags=12)
    first = make(useCamera=True, resolution=20).get_steps(BEHAVIOR)[0].obs[0]
    camera, rays, _ = env.get_steps(BEHAVIOR)[0].obs
    assert (camera.shape, rays.shape) == ((1, 20, 20, 3), (1, 70))
    assert (camera.transpose(0, 3, 1, 2) == first).all()
    assert make(arenas_configurations=TASK, version="3.1.3", useRayCasts=True).behavior_specs[
        BEHAVIOR
    ].observation_specs[0].shape == (70,)


def test_files_are_read_as_version_4_and_loaded_ones_keep_theirs(make):
    assert make(arenas_configurations=TASK)._playing.episode.spec.version == "4"
    assert make(arenas_configurations=[TASK])._playing.episode.spec.version == "4"
    assert make(arenas_configurations=TASK, version="3.1.3")._playing.episode.spec.version == "3.1.3"
    assert make()._playing.episode.spec.version == FILE.arenas[0].version == "3.1.3"


def test_without_a_file_the_arena_is_empty(make):
    for missing in ("", None):
        env = make(arenas_configurations=missing)
        for _ in range(20):
            decision, terminal = play(env, 1, 0)
        assert len(decision) == 1
        assert not terminal
        assert not env._playing.episode.layout.things
        assert decision.obs[0][0, 0] == 100


def test_gray_is_the_mean_of_the_colours(make):
    coloured, gray = (make(useCamera=True, resolution=20, grayscale=wanted) for wanted in (False, True))
    one, other = (env.get_steps(BEHAVIOR)[0].obs[0] for env in (coloured, gray))
    assert other.shape == (1, 1, 20, 20)
    assert np.allclose(one.mean(axis=1, keepdims=True), other)


def test_an_episode_ends_with_the_next_one_begun(make):
    env = make()
    ids = [env.get_steps(BEHAVIOR)[0].agent_id[0]]
    for count in (9, 16, 9):
        for step in range(1, count + 1):
            decision, terminal = play(env, 0, 0)
            assert len(terminal) == (step == count)
        assert list(terminal) == [ids[-1]]
        last = terminal[ids[-1]]
        assert last.obs[0][0] == 0
        assert last.reward < 0
        assert not last.interrupted
        ids.append(decision.agent_id[0])
        assert decision[ids[-1]].obs[0][0] == 100
        assert decision.reward[0] == 0
    assert len(set(ids)) == 4


def test_without_an_action_the_agent_idles(make):
    env = make()
    decision, _ = play(env, 1, 0)
    start = decision.obs[0][0, 4:]
    for _ in range(3):
        env.step()
    moved = env.get_steps(BEHAVIOR)[0].obs[0][0]
    assert np.linalg.norm(moved[1:4]) < np.linalg.norm(decision.obs[0][0, 1:4])
    assert np.linalg.norm(moved[4:] - start) < 0.2


def test_a_reset_plays_the_next_arena_and_another_file_its_first(make):
    env = make()
    assert env._playing.episode.task_id == "0"
    env.reset()
    assert env._playing.episode.task_id == "7"
    env.reset(arenas_configurations=TASK)
    assert env._playing.episode.spec.pass_mark is not None
    assert env._playing.episode.task_id == "0"


def places(make, seed, count=4):
    env = make(seed=seed)
    seen = []
    for _ in range(count):
        env.reset(arenas_configurations=FILE)
        seen.append(env._playing.episode.scene().positions)
    return seen


def test_the_seed_draws_what_is_random(make):
    one, again, other = places(make, 3), places(make, 3), places(make, 4)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert not np.array_equal(one[0], one[1])
    assert np.array_equal(places(make, None, 2), places(make, 0, 2))


def test_a_decision_period_is_so_many_ticks(make):
    short, long = make(), make(decisionPeriod=9)
    rewards = [play(short, 1, 0)[0].reward[0] for _ in range(3)]
    assert play(long, 1, 0)[0].reward[0] == pytest.approx(sum(rewards))
    assert np.array_equal(long.get_steps(BEHAVIOR)[0].obs[0], short.get_steps(BEHAVIOR)[0].obs[0])


def test_the_nine_actions_their_numbers_and_stacks():
    names = [str(action) for action in AAIActions().allActions]
    assert names == [
        *("noop", "left", "right", "forwards", "forwards&left", "forwards&right"),
        *("backwards", "backwards&left", "backwards&right"),
    ]
    branches = [tuple(action.action_tuple.discrete[0]) for action in AAIActions().allActions]
    assert sorted(branches) == sorted(ACTIONS)
    assert AAIActions().FORWARDSLEFT.action_tuple.discrete.tolist() == [[1, 2]]
    assert AAIActions().BACKWARDSRIGHT.action_tuple.discrete.tolist() == [[2, 1]]
    assert AAIActions().NOOP.action_tuple.continuous.shape == (1, 0)
    assert stack_actions([AAIActions().LEFT, AAIActions().FORWARDS]).discrete.tolist() == [[0, 2], [1, 0]]
    assert AAIActions(2).LEFT.action_tuple.discrete.tolist() == [[0, 2], [0, 2]]


def test_the_objects_are_numbered_as_the_bits():
    now = {"HollowObj": "hollowbox", "PillarButton": "spawnerbutton", "SignPoster": "signboard"}
    assert [each.name.lower() for each in RayCastObjects] == [now.get(tag, tag).lower() for tag in TAGS_4_4]
    assert RayCastObjects.PILLARBUTTON is RayCastObjects.SPAWNERBUTTON
    assert TAGS_4_4[: len(TAGS)] == TAGS


def rays_of(*distances):
    """Rays that all show a good goal, at these fractions."""
    rows = np.zeros((len(distances), 14))
    rows[:, RayCastObjects.GOODGOAL.value], rows[:, 13] = 1, distances
    return rows.ravel()


def test_the_parser_keeps_the_columns_of_the_original_or_sorts_them(capsys):
    """Rays are at 0, d, -d, 2d, -2d degrees; the original's order is worked out from its published code."""
    wanted = [RayCastObjects.GOODGOAL, RayCastObjects.IMMOVABLE, RayCastObjects.RAMP]
    rays = rays_of(0.1, 0.2, 0.3, 0.4, 0.5)
    parsed = RayCastParser(wanted, 5).parse(rays)
    assert parsed.tolist() == [[0.3, 0.5, 0.1, 0.4, 0.2], [0] * 5, [0] * 5]
    by_angle = RayCastParser(wanted, 5, by_angle=True).parse({"rays": rays})
    assert by_angle[0].tolist() == [0.5, 0.3, 0.1, 0.2, 0.4]
    RayCastParser(wanted[:1], 3).prettyPrint(rays_of(0.1, 0.2, 0.3))
    assert capsys.readouterr().out == "GOODGOAL : [0.3 0.1 0.2]\n"


def test_the_parser_takes_any_width():
    for kinds in (4, 12, 18):
        rays = np.zeros((3, kinds + 2))
        rays[1, [RayCastObjects.GOODGOAL.value, -1]] = 1, 0.25
        parsed = RayCastParser([RayCastObjects.GOODGOAL, RayCastObjects.ARENA], 3).parse(rays.ravel())
        assert parsed.tolist() == [[0, 0, 0.25], [0, 0, 0]]
    with pytest.raises(ValueError, match="rays of 12 kinds cannot show HOLLOWBOX, AGENT"):
        RayCastParser([RayCastObjects.HOLLOWBOX, RayCastObjects.AGENT], 3).parse(rays_of(0.1, 0.2, 0.3))
    four = RayCastParser([RayCastObjects.GOODGOAL], 4).parse(rays_of(0.1, 0.2, 0.3, 0.4).tolist())
    assert four.tolist() == [[0.3, 0.1, 0.3, 0]]


@pytest.mark.parametrize(
    ("name", "tag"), [("DecoyGoal", "DecoyGoal"), ("HollowBox", "HollowObj"), ("DataZone", "DataZone")]
)
def test_rays_of_4_4_show_kinds_that_those_of_3_do_not(make, tmp_path, name, tag):
    file = tmp_path / "task.yaml"
    item = f"{{name: {name}, positions: [{{x: 20, z: 25}}], sizes: [{{x: 1, y: 1, z: 1}}]}}"
    agent = "{name: Agent, positions: [{x: 20, z: 20}], rotations: [0]}"
    file.write_text(f"arenas: {{0: {{t: 50, items: [{agent}, {item}]}}}}")
    env = make(arenas_configurations=str(file), useRayCasts=True)
    ahead = env.get_obs_dict(env.get_steps(BEHAVIOR)[0].obs)["rays"][:20]
    assert np.flatnonzero(ahead[:19]).tolist() == [TAGS_4_4.index(tag)]


def test_the_dictionary_wrapper_and_the_vector_of_them():
    envs = make_animalai_vec_env(
        2, arenas_configurations=TASK, seed=1, env_kwargs={"resolution": 16, "useRayCasts": True}
    )
    seen, _ = envs.reset(seed=0)
    assert {name: each.shape for name, each in seen.items()} == {
        "camera": (2, 3, 16, 16),
        "rays": (2, 100),
        "health": (2,),
        "velocity": (2, 3),
        "position": (2, 3),
    }
    seen, rewards, terminated, *_ = envs.step([[1, 0], [0, 1]])
    assert envs.observation_space.contains(seen)
    assert (rewards < 0).all()
    assert not terminated.any()
    envs.close()


@pytest.mark.slow
def test_the_vector_of_processes():
    envs = make_animalai_vec_env(
        2, vectorization_mode="async", arenas_configurations=[TASK, TASK], env_kwargs={"useCamera": False}
    )
    seen, _ = envs.reset()
    assert seen["position"].shape == (2, 3)
    envs.close()


@pytest.mark.parametrize(
    ("options", "kind", "shape"),
    [
        ({}, np.float32, (3, 16, 16)),
        ({"uint8_visual": True, "flatten_branched": True}, np.uint8, (3, 16, 16)),
    ],
)
def test_the_picture_wrapper_keeps_gymnasiums_promises(make, options, kind, shape):
    env = UnityToGymWrapper(make(useCamera=True, resolution=16, useRayCasts=True), **options)
    seen, _ = env.reset()
    assert (seen.dtype, seen.shape) == (kind, shape)
    again = [env.reset(seed=5)[0], env.reset()[0], env.reset(seed=5)[0]]
    assert np.array_equal(again[0], again[2])
    assert not np.array_equal(again[0], again[1])
    assert env.observation_space.contains(env.step(env.action_space.sample())[0])
    several = UnityToGymWrapper(env._env, allow_multiple_obs=True)
    assert several.observation_space.contains(several.reset()[0])
    assert [each.shape for each in several.reset()[0]] == [(3, 16, 16), (107,)]


def test_the_wrapper_returns_four_values_if_asked_to(make):
    env = UnityToGymWrapper(make(), four_values=True)
    env.seed(1)
    seen = env.reset()
    assert seen.shape == (7,)
    done = 0
    for _ in range(20):
        seen, reward, done, info = env.step([0, 0])
        if done:
            break
    assert done
    assert seen[0] == 0
    assert reward < 0
    assert len(info["step"]) == 1


def test_the_wrapper_ends_with_the_last_observation_of_the_episode(make):
    env = AnimalAIGymnasiumWrapper(make(), include_velocity=False, include_position=False)
    assert env.reset(options={"arena_config": FILE})[0] == 100
    ends = [env.step((0, 0)) for _ in range(9)]
    assert [each[2] for each in ends] == [False] * 8 + [True]
    assert ends[-1][0] == 0
    assert not ends[-1][3]
    assert env.observation_space.shape == ()


@pytest.mark.filterwarnings("error")
def test_what_does_nothing_is_taken_and_a_window_for_a_person_is_warned_about(make):
    make(
        inference=True,
        log_folder="x",
        file_name="y",
        worker_id=3,
        base_port=1,
        side_channels=[],
        captureFrameRate=30,
        timeout=9,
    )
    with pytest.warns(UserWarning, match="arena-llm play"):
        make(play=True)


@pytest.mark.parametrize(("options", "said"), CASES["wrong_options"])
def test_wrong_options_say_what_is_expected(make, options, said):
    with pytest.raises(ConfigError, match=said):
        make(**options)


def test_errors_are_those_that_the_original_raises_and_say_what_is_expected(make):
    """What a script for the package catches, by Python's own names."""
    env, one = make(), [RayCastObjects.ARENA]
    for kind, said, wrong in [
        (FileNotFoundError, "nowhere.yaml: cannot", lambda: make(arenas_configurations="nowhere.yaml")),
        (FileNotFoundError, "nowhere.yaml", lambda: env.reset("nowhere.yaml")),
        (TypeError, "seed", lambda: make(seed=1.5)),
        (ValueError, "got", lambda: AAIActions(0)),
        (ValueError, "rayMaxDegrees", lambda: make(useRayCasts=True, rayMaxDegrees=200)),
        (TypeError, "got", lambda: AAIAction("left", (0, 2))),
        (ValueError, "got", lambda: stack_actions([])),
        (ValueError, "expected a list of RayCastObjects", lambda: RayCastParser(["GOODGOAL"], 5)),
        (ValueError, "numberOfRays", lambda: RayCastParser(one, 0)),
        (TypeError, "raycast", lambda: RayCastParser(one, 5).parse("rays")),
        (ValueError, "raycast", lambda: RayCastParser(one, 5).parse([])),
        (ValueError, r"got the shape \(56,\), .* of 5", lambda: RayCastParser(one, 5).parse(np.zeros(56))),
        (IndexError, "steps with an agent", lambda: env.get_obs_dict(env.get_steps(BEHAVIOR)[0].obs, 1)),
        (IndexError, "steps with an agent", lambda: env.get_obs_dict(env.get_steps(BEHAVIOR)[1].obs)),
        (IndexError, "agent_id", lambda: env.set_action_for_agent(BEHAVIOR, 99, ActionTuple())),
        (UnityActionException, r"expected 'AnimalAI\?team=0'", lambda: env.get_steps("AnimalAI")),
        *(
            (UnityActionException, "expected an ActionTuple", partial(env.set_actions, BEHAVIOR, action))
            for action in (ActionTuple(discrete=[[3, 0]]), ActionTuple(discrete=[1, 0]), (1, 0))
        ),
        (TypeError, "unity_env", lambda: AnimalAIGymnasiumWrapper("env")),
        (ValueError, "include_rays", lambda: AnimalAIGymnasiumWrapper(env, include_rays=True)),
        (ValueError, "include_camera", lambda: AnimalAIGymnasiumWrapper(env, include_camera=True)),
        (ValueError, "num_envs", lambda: make_animalai_vec_env(0)),
        (ValueError, "got 1 files, .* 2", lambda: make_animalai_vec_env(2, arenas_configurations=[TASK])),
    ]:
        with pytest.raises(kind, match=said) as caught:
            wrong()
        assert isinstance(caught.value, ConfigError), wrong
    with pytest.raises(KeyError, match="expected one of"):
        env.get_steps(BEHAVIOR)[0][99]
    env.close()
    env.close()
    for use in (env.reset, env.step):
        with pytest.raises(UnityEnvironmentException, match="closed"):
            use()


def test_whole_numbers_may_be_floats_and_of_numpy(make):
    for rays in (3, 3.0, np.int64(3), np.float32(3)):
        env = make(useCamera=False, useRayCasts=True, raysPerSide=rays, decisionPeriod=np.int64(6))
        assert env.behavior_specs[BEHAVIOR].observation_specs[0].shape == (140,)
