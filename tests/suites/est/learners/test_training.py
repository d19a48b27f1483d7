"""Learning agents: what they observe, that runs can be repeated, and the command."""

import subprocess
import sys

import numpy as np
import pytest

from arena.errors import EvaluationError
from suites.est.env import EstVectorEnv
from suites.est.table import play
from suites.est.world import PRESETS

pytest.importorskip("sb3_contrib", reason="pip install 'arena-llm[rl]'")
pytest.importorskip("scipy", reason="pip install 'arena-llm[eval]'")

from stable_baselines3.common.buffers import NStepReplayBuffer

from suites.est.learners.algorithms import ALGORITHMS, model
from suites.est.learners.policy import load_policy
from suites.est.learners.result import trained
from suites.est.learners.run import learn, score
from suites.est.learners.vec_env import EstVecEnv, actions_of, with_belief

SYMBOLIC = [name for name, each in ALGORITHMS.items() if each.observation == "symbol"]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few episodes at a time, as a rollout is a number of steps of each."""
    for name, algorithm in ALGORITHMS.items():
        monkeypatch.setitem(ALGORITHMS, name, algorithm._replace(episodes=8))


def test_the_vector_environment_is_the_batch_with_the_last_belief():
    envs, batch, rng = EstVecEnv(30), EstVectorEnv(30, autoreset_mode="SameStep"), np.random.default_rng(0)
    envs.seed(4)
    seen, panels = envs.reset(), batch.reset(seed=4)[0]
    belief, ends = np.full((30, 9), 0.5), 0
    for _ in range(25):
        assert (seen == np.column_stack([panels, belief]).astype(np.float32)).all()
        given = rng.uniform(-1, 1, (30, 18)).astype(np.float32)
        seen, rewards, ended, infos = envs.step(given)
        panels, expected, over, *_, info = batch.step((given + 1) / 2)
        assert (rewards == expected.astype(np.float32)).all()
        assert (ended == over).all()
        belief = (given[:, :9] + 1) / 2
        for number in np.flatnonzero(over):
            last = np.concatenate([info["final_obs"][number], belief[number]])
            assert (infos[number]["terminal_observation"] == last).all()
        belief[over] = 0.5
        ends += over.sum()
    assert ends > 50


@pytest.mark.filterwarnings("ignore:You have specified a mini-batch size")
@pytest.mark.parametrize("name", SYMBOLIC)
def test_a_run_can_be_repeated_and_its_policy_plays_the_same_twice(name, tmp_path):
    first, second = (learn(name, 3, tmp_path / folder, 200, 500) for folder in "ab")
    for rows in (first, second):
        rows[:] = [row._replace(seconds=0) for row in rows]
    assert first == second
    assert [row.learner for row in first] == ([name, f"{name}-best"] if "ppo" in name else [name])
    path = tmp_path / "a" / f"{name}-seed3.zip"
    assert score(load_policy(name, path), 1_000_000, 500) == first[-1].figures
    assert score(load_policy(name, path, sampled="ppo" in name), 1_000_000, 500) == first[0].figures
    written = path.stat().st_mtime_ns
    assert [row.figures for row in learn(name, 3, tmp_path / "a", 200, 500)] == [row.figures for row in first]
    assert path.stat().st_mtime_ns == written


@pytest.mark.filterwarnings("ignore:You have specified a mini-batch size")
@pytest.mark.parametrize("name", SYMBOLIC)
def test_a_policy_observes_in_tests_what_it_does_in_training(name, tmp_path):
    learn(name, 1, tmp_path, 200, 10)
    path = tmp_path / f"{name}-seed1.zip"
    found = play(load_policy(name, path), PRESETS["est"], 40, np.random.default_rng(6))
    policy = ALGORITHMS[name].kind.load(path, device="cpu")
    envs = EstVecEnv(40, last_belief=ALGORITHMS[name].last_belief)
    envs.seed(6)
    seen, state, starts = envs.reset(), None, np.ones(40, bool)
    total, playing = np.zeros(40), np.ones(40, bool)
    for _ in range(10):
        given, state = policy.predict(seen, state, starts, deterministic=True)
        seen, rewards, ended, _ = envs.step(given)
        total, playing, starts = total + rewards * playing, playing & ~ended, ended
    assert total.mean() == pytest.approx(found[3], abs=1e-5)


def test_a_policy_learns_from_pictures_and_sees_the_same_in_tests(tmp_path):
    (row,) = learn("ddpg-image", 2, tmp_path, 100, 8)
    assert (row.learner, row.observation, row.steps) == ("ddpg", "image", 160)
    path, (envs, batch) = (
        tmp_path / "ddpg-image-seed2.zip",
        (EstVecEnv(3, observation="image"), EstVectorEnv(3)),
    )
    envs.seed(5)
    first, panels = envs.reset(), batch.reset(seed=5)[0]
    agent = load_policy("ddpg-image", path)(PRESETS["est"], 3, np.random.default_rng(5).spawn(1)[0])
    seen = agent._seen(panels[:, :9] > 0.5, panels[:, 9] > 0.5)
    assert (with_belief(seen, np.full((3, 9), 0.5)) == first).all()
    other = first.copy()
    other[:, :-9] = 0
    assert (agent._model.predict(first)[0] != agent._model.predict(other)[0]).any()


def test_returns_are_of_ten_steps_and_actions_have_both_halves():
    learner = model("ddpg", 1)
    assert isinstance(learner.replay_buffer, NStepReplayBuffer)
    assert (learner.replay_buffer.n_steps, learner.replay_buffer.gamma) == (10, 0.99)
    assert actions_of(np.array([-1, 0, 1.5])).tolist() == [0, 0.5, 1]


def command(*arguments):
    words = [sys.executable, "-m", "suites.est.learners", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_the_command_trains_and_prints_beside_the_paper(tmp_path):
    options = ("--learner", "td3", "--learner", "notears", "--seeds", 1, "--steps", 320, "--episodes", 3)
    done = command("--out", tmp_path, *options)
    assert (done.returncode, done.stderr) == (0, "")
    rows = (tmp_path / "rows.csv").read_text().splitlines()
    begin = [row.split(",")[:4] for row in rows[1:]]
    assert begin == [
        ["td3", "symbol", "1", "320"],
        ["notears", "symbol", "1", "0"],
        ["notears-guess", "symbol", "1", "0"],
    ]
    lines = done.stdout.splitlines()
    assert any(line.split() == ["td3", "paper", "5.03", "-3.32", "6.39", "-9.55"] for line in lines)


def test_wrong_uses_are_sentences(tmp_path):
    done = command("--out", tmp_path, "--learner", "sac")
    assert done.returncode == 1
    assert done.stderr.startswith("suites.est.learners: --learner: got 'sac', expected one of ddpg,")
    (tmp_path / "ddpg-seed1.json").write_text('{"learner": 1}')
    with pytest.raises(EvaluationError, match=r"ddpg-seed1.json: no result of this command .*delete it"):
        learn("ddpg", 1, tmp_path, 100, 10)


def test_without_a_folder_the_kept_rows_stand_beside_the_papers():
    done = command()
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["recurrent-ddpg", "paper", "2.51", "-4.20", "8.51", "-10.32"] in lines
    assert ["td3,", "image", "paper", "0.47", "-4.16", "0.43", "-10.78"] in lines
    assert {row.learner for row in trained()} <= {word for line in lines for word in line[:1]}
