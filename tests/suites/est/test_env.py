"""EST as Gymnasium environments."""

import gc
import os
import pickle
import sys
import weakref

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from arena.errors import ConfigError, RenderError
from suites.est.env import EstEnv, EstVectorEnv
from suites.est.picture import Table
from suites.est.world import appearances
from tests.command import printed_by
from tests.entry_points import OURS, install

IMAGE = {"observation": "image", "width": 48, "height": 36}
RENDERED = {"render_mode": "rgb_array", "render_resolution": 32}


@pytest.mark.parametrize("options", [{}, {"preset": "ivre", **RENDERED}, {**IMAGE, **RENDERED}], ids=str)
@pytest.mark.filterwarnings("error", "ignore:We recommend you to use a symmetric")
def test_the_checkers_have_nothing_to_say(options):
    env = EstEnv(**options)
    env.spec = EnvSpec("arena-llm/Est-v0", "suites.est.env:EstEnv", kwargs={**options, "render_mode": None})
    check_env(env)
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(env, skip_render_check=False)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("options", [{}, {**IMAGE, **RENDERED}], ids=str)
def test_a_batch_has_the_form_of_gymnasiums_own(options, mode):
    ours, found = EstVectorEnv(3, autoreset_mode=mode, **options), []
    theirs = SyncVectorEnv([lambda: EstEnv(**options)] * 3, autoreset_mode=mode)
    for name in ("observation_space", "action_space", "single_observation_space", "metadata", "render_mode"):
        assert getattr(ours, name) == getattr(theirs, name)
    for envs in (ours, theirs):
        given = [*envs.reset(seed=1), *envs.step(envs.action_space.sample()), envs.render()]
        found.append([forms(each) for each in given])
    assert found[0] == found[1]


def forms(value):
    if isinstance(value, dict):
        return {name: forms(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [forms(each) for each in value]
    return None if value is None else (value.shape, value.dtype)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_pictures_of_a_batch_show_what_its_symbols_say(mode):
    """And each episode's own objects, which a generator spawned from the seed's draws in turn."""
    table, looks, rng = Table(48, 36), np_random(6)[0].spawn(1)[0], np.random.default_rng(0)
    symbols, images = (EstVectorEnv(3, autoreset_mode=mode, **options) for options in ({}, IMAGE))
    (symbol, _), (image, _) = symbols.reset(seed=6), images.reset(seed=6)
    things, over = [appearances(looks) for _ in range(3)], np.zeros(3, bool)

    def drawn(row, k):
        return table.picture(things[k], row[:9] > 0, row[9] > 0)

    for _ in range(14):
        assert (image == [drawn(row, k) for k, row in enumerate(symbol)]).all()
        if mode is AutoresetMode.DISABLED and over.any():
            mask = {"reset_mask": over}
            symbol, image = (envs.reset(options=mask)[0] for envs in (symbols, images))
            things = [appearances(looks) if over[k] else things[k] for k in range(3)]
        before, taken = over, actions(rng, 3)
        (symbol, *one, info), (image, *two, seen) = symbols.step(taken), images.step(taken)
        assert all((a == b).all() for a, b in zip(one, two, strict=True))
        over = one[1]
        for k in np.flatnonzero(seen.get("_final_obs", [])):
            assert (seen["final_obs"][k] == drawn(info["final_obs"][k], k)).all()
        restarted = {AutoresetMode.NEXT_STEP: before, AutoresetMode.SAME_STEP: over}.get(mode, [])
        for k in np.flatnonzero(restarted):
            things[k] = appearances(looks)
    assert len(set(map(tuple, things))) == 3


def test_rendering_shows_the_panel_and_changes_nothing():
    options = [{}, RENDERED, {**IMAGE, **RENDERED}]
    plain, symbols, images = envs = [EstEnv(**each) for each in options]
    with pytest.raises(gymnasium.error.ResetNeeded):
        symbols.render()
    seen = [env.reset(seed=3)[0] for env in envs]
    assert (seen[0] == seen[1]).all()
    table, things = Table(32, 32), appearances(np_random(3)[0].spawn(1)[0])
    assert plain.render() is None
    expected = table.picture(things, seen[0][:9] > 0, seen[0][9] > 0)
    assert (symbols.render() == expected).all()
    assert (images.render() == expected).all()


def test_closing_frees_the_tables():
    """Without a collector of cycles, and the environment can be used again."""
    gc.collect()
    gc.disable()
    try:
        env, envs = EstEnv(**IMAGE, **RENDERED), EstVectorEnv(2, **IMAGE)
        first = env.reset(seed=0)[0]
        env.render()
        envs.reset(seed=0)
        tables = [weakref.ref(each) for each in gc.get_objects() if type(each) is Table]
        assert len(tables) >= 3  # other tests may hold some
        held = sum(each() is not None for each in tables)
        env.close()
        envs.close()
        assert sum(each() is not None for each in tables) == held - 3
        assert (env.reset(seed=0)[0] == first).all()
    finally:
        gc.enable()


def test_a_copy_plays_on_alike_with_tables_of_its_own():
    env, rng = EstEnv(**IMAGE), np.random.default_rng(0)
    env.reset(seed=2)
    env.step(actions(rng, 1)[0])
    copy = pickle.loads(pickle.dumps(env))
    for action in actions(rng, 9):
        one, two = env.step(action), copy.step(action)
        assert (one[0] == two[0]).all()
        assert one[1] == two[1]
    assert (env.reset()[0] == copy.reset()[0]).all()


def test_each_environment_draws_actions_of_its_own():
    spaces = [space for env in (EstEnv(), EstEnv()) for space in (env.action_space, env.observation_space)]
    assert len(set(map(id, spaces))) == 4


PROCESSES = """
import gymnasium
import numpy as np

import arena

options = {"observation": "image", "width": 48, "height": 36}
batches = []
for mode in ("async", "sync", "async"):  # by fork before this process draws, in it, and by fork after
    envs = gymnasium.make_vec("arena-llm/Est-v0", num_envs=2, vectorization_mode=mode, **options)
    rng = np.random.default_rng(0)
    batches.append([envs.reset(seed=1)[0], *(envs.step(rng.random((2, 18)))[0] for _ in range(3))])
    envs.close()
assert (np.array(batches[0]) == np.array(batches[1])).all()
assert (np.array(batches[0]) == np.array(batches[2])).all()
print(True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_processes_draw_alike_also_those_forked_after_drawing(tmp_path):
    install(tmp_path, "arena-llm", OURS)
    assert printed_by(PROCESSES, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path])) == "True\n"


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


@pytest.mark.parametrize("options", [{}, IMAGE], ids=str)
def test_the_same_seed_gives_the_same_batch_and_a_batch_of_one_is_the_single_environment(options):
    several = []
    for _ in range(2):
        envs, rng = EstVectorEnv(3, **options), np.random.default_rng(2)
        found = [envs.reset(seed=4)[0]] + [envs.step(actions(rng, 3))[0] for _ in range(12)]
        several.append(np.array(found))
    assert (several[0] == several[1]).all()
    one, batch, rng = EstEnv(**options), EstVectorEnv(1, **options), np.random.default_rng(3)
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


WRONG = {
    "preset": ({"preset": "blicket"}, ConfigError, "preset: got 'blicket', expected one of est, ivre"),
    "observation": ({"observation": "pixels"}, ConfigError, "observation: got 'pixels'"),
    "width": ({"observation": "image", "width": 2000}, RenderError, "got 2000 x 120, expected 4 to 1024"),
    "render_mode": ({"render_mode": "ansi"}, ConfigError, "render_mode: got 'ansi'"),
    "num_envs": ({"num_envs": 0}, ConfigError, "num_envs: got 0"),
    "autoreset_mode": ({"autoreset_mode": "never"}, ConfigError, "expected one of NEXT_STEP, SAME_STEP"),
}


@pytest.mark.parametrize(("options", "error", "message"), WRONG.values(), ids=WRONG)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        EstVectorEnv(**options)


def test_wrong_resets_are_refused():
    for wrong in ({"seed": [1, 2]}, {"options": {"reset_mask": np.ones(3, bool)}}):
        with pytest.raises(ConfigError, match=r"reset\w*: got"):
            EstVectorEnv(2).reset(**wrong)
