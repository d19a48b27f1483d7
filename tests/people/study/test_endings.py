"""How participants' studies end, as every table, page and comparison has it."""

import pytest

from evaluation.results import read_results
from people.store.export import export
from people.study import flow
from people.study.progress import progress_of
from people.study.server import Overview, counts
from report.comparison.read import read_run
from tests.people.agreement import rows
from tests.people.store import played
from tests.people.study.server import TINY
from tests.people.study.walk import Walker

ENDS = (
    TINY[: TINY.index("tutorial:")]
    + """\
practice: {tasks: [01-01-01], tries: 1, if_failed: end}
test: {tasks: [01-01-01], limit_minutes: 0.005}
questionnaires:
  - name: age
    when: before
    title: T
    screen: {age: {least: 7}}
    items: [{id: age, type: number, ask: How old are you?}]
conditions: {near: {}, far: {}}
"""
)


def went(study, store, code, age="9", practice=played.SOLUTION, test=played.SOLUTION):
    """A participant who answers, practises and plays the test; None: not so far."""
    walker = Walker(study, code).agree()
    if age is not None:
        walker.send("/go", **{"item-age": age})
    me = store.participant(walker.token)
    for position, actions in ((-1, practice), (0, test)):
        if actions is not None:
            trial = played.begin(store, me, position=position)
            assert played.finish(store, trial, played.recording(trial.trial, actions)) == []
            flow.advance(study.state.study.plan, store, me)
    return walker


@pytest.fixture
def ended(app):
    """A study with a participant for each ending."""
    study, store = app(ENDS)
    went(study, store, "completed")
    went(study, store, "screened", age="3", practice=None, test=None)
    went(study, store, "failed", practice=played.TAKEN, test=None)
    went(study, store, "going", test=None)
    went(study, store, "new", age=None, practice=None, test=None)
    went(study, store, "withdrawn", test=None).send("/withdraw")
    return study, store


ENDINGS = {
    **{name: name for name in ("completed", "screened", "failed", "withdrawn")},
    **dict.fromkeys(("going", "new"), "in progress"),
}


def test_every_ending_and_condition_is_exported(ended, tmp_path):
    study, store = ended
    export(store, "tiny", tmp_path, bids=True)
    wide = {row["participant"]: row for row in rows(tmp_path / "participants_wide.csv")}
    assert {code: row["ending"] for code, row in wide.items()} == ENDINGS
    conditions = {row["participant"]: row["condition"] for row in rows(tmp_path / "participants.csv")}
    assert {code: row["condition"] for code, row in wide.items()} == conditions
    assert set(conditions.values()) == {"far", "near"}
    bids = rows(tmp_path / "bids" / "participants.tsv", "\t")
    assert {row["code"]: (row["condition"], row["ending"]) for row in bids} == {
        code: (conditions[code], ending) for code, ending in ENDINGS.items()
    }
    shown = Overview(study.state.study.plan).rows(store)
    found = counts(shown)
    assert all(found[name] == 1 for name in ENDINGS.values() if name != "in progress")
    assert sum(not row.ended for row in shown) == 2


def test_a_practice_that_need_not_be_passed_and_a_limit_end_nothing_early(app, tmp_path):
    text = ENDS.replace(", if_failed: end", "").replace("[01-01-01], limit", "[01-01-01, 01-02-01], limit")
    study, store = app(text)
    went(study, store, "failed", practice=played.TAKEN)
    went(study, store, "late", test=played.TAKEN)
    export(store, "tiny", tmp_path)
    assert [row["ending"] for row in rows(tmp_path / "participants_wide.csv")] == ["failed", "late"]
    assert [row.stage for row in Overview(study.state.study.plan).rows(store)] == ["completed"] * 2
    assert progress_of(store, store.participants("tiny")[0]).ending.page == "completed"


def test_conditions_are_compared_apart(app, tmp_path):
    study, store = app(ENDS)
    for number in range(4):
        actions = played.SOLUTION if number < 3 else played.TAKEN
        went(study, store, f"p{number}", test=actions)
    store.add_participant("idle", "tiny")
    export(store, "tiny", tmp_path / "out")
    rates = {}
    for place in (tmp_path / "out", tmp_path / "out" / "results.csv", tmp_path / "study.db"):
        runs = {run.agent: run for run in read_run(str(place), "people")}
        assert set(runs) == {"people (far)", "people (near)"}, place
        rates[place] = {name: run.results["passed"].fillna(False).mean() for name, run in runs.items()}
        for run in runs.values():
            # Known without a word of the user.
            assert (run.animal_ai, run.digests) == ("3.1.3", {"01-01-01": played.TASK.sha256})
            assert run.results["participant"].nunique() == 2
    assert all(sorted(each.values()) == [0.5, 1.0] for each in rates.values())
    people = [(row["agent"], row["kind"], row["condition"]) for row in rows(tmp_path / "out" / "results.csv")]
    assert set(people) == {("person", "adult", "far"), ("person", "adult", "near")}


def exported_blocks(app, out, other):
    """The runs of a study with a task in the block a, and one in the block b."""
    blocks = f"test: [{{name: a, tasks: [01-01-01]}}, {{name: b, tasks: [{other}]}}]\n"
    _, store = app(TINY[: TINY.index("tutorial:")] + blocks)
    person = store.add_participant("p1", "tiny")
    for position, (block, task) in enumerate((("a", "01-01-01"), ("b", other))):
        store.begin_trial(person.id, position, played.task_named(task), 0, "keys", block)
    export(store, "tiny", out)
    return read_run(str(out), "people")


def test_blocks_with_the_same_task_are_compared_apart(app, tmp_path):
    assert [run.agent for run in exported_blocks(app, tmp_path, "01-01-01")] == ["people (a)", "people (b)"]
    trials = [(row["agent"], row["block"], row["trial"]) for row in rows(tmp_path / "results.csv")]
    assert trials == [("person", "a", "0"), ("person", "b", "1")]


def test_other_blocks_are_one_run(app, tmp_path):
    (run,) = exported_blocks(app, tmp_path, "01-02-01")
    assert (run.agent, list(run.results["block"])) == ("people", ["a", "b"])


def test_tasks_of_trials_without_a_digest_are_unknown(app):
    study, store = app(ENDS)
    went(study, store, "p1")
    with store.database.writing() as session:
        session.connection().exec_driver_sql("UPDATE trials SET task_sha256 = NULL")
    (run,) = read_run(str(store.database.url.database), "people")
    assert (run.digests, run.animal_ai) == ({}, "3.1.3")


def test_codes_and_conditions_keep_their_zeros(app, tmp_path):
    study, store = app(ENDS.replace("{near: {}, far: {}}", '{"01": {}, None: {}}'))
    for code in ("007", "7", "NA", "None"):
        went(study, store, code)
    export(store, "tiny", tmp_path)
    assert list(read_results(tmp_path / "results.csv")["participant"].unique()) == ["007", "7", "NA", "None"]
    assert sorted(run.agent for run in read_run(str(tmp_path), "p")) == ["p (01)", "p (None)"]
