"""The example agents and scaffolds, each in programs such as the original's examples, for 200 steps."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium.spaces import Discrete

from arena import load_text
from arena.animalai import (
    AAIActions,
    AnimalAIEnvironment,
    AnimalAIGymnasiumWrapper,
    Braitenberg,
    DecisionSteps,
    LLM_scaffolds,
    RandomActionAgent,
    arenas,
)
from arena.animalai import play as play_module
from arena.animalai.exception import UnityEnvironmentException
from arena.animalai.LLM_scaffolds import EnvironmentScaffold, FrameByFrameScaffold
from arena.animalai.play import play
from arena.animalai.wrappers import ActionFlattener
from tests.arena.learning import FILE

STEPS = 200


def run(env, act):
    """Take 200 steps; returns the rewards of the episodes that ended. `act` gets the steps of the agent."""
    behavior = next(iter(env.behavior_specs))
    rewards, total = [], 0.0
    for _ in range(STEPS):
        decision, terminal = env.get_steps(behavior)
        if len(terminal):
            rewards.append(total + terminal.reward[0])
            total = 0.0
        total += decision.reward[0]
        env.set_actions(behavior, act(decision).action_tuple)
        env.step()
    env.close()
    return rewards


def test_the_vehicle_finds_the_ball():
    env = AnimalAIEnvironment(
        arenas_configurations=arenas.GOOD_GOAL_FIXED_POS, useCamera=False, useRayCasts=True, raysPerSide=4
    )
    agent = Braitenberg(no_rays=9)
    rewards = run(env, lambda steps: agent.get_action(env.get_obs_dict(steps.obs)["rays"]))
    assert len(rewards) >= 2
    # A ball of 3 m is worth 3, less the time.
    assert all(2.7 < reward < 3 for reward in rewards)


def test_the_vehicle_turns_to_balls_and_away_from_bad_ones():
    agent, kinds = Braitenberg(3), Braitenberg(3).listOfObjects

    def seeing(kind, ray):
        rays = np.zeros((3, 20))
        rays[ray, [kinds[kind].value, -1]] = 1, 0.1
        return str(agent.get_action(rays.ravel()))

    # Ray 0 is ahead, 1 to the right, 2 to the left.
    assert [seeing(0, ray) for ray in range(3)] == ["forwards", "right", "left"]
    assert [seeing(1, ray) for ray in range(3)] == ["forwards", "right", "left"]
    assert [seeing(2, ray) for ray in range(3)] == ["backwards", "backwards&right", "backwards&left"]
    # A wall says nothing: it searches, turning in every second step.
    assert [seeing(3, 0) for _ in range(4)] == ["noop", "left", "noop", "left"]
    with pytest.raises(ValueError, match="odd number"):
        Braitenberg(4)


def test_the_random_walker():
    env = AnimalAIEnvironment(arenas_configurations=FILE, useCamera=False)
    np.random.seed(1)
    agent, waiting = RandomActionAgent(max_step_length=5), []
    taken = []

    def act(steps):
        if not waiting:
            last = taken[-1] if taken else AAIActions().NOOP
            waiting.extend(agent.get_num_steps(agent.get_new_action(last)))
        taken.append(waiting.pop())
        return taken[-1]

    run(env, act)
    runs = [str(action) for action in taken[::5]]
    assert all(len({str(action) for action in taken[k : k + 5]}) == 1 for k in range(0, STEPS, 5))
    assert len(set(runs)) > 5


def test_the_random_walkers_probabilities():
    np.random.seed(2)
    does = AAIActions()
    biased = RandomActionAgent(action_biases=[0, 0, 0, 50, 0, 0, 0, 0, 0])
    assert {str(biased.get_new_action(does.NOOP)) for _ in range(20)} == {"forwards"}
    other = RandomActionAgent(action_biases=[0, 0, 0, 50, 0, 0, 0, 0, 0], remove_prev_step=True)
    assert "forwards" not in {str(other.get_new_action(does.FORWARDS)) for _ in range(20)}
    assert RandomActionAgent(prev_step_bias=1).get_new_action(does.LEFT) is does.LEFT
    drawn = RandomActionAgent(step_length_distribution=lambda: -3.7)
    assert [str(action) for action in drawn.get_num_steps(does.LEFT)] == ["left"] * 3
    with pytest.raises(ValueError, match="nine numbers"):
        RandomActionAgent(action_biases=[1, 2])
    with pytest.raises(ValueError, match="prev_step_bias: got 2"):
        RandomActionAgent(prev_step_bias=2)


def test_the_gym_wrapper():
    env = AnimalAIGymnasiumWrapper(
        AnimalAIEnvironment(arenas_configurations=FILE, useCamera=False, useRayCasts=True)
    )
    env.action_space.seed(1)
    observation, _ = env.reset(seed=1)
    ends = 0
    for _ in range(STEPS):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation)
        if terminated or truncated:
            ends += 1
            observation, _ = env.reset()
    env.close()
    assert ends > 10
    flat = ActionFlattener([3, 3])
    assert flat.action_space == Discrete(9)
    assert [flat.lookup_action(number) for number in (0, 2, 3, 8)] == [[0, 0], [0, 2], [1, 0], [2, 2]]


def test_a_model_acts_by_words():
    env = AnimalAIEnvironment(arenas_configurations=arenas.GOOD_GOAL_FIXED_POS, resolution=32)
    scaffold = FrameByFrameScaffold(env, skipframe=2)
    assert isinstance(scaffold, EnvironmentScaffold)
    assert "FORWARD_RIGHT" in scaffold.get_default_system_prompt()
    first, _ = scaffold.reset()
    assert (first.shape, first.dtype) == ((32, 32, 3), np.uint8)
    for _ in range(STEPS):
        frame, _, done, info = scaffold.step("FORWARD")
        if done:
            break
    assert scaffold.is_finished()
    assert info == scaffold.get_results()
    assert (info["done_reason"], scaffold.done_reason) == ("env_terminal", "env_terminal")
    assert 2.7 < scaffold.total_reward < 3
    assert not np.array_equal(first, frame)
    with pytest.raises(ValueError, match="got 'JUMP', expected one of NOOP"):
        scaffold.step("JUMP")
    scaffold.reset()
    assert scaffold.total_reward == 0
    scaffold.close()
    scaffold.close()
    with pytest.raises(ValueError, match="without a camera"):
        FrameByFrameScaffold(AnimalAIEnvironment(useCamera=False))


def test_a_scaffold_sees_before_it_acts_and_says_why_an_episode_ended():
    class Leaving(AnimalAIEnvironment):
        left = False

        def get_steps(self, behavior_name):
            decision, terminal = super().get_steps(behavior_name)
            return (DecisionSteps.empty(self._spec) if self.left else decision), terminal

    env = Leaving(arenas_configurations=load_text("arenas: {0: {t: 5}}", "short", "4"), resolution=32)
    scaffold = FrameByFrameScaffold(env, skipframe=9)
    picture = env.get_steps(scaffold.behavior_name)[0].obs[0][0]
    assert np.array_equal(scaffold.last_frame, np.rint(picture * 255).transpose(1, 2, 0))
    *_, done, info = scaffold.step("NOOP")
    assert (done, info["done_reason"], info["num_steps"]) == (True, "env_terminal", 1)
    scaffold.step("NOOP")
    # The nine steps stopped at the end of the episode, and later ones are not taken.
    assert env._playing.episode.ticks == 0
    scaffold.reset()
    env.left = True
    frame, reward, done, info = scaffold.step("FORWARD")
    assert (frame.shape, reward, done, info["done_reason"]) == ((32, 32, 3), 0, True, "no_agents")
    agent = "{name: Agent, positions: [{x: %d, y: 0, z: 9}], teams: [%d]}"
    for team, said in ((0, "an arena of 2 agents"), (1, "teams")):
        file = load_text(f"arenas: {{0: {{items: [{agent % (9, 0)}, {agent % (30, team)}]}}}}", "two", "4")
        with pytest.raises(ValueError, match=said):
            FrameByFrameScaffold(AnimalAIEnvironment(arenas_configurations=file))


def test_kaggle_benchmarks_gets_pictures_and_rewards(monkeypatch):
    """With a stand-in for the package, which is large: what an actor sends, and what it is called with."""
    monkeypatch.setitem(sys.modules, "kaggle_benchmarks", None)
    with pytest.raises(ImportError, match="run: pip install kaggle-benchmarks"):
        LLM_scaffolds.KaggleWrapper  # noqa: B018
    sent = [SimpleNamespace(text="FORWARD")]

    class Actor:
        def __init__(self, name, role, avatar):
            assert (name, role) == ("AnimalAI", "user")

        def _send(self, content, is_visible_to_llm):
            sent.append(content)
            return is_visible_to_llm and content

    package = SimpleNamespace(
        actors=SimpleNamespace(Actor=Actor),
        chats=SimpleNamespace(get_current_chat=lambda: SimpleNamespace(messages=sent[:1])),
        content_types=SimpleNamespace(images=SimpleNamespace(from_array=np.shape)),
        messages=SimpleNamespace(Message=SimpleNamespace),
    )
    monkeypatch.setitem(sys.modules, "kaggle_benchmarks", package)
    env = AnimalAIEnvironment(arenas_configurations=arenas.GOOD_GOAL_FIXED_POS, resolution=16)
    actor = LLM_scaffolds.KaggleWrapper(FrameByFrameScaffold(env, skipframe=10))
    del sys.modules["arena.animalai.LLM_scaffolds.kaggle_wrapper"]
    actor.initialize()
    while not actor.is_finished():
        said = actor.respond()
    assert sent[1:4] == [FrameByFrameScaffold.get_default_system_prompt(), (16, 16, 3), (16, 16, 3)]
    assert (sent[4].split(":")[0], said, sent[-1]) == ("LAST MOVE REWARD", *["EPISODE FINISHED!"] * 2)
    with pytest.raises(ValueError, match="got 'hop'"):
        actor.send("hop")
    actor.close()


@pytest.mark.e2e
def test_inspect_runs_the_scaffold(tmp_path):
    """A solver takes the tool that a model would be given, and drives forwards until the ball is eaten."""
    inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is not installed")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ContentImage
    from inspect_ai.solver import solver

    from arena.animalai.LLM_scaffolds import (
        add_act_tool,
        close_environment,
        start_animalai,
        total_reward_scorer,
    )

    @solver
    def drive():
        async def solve(state, generate):
            (act,) = state.tools
            with pytest.raises(ValueError, match="got 'Jump!', expected one of"):
                await act(action="Jump!")
            seen = [state.messages[-1].content[0]]
            while not state.completed:
                seen.append(await act(action="I go (FORWARD)."))
            assert all(isinstance(each, ContentImage) for each in seen)
            return state

        return solve

    metadata = {"arenas_configurations": arenas.GOOD_GOAL_FIXED_POS, "resolution": 16}
    task = inspect_ai.Task(
        dataset=[Sample("Go.", metadata=metadata)],
        solver=[start_animalai(FrameByFrameScaffold), add_act_tool(FrameByFrameScaffold), drive()],
        scorer=total_reward_scorer(),
        cleanup=close_environment,
    )
    (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    (sample,) = log.samples
    score = sample.scores["total_reward_scorer"]
    assert 2.7 < score.value < 3
    assert score.metadata["termination_reason"] == "env_terminal"
    assert sample.metadata["episode_outcome"]["total_reward"] == score.value


def test_playing_is_the_command_of_ours(monkeypatch):
    """The page is tested with the command; here, what is started, and that its failure is an error."""
    started = []

    def ended(command):
        started.append(command)
        return subprocess.CompletedProcess(command, len(started) - 1)

    monkeypatch.setattr(play_module.subprocess, "run", ended)
    play("task.yaml")
    assert started[0][1:] == ["-m", "arena_llm", "play", "task.yaml", "--animal-ai", "4"]
    with pytest.raises(UnityEnvironmentException, match="status 1"):
        play()
    assert started[1][4] == arenas.GOOD_GOAL_RANDOM_POS
