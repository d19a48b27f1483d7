"""Packages register environments by entry points; a broken one is a sentence when it is made."""

import sys

import gymnasium
import pytest
from gymnasium.vector import VectorEnv

from arena import ConfigError
from arena.gym.registered import SINGLE, VECTOR, register_installed
from tests.entry_points import OURS, install

MODULE = """
import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv

class CoinEnv(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}
    action_space = observation_space = gymnasium.spaces.Discrete(2)

    def __init__(self, start=0, render_mode=None):
        self.start, self.render_mode = start, render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.start, {}

    def render(self):
        return np.full((8, 8, 3), self.start, np.uint8)

def coins(num_envs=1, **options):
    return SyncVectorEnv([lambda: CoinEnv(**options)] * num_envs)

number = 3
"""

BROKEN = {
    "missing": ("coin_missing:CoinEnv", "ModuleNotFoundError: No module named 'coin_missing'"),
    "attribute": ("coin_game:DiceEnv", "module 'coin_game' has no attribute 'DiceEnv'"),
    "value": ("coin_game;CoinEnv", "the entry point 'coin_game;CoinEnv'"),
    "raises": ("coin_raises:CoinEnv", "ZeroDivisionError: division by zero"),
    "number": ("coin_game:number", "is 3, expected a class or a function"),
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder with the module of another package; what it registers is forgotten afterwards."""
    before = dict(gymnasium.registry)
    (tmp_path / "coin_game.py").write_text(MODULE)
    (tmp_path / "coin_raises.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    gymnasium.registry.clear()
    gymnasium.registry.update(before)
    sys.modules.pop("coin_game", None)


def test_another_packages_environments_are_imported_when_they_are_made(site):
    install(
        site,
        "coin-game",
        {SINGLE: {"coin/Coin-v0": "coin_game:CoinEnv"}, VECTOR: {"coin/Coin-v0": "coin_game:coins"}},
    )
    register_installed()
    assert "coin_game" not in sys.modules
    env = gymnasium.make("coin/Coin-v0", start=1, render_mode="rgb_array_list")  # read from its metadata
    assert env.reset(seed=0)[0] == 1
    assert len(env.render()) == 1
    assert gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json())).reset()[0] == 1
    envs = gymnasium.make_vec("coin/Coin-v0", num_envs=2, vectorization_mode="vector_entry_point", start=1)
    assert envs.reset(seed=0)[0].tolist() == [1, 1]


@pytest.mark.parametrize(("name", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_broken_entry_point_is_a_sentence_when_its_environment_is_made(site, name, problem):
    install(site, "coin-game", {group: {"coin/Coin-v0": name} for group in (SINGLE, VECTOR)})
    register_installed()
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ConfigError, match="package coin-game") as raised:
            make("coin/Coin-v0")
        assert str(raised.value).startswith("coin/Coin-v0: ")
        assert problem in str(raised.value)


@pytest.mark.filterwarnings("error")
def test_ids_that_are_taken_or_malformed_are_left_out(site):
    points = {"arena-llm/Arena-v0": "coin_game:CoinEnv", "a coin": "coin_game:CoinEnv"}
    install(site, "coin-game", {SINGLE: points | {"coin/Only-v0": "coin_game:CoinEnv"}})
    register_installed()
    assert gymnasium.spec("arena-llm/Arena-v0").entry_point == "arena.gym.env:ArenaEnv"
    assert gymnasium.make_vec("coin/Only-v0", num_envs=2).reset()[0].shape == (2,)
    with pytest.raises(gymnasium.error.Error, match="a coin"):
        gymnasium.make("a coin")


def test_an_environment_that_is_no_longer_installed_is_named(site):
    install(site, "coin-game", {SINGLE: {"coin/Coin-v0": "coin_game:CoinEnv"}})
    register_installed()
    (site / "coin_game-0.1.dist-info" / "entry_points.txt").unlink()
    with pytest.raises(ConfigError, match="coin/Coin-v0: no installed package registers it"):
        gymnasium.make("coin/Coin-v0")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("id_", sorted(OURS[SINGLE]))
def test_our_own_are_made_by_their_ids(site, id_):
    install(site, "arena-llm", OURS)
    register_installed()
    assert isinstance(gymnasium.make(id_), gymnasium.Env)
    if id_ in OURS[VECTOR]:
        envs = gymnasium.make_vec(id_, num_envs=8, vectorization_mode="vector_entry_point")
        assert isinstance(envs, VectorEnv)
        assert envs.num_envs == 8
