"""`arena-llm baselines` as a user meets it."""

import csv


def test_baselines_are_printed_for_people_and_programs(command):
    listed = command("baselines")
    assert listed.returncode == 0
    assert "children_by_task" in listed.stdout
    assert "0.600" in listed.stdout
    explained = command("baselines", "children_by_level").stdout
    assert "0.6017" in explained
    assert "attempts that passed" in explained
    table = list(csv.DictReader(command("baselines", "children_by_task", "--csv").stdout.splitlines()))
    assert len(table) == 40
    assert sum(int(row["passes"]) for row in table) == 1320
