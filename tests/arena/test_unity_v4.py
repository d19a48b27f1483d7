"""The original's own end-to-end tests of version 4: their arenas, what their agents do, what they expect.

Arenas and recordings are in a folder of reference material beside the project; without it they are skipped.
"""

import csv

import pytest

from arena import BACKWARD, FORWARD, IDLE, Rays, load
from arena.gym.curriculum import Files
from arena.rays import CAST_LENGTH, TAGS
from arena.rules import EventKind
from tests.arena.ray_scenes import hits
from tests.arena.test_csv_log import INSIDE, SUITE

if SUITE is None:
    pytest.skip(f"no folder {INSIDE} beside the project", allow_module_level=True)


def config(name):
    return load(SUITE / "testConfigs" / f"{name}.yml", "4")


def outcome(stream, policy):
    """The total reward of the next episode; the policy chooses by the reward so far."""
    with stream.next() as run:
        run.step(IDLE)
        while not run.done:
            run.step(policy(run.total_reward))
        return run.total_reward


def always(action):
    return lambda _: action


def back_below(limit):
    return lambda reward: BACKWARD if reward < limit else FORWARD


def over_and_back(reward):
    """Through a zone, back, and through it again."""
    return FORWARD if reward < -0.175 or reward >= -0.1 else BACKWARD


TICK = 1e-4
"""For rewards that the original's tests have to the third decimal: the same to the tick."""


class BackAndForth:
    """After a ball back and forth, to see that it is gone."""

    def __init__(self):
        self.stage = 0

    def __call__(self, reward):
        limits = (reward > 0, reward < 0.95, reward < 0.9, reward < -2)
        self.stage += limits[self.stage]
        return BACKWARD if self.stage == 2 else FORWARD


@pytest.mark.parametrize(
    ("name", "expected", "policy", "within"),
    [
        ("testUnmergedArenas", 0.8, always(FORWARD), 0.2),
        ("testUnmergedArenas", -1, always(IDLE), 0.2),
        ("testMultiReward", 1.82, BackAndForth(), TICK),
        ("testDatazone", 0.8, always(FORWARD), 0.2),
        ("testDatazone_spawnobject", 0.8, always(FORWARD), 0.2),
        ("testDatazone_spawnobject_despawnobject", -1.3, over_and_back, 0.2),
        ("testDatazone_endepisode", -0.584, always(FORWARD), TICK),
        ("testDatazone_freezeAgent", 0.533, always(FORWARD), TICK),
        ("testButtons", 0.8, back_below(-0.2), 0.2),
        ("testButtonsLegacy", 0.8, back_below(-0.2), 0.2),
        ("testMergedArenas", 1.6, lambda reward: BACKWARD if reward > 0 else FORWARD, 0.2),
    ],
)
def test_an_agent_gets_the_reward_that_the_original_gives(name, expected, policy, within):
    assert outcome(Files([config(name)]), policy) == pytest.approx(expected, abs=within)


@pytest.mark.parametrize("first", [FORWARD, IDLE])
def test_after_a_failure_the_merged_arena_is_left_out(first):
    stream = Files([config("testFailArenas")])
    assert outcome(stream, always(first)) < 0
    assert outcome(stream, always(FORWARD)) == pytest.approx(0.895, abs=0.2)


RECORDED = {"testUnmergedArenas": "Template_observations", "testDatazone": "Template_datazones"}


def recorded(name):
    """The lines of a recording's first episode; line k is the state after k ticks."""
    with (SUITE / "data" / "csv_tests" / f"{name}.csv").open() as file:
        return [row for row in csv.DictReader(file) if row["Episode"] == "1"]


def rays_of(row):
    values = [ray.split(":") for ray in row["CombinedRaycastData"].split(";")]
    return [float(share) for share, _ in values], [tag if tag in TAGS else None for _, tag in values]


@pytest.mark.parametrize(("arena", "name"), RECORDED.items())
def test_poses_health_rays_and_zones_are_those_of_a_recording(arena, name):
    rows, rays, seen = recorded(name), Rays(4, 30, "4"), {}
    with Files([config(arena)]).next() as run:
        for step in range(1, (len(rows) - 1) // 3 + 1):
            events = run.step(FORWARD if step > 1 else IDLE).events
            seen |= {event.tick: (event.kind, event.zone) for event in events}
            row = rows[3 * step]
            assert run.health == pytest.approx(float(row["Health"]), abs=1e-4)
            for axis, place, speed in zip("XYZ", run.position, run.agents[0].local_velocity, strict=True):
                assert place == pytest.approx(float(row[f"{axis}Position"]), abs=1e-4)
                assert speed == pytest.approx(float(row[f"{axis}Velocity"]), abs=1e-3)
            met, (shares, tags) = hits(rays, run.scene()), rays_of(row)
            assert (met.distance / CAST_LENGTH).tolist() == pytest.approx(shares, abs=1e-6)
            assert [TAGS[tag] if tag >= 0 else None for tag in met.tag] == tags
    kinds = {"Agent was in DataZone": EventKind.ZONE_ENTRY, "Agent left DataZone": EventKind.ZONE_EXIT}
    said = {tick: row["DataZoneMessage"].split(": ") for tick, row in enumerate(rows)}
    assert seen == {tick: (kinds[said[0]], said[1]) for tick, said in said.items() if len(said) == 2}
