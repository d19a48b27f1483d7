"""Files of learned policies: what is written, what is read, and what is refused in one sentence."""

import json
import sys
import zipfile
from types import SimpleNamespace

import gymnasium
import pytest

from arena.errors import ConfigError, EvaluationError
from llm_control.agents.policy_file import MEMBER, PolicyAgent, load_policy, save_policy
from tests.cases import cases
from tests.llm_control.batteries import write_battery
from tests.llm_control.policies import OPTIONS, trained

CASES = cases(__file__)

sb3 = pytest.importorskip("stable_baselines3", reason="pip install 'arena-llm[rl]'")


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = write_battery(tmp_path_factory.mktemp("policy") / "battery", (20, 16))
    return folder / "01-04-03.yaml"


@pytest.fixture(scope="module")
def file(task):
    return trained(task.parent.parent / "ppo", task)


def changed(file, to, **description):
    """A copy of a policy file whose `arena-llm.json` says something else; None leaves that out."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            if name != MEMBER:
                new.writestr(name, old.read(name))
        told = json.loads(old.read(MEMBER)) | description
        new.writestr(MEMBER, json.dumps(told))
    return to


def test_a_file_says_what_the_policy_is(file):
    policy = load_policy(file)
    assert file.name == "ppo.zip"
    told = policy.description
    assert told.environment.model_dump() == told.environment.model_copy(update=OPTIONS).model_dump()
    assert (told.algorithm, told.steps, told.seed) == ("stable_baselines3.PPO", 64, 1)
    assert told.trained_on == "one ball ahead"
    assert {"arena-llm", "stable-baselines3", "torch"} <= told.versions.keys()


def test_a_loaded_policy_acts_as_the_saved_one(file):
    model = sb3.PPO.load(file, device="cpu")
    loaded = load_policy(file).model
    for _ in range(20):
        seen = model.observation_space.sample()
        ours, theirs = (each.predict(seen, deterministic=True)[0] for each in (loaded, model))
        assert (ours == theirs).all()


def test_pictures_may_be_turned_by_the_library(task, tmp_path):
    options = {"observation": "camera", "resolution": 36, "action": "discrete9"}
    env = gymnasium.make("arena-llm/Arena-v0", config=task, **options)
    model = sb3.DQN("CnnPolicy", env, buffer_size=5, device="cpu")
    assert model.observation_space.shape == (3, 36, 36)
    loaded = load_policy(save_policy(model, tmp_path / "dqn.zip", **options)).model
    assert loaded.predict(env.observation_space.sample())[0] in env.action_space


def test_a_recurrent_policy_remembers_within_an_episode_and_forgets_after_it(task, tmp_path):
    contrib = pytest.importorskip("sb3_contrib")
    env = gymnasium.make("arena-llm/Arena-v0", config=task, **OPTIONS)
    model = contrib.RecurrentPPO("MlpLstmPolicy", env, n_steps=32, batch_size=32, n_epochs=1, device="cpu")
    model.learn(64)
    policy = load_policy(save_policy(model, tmp_path / "recurrent.zip", **OPTIONS))
    seen = [env.observation_space.sample() for _ in range(12)]

    def episode():
        """What the hidden state is at the end of an episode."""
        given, agent = iter(seen), PolicyAgent(policy)
        policy.__dict__["sensors"] = SimpleNamespace(observe=lambda episode, first: next(given))
        for _ in range(len(seen) * OPTIONS["action_repeat"]):
            agent.act(None)
        return agent._state

    state = None
    for number, each in enumerate(seen):
        _, state = model.predict(each, state, [number == 0], deterministic=True)
    for _ in range(2):
        for ours, theirs in zip(episode(), state, strict=True):
            assert (ours == theirs).all()
    assert any(part.any() for part in state)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        *CASES["options"],
        ({**OPTIONS, "action": "discrete9"}, "the policy acts in MultiDiscrete"),
        ({**OPTIONS, "version": "5"}, "version: got '5'"),
        ({**OPTIONS, "action_repeat": 0}, "action_repeat: got 0"),
    ],
)
def test_options_that_do_not_fit_are_not_saved(file, tmp_path, options, reason):
    model = sb3.PPO.load(file, device="cpu")
    with pytest.raises(ConfigError, match=reason):
        save_policy(model, tmp_path / "wrong.zip", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("description", "reason"), CASES["descriptions"])
def test_a_file_that_does_not_fit_is_refused_by_name(file, tmp_path, description, reason):
    wrong = changed(file, tmp_path / "wrong.zip", **description)
    with pytest.raises(EvaluationError, match=reason) as refused:
        load_policy(wrong)
    assert str(wrong) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_plain_file_of_the_library_is_told_how_to_become_a_policy_file(file, tmp_path):
    sb3.PPO.load(file, device="cpu").save(tmp_path / "plain.zip")
    with pytest.raises(EvaluationError, match=r"plain.zip: has no arena-llm.json.*save_policy\(model"):
        load_policy(tmp_path / "plain.zip")


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_a_broken_file_is_refused(file, tmp_path, content):
    broken = tmp_path / "broken.zip"
    broken.write_bytes(file.read_bytes()[:-400] if content is None else content)
    with pytest.raises(EvaluationError, match=r"broken.zip: not a policy file, or a damaged one"):
        load_policy(broken)


def test_a_missing_file_is_named(file):
    with pytest.raises(EvaluationError, match=r"cannot be read \(No such file.*did you mean .*ppo.zip"):
        load_policy(file.with_suffix(""))


def test_a_missing_library_is_named_with_what_to_install(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(EvaluationError, match=r"needs stable_baselines3: pip install 'arena-llm\[rl\]'"):
        load_policy(file)


def test_normalised_observations_are_refused(task, tmp_path):
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    venv = DummyVecEnv([lambda: gymnasium.make("arena-llm/Arena-v0", config=task, **OPTIONS)])
    model = sb3.PPO("MlpPolicy", VecNormalize(venv), n_steps=8, batch_size=8, device="cpu")
    with pytest.raises(ConfigError, match="VecNormalize"):
        save_policy(model, tmp_path / "normalised.zip", **OPTIONS)
