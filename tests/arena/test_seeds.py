"""Unity's generators and the order of the original's calls: each draw is counted by hand."""

import pickle
from contextlib import closing, contextmanager
from itertools import pairwise

import numpy as np
import pytest

from arena import FORWARD, IDLE, ConfigError, Episode, Recording, Replay, load_text
from arena.animalai import AnimalAIEnvironment
from arena.animalai.wrappers import UnityToGymWrapper
from arena.geometry.layout import resolve
from arena.gym.curriculum import UnityFiles
from arena.seeds import NetRandom, UnityChance, UnityRandom, chance_of
from tests.arena.worlds import agent, arena_text, item
from tests.cases import cases

WALL = item("Wall", "30 0 30", rotations="0", sizes="1 1 1")
FILE = load_text(arena_text(agent(), WALL), version="4")
SEEDS = range(40)
"""Among them is one with which the first attempt at a place succeeds."""


@contextmanager
def environment(seed):
    """An environment of the package, and what the wall's colour is in its episode."""
    with closing(AnimalAIEnvironment(arenas_configurations=FILE, seed=seed, useCamera=False)) as env:
        yield env, lambda: env._env.episode.layout.things[0].color


def after(seed, count):
    """Unity's generator after so many draws."""
    unity = UnityRandom(seed)
    for _ in range(count):
        unity.next()
    return unity


def drawn(seed, count, low=0.0, high=1.0):
    """Draws number `count` + 1 on, as often as is asked for."""
    unity = after(seed, count)
    while True:
        yield unity.uniform(low, high)


def triple(seed, count):
    found = drawn(seed, count)
    return tuple(next(found) for _ in range(3))


def layout(*items, seed=0, version="4", **options):
    return resolve(load_text(arena_text(*items, **options), version=version, chance="unity").arenas[0], seed)


def stream_of(file, seed):
    stream = UnityFiles([file])
    stream.restart(seed)
    return stream


def color_after(*items, seed=7, version="4", **options):
    """How many draws precede the colour of a last wall at a place of its own."""
    color = layout(*items, WALL, seed=seed, version=version, **options).things[-1].color
    found = [count for count in range(200) if triple(seed, count) == color]
    assert len(found) == 1, color
    return found[0]


@pytest.mark.parametrize(
    ("seed", "outputs"),
    [
        (0, [1900725526, 1900725046, 559298752, 107093222]),
        (1, [3690984874, 2346916618, 2899782266, 2285563962]),
        (1234, [3463400838, 3496203776, 3452947669, 1278673611]),
    ],
)
def test_unitys_generator_gives_its_known_outputs(seed, outputs):
    unity = UnityRandom(seed)
    assert [unity.next() for _ in outputs] == outputs
    assert UnityRandom(seed - 2**32).state == UnityRandom(seed).state


def test_a_range_runs_backwards_in_single_precision():
    found = drawn(1234, 1)
    assert [round(next(found), 4) for _ in range(5)] == [0.22, 0.3766, 0.5702, 0.9964, 0.77]
    low, high = UnityRandom(3).uniform(2, 5), UnityRandom(3).uniform(5, 2)
    assert low + high == pytest.approx(7, abs=1e-6)
    assert float(np.float32(low)) == low


@pytest.mark.parametrize(
    ("seed", "outputs"), [(0, [1559595546, 1755192844, 1649316166]), (1, [534011718, 237820880, 1002897798])]
)
def test_nets_generator_gives_its_known_outputs(seed, outputs):
    net = NetRandom(seed)
    assert [round(net.random() * 2147483647) for _ in outputs] == outputs


def test_nets_generator_goes_round_its_table():
    net = NetRandom(42)
    assert len({net.random() for _ in range(1000)}) == 1000


@pytest.mark.parametrize("version", ["2", "3.1.3", "4.1", "4"])
def test_the_agent_comes_first_and_takes_one_draw_for_its_skin(version):
    assert color_after(agent(), version=version) == 1
    assert color_after(item("Agent", "20 0 5", rotations="0", more='skins: ["panda"]'), version=version) == 0
    assert color_after(item("Agent", "20 0 5"), version=version) == 2
    assert color_after(item("Agent", "-1 0 -1", rotations="0"), version=version) == 3


def test_without_an_item_the_agent_comes_last():
    things = layout(WALL, seed=5)
    assert things.things[0].color == triple(5, 0)
    x, z = drawn(5, 3, 0, 40), drawn(5, 4, 0, 40)
    assert (things.agent.position[0], things.agent.position[2]) == (next(x), next(z))
    assert things.agent.yaw == next(drawn(5, 5, 0, 360))


def test_several_positions_of_an_agent_are_drawn_from_since_4_2():
    places = item("Agent", "5 0 5", "10 0 10", "15 0 15", rotations="0")
    assert color_after(places) == 2
    assert color_after(places, version="4.1") == color_after(places, version="3.1.3") == 1


@pytest.mark.parametrize(("name", "version", "draws"), cases(__file__)["draws"])
def test_a_thing_draws_size_place_heading_and_colour(name, version, draws):
    worlds = (layout(agent("1 0 39"), item(name), WALL, seed=seed, version=version) for seed in SEEDS)
    assert any(world.things[-1].color == triple(seed, 1 + sum(draws)) for seed, world in enumerate(worlds))


def test_a_place_that_is_taken_is_drawn_again_with_all_that_is_random():
    roof = item("Wall", "20 3 20", rotations="0", sizes="39.9 5 39.9", colors="0 0 0")
    assert (
        color_after(agent("0.5 0 0.5"), roof, item("GoodGoal", "-1 4 -1", sizes="2 2 2"), version="3.1.3")
        == 1 + 20 * 3
    )


def test_a_blocked_thing_draws_no_colour():
    twice = item("Wall", "20 0 20", "20 0 20", rotations="0, 0", sizes="1 1 1;1 1 1")
    assert color_after(agent(), twice) == 1 + 3


def test_a_channel_is_drawn_by_itself_before_4_2():
    wall = item("Wall", "20 0 20", rotations="0", sizes="1 1 1", colors="255 -1 0")
    assert layout(agent(), wall, seed=3).things[0].color == triple(3, 1)
    assert layout(agent(), wall, seed=3, version="4.1").things[0].color == (1.0, next(drawn(3, 1)), 0.0)


@pytest.mark.parametrize(
    ("name", "draws", "extent"),
    [("SpawnerDispenserTall", 4, 0.8072), ("SpawnerTree", 4, 1.5), ("DecayGoal", 1, 1.4985)],
)
def test_places_keep_the_extent_of_the_tested_box(name, draws, extent):
    found = [layout(agent("1 0 39"), item(name), seed=seed).things[0].position[0] for seed in SEEDS]
    expected = [next(drawn(seed, draws, extent, 40 - extent)) for seed in SEEDS]
    assert np.isclose(found, expected, rtol=0, atol=1e-6).any()


def test_a_random_seed_counts_from_the_next_arena_on():
    text = arena_text(agent(), WALL, more="randomSeed: 9, ")
    stream = stream_of(load_text(text, version="4", chance="unity"), 5)
    colors = [stream.next().layout.things[0].color for _ in range(3)]
    assert colors == [triple(5, 1), triple(9, 1), triple(9, 1)]


def test_a_process_has_one_generator_for_all_its_episodes():
    with environment(1234) as (env, color):
        assert color() == triple(1234, 1)
        for _ in range(5):
            env.step()
        env.reset()
        assert color() == triple(1234, 5)
        env.reset(FILE)
        assert color() == triple(1234, 9)
        env.reset(seed=1)
        assert color() == triple(1, 1)
    with environment(1234) as (env, color):
        UnityToGymWrapper(env).reset()
        assert color() == triple(1234, 9)


@pytest.mark.parametrize(("seed", "same"), [(None, 0), (-1, 2**32 - 1)])
def test_the_default_seed_is_0_and_a_negative_one_counts_modulo_2_to_the_32(seed, same):
    with environment(seed) as (_, color):
        assert color() == triple(same, 1)


def randomized(version, arenas, more=""):
    parts = ", ".join(f"{number}: !Arena {{t: 10, {more}items: [{agent()}]}}" for number in range(arenas))
    return load_text(
        f"!ArenaConfig {{randomizeArenas: true, arenas: {{{parts}}}}}", version=version, chance="unity"
    )


def numbers(file, seed, count):
    stream = stream_of(file, seed)
    return [int(stream.next().task_id) for _ in range(count)]


def test_shuffled_arenas_follow_the_version():
    for seed in range(8):
        played = numbers(randomized("4", 4), seed, 12)
        assert played[0] == 1 + UnityRandom(seed).below(3)
        assert {0, *played[:3]} == {0, 1, 2, 3}
        assert all(one != other for one, other in pairwise(played))
        early = numbers(randomized("3.1.3", 4), seed, 12)
        assert early[0] == UnityRandom(seed).below(5) % 4
        assert all(one != other for one, other in pairwise(early))
    assert numbers(randomized("4", 1), 0, 3) == [0, 0, 0]


def test_an_episode_with_unitys_chance_is_replayed_from_its_recording():
    button = item("SpawnerButton", "20 0 20", rotations="180", more="rewardNames: [GoodGoal, BadGoal]")
    file = load_text(arena_text(agent("10 0 20", 90), button, WALL), version="4", chance="unity")
    stream = stream_of(file, 2)
    stream.next()
    run = stream.next()
    for _ in range(60):
        run.step(FORWARD)
    assert run.spawned, "the button was not pressed"
    recording = Recording.model_validate_json(run.recording().model_dump_json())
    assert recording.unity == UnityRandom.at(recording.unity).state
    with Replay(recording, run.spec) as replay:
        again = replay.to_end()
    assert [placed for _, placed in again.spawned] == [placed for _, placed in run.spawned]
    assert again.layout == run.layout
    assert again.chance.unity.state == run.chance.unity.state


def test_a_pickled_environment_goes_on_with_the_same_generator():
    with environment(3) as (env, _):
        env.step()
        copied = pickle.loads(pickle.dumps(env._env))
        env.reset()
        copied.begin(None)
        assert copied.episode.layout == env._env.episode.layout


def test_every_tree_drops_the_same_fruit():
    tree = item("SpawnerTree", "20 0 20", rotations="90")
    with Episode(load_text(arena_text(agent(), tree), version="4").arenas[0], task_id="tree") as run:
        for _ in range(100):
            run.step(IDLE)
        places = [np.array(placed.position) - (20, 0.01, 20) for _, placed in run.spawned][:3]
    known = [(-0.0860, 5.8067, 1.5710), (-2.0195, 3.1978, 0.3037), (-1.3252, 4.5843, -1.9656)]
    assert np.allclose(places, known, atol=1e-4)


def test_a_button_draws_by_its_versions_rules():
    unity = UnityChance(np.random.default_rng(0), UnityRandom(1))
    assert unity.happens(1.0)
    assert unity.unity.state == UnityRandom(1).state
    share = 1 - next(drawn(1, 0))
    assert unity.happens(share, by_value=True)
    assert UnityChance(np.random.default_rng(0), UnityRandom(1)).happens(share - 1e-6, by_value=True) is False
    weighted = UnityChance(np.random.default_rng(0), UnityRandom(1))
    assert weighted.pick([1, 3]) == int(next(drawn(1, 0, 0, 4)) > 1)


def test_an_early_button_takes_three_draws_after_the_build():
    button = item("SpawnerButton", "20 0 20", rotations="0", sizes="1 1 1")
    for version, count in (("3.1.3", 1 + 3), ("4.1", 1), ("4", 1)):
        file = load_text(arena_text(agent(), button), version=version, chance="unity")
        run = Episode(file.arenas[0], task_id="button", seed=6)
        assert run.chance.unity.state == after(6, count).state, version


def test_a_given_rewards_place_may_be_taken_again_once_it_is_free():
    button = item(
        "SpawnerButton", "20 0 20", rotations="180",
        more="rewardNames: [GoodGoalMulti], moveDurations: [0.1], resetDurations: [0.1], "
        "rewardSpawnPos: !Vector3 {x: 30, y: 0, z: 20}",
    )  # fmt: skip
    ball = item("GoodGoalMulti", "30 0 20", sizes="1 1 1")
    far = item("GoodGoalMulti", "5 0 35", sizes="1 1 1")
    for version in ("4", "3.1.3"):
        file = load_text(arena_text(agent("10 0 20", 90), button, ball, far), version=version)
        with Episode(file.arenas[0], task_id="button") as run:
            for _ in range(50):
                run.step(FORWARD)
            assert bool(run.spawned) is (version == "3.1.3")


def test_what_the_source_does_not_decide_can_be_turned_over():
    file = load_text(arena_text(agent(), item("GoodGoal", "20 0 30", sizes="1 1 1"), WALL), version="4")
    for chance, count in (("unity", 2), ("unity!equal", 1), ("unity!equal!button", 1)):
        color = resolve(file.drawn_by(chance).arenas[0], 4).things[-1].color
        assert color == triple(4, count)
    assert not UnityChance(np.random.default_rng(0), UnityRandom(1), "unity!button").buttons_find


def test_our_own_chance_is_the_default_and_an_unknown_one_is_refused():
    assert FILE.arenas[0].chance == "own"
    assert chance_of("own", 0, "a", 0).unity is None
    assert "chance" not in FILE.arenas[0].model_dump_json()
    with pytest.raises(ConfigError, match="chance: got 'Unity', expected one of own, unity, unity!equal"):
        FILE.drawn_by("Unity")
    with pytest.raises(ConfigError, match="chance: got 'x'"):
        AnimalAIEnvironment(chance="x", useCamera=False)
