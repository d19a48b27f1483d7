"""`arena.animalai` with several agents, as in Animal-AI 4.4."""

import numpy as np
import pytest

from arena.animalai import AAIActions, AnimalAIEnvironment, UnityToGymWrapper, stack_actions
from arena.animalai.exception import UnityActionException, UnityGymnasiumException

ONE, TWO = "AnimalAI?team=0", "AnimalAI?team=1"
DOES = AAIActions()


def agent(x, more=""):
    return f"{{name: Agent, positions: [{{x: {x}, y: 0, z: 5}}], rotations: [0]{more}}}"


GOAL = "{name: GoodGoal, positions: [{x: 20, y: 0, z: 9}], sizes: [{x: 1, y: 1, z: 1}]}"
FIRST = f"0: {{timeLimit: 10, items: [{agent(20)}, {agent(10)}, {GOAL}]}}"
SECOND = f"1: {{timeLimit: 0, items: [{agent(30)}, {agent(20, ', teams: [1]')}, {agent(10)}]}}"


@pytest.fixture
def env(tmp_path):
    path = tmp_path / "agents.yaml"
    path.write_text(f"arenas: {{{FIRST}, {SECOND}}}")
    env = AnimalAIEnvironment(arenas_configurations=str(path), useCamera=False, useRayCasts=True)
    yield env
    env.close()


def places(env, steps):
    return [round(float(seen["position"][0])) for seen in env.get_obs_dicts(steps.obs)]


def test_each_agent_has_a_row_for_observation_action_and_reward(env):
    decision, terminal = env.get_steps(ONE)
    assert [each.shape for each in decision.obs] == [(2, 100), (2, 7)]
    assert (places(env, decision), len(terminal)) == ([20, 10], 0)
    while not len(terminal):
        env.set_actions(ONE, stack_actions([DOES.FORWARDS, DOES.BACKWARDS]))
        env.step()
        decision, terminal = env.get_steps(ONE)
    assert terminal.agent_id.tolist() == [0, 1]
    assert terminal.reward.tolist() == pytest.approx([0.939, -0.06], abs=1e-3)
    assert (terminal.obs[1][:, 6] - 5 > 0).tolist() == [True, False]
    assert not terminal.interrupted.any()


def test_agents_of_a_team_share_a_behaviour(env):
    assert list(env.behavior_specs) == [ONE]
    env.reset()
    assert list(env.behavior_specs) == [ONE, TWO]
    first, second = env.get_steps(ONE)[0], env.get_steps(TWO)[0]
    assert (places(env, first), places(env, second)) == ([30, 10], [20])
    assert (first.agent_id.tolist(), second.agent_id.tolist()) == ([2, 4], [3])
    env.set_action_for_agent(TWO, 3, DOES.LEFT.action_tuple)
    env.set_action_for_agent(ONE, 4, DOES.RIGHT.action_tuple)
    env.step()
    assert [each.yaw for each in env._playing.episode.agents] == pytest.approx([0, 354, 6])
    with pytest.raises(UnityActionException, match="has 2 rows of 2 numbers"):
        env.set_actions(ONE, DOES.LEFT.action_tuple)
    with pytest.raises(IndexError, match=r"expected one of \[2, 4\]"):
        env.set_action_for_agent(ONE, 3, DOES.LEFT.action_tuple)


def test_what_is_for_one_agent_refuses_several(env):
    with pytest.raises(UnityGymnasiumException, match="got an arena of 3 agents"):
        UnityToGymWrapper(env)


def test_agents_see_each_other(env):
    env.reset()
    for _ in range(15):
        env.set_actions(TWO, DOES.RIGHT.action_tuple)
        env.step()
    assert np.flatnonzero(env.get_steps(TWO)[0].obs[0].reshape(5, 20)[0][:19]).tolist() == [17]
