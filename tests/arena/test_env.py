"""Options of the environment: rays, gray pictures, resolution."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from arena import ArenaEnv, ConfigError, load_text
from arena.gym.sensors import gray

ALONE = load_text("arenas: {0: {t: 5, pass_mark: 0, items: [{name: Agent, positions: [{x: 10, z: 10}]}]}}")


def test_the_environment_gives_seventy_values_on_request():
    env = ArenaEnv(ALONE, observation="rays")
    observation, _ = env.reset(seed=1)
    assert observation.shape == env.observation_space.shape == (70,)
    assert env.observation_space.contains(observation)
    env = ArenaEnv(ALONE, observation="rays", rays_per_side=3, ray_max_degrees=90)
    assert env.reset(seed=1)[0].shape == (98,)
    check_env(env, skip_render_check=True)


def test_a_gray_picture_is_the_mean_of_the_colours():
    frame = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5
    assert gray(frame).shape == (4, 4, 1)
    assert gray(frame)[1, 2, 0] == (90 + 95 + 100) / 3
    assert gray(np.array([[[0, 0, 2]]], np.uint8)).item() == 1
    env = ArenaEnv(ALONE, resolution=16, grayscale=True)
    observation, _ = env.reset(seed=1)
    assert (observation["camera"].shape, observation["camera"].dtype) == ((16, 16, 1), np.uint8)
    assert env.observation_space.contains(observation)
    color = ArenaEnv(ALONE, resolution=16).reset(seed=1)[0]["camera"]
    assert (observation["camera"] == gray(color)).all()


@pytest.mark.parametrize("resolution", [-1, 0, 3, 1025])
def test_an_impossible_resolution_is_refused(resolution):
    with pytest.raises(ConfigError, match="expected 4 to 1024"):
        gymnasium.make("arena-llm/Arena-v0", config=ALONE, resolution=resolution)
