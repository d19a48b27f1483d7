import pytest

from arena import ConfigError
from testbed import find_tasks, parse_levels, task_named

TASK = task_named("01-01-01")


@pytest.mark.parametrize(
    ("text", "levels"), [("1-3", (1, 2, 3)), ("2", (2,)), ("10, 1-2,2", (1, 2, 10)), (" 4 - 5 ", (4, 5))]
)
def test_level_ranges(text, levels):
    assert parse_levels(text) == levels


@pytest.mark.parametrize("text", ["", "0", "0-3", "3-1", "15", "a", "1-", "-1", "1;2", "1-2-3"])
def test_a_wrong_level_range_is_one_sentence(text):
    with pytest.raises(ConfigError, match="expected levels between 1 and"):
        parse_levels(text)


def test_a_missing_level_names_those_there_are(tmp_path):
    for level in (1, 3):
        (tmp_path / f"{level:02d}-01-01.yaml").write_text("arenas: {0: {pass_mark: 1}}")
    with pytest.raises(ConfigError, match="no tasks of level 7; there are levels 1, 3"):
        find_tasks((7,), tmp_path)


def test_any_folder_of_files_is_a_battery(official_testbed):
    tasks = find_tasks((1,), official_testbed)
    assert len(tasks) == 90
    assert tasks[0].id == "01-01-01"


def test_a_folder_without_tasks_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no task files"):
        find_tasks(folder=tmp_path)
    with pytest.raises(ConfigError, match="no such folder"):
        find_tasks(folder=tmp_path / "absent")


def test_files_of_other_names_and_several_arenas_are_tasks_too(tmp_path):
    (tmp_path / "my task.yaml").write_text("arenas: {0: {pass_mark: 1}, 1: {pass_mark: 2}}")
    assert [(t.id, t.level, t.spec.pass_mark) for t in find_tasks(folder=tmp_path)] == [
        ("my task", 0, 1),
        ("my task#1", 0, 2),
    ]


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "01-01-01.yaml").write_text("arenas: {0: {pass_mark: 1}}")
    with pytest.raises(ConfigError, match="two files are named 01-01-01"):
        find_tasks(folder=tmp_path)


def test_a_task_by_name():
    assert task_named("01-02-03").id == "01-02-03"
    assert task_named(str(TASK.path)).id == TASK.id
    for name in ("01-02-99", "../01-02-03", "absent.yaml"):
        with pytest.raises(ConfigError):
            task_named(name)
