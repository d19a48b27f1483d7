"""The dataset cards say what is in the folders."""

import csv
import re
from pathlib import Path

import pytest
import yaml

from testbed.tasks import CANARY, LEVEL_NAMES, LEVELS_FOLDER

ROOT = Path(__file__).parents[2]


def parts(path):
    """The head and the body of a card."""
    text = (ROOT / path).read_text(encoding="utf-8")
    _, front, body = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
    return yaml.safe_load(front), body


HEAD, BODY = parts("testbed/levels/README.md")


@pytest.mark.parametrize("folder", ["testbed/levels", "suites/laboratory"])
def test_its_head_is_that_of_a_dataset_card(folder):
    head, body = parts(f"{folder}/README.md")
    assert head["license"] == "apache-2.0"
    assert head["size_categories"] == ["n<1K"]
    assert {"pretty_name", "language", "task_categories", "tags", "source_datasets"} <= head.keys()
    for heading in ("Uses", "Structure", "Creation", "Licence and citation"):
        assert f"\n## {heading}\n" in body
    for link in re.findall(r"\]\(([^):]+)\)", body):
        assert (ROOT / folder / link).is_file()


def test_the_table_of_the_head_is_there():
    (config,) = HEAD["configs"]
    assert (LEVELS_FOLDER / config["data_files"]).is_file()


def test_its_levels_columns_and_counts_are_those_of_the_files():
    assert CANARY in BODY
    rows = list(csv.DictReader((LEVELS_FOLDER / "demands.csv").open(encoding="utf-8")))
    named = set(re.findall(r"`(\w+)`", BODY[BODY.index("Columns of") : BODY.index("## Creation")]))
    assert named == {*rows[0], "demands"} - {"demands"}
    counts = [sum(row["difficulty"] == each for row in rows) for each in "123"]
    assert "{} tasks are of difficulty 1, {} of 2 and {} of 3".format(*counts) in BODY
    for level, name in LEVEL_NAMES.items():
        assert f"| {level} | {name.lower()} | 30 x 3 |" in BODY
