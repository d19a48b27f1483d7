"""The study's file: valid files are read, errors name the line."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from arena.errors import ConfigError
from people import play
from people.study import config
from people.study.config import Study
from people.study.flow import balanced_latin_square, least_used, order_of, rows_of
from people.study.load import EXAMPLE, study_of
from people.study.plan import doubts, load_plan
from people.texts import AWAY, DELETED, FULL, NOT_STORED, PAGE_TEXTS, START_AGAIN, TOO_OFTEN
from testbed import SHORT_FORM, task_named
from tests.cases import cases
from tests.people.study.server import LINKS, TINY, planned

CASES = cases(__file__)


def test_the_example_is_a_study_and_shows_every_key():
    assert [task.id for task in load_plan(EXAMPLE).test] == ["01-02-01", "01-06-02", "02-02-01", "02-10-01"]
    text = EXAMPLE.read_text()
    models = [
        Study,
        config.Test,
        *(Study.model_fields[name].annotation for name in ("consent", "participants", "completion")),
    ]
    for model in models:
        for name, field in model.model_fields.items():
            assert re.search(rf"\b{field.alias or name}:", text), name


def test_every_text_of_the_game_is_on_its_page():
    folder = Path(play.__file__).parent
    page = "".join(path.read_text() for path in sorted((folder / "page").iterdir()))
    sent = page + "".join((folder / name).read_text() for name in ("client.py", "pacing.py"))
    reasons = (FULL, START_AGAIN, DELETED, AWAY, NOT_STORED, TOO_OFTEN)
    assert [text for text in PAGE_TEXTS if text not in sent and text not in reasons] == []


def test_codes_keep_their_zeros():
    text = TINY.replace(LINKS, "from: codes, codes: [007, 10]")
    assert study_of(text, "s")[0].participants.codes == ("007", "10")


@pytest.mark.parametrize(("old", "new", "message"), CASES["errors"], ids=lambda value: str(value)[:24])
def test_errors_name_the_line(tmp_path, old, new, message):
    text = TINY.replace(old, new, 1)
    assert text != TINY
    with pytest.raises(ConfigError) as error:
        planned(tmp_path, text)
    assert re.search(message, str(error.value)), error.value


def test_stages_stand_in_their_order(tmp_path):
    plan = planned(tmp_path)
    order = [task.id for task in plan.test]
    assert [stage.name for stage in plan.stages(order)] == [
        "questions-background", "introduction-tutorial", "tutorial-1", "practice-1", "test-1",
        "questions-mood-1", "break-1", "test-2", "questions-afterwards", "completed",
    ]  # fmt: skip
    positions = [stage.position for stage in plan.stages(order) if hasattr(stage, "position")]
    assert positions == [-2, -1, 0, 1]


def test_the_short_form_and_drawn_levels(tmp_path):
    tasks = "tasks: [01-02-01, 01-06-02]"
    short = planned(tmp_path, TINY.replace(tasks, "tasks: short-form")).test
    assert tuple(task.id for task in short) == SHORT_FORM
    refused = "study.yaml:8: test.tasks: children: 01-04-03 is not the file that they played.*short-form"
    with pytest.raises(ConfigError, match=refused):
        planned(tmp_path, TINY.replace(tasks, "tasks: children"))
    drawn = TINY.replace(tasks, "levels: {1: 3, 4: 2}")
    assert [task.level for task in planned(tmp_path, drawn).test] == [1, 1, 1, 4, 4]
    assert planned(tmp_path, drawn).test == planned(tmp_path, drawn).test
    assert planned(tmp_path, drawn + "seed: 5\n").test != planned(tmp_path, drawn).test
    with pytest.raises(ConfigError, match=r":8: test.levels.1: got 999 tasks"):
        planned(tmp_path, TINY.replace(tasks, "levels: {1: 999}"))


def test_tasks_come_from_a_folder(tmp_path, command):
    folder = tmp_path / "battery"
    folder.mkdir()
    (folder / "01-02-01.yaml").write_bytes(task_named("01-01-01").path.read_bytes())
    for task in ("01-01-01", "01-05-01", "01-06-02", "04-01-01"):
        (folder / f"{task}.yaml").write_bytes(task_named(task).path.read_bytes())
    (tmp_path / "study.yaml").write_text(TINY)
    theirs = load_plan(tmp_path / "study.yaml", folder)
    ours = load_plan(tmp_path / "study.yaml")
    assert [task.id for task in theirs.test] == ["01-02-01", "01-06-02"]
    assert theirs.test[0].spec == task_named("01-01-01").spec != ours.test[0].spec
    assert theirs.test[1].spec == ours.test[1].spec
    assert theirs.described() != ours.described()
    (tmp_path / "study.yaml").write_text(TINY.replace("tasks: [01-02-01, 01-06-02]", "levels: {4: 1}"))
    assert [task.id for task in load_plan(tmp_path / "study.yaml", folder).test] == ["04-01-01"]
    (tmp_path / "study.yaml").write_text(TINY.replace("01-05-01", "02-02-01"))
    done = command("study", str(tmp_path / "study.yaml"), "--check", "--testbed", folder)
    assert done.returncode == 1
    assert f"study.yaml:6: practice.tasks: no task '02-02-01' in {folder}" in done.stderr


NOTES = (
    ("[01-05-01]", "[01-02-01]", "01-02-01 is a test task that participants have played before"),
    ("break_every: 1", "break_every: 1\n  limit_s: 1", "test: limit_s ends each task after 1 s"),
    (LINKS, "from: codes, codes: [A01, a01]", "The codes A01 and a01 differ only in capital"),
    (LINKS, "from: codes, codes: [A, B], quota: 1", "The quota of 1 is smaller than the number"),
    ("completion:", "words: {break_text: Rest}\ncompletion:", "words.break_text: the text lacks {n}"),
    ("completion:", "words: {at_most: No.}\ncompletion:", "words.at_most: the text lacks {high}"),
)


@pytest.mark.parametrize(("old", "new", "said"), NOTES)
def test_check_notes_what_is_seldom_meant(tmp_path, old, new, said):
    assert not list(doubts(planned(tmp_path)))
    assert old in TINY
    assert [note for note in doubts(planned(tmp_path, TINY.replace(old, new))) if note.startswith(said)]


@pytest.mark.parametrize("rule", ["{least: 200}", "{least: 130, most: 120}", "{most: 0}"])
def test_a_screen_that_no_answer_fits_is_refused(tmp_path, rule):
    page = f"""
questionnaires:
  - name: age
    when: before
    title: T
    screen: {{age: {rule}}}
    items: [{{id: age, type: number, ask: How old are you?, least: 3, most: 120}}]
"""
    text = TINY[: TINY.index("questionnaires:")] + page.lstrip()
    with pytest.raises(ConfigError, match=r"screen\.age: no answer to this item fits"):
        planned(tmp_path, text)
    assert planned(tmp_path, text.replace(rule, "{least: 120}"))


def test_a_balanced_latin_square_is_balanced():
    for count in range(1, 12):
        rows = balanced_latin_square(count)
        places = Counter((place, item) for row in rows for place, item in enumerate(row))
        assert (len(places), len(set(places.values()))) == (count**2, 1)
        pairs = Counter(pair for row in rows for pair in pairwise(row))
        assert len(pairs) == count * (count - 1)
        assert len(set(pairs.values())) <= 1


def test_orders(tmp_path):
    plan = planned(tmp_path, TINY.replace("tasks: [01-02-01, 01-06-02]", "levels: {1: 3, 2: 3}"))
    (test,), listed = plan.study.test, tuple(task.id for task in plan.test)

    def order(code, row=0, **changes):
        return order_of(test.model_copy(update=changes), plan.test, 0, code, row)

    assert order("a", order="listed") == listed
    assert order("a", order="random") == order("a", order="random") != order("b", order="random")
    assert sorted(order("a", order="random")) == sorted(listed)
    assert order("a", row=0)[0] != order("a", row=1)[0]
    assert [task[:2] for task in order("a", row=1, by="level")] == ["02"] * 3 + ["01"] * 3
    assert order("a", row=1, by="level") != order("c", row=1, by="level")
    assert rows_of(test, plan.test) == 6
    assert rows_of(test.model_copy(update={"by": "level"}), plan.test) == 2
    numbers = ({}, {0: 1}, {0: 1, 1: 1, 2: 1}, {0: 2, 1: 1, 2: 2})
    assert [least_used(3, used) for used in numbers] == [0, 1, 0, 1]


def test_the_duration_of_a_study_is_estimated(tmp_path):
    about, most = planned(tmp_path).minutes()
    # Four arenas of t = 250, which end after 25 s, and four questions.
    assert 100 / 60 < most < 3
    assert about < most
    shorter = planned(tmp_path, TINY.replace("break_every: 1", "break_every: 1\n  limit_s: 5")).minutes()[1]
    assert most - shorter == pytest.approx(40 / 60)
