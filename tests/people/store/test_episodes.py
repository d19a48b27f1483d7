"""Episodes of other suites in the database, in SQLite and in PostgreSQL."""

import pytest

from arena.errors import ConfigError, EvaluationError
from evaluation.by_hand.played import PlayedEpisode
from evaluation.suite import ModelEnd, Record
from people.store import InvalidRequest, Store
from people.store.export import export
from people.store.tables import Reply
from report.comparison.read import read_run
from tests.people.store import played

TASK = {"id": "one", "group": "small", "sha256": "0" * 64}
EPISODE = PlayedEpisode(suite="any", task=TASK, choices={"seed": 2**40}, versions={"arena-llm": "1"})
METRICS = {"total_reward": -1, "steps": 3}
RECORD = Record(({"reply": "no", "error": None},), "lost", False, 0.25, METRICS, ModelEnd.SOLVER)


def reply(trial_id: int, text: str) -> Reply:
    values = {"turn": 0, "entered": {"a": [1, 0.5]}, "reward": -1, "shown_at": 1, "at": 2.5}
    return Reply(trial_id=trial_id, reply=text, **values)


def test_a_trial_is_stored_with_its_replies_and_ends_once(store):
    person = store.add_participant("P1", "play-any")
    trials = [store.begin_episode(person.id, 0, EPISODE) for _ in range(2)]
    assert [(each.trial, each.seed, each.mode) for each in trials] == [(n, 2**40, "form") for n in (0, 1)]
    first = trials[0].id
    for text in ("no", "not stored"):
        store.add_reply(reply(first, text))
    [kept] = store.replies(first)
    assert (kept.reply, kept.entered, kept.at) == ("no", {"a": [1, 0.5]}, 2.5)
    store.finish_episode(first, RECORD)
    ended = store.trials(person.id)[0].finished_at
    store.finish_episode(first, Record((), "again", True, 1.0, {}, ModelEnd.EPISODE))
    trial = store.trials(person.id)[0]
    assert (trial.finished_at, trial.outcome, trial.passed) == (ended, "lost", False)
    assert (trial.steps, trial.total_reward, trial.ended_by) == (3, -1, "lost")
    store.finish_episode(trials[1].id, RECORD, stopped=True)
    assert store.trials(person.id)[1].ended_by == "stopped"
    stored = store.episodes("play-any")
    assert (stored[first].score, stored[first].turns) == (0.25, 1)
    assert PlayedEpisode.model_validate_json(stored[first].played) == EPISODE.ended(RECORD)
    assert store.episodes("another") == {}


def test_results_of_a_study_with_several_suites_stay_apart(tmp_path):
    path, out = tmp_path / "mixed.db", tmp_path / "out"
    with Store(str(path)) as store:
        person = store.add_participant("P1", "mixed")
        store.finish_episode(store.begin_episode(person.id, 0, EPISODE).id, RECORD)
        with pytest.raises(ConfigError, match="--bids: describes steps in the arena only"):
            export(store, "mixed", out, bids=True)
        played.finish(store, played.begin(store, person, position=1), played.recording())
        export(store, "mixed", out, bids=True)
    assert [file.parent.parent.name for file in (out / "bids").rglob("*_beh.tsv")] == ["sub-P1"]
    for place in (str(path), f"{path}#mixed", str(out), str(out / "results.csv")):
        with pytest.raises(EvaluationError, match=r"holds trials of any, arena; name one, such as .*#arena"):
            read_run(place)
    for place in (f"{path}#mixed", str(out), str(out / "results_by_participant.csv")):
        (arena,), (other,) = read_run(f"{place}#arena"), read_run(f"{place}#any")
        tasks = [(run.suite, list(run.results["task_id"])) for run in (arena, other)]
        assert tasks == [("arena", [played.TASK.id]), ("any", ["one"])]
        assert list(arena.results["level"]) == [1]
        with pytest.raises(EvaluationError, match="holds trials of any, arena"):
            read_run(f"{place}#est")


def test_only_trials_of_suites_have_replies(store):
    with pytest.raises(InvalidRequest, match="trial 7: no such trial"):
        store.add_reply(reply(7, "no"))
    with pytest.raises(InvalidRequest, match="trial 7: no such trial"):
        store.finish_episode(7, RECORD)
