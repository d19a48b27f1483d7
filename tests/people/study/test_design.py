"""Blocks of the test, and conditions between participants."""

import json
from collections import Counter
from functools import partial

import pytest

from arena.errors import ConfigError
from people.play.worker_protocol import PlayEnd
from people.store.store import TrialEnd, write_batch
from people.study import flow
from people.study.flow import StudyTaskSource
from people.study.progress import all_progress, progress_of
from testbed import Task
from tests.cases import cases
from tests.people.store import played
from tests.people.study.server import TINY, planned
from tests.people.study.walk import Walker, client_of, experimenter_of

CASES = cases(__file__)

HEAD = TINY[: TINY.index("tutorial:")]
BLOCKS = HEAD + CASES["blocks"]


@pytest.fixture
def plan_of(tmp_path):
    return partial(planned, tmp_path)


def test_blocks_have_their_own_pages_breaks_and_limits(plan_of):
    plan = plan_of(BLOCKS)
    order = ["01-01-01", "02-02-01", "01-06-02", "01-02-01", "01-01-01"]
    stages = plan.stages(order, ("far", "near"))
    assert [stage.name for stage in stages] == [
        "practice-1", "test-1", "test-2", "introduction-near", "test-3", "test-4", "questions-mood-1",
        "break-1", "test-5", "completed",
    ]  # fmt: skip
    tasks = [stage for stage in stages if stage.name.startswith("test-")]
    assert [(stage.block_name, stage.task.id) for stage in tasks] == list(
        zip(["far"] * 2 + ["near"] * 3, order, strict=True)
    )
    assert [(stage.position, stage.number, stage.count) for stage in tasks] == [
        (place, place + 1, 5) for place in range(5)
    ]
    assert "You have done 4 of 5 tasks." in stages[7].text
    assert plan.breaks() == 1
    assert plan.minutes()[1] < plan_of(BLOCKS.replace(", limit_minutes: 0.005", "")).minutes()[1]


def enrolled(app, text, count, link=()):
    """A study with participants who have just agreed: its plan, store, and the notes of their orders."""
    study, store = app(text)
    plan, notes = study.state.study.plan, []
    for number in range(count):
        person = flow.enrol(plan, store, f"p{number}", dict(link))
        notes.append(next(note.data for note in store.notes(person.id) if note.kind == "order"))
    return plan, store, notes


def test_orders_of_blocks_and_tasks_are_balanced(app):
    _, _, notes = enrolled(app, BLOCKS, 12)
    assert Counter(tuple(note["blocks"]) for note in notes) == {("near", "far"): 6, ("far", "near"): 6}
    # Each of the six orders of tasks occurs with each order of blocks.
    assert set(Counter((note["block_row"], note["rows"]["near"]) for note in notes).values()) == {1}
    firsts = Counter(note["tasks"][0] for note in notes if note["blocks"][0] == "near")
    assert set(firsts.values()) == {2}
    assert all(len(note["tasks"]) == 5 for note in notes)


def test_the_time_of_a_block_ends_that_block_only(app):
    text = BLOCKS.replace("block_order: latin-square\n", "").replace("practice: {tasks: [01-05-01]}\n", "")
    text = text.replace("order: latin-square, break_every: 2", "limit_minutes: 0.005").replace(
        text[text.index("questionnaires:") :], ""
    )
    plan, store, _ = enrolled(app, text, 1)
    (me,) = store.participants("tiny")
    source = StudyTaskSource(plan)
    store.note(me.id, "passed", {"stage": "introduction-near"})
    first = source.next_task(store, me, Task)
    assert (first.block, first.task.id, first.count) == ("near", "01-01-01", 5)
    trial = store.begin_trial(me.id, 0, played.TASK, 7, "keys", first.block)
    # Eight steps are 0.48 s, of 0.3 s that the block has.
    assert played.finish(store, trial, played.recording()) == []
    second = source.next_task(store, me, Task)
    assert (second.block, second.task.id, second.position, second.max_steps) == ("far", "01-01-01", 3, 167)
    trial = store.begin_trial(me.id, 3, played.TASK, 7, "keys", second.block)
    end = PlayEnd("stopped", 0, played.recording(trial.trial))
    assert write_batch(store.database, [TrialEnd(trial.id, end)]) == []
    assert source.next_task(store, me, Task).position == 4
    assert [each.block for each in store.trials(me.id)] == ["near", "far"]


def test_blocks_that_draw_tasks_have_different_ones(plan_of):
    test = "test: [{name: a, levels: {1: 80}}, {name: b, levels: {1: 10}}]"
    assert len({task.id for task in plan_of(HEAD + test).test}) == 90
    with pytest.raises(ConfigError, match=r"study.yaml:5: test.1.levels.1: got 11 tasks, but .* has 10"):
        plan_of(HEAD + test.replace("10", "11"))


@pytest.mark.parametrize(("old", "new", "message"), CASES["wrong_blocks"])
def test_nonsense_about_blocks_is_refused(plan_of, old, new, message):
    assert old in BLOCKS
    with pytest.raises(ConfigError, match=message):
        plan_of(BLOCKS.replace(old, new))


def test_a_study_that_was_stored_before_there_were_blocks_continues(app):
    _, store = app()
    flow.enrol(app()[0].state.study.plan, store, "p1", {})
    config = store.study_notes("tiny")[-1]
    old = json.loads(json.dumps(config.data["study"]))
    (old["test"],) = old["test"]
    for added in ("assent", "attention", "block_order"):
        del old[added]
    del old["test"]["name"], old["questionnaires"][0]["items"][0]["if"]
    store.note(config.participant_id, "config", {"sha256": "of version 0.2", "study": old})
    app()
    assert progress_of(store, store.participants("tiny")[0]).rows == {"test": 0}


CONDITIONS = HEAD + CASES["conditions"]


def test_conditions_differ_in_what_they_name(plan_of):
    plan = plan_of(CONDITIONS)
    control, easy, hard = (plan.of(name) for name in ("control", "easy", "hard"))
    assert (control.study.test, control.tasks) == (plan.study.test, plan.tasks)
    assert (easy.study.test[0].title, easy.study.test[0].tasks) == ("The test", ())
    assert (len(easy.test), len(easy.tasks["tutorial"])) == (3, 2)
    assert hard.stages(["01-02-01", "01-06-02"])[0].name == "introduction-test"
    assert (hard.study.test[0].limit_s, hard.study.test[0].order) == (1, "latin-square")


def test_conditions_are_balanced_and_decide_what_is_seen(app):
    plan, store, notes = enrolled(app, CONDITIONS, 9)
    names = [note["condition"] for note in notes]
    assert [sorted(names[k : k + 3]) for k in (0, 3, 6)] == [["control", "easy", "hard"]] * 3
    assert names[:3] != names[3:6] or names[3:6] != names[6:]
    # Within a condition orders are balanced, too.
    assert sorted(note["row"] for note in notes if note["condition"] == "control") == [0, 0, 1]
    # Who is out of the study leaves their place to the next person.
    (first, *_) = store.participants("tiny")
    flow.withdraw(store, first, flow.current_stage(plan, progress_of(store, first)))
    study = app(CONDITIONS)[0]
    walker = Walker(study, "late").agree()
    late = next(each for each in all_progress(store, "tiny") if each.participant.code == "late")
    assert late.condition == names[0]
    easy = Walker(study, f"p{names.index('easy', 1)}")
    assert "Go easily</button>" in easy.page.text
    assert "This is easy." in easy.page.text
    assert easy.visitor.get("/play.words").json()["Start"] == "Start easily"
    assert client_of(study).get("/play.words").json() == {"language": "en", "speech": False}
    source = StudyTaskSource(plan)
    hard = store.participants("tiny")[names.index("hard", 1)]
    store.note(hard.id, "passed", {"stage": "introduction-test"})
    assert source.next_task(store, hard, Task).max_steps == 17
    assert walker.page.status_code == 200


def test_previews_are_of_every_condition_and_count_for_nobody(app):
    study, store = app(CONDITIONS)
    plan = study.state.study.plan
    for number in range(3):
        flow.enrol(plan, store, f"test-{number}", {}, test=True)
    tried = [each.condition for each in all_progress(store, "tiny", test=True)]
    assert sorted(tried) == ["control", "easy", "hard"]
    flow.enrol(plan, store, "p1", {})
    assert next(each.condition for each in all_progress(store, "tiny")) == tried[0]


def test_conditions_are_shown(app):
    enrolled(app, CONDITIONS, 3)
    table = experimenter_of(app(CONDITIONS)[0]).get("/experimenter/table").text
    assert all(f"<td>{name}</td>" in table for name in ("control", "easy", "hard"))
    study, store = app(BLOCKS, "blocks.db")
    flow.enrol(study.state.study.plan, store, "p1", {})
    page = experimenter_of(study).get("/experimenter/person/p1").text
    assert "blocks: near, far; block_row: 0; rows: {&#39;near&#39;: 0" in page


def test_a_link_names_the_condition(app):
    text = CONDITIONS.replace("keep: [STUDY_ID]", "keep: [STUDY_ID], condition: group")
    study, store = app(text)
    for group, status in (("hard", 303), ("none", 400), ("", 400)):
        link = {"PROLIFIC_PID": f"p-{group}", "group": group}
        assert client_of(study).get("/", params=link).status_code == (200 if status == 303 else 400)
        assert client_of(study).post("/consent", data=link | {"answer": "agree"}).status_code == status
    (only,) = all_progress(store, "tiny")
    assert (only.condition, only.participant.link["group"]) == ("hard", "hard")
    # Who comes back needs the id only, and stays in the condition.
    assert client_of(study).get("/", params={"PROLIFIC_PID": "p-hard"}).status_code == 200


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        *CASES["wrong_conditions"],
        (CONDITIONS[CONDITIONS.index("conditions:") :], "conditions: {one: {}}", r"got one condition"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_nonsense_in_conditions_is_refused(plan_of, old, new, message):
    assert old in CONDITIONS
    text = CONDITIONS.replace(old, new, 1)
    if message is None:
        assert set(plan_of(text).conditions) == {"easy", "hard"}
        return
    with pytest.raises(ConfigError, match=message):
        plan_of(text)
