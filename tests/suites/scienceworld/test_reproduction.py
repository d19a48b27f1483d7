"""The same seed and commands give the same texts, in any process and beside any other worlds."""

import pytest

from arena.errors import ConfigError
from suites.scienceworld.catalogue import kinds
from suites.scienceworld.reproduction import first_differences
from suites.scienceworld.simulator import World
from tests.command import run
from tests.suites.scienceworld.simulation import needs_java

pytestmark = needs_java


def test_processes_that_interleave_worlds_give_the_same_texts():
    # Without seeds all three differ, with random identity hashes too.
    assert first_differences(["4-2", "6-2", "8-1"], 10, 2) == {"4-2": None, "6-2": None, "8-1": None}
    with pytest.raises(ConfigError, match=r"^no task 4-9; expected 1-1, "):
        first_differences(["4-9"], 1, 2)


@pytest.mark.slow
def test_all_tasks_give_the_same_texts_in_three_processes():
    assert first_differences(list(kinds()), 100, 3) == dict.fromkeys(kinds())


def walk(seed, between=lambda world: None):
    world, seen = World("find-animal", 225, "easy", seed=seed), []
    for command in ("teleport to outside", *["wait1"] * 8):
        seen.append((world.step(command), world.look(), world.objects()))
        between(world)
    return seen, world.valid_actions()


def test_questions_and_other_worlds_change_nothing():
    def meanwhile(world):
        world.valid_actions()
        World("boil", 0, "easy", seed=5).close()

    assert walk(1) == walk(1, meanwhile)


def test_new_things_are_numbered_as_in_a_world_alone():
    numbers = []
    for others in (0, 2):
        world = World("find-animal", 225, "easy", seed=1)
        for _ in range(others):
            World("boil", 0, "easy").step("wait")
        world.step("wait")
        numbers.append(world._java.numbers.count())
    assert numbers[0] == numbers[1]


def test_logs_of_random_commands_are_verified_text_by_text(tmp_path):
    arguments = ("--suite", "scienceworld", "--model", "scienceworld/random-valid", "--log-dir", tmp_path)
    played = run("eval", *arguments, "--tasks", "5-1,8-1", "--variations", "2", "--max-samples", "4")
    assert played.returncode == 0, played.stderr
    verified = run("verify", tmp_path)
    assert "4 of 4 episodes: agrees" in verified.stdout, verified.stdout
