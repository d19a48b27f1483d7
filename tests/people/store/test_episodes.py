"""Episodes of other suites in the database, in SQLite and in PostgreSQL."""

import json
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from arena.errors import EvaluationError
from evaluation.by_hand.played import PlayedEpisode
from evaluation.choices.run_choices import RunChoices
from evaluation.suite import EpisodeSetup, ModelEnd, Record, TaskSpec
from people.store import InvalidRequest, Store
from people.store.export import export
from people.store.tables import Reply
from report.comparison.read import read_run
from tests.people.store import played

SUITE = SimpleNamespace(name="any", versions=lambda: {"arena-llm": "1"})
SETUP = EpisodeSetup(SUITE, TaskSpec("one", "small", "0" * 64), 0, RunChoices(seed=2**40), None)
EPISODE = PlayedEpisode.of(SETUP)
METRICS = {"total_reward": -1, "steps": 3}
RECORD = Record(({"reply": "no", "error": None},), "lost", False, 0.25, METRICS, ModelEnd.SOLVER)


def reply(trial_id: int, text: str) -> Reply:
    values = {"turn": 0, "entered": {"a": [1, 0.5]}, "reward": -1, "shown_at": 1, "at": 2.5}
    return Reply(trial_id=trial_id, reply=text, **values)


def test_a_trial_is_stored_with_its_replies_and_ends_once(store):
    person = store.add_participant("P1", "play-any")
    trials = [store.begin_episode(person.id, 0, SETUP) for _ in range(2)]
    assert [(each.trial, each.seed, each.mode) for each in trials] == [(n, 2**40, "form") for n in (0, 1)]
    first = trials[0].id
    for text in ("no", "not stored"):
        store.add_reply(reply(first, text))
    [kept] = store.replies(first)
    assert (kept.reply, kept.entered, kept.at) == ("no", {"a": [1, 0.5]}, 2.5)
    store.finish_episode(first, SETUP, RECORD)
    ended = store.trials(person.id)[0].finished_at
    store.finish_episode(first, SETUP, Record((), "again", True, 1.0, {}, ModelEnd.EPISODE))
    trial = store.trials(person.id)[0]
    assert (trial.finished_at, trial.outcome, trial.passed) == (ended, "lost", False)
    assert (trial.steps, trial.total_reward, trial.ended_by) == (3, -1, "lost")
    store.finish_episode(trials[1].id, SETUP, RECORD, "stopped")
    assert store.trials(person.id)[1].ended_by == "stopped"
    stored = store.episodes("play-any")
    assert (stored[first].score, stored[first].turns) == (0.25, 1)
    assert PlayedEpisode.model_validate_json(stored[first].played) == EPISODE.ended(RECORD)
    assert store.episodes("another") == {}


@pytest.fixture
def mixed(tmp_path):
    """The database and the export of a study of two suites with a person and a model."""
    path, out = tmp_path / "mixed.db", tmp_path / "out"
    with Store(str(path)) as store:
        person = store.add_participant("P1", "mixed", kind="child")
        model = store.add_participant("m-1", "mixed", kind="model", agent="openai/m")
        for each in (person, model):
            store.note(each.id, "order", {"tasks": [], "condition": "hard"})
            trial = store.begin_episode(each.id, 0, SETUP, "first")
            store.add_reply(reply(trial.id, "a\tb\nc"))
            store.finish_episode(trial.id, SETUP, RECORD)
            played.finish(store, played.begin(store, each, position=1), played.recording())
        export(store, "mixed", out, bids=True)
    return path, out


def test_one_table_has_people_and_models_with_all_suites(mixed):
    table = pd.read_csv(mixed[1] / "results.csv").astype(object)
    told = [*table.columns[:7], "level", "score", "seconds"]
    assert told[:7] == ["participant", "agent", "kind", "condition", "block", "order", "suite"]
    rows = table[told].where(table[told].notna(), None).to_numpy().tolist()
    seconds = 0.06 * len(played.TAKEN)
    assert rows == [
        ["P1", "person", "child", "hard", "first", 1, "any", "small", 0.25, 1.5],
        ["P1", "person", "child", "hard", None, 2, "arena", "1", None, seconds],
        ["m-1", "openai/m", "model", "hard", "first", 1, "any", "small", 0.25, None],
        ["m-1", "openai/m", "model", "hard", None, 2, "arena", "1", None, None],
    ]
    wide = pd.read_csv(mixed[1] / "participants_wide.csv")
    assert list(wide[["kind", "agent"]].itertuples(index=False, name=None))[1] == ("model", "openai/m")


def test_bids_has_replies_with_their_times_and_kinds(mixed):
    top = mixed[1] / "bids"
    assert len([*top.rglob("*_beh.tsv")]) == 4
    replies = pd.read_csv(top / "sub-P1" / "beh" / "sub-P1_task-one_run-1_beh.tsv", sep="\t")
    assert replies.loc[0, ["response_time", "turn", "reply", "reward"]].tolist() == [1.5, 0, "a b c", -1]
    about = json.loads((top / "sub-P1" / "beh" / "sub-P1_task-one_run-1_beh.json").read_text("utf-8"))
    assert set(replies.columns) <= set(about)
    people = pd.read_csv(top / "participants.tsv", sep="\t", keep_default_na=False)
    assert list(people.kind) == ["child", "model"]
    assert list(people.agent) == ["n/a", "openai/m"]


def test_results_of_a_study_with_several_suites_stay_apart(mixed):
    path, out = map(str, mixed)
    for place in (path, f"{path}#mixed", out, f"{out}/results.csv"):
        with pytest.raises(EvaluationError, match=r"holds trials of any, arena; name one, such as .*#arena"):
            read_run(place)
    for place in (f"{path}#mixed", out):
        arena, other = (read_run(f"{place}#{suite}", "people") for suite in ("arena", "any"))
        tasks = [(run.agent, run.suite, list(run.results["task_id"])) for run in (*arena, *other)]
        assert tasks == [
            (agent, suite, [task])
            for suite, task in (("arena", played.TASK.id), ("any", "one"))
            for agent in ("people (hard)", "openai/m (hard)")
        ]
        assert list(arena[0].results["level"]) == [1]
        with pytest.raises(EvaluationError, match="holds trials of any, arena"):
            read_run(f"{place}#est")


def test_compare_shows_every_suite_by_condition_and_agent(mixed, command, tmp_path):
    path, out = mixed
    said = command("compare", path, "--out", tmp_path / "none").succeeded()
    assert re.search(r"any +│ openai/m \(hard\) +│ +1 │ +1 │ +0 │ +0 │ +0.25", said), said
    assert "name one, such as mixed.db#mixed#arena" in " ".join(said.split())
    assert not (tmp_path / "none").exists()
    command("compare", f"people={out}#arena", "--out", tmp_path / "page").succeeded()
    page = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert re.search(r"<td>any</td>\s*<td>person \(hard\)</td>", page)
    analysis = (out / "analysis.md").read_text("utf-8")
    assert "Participants: 1 child, 1 openai/m\n" in analysis
    again = command("people", "analyse", out).succeeded()
    assert again.strip().split("\n")[1:] == analysis.strip().split("\n")[1:]
    assert "no study; expected a database" in command("people", "analyse", tmp_path).sentence


def test_only_trials_of_suites_have_replies(store):
    with pytest.raises(InvalidRequest, match="trial 7: no such trial"):
        store.add_reply(reply(7, "no"))
    with pytest.raises(InvalidRequest, match="trial 7: no such trial"):
        store.finish_episode(7, SETUP, RECORD)
