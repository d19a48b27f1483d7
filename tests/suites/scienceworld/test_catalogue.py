"""Tasks, variations, commands of replies: everything that needs no simulator."""

import csv
from pathlib import Path

import pytest

from arena.errors import ConfigError
from evaluation.suites import chosen_tasks, find_task, get_suite
from suites.scienceworld.catalogue import PUBLISHED, find_variation, kinds, spread
from suites.scienceworld.env import ScienceWorldEnv
from suites.scienceworld.episode import LONGEST, command_of
from suites.scienceworld.findings import reached
from suites.scienceworld.java import check_installed
from suites.scienceworld.simulator import World
from tests.cases import cases

CASES = cases(__file__)

SUITE = get_suite("scienceworld")
TABLE = Path(__file__).parents[4] / "shared" / "reference" / "suites" / "scienceworld_table2.csv"


def ids(**choices):
    return [task.id for task in chosen_tasks(SUITE, SUITE.choices(**choices), None)]


@pytest.mark.skipif(not TABLE.exists(), reason=f"{TABLE} is not there")
def test_the_tasks_are_the_papers():
    rows = {row["task"]: row for row in csv.DictReader(TABLE.open())}
    assert list(rows) == list(kinds())
    for task, kind in kinds().items():
        assert (kind.name, kind.topic) == (rows[task]["package_name"], rows[task]["topic"])
        assert kind.gold > 0
        assert kind.number == int(rows[task]["variations"])
        assert kind.published == {agent: float(rows[task][agent]) for agent in PUBLISHED}
        for split in ("train", "dev", "test"):
            assert len(kind.variations(split)) == int(rows[task][split])


def test_variations_are_spread_over_the_split():
    assert (spread(range(10), 3), spread(range(10), 1), spread(range(3), 5)) == ([0, 4, 9], [0], [0, 1, 2])
    assert len(ids()) == 90
    assert len(ids(variations=None)) == 1819
    assert len(ids(variations=None, split="train")) == 3592
    assert ids(tasks=("4-2", "find-plant"), variations=2) == ["4-2-0225", "4-2-0299", "4-3-0225", "4-3-0299"]
    assert ids(tasks=("4-2-0001",)) == ["4-2-0001"]


def test_a_task_is_found_by_its_id():
    task = find_task(SUITE, "10-1-0119", SUITE.choices(), None)
    assert task.group == "Biology"
    assert task.content == {"task": "10-1", "name": "mendelian-genetics-known-plant", "variation": 119}
    for wrong in ("10-1-0120", "4-5-0000", "4-1", "4-1-1", "4-1-00²0"):
        assert find_variation(wrong) is None


def test_required_subgoals_are_counted_apart():
    record = {"replay": {"subgoals": [("a", True, True), ("b", True, False), ("c", False, True)]}}
    assert reached(record) == pytest.approx(2 / 3)
    assert reached(record, required_only=True) == 1 / 2


def test_the_budget_is_bounded_for_estimates():
    choices = SUITE.choices(budget="gold")
    tasks = chosen_tasks(SUITE, choices, None)
    assert SUITE.choices().bounds(tasks[0].content).replies == 100
    assert SUITE.choices(budget="moves").bounds(tasks[0].content).replies == 200
    assert choices.bounds(tasks[0].content).replies == 2 * kinds()["1-1"].gold
    assert choices.bounds().replies == max(choices.bounds(task.content).replies for task in tasks)


@pytest.mark.parametrize(("reply", "command"), [*CASES["commands"], ("a" * 500, "a" * LONGEST)])
def test_the_command_of_a_reply(reply, command):
    assert command_of(reply) == command


def test_what_is_missing_is_said_before_anything_is_spent(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("arena.packages.find_spec", lambda name: name)
    with pytest.raises(ConfigError, match=r"no command `java` .*apt-get install default-jre-headless"):
        check_installed()
    monkeypatch.setattr("arena.packages.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"^scienceworld, py4j not found; run: pip install 'arena-llm\[sci"):
        SUITE.check("scienceworld/gold", (), SUITE.choices())


@pytest.mark.parametrize(("prints", "said"), [("echo no good", "no good"), ("exit 3", "it ended at once")])
def test_a_java_that_cannot_start_is_said(prints, said, monkeypatch, tmp_path):
    pytest.importorskip("scienceworld")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\n{prints}\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("suites.scienceworld.java._running", None)
    with pytest.raises(ConfigError, match=rf"Java cannot run ScienceWorld: {said}.*; is it version 8 or"):
        World("find-animal", 225, "easy")


@pytest.mark.parametrize(("wrong", "said"), CASES["wrong_options"])
def test_wrong_options_of_the_environment_are_said(wrong, said):
    with pytest.raises(ConfigError, match=said):
        ScienceWorldEnv(**wrong)
