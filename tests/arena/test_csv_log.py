"""The CSV log: its lines against two recordings of the original, and what each column says."""

import copy
import csv
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from arena import BACKWARD, FORWARD, IDLE, TURN_RIGHT, ArenaEnv, ConfigError, Episode, load_text
from arena.animalai import AAIActions, AnimalAIEnvironment
from arena.csv_log import COLUMNS, CsvLog, csv_log
from arena.gym.vector_env import ArenaVectorEnv
from arena.rays import Rays

BEHAVIOR = "AnimalAI?team=0"
INSIDE = Path("shared") / "reference" / "unity-v4" / "e2e"
SUITE = next((found for above in Path(__file__).parents if (found := above / INSIDE).is_dir()), None)

PRECISION = {"YVelocity": 4e-6, "ZVelocity": 3e-5, "ZPosition": 4e-5}
"""What numbers may differ by that PhysX computes; all other columns are the same text. Where the agent falls
from its start, Unity stops it a few millionths of a metre per second sooner."""

FRACTION = 4e-7
"""The same for a ray's share of 200 m."""


def read(path):
    """Lines of a log: dictionaries, and the texts of the lines between episodes."""
    header, *lines = csv.reader(path.read_text().splitlines())
    assert tuple(header) == COLUMNS
    return [dict(zip(header, line, strict=True)) if len(line) > 1 else line[0] for line in lines]


def rays(line):
    pairs = (each.split(":") for each in line["CombinedRaycastData"].split(";"))
    return [(tag, float(fraction)) for fraction, tag in pairs]


def assert_same(ours, recorded):
    for name in COLUMNS:
        if name in PRECISION:
            assert float(ours[name]) == pytest.approx(float(recorded[name]), abs=PRECISION[name], rel=0), name
        elif name != "CombinedRaycastData":
            assert ours[name] == recorded[name]
    for (tag, fraction), (expected, at) in zip(rays(ours), rays(recorded), strict=True):
        assert (tag, fraction) == (expected, pytest.approx(at, abs=FRACTION, rel=0))


@pytest.mark.skipif(SUITE is None, reason=f"no folder {INSIDE} beside the project")
@pytest.mark.parametrize(
    ("config", "recording", "ticks"),
    [("testUnmergedArenas", "Template_observations", 28), ("testDatazone", "Template_datazones", 87)],
)
def test_the_log_is_that_of_the_original(tmp_path, config, recording, ticks):
    """An idle step, then forwards to the ball; the first line of the next episode, too.

    Its later lines are not compared: in Unity the agent counts as grounded at once when an arena is loaded
    again, so that it is braked in the air, and an arena may begin within a decision period.
    """
    env = AnimalAIEnvironment(
        arenas_configurations=str(SUITE / "testConfigs" / f"{config}.yml"),
        useCamera=False,
        useRayCasts=True,
        raysPerSide=4,
        rayMaxDegrees=30,
        csv_log=tmp_path / "log.csv",
    )
    env.step()
    while not len(env.get_steps(BEHAVIOR)[1]):
        env.set_actions(BEHAVIOR, AAIActions().FORWARDS.action_tuple)
        env.step()
    env.close()
    expected = read(SUITE / "data" / "csv_tests" / f"{recording}.csv")
    ours = read(tmp_path / "log.csv")
    assert len(ours) == ticks + 3
    for line, (mine, other) in enumerate(zip(ours[: ticks + 2], expected, strict=False)):
        if line == ticks:
            assert mine == other == "Positive Goals Collected: 1"
        else:
            assert_same(mine, other)
    assert ours[-1] == expected[-1] == "Positive Goals Collected: 0"


AGENT = "{name: Agent, positions: [{x: 20, y: 0, z: 10}], rotations: [0]}"
BALL = "{name: GoodGoalMulti, positions: [{x: 20, y: 0, z: %d}], sizes: [{x: 1, y: 1, z: 1}]}"


def logged(tmp_path, items, actions, version="4", arenas=""):
    """The lines of an episode of some steps."""
    text = (
        f"arenas: {{3: {{t: 100, pass_mark: 0, items: [{items}], mergeNextArena: {bool(arenas)!s}}}{arenas}}}"
    )
    spec = load_text(text, version=version).arenas[3]
    with Episode(spec, task_id="3") as episode, csv_log(episode, tmp_path / "log.csv"):
        for action in actions:
            if not episode.done:
                episode.step(action)
    return read(tmp_path / "log.csv")


def told(lines, name):
    """The values of a column that are not its usual one, by their ticks."""
    usual = {"None", "N/A", "No"}
    return {line["Step"]: line[name] for line in lines[:-1] if line[name] not in usual}


def test_turns_and_brakes_show_at_once_but_for_the_tick_of_a_decision(tmp_path):
    lines = logged(tmp_path, AGENT, [IDLE, FORWARD, FORWARD, TURN_RIGHT, BACKWARD])
    acted = [
        line["ActionForwardWithDescription"][0] + line["ActionRotateWithDescription"][0]
        for line in lines[:-1]
    ]
    assert acted == ["00"] * 4 + ["10"] * 6 + ["01"] * 3 + ["20"] * 2
    assert lines[10]["ActionRotateWithDescription"] == "1 (Rotate Right)"
    assert lines[14]["ActionForwardWithDescription"] == "2 (Move Backward)"
    # Turned by 2 degrees a tick, seen at once: x velocity is that of the agent's own frame.
    turned = [float(line["XVelocity"]) / float(line["ZVelocity"]) for line in lines[8:12]]
    assert turned == pytest.approx([0, 0, -0.0699, -0.1051], abs=1e-3)
    assert rays(lines[9])[1] != rays(lines[10])[1]
    speeds = [float(line["ZVelocity"]) for line in lines[9:11]]
    assert speeds[1] < 0.9 * 0.968 * speeds[0]


def test_zones_are_named_together(tmp_path):
    place = "positions: [{x: 20, y: 0, z: 14}], rotations: [0], sizes: [{x: 4, y: 0, z: 2}]"
    zone = f"{{name: DataZone, {place}, triggerZoneID: [%s]}}"
    lines = logged(tmp_path, ", ".join([AGENT, zone % "left", zone % "'my, \"right'"]), [FORWARD] * 20)
    assert list(told(lines, "DataZoneMessage").values()) == [
        'Agent was in DataZone: left | my, "right',
        'Agent left DataZone: left | my, "right',
    ]


def test_balls_and_what_gives_them(tmp_path):
    zone = """{name: DataZone, positions: [{x: 20, y: 0, z: 15}], rotations: [0], sizes: [{x: 4, y: 0, z: 2}],
        triggerZoneID: [near], operations: [!toggleObject {spawnable:
        {name: GoodGoal, positions: [{x: 5, y: 0, z: 5}]}}, !grantReward {reward: 0.25}]}"""
    tree = "{name: SpawnerTree, positions: [{x: 30, y: 0, z: 30}], rotations: [0]}"
    house = "{name: SpawnerDispenserTall, positions: [{x: 10, y: 0, z: 30}], rotations: [0]}"
    lines = logged(tmp_path, ", ".join([AGENT, zone, tree, house, BALL % 12, BALL % 35]), [FORWARD] * 60)
    collected = list(told(lines, "CollectedRewardType").values())
    assert collected == ["GoodGoalMulti", "End Episode Operation", "GoodGoalMulti"]
    assert lines[-1] == "Positive Goals Collected: 2"
    pressed = told(lines, "WasSpawnerButtonTriggered?")
    given = told(lines, "WasRewardDispensed?")
    assert len(pressed) == 1
    info = told(lines, "CombinedSpawnerInfo")
    assert info.keys() == pressed.keys() | given.keys()
    (tick,) = pressed
    assert info[tick] == "SpawnerButtonID:near; Position:20;0.25975;15; RewardType:GoodGoal"
    assert {info[each].split(";")[0] for each in given} <= {" SpawnerID:1", " SpawnerID:2"}
    assert set(told(lines, "DispensedRewardType").values()) == {"GoodGoalMulti"}


def test_a_button_is_where_it_is_pressed_and_continuous_rewards_are_not_told(tmp_path):
    button = """{name: SpawnerButton, positions: [{x: 20, y: 0, z: 13}], rotations: [90],
        moveDurations: [0.1], rewardNames: [GoodGoal], rewardWeights: [1],
        rewardSpawnPos: {x: 5, y: 0, z: 5}}"""
    zone = """{name: DataZone, positions: [{x: 20, y: 0, z: 11}], rotations: [0], sizes: [{x: 4, y: 0, z: 4}],
        operations: [!grantContinuousReward {rewardPerStep: 0.02}]}"""
    lines = logged(tmp_path, f"{AGENT}, {button}, {zone}", [FORWARD] * 20)
    (info,) = told(lines, "CombinedSpawnerInfo").values()
    assert info == "SpawnerButtonID:1; Position:19.796;0.6953;12.7126; RewardType:GoodGoal"
    assert not told(lines, "CollectedRewardType")
    assert float(lines[-2]["Reward"]) > 0.2


def test_merged_arenas_follow_the_number_of_the_first(tmp_path):
    goal = "{name: GoodGoal, positions: [{x: 20, y: 0, z: 12}], sizes: [{x: 1, y: 1, z: 1}]}"
    lines = logged(tmp_path, f"{AGENT}, {goal}", [FORWARD] * 20, arenas=f", 4: {{t: 100, items: [{AGENT}]}}")
    numbers = [line["arenaID"] for line in lines[:-1]]
    change = numbers.index("4")
    assert set(numbers[:change]) == {"3"}
    assert set(numbers[change:]) == {"4"}
    assert lines[change]["CollectedRewardType"] == "GoodGoal"
    assert [line["Step"] for line in lines[:-1]] == [str(tick) for tick in range(1, len(lines))]
    assert {line["Episode"] for line in lines[:-1]} == {"1"}
    assert float(lines[change]["Reward"]) > 0.9


def test_a_frozen_agent(tmp_path):
    zone = """{name: DataZone, positions: [{x: 20, y: 0, z: 12}], rotations: [0], sizes: [{x: 4, y: 0, z: 2}],
        operations: [!freezeAgent {freezeSteps: 6}]}"""
    lines = logged(tmp_path, f"{AGENT}, {zone}", [FORWARD] * 20)
    still = [int(tick) for tick in told(lines, "WasAgentFrozen?")]
    assert still == list(range(still[0], still[0] + len(still)))
    assert 5 <= len(still) <= 6


def test_without_rays_their_column_is_empty_and_lines_come_as_they_are_made():
    lines = []
    log = CsvLog(SimpleNamespace(write=lines.append, flush=lambda: None))
    with Episode(load_text(f"arenas: {{0: {{items: [{AGENT}]}}}}").arenas[0], task_id="0") as episode:
        log.begin(episode)
        assert len(lines) == 2
        assert lines[1].endswith(",0 (First-Person),,0\n")
        episode.step(FORWARD)
        assert len(lines) == 4
        log.decide()
        log.decide()
        assert len(lines) == 5
        log.close()
        log.close()
    assert lines[5:] == ["Positive Goals Collected: 0\n"]
    assert episode.observer is None


def test_an_environment_writes_it(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("old")
    config = load_text(f"arenas: {{0: {{t: 3, items: [{AGENT}]}}, 1: {{t: 3, items: [{AGENT}]}}}}")
    env = ArenaEnv(config, observation=("rays", "vector"), csv_log=path, action_repeat=2)
    for seed in (1, None):
        env.reset(seed=seed)
        done = False
        while not done:
            *_, done, _, _ = env.step(3)
    other = copy.deepcopy(env)
    other.reset()
    env.close()
    env.reset()
    env.close()
    lines, none = read(path), "Positive Goals Collected: 0"
    episodes = [line if isinstance(line, str) else line["Episode"] for line in lines]
    assert episodes == [*["1"] * 16, none, *["2"] * 16, none, "3", none]
    assert len(rays(lines[0])) == 5
    assert [line["arenaID"] for line in lines if isinstance(line, dict)] == ["0"] * 16 + ["1"] * 16 + ["0"]
    # The clock's share of each tick, in single precision.
    totals = np.cumsum(np.full(14, np.float32(-1) / np.float32(15)), dtype=np.float32)
    assert [line["Reward"] for line in lines[1:15]] == [f"{float(total):.7G}" for total in totals]
    assert any(f"{-tick / 15:.7G}" != lines[tick]["Reward"] for tick in range(1, 15))
    # Decisions are 6 ticks apart; the last three ticks of the first episode end in the middle of a period.
    assert [line["ActionForwardWithDescription"][0] for line in lines[:8]] == [*"01111111"]
    assert lines[17]["ActionForwardWithDescription"][0] == "0"
    with pytest.raises(ConfigError, match="csv_log: got 5"):
        ArenaEnv(config, csv_log=5)
    with pytest.raises(ConfigError, match="csv_log: only a single ArenaEnv"):
        ArenaVectorEnv(2, config, csv_log=path)


def test_the_log_of_the_module_stands_where_the_original_writes_it(tmp_path):
    program = tmp_path / "env" / "AnimalAI.x86_64"
    options = {"useCamera": False, "arenas_configurations": ""}
    AnimalAIEnvironment(file_name=str(program), **options).close()
    program.parent.mkdir()
    for switched_off in ({"csv_log": False}, {"version": "3.1.3"}):
        AnimalAIEnvironment(file_name=str(program), **options, **switched_off).close()
    assert list(tmp_path.rglob("*.csv")) == []
    for _ in range(2):
        AnimalAIEnvironment(file_name=program, **options).close()
    found = sorted(tmp_path.rglob("*.csv"))
    assert len(found) == 2
    assert {path.parent for path in found} == {program.parent / "ObservationLogs"}
    assert all(path.name.startswith("Observations_") for path in found)
    assert len(read(found[0])) == 2
    assert Rays(2).angles[1] == 30
