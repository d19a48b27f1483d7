"""Depth and segmentation as observations of the environments."""

import gymnasium
import numpy as np
import pytest

from arena import ArenaEnv, RenderError, load_text
from arena.cameras import CLASSES, SIGHT
from tests.arena.worlds import agent, arena_text, item

FILE = load_text(
    arena_text(agent("20 0 10"), item("GoodGoal", "20 0 15", sizes="2 2 2"), t=50, blackouts="1")
)


def test_depth_and_segmentation_are_observed_on_request():
    env = gymnasium.make(
        "arena-llm/Arena-v0", config=FILE, resolution=40, observation=("depth", "segmentation")
    )
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    depth, classes = observation["depth"], observation["segmentation"]
    assert (depth.shape, depth.dtype) == ((40, 40, 1), np.float32)
    assert (classes.shape, classes.dtype) == ((40, 40, 1), np.uint8)
    ball = classes == CLASSES.index("GoodGoal")
    # A ball of radius 1 whose centre is 5 m ahead and 0.5 m above the eye.
    assert depth[ball].min() == pytest.approx(4, abs=0.1)
    assert depth[classes == CLASSES.index("sky")].min() == SIGHT
    assert np.isfinite(depth).all()


def test_nothing_is_seen_in_the_dark():
    env = ArenaEnv(FILE, observation=("camera", "depth", "segmentation"), resolution=16)
    env.reset(seed=1)
    for _ in range(5):
        observation = env.step(np.int64(0))[0]
    assert not observation["camera"].any()
    assert (observation["depth"] == SIGHT).all()
    assert (observation["segmentation"] == CLASSES.index("nothing")).all()
    assert env.observation_space.contains(observation)


@pytest.mark.parametrize("observation", ["camera", "vector"])
def test_an_unknown_renderer_is_refused_at_once(observation):
    with pytest.raises(RenderError, match="got 'unreal', expected one of kernel"):
        ArenaEnv(FILE, observation=observation, renderer="unreal")


def test_every_agent_observes_its_own_depth():
    parallel_env = pytest.importorskip("arena.gym.parallel_env", reason="PettingZoo is not installed")
    two = load_text(arena_text(agent("20 0 10"), agent("20 0 16"), t=50), version="4")
    env = parallel_env.ArenaParallelEnv(two, resolution=40, observation=("depth", "segmentation"))
    observations, _ = env.reset(seed=1)
    behind, ahead = (observations[name]["segmentation"] == CLASSES.index("agent") for name in env.agents)
    assert not ahead.any()
    # The other's ball of radius 0.5 is 6 m ahead.
    assert observations["agent_0"]["depth"][behind].min() == pytest.approx(5.5, abs=0.1)
    assert env.observation_space("agent_0").contains(observations["agent_0"])


def test_a_renderer_without_channels_is_refused(monkeypatch):
    class OnlyFrames:
        def frame(self, scene):
            return np.zeros((16, 16, 3), np.uint8)

    monkeypatch.setattr("arena.gym.env.open_camera", lambda *_: OnlyFrames())
    assert ArenaEnv(FILE, resolution=16).reset(seed=1)[0]["camera"].shape == (16, 16, 3)
    with pytest.raises(RenderError, match="draws neither depth nor segmentation"):
        ArenaEnv(FILE, resolution=16, observation="depth").reset(seed=1)
