"""The dataset card says what is in the folder."""

import csv
import re

import yaml

from testbed.tasks import CANARY, LEVEL_NAMES, LEVELS_FOLDER

CARD = (LEVELS_FOLDER / "README.md").read_text(encoding="utf-8")
_, FRONT, BODY = re.split(r"^---\n", CARD, maxsplit=2, flags=re.MULTILINE)


def test_its_head_is_that_of_a_dataset_card():
    head = yaml.safe_load(FRONT)
    assert head["license"] == "apache-2.0"
    assert head["size_categories"] == ["n<1K"]
    assert {"pretty_name", "language", "task_categories", "tags", "source_datasets"} <= head.keys()
    (config,) = head["configs"]
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
