"""Worlds, seeds, names of tasks, the paper's figures: everything that needs no package."""

import csv
from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.errors import ConfigError
from evaluation.suites import chosen_tasks
from suites.discoveryworld.catalogue import METRICS, PUBLISHED, find_world, kinds, published
from suites.discoveryworld.suite import SUITE

TABLE = Path(__file__).parents[4] / "shared" / "reference" / "suites" / "discoveryworld_table4_6.csv"


def ids(**choices):
    return [task.id for task in chosen_tasks(SUITE, SUITE.choices(**choices), None)]


@pytest.mark.skipif(not TABLE.exists(), reason=f"{TABLE} is not there")
def test_the_figures_are_the_papers():
    rows = list(csv.DictReader(TABLE.open()))
    ours = [(kind.theme, kind.level) for kind in kinds().values() if kind.level != "unit"]
    assert ours == [(row["theme"], row["level"].lower()) for row in rows]
    for row in rows:
        given = {
            who: {metric: float(row[f"{who}_{metric}"]) for metric in METRICS}
            for who in PUBLISHED
            if row[f"{who}_procedure"]
        }
        assert published()[row["theme"], row["level"].lower()] == given
    assert sum(len(each) for each in published().values()) == 24 * 3 + 16


def test_names_stand_for_worlds_and_seeds():
    assert len(ids()) == 34 * 5
    assert ids(tasks=("proteomics-easy",)) == [f"proteomics-easy-{seed}" for seed in range(5)]
    levels = ("easy", "normal", "challenge")
    assert ids(tasks=("proteomics",), seeds="7") == [f"proteomics-{level}-7" for level in levels]
    assert len(ids(tasks=("easy",), seeds="0")) == 8
    assert len(ids(tasks=("unit",), seeds="0,3-4")) == 30
    both = ("space-sick-challenge-9999", "unit-keys-2")
    assert ids(tasks=both) == [*both]
    for wrong in ("proteomics-easy-10000", "proteomics-easy-01", "easy-1", "x"):
        assert find_world(wrong) is None


@pytest.mark.parametrize("seeds", ["", "-1", "4-", "a", "3-1", "99999"])
def test_wrong_seeds_are_said_once(seeds):
    with pytest.raises(ValidationError) as error:
        SUITE.choices(seeds=seeds)
    (found,) = error.value.errors()
    # The command puts the option and what it got before this.
    assert found["msg"] == "numbers below 10000 and rising ranges, such as 0-4 or 3,7"


def test_the_budget_is_the_papers_or_a_number():
    tasks = {task.id: task for task in chosen_tasks(SUITE, SUITE.choices(seeds="0"), None)}
    for name, replies in (("chemistry-easy-0", 100), ("chemistry-normal-0", 1000), ("unit-doors-0", 100)):
        assert SUITE.choices().bounds(tasks[name].content).replies == replies
    assert SUITE.choices(steps=7).bounds(tasks["chemistry-normal-0"].content).replies == 7


def test_a_missing_package_is_said_before_anything_is_spent(monkeypatch):
    monkeypatch.setattr("arena.packages.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"^discoveryworld, pygame not found; run: pip .*arena-llm\[disc"):
        SUITE.check("discoveryworld/random", (), SUITE.choices())
