"""EST as Gymnasium environments."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from arena.errors import ConfigError
from suites.est.env import EstEnv, EstVectorEnv


@pytest.mark.parametrize("preset", ["est", "ivre"])
@pytest.mark.filterwarnings("error")
def test_the_checkers_have_nothing_to_say(preset):
    check_env(EstEnv(preset), skip_render_check=True)
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(EstEnv(preset), warn=False)


def actions(rng, count):
    return rng.random((count, 18), np.float32)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_batch_plays_one_episode_after_another(mode):
    envs, rng = EstVectorEnv(50, autoreset_mode=mode), np.random.default_rng(0)
    seen, _ = envs.reset(seed=1)
    lengths, steps, over = [], np.zeros(50, int), np.zeros(50, bool)
    for _ in range(25):
        if mode is AutoresetMode.DISABLED and over.any():
            with pytest.raises(gymnasium.error.ResetNeeded):
                envs.step(actions(rng, 50))
            envs.reset(options={"reset_mask": over})
        waits = over if mode is AutoresetMode.NEXT_STEP else np.zeros(50, bool)
        seen, rewards, over, truncated, info = envs.step(actions(rng, 50))
        assert envs.observation_space.contains(seen)
        assert (rewards[waits] == 0).all()
        assert (rewards[~waits] != 0).all()
        assert not truncated.any()
        steps += ~waits
        lengths += steps[over].tolist()
        steps[over] = 0
        if mode is AutoresetMode.SAME_STEP and over.any():
            assert (info["_final_obs"] == over).all()
            assert all(each.shape == (10,) for each in info["final_obs"][over])
    assert max(lengths) == 10
    assert len(lengths) >= 100


def test_the_same_seed_gives_the_same_batch_and_a_batch_of_one_is_the_single_environment():
    several = []
    for _ in range(2):
        envs, rng = EstVectorEnv(3), np.random.default_rng(2)
        found = [envs.reset(seed=4)[0]] + [envs.step(actions(rng, 3))[0] for _ in range(12)]
        several.append(np.array(found))
    assert (several[0] == several[1]).all()
    one, batch, rng = EstEnv(), EstVectorEnv(1), np.random.default_rng(3)
    assert (one.reset(seed=5)[0] == batch.reset(seed=5)[0][0]).all()
    for _ in range(10):
        action = actions(rng, 1)
        single, whole = one.step(action[0]), batch.step(action)
        assert (single[0] == whole[0][0]).all()
        assert single[1:3] == (whole[1][0], whole[2][0])


@pytest.mark.parametrize("wrong", [np.full(18, 1.01), np.full(18, np.nan), np.zeros(9)])
def test_an_action_outside_the_space_is_refused(wrong):
    env = EstEnv()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(18))
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="actions: got"):
        env.step(wrong)


def test_wrong_options_are_refused():
    with pytest.raises(ConfigError, match="preset: got 'blicket', expected one of est, ivre"):
        EstVectorEnv(2, "blicket")
    with pytest.raises(ConfigError, match="reset: got"):
        EstVectorEnv(2).reset(seed=[1, 2])
