"""Several agents in one arena, through PettingZoo and through the episode itself."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import parallel_api_test, parallel_seed_test

from arena import FORWARD, IDLE, ConfigError, Episode, LayoutError, load_text
from arena.gym.env import OUTCOMES
from arena.gym.parallel_env import ArenaParallelEnv
from tests.arena.worlds import agent, arena_text, episode, item, play, spec

GOAL = item("GoodGoal", "10 0 20", sizes="1 1 1")
FACING = (agent("20 0 14"), agent("20 0 26", yaw=180))


def file(*items, end="any"):
    return load_text(arena_text(*items, pass_mark="~", more=f"episodeEnd: {end}, "), version="4")


def pair(*items, more="", **options):
    return episode(*items, version="4", more=more, **options)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("end", ["any", "all"])
def test_the_api_is_kept(end):
    ball = item("GoodGoal", "20 0 15.2", sizes="1 1 1")
    options = {"observation": ("camera", "rays"), "resolution": 16, "rays_per_side": 1}
    env = ArenaParallelEnv(file(*FACING, ball, end=end), max_episode_steps=25, **options)
    env.action_space("agent_0").seed(1)
    parallel_api_test(env, num_cycles=30)


def test_the_same_seed_gives_the_same_bits():
    two = file(agent("-1 0 -1"), agent("-1 0 -1"), GOAL)
    parallel_seed_test(lambda: ArenaParallelEnv(two, observation="vector"), num_cycles=20)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_has_physics_of_its_own(way):
    env = ArenaParallelEnv(file(*FACING, GOAL), observation="vector", frame_stack=2)
    env.reset(seed=3)
    for _ in range(5):
        env.step({"agent_0": 3, "agent_1": 4})
    other, third = way(env), way(env)
    for _ in range(9):
        other.step({"agent_0": 6, "agent_1": 7})
    expected, seen = (each.step({"agent_0": 1, "agent_1": 3}) for each in (third, env))
    assert all((seen[0][name] == expected[0][name]).all() for name in ("agent_0", "agent_1"))
    assert seen[1:3] == expected[1:3]


@pytest.mark.parametrize(
    "actions",
    [{}, {"agent_0": 1}, [1, 1], None, *({"agent_0": 1, "agent_1": bad} for bad in (9, -1, True, np.True_))],
    ids=str,
)
def test_a_wrong_action_is_refused_and_nothing_is_played(actions):
    env = ArenaParallelEnv(file(*FACING), observation="vector")
    env.reset(seed=1)
    with pytest.raises(ConfigError, match=r"agent_1"):
        env.step(actions)
    env.step({"agent_0": np.int64(1), "agent_1": 0})
    assert env.episode.steps == 1


@pytest.mark.parametrize("state", ["new", "over", "closed"])
def test_what_is_not_reset_cannot_be_stepped(state):
    env = ArenaParallelEnv(file(agent("20 0 14"), agent("20 0 26"), GOAL, end="any"), observation="vector")
    if state != "new":
        env.reset(seed=1)
    while state == "over" and env.agents:
        env.step(dict.fromkeys(env.agents, 0))
    if state == "closed":
        env.close()
    assert env.agents == []
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        env.step({"agent_0": 0, "agent_1": 0})


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: ArenaParallelEnv(None), "config: got None, expected a task file's path"),
        (lambda: ArenaParallelEnv(file(*FACING)).reset(seed=1.5), "seed: got 1.5, expected a whole number"),
    ],
)
def test_wrong_use_says_what_is_expected(use, message):
    with pytest.raises(ConfigError, match=message):
        use()


def test_an_arena_of_the_file_is_played_by_its_number():
    arenas = [f"{k}: !Arena {{t: {k}, items: [{', '.join(FACING)}]}}" for k in (3, 5)]
    text = f"!ArenaConfig {{arenas: {{{', '.join(arenas)}}}}}"
    env = ArenaParallelEnv(load_text(text, version="4"), observation="vector")
    env.reset(seed=1, options={"task": 5})
    assert (env.episode.task_id, env.episode.spec.time_limit) == ("5", 5)
    env.reset()
    assert env.episode.task_id == "3"
    with pytest.raises(ConfigError, match="task: got '4', expected one of 3, 5"):
        env.reset(options={"task": "4"})


@pytest.mark.parametrize(("end", "first_ends"), [("any", True), ("all", False)])
def test_an_episode_can_be_cut(end, first_ends):
    """The first agent eats its ball before the cut; the second has none."""
    apart = file(agent("10 0 17"), agent("30 0 17"), GOAL, end=end)
    env = ArenaParallelEnv(apart, observation="vector", max_episode_steps=20)
    env.reset(seed=1)
    ends = {}
    while env.agents:
        *_, terminated, truncated, infos = env.step({name: 3 - 3 * int(name[-1]) for name in env.agents})
        ends |= {
            name: (terminated[name], truncated[name], OUTCOMES[info["outcome"]])
            for name, info in infos.items()
        }
    assert (env.episode.steps < 20) is first_ends
    assert ends["agent_0"] == (True, False, "goal")
    assert ends["agent_1"] == (
        (True, False, "another agent finished") if first_ends else (False, True, "stopped")
    )


@pytest.mark.parametrize("also", [{}, {"agent_0": 3}], ids=["left out", "ignored"])
def test_an_agent_that_is_over_leaves_and_its_actions_do_nothing(also):
    env = ArenaParallelEnv(file(agent("10 0 17"), agent("30 0 17"), GOAL, end="all"), observation="vector")
    env.reset(seed=1)
    while len(env.agents) == 2:
        observations, *_ = env.step({"agent_0": 3, "agent_1": 3})
    assert env.agents == ["agent_1"]
    assert observations.keys() == {"agent_0", "agent_1"}
    place = env.episode.agents[0].position
    returned = [env.step({"agent_1": 3} | also) for _ in range(3)][-1]
    assert [list(each) for each in returned] == [["agent_1"]] * 5
    assert env.episode.agents[0].position[0] == place[0]
    for actions in ({"agent_0": 3}, {"agent_1": 3, "agent_2": 3}):
        with pytest.raises(ConfigError, match="an action for each of agent_1"):
            env.step(actions)


def test_two_agents_that_drive_at_each_other_meet_in_the_middle():
    run = pair(*FACING)
    for _ in range(40):
        run.step_all([FORWARD, FORWARD])
    first, second = run.agents
    assert second.position[2] - first.position[2] == pytest.approx(1.0, abs=0.02)
    assert first.position[2] + second.position[2] == pytest.approx(40, abs=0.1)


def test_a_driving_agent_pushes_an_idle_one():
    run = pair(*FACING)
    for _ in range(40):
        run.step_all([FORWARD, IDLE])
    assert run.agents[1].position[2] > 27


def test_each_agent_sees_the_other():
    run = pair(*FACING)
    for number, place in enumerate(((20, 26), (20, 14))):
        (other,) = run.scene(number).others
        assert (other.position[0], other.position[2]) == pytest.approx(place)


def test_step_asks_for_an_action_of_each_and_version_3_knows_one_agent_only():
    with pytest.raises(LayoutError, match="step_all"):
        pair(*FACING).step(IDLE)
    assert len(episode(*FACING).agents) == 1


def test_arenas_with_different_numbers_of_agents_are_refused():
    arenas = [f"{k}: !Arena {{items: [{', '.join(FACING[: k + 1])}]}}" for k in range(2)]
    text = f"!ArenaConfig {{arenas: {{{', '.join(arenas)}}}}}"
    with pytest.raises(ConfigError, match=r"\[1, 2\] agents"):
        ArenaParallelEnv(load_text(text, version="4"))


@pytest.mark.parametrize("version", ["2", "3.1.3"])
def test_a_file_read_as_a_version_with_one_agent_is_refused(version):
    text = f"!ArenaConfig {{arenas: {{3: !Arena {{items: [{', '.join(FACING)}]}}}}}}"
    with pytest.raises(ConfigError, match=rf"arena 3 has 2 Agent items, but was read as version '{version}'"):
        ArenaParallelEnv(load_text(text, version=version))


@pytest.mark.parametrize("version", ["2", "3.1.3", "4.1", "4"])
def test_one_agent_plays_in_every_version(version):
    env = ArenaParallelEnv(
        load_text("arenas: {0: {items: [{name: Agent}]}}", version=version), observation="vector"
    )
    env.reset(seed=1)
    assert set(env.step({"agent_0": 3})[0]) == {"agent_0"}
    env.close()


def test_a_merged_arena_must_have_as_many_agents():
    first = spec(agent("10 0 17.4"), GOAL, version="4")
    then = spec(*FACING, version="4")
    run = Episode(first.model_copy(update={"then": then}), task_id="test")
    play(run, FORWARD, 5)
    with pytest.raises(LayoutError, match="2 agents, the one before 1"):
        run.step(FORWARD)
