"""Tasks of other suites as stages of a study."""

import json
import time
from dataclasses import replace

import pandas as pd
import pytest

from arena.errors import ConfigError
from arena_llm.commands.study import _blocks
from evaluation.by_hand.form import Choice, Command
from people.pages import fields_html
from people.play.security import COOKIE
from people.simulation.simulate import simulate
from people.store.export import export
from people.study.flow import current_stage, free_places, order_of, rows_of
from people.study.plan import REPLY_S
from people.study.progress import progress_of
from people.texts import PAGE_TEXTS, Texts, translation
from suites.est.world import HORIZON
from tests.cases import cases
from tests.people.study.server import TINY, planned
from tests.people.study.walk import Walker, experimenter_of

CASES = cases(__file__)

EST = """\
test:
  - name: objects
    suite: est
    choices: {machine: noisy, seed: 3}
    tasks: [noisy-00002, noisy-00001]
    order: random
  - {name: driving, tasks: [01-02-01]}
"""
STUDY = TINY[: TINY.index("tutorial:")] + EST + TINY[TINY.index("completion:") :]


def reply(walker: Walker, turn: int, likely: float = 50):
    """Answer the form with the same belief about all objects, and no trial."""
    entered = {f"item-belief{number}": likely for number in range(9)}
    sent = {"trial": walker.client.get("/suite/state").json()["trial"], "turn": turn, **entered}
    return walker.client.post("/suite/reply", data=sent)


def play(walker: Walker, turn: int = 0) -> dict:
    """Play the present task from a turn to its end; returns what the page showed at last."""
    state = {"end": None}
    while not state["end"]:
        state = reply(walker, turn).json()
        turn += 1
    return state


@pytest.mark.parametrize(("style", "summary"), [("", "The episode is over"), ("style: child\n", "")])
def test_no_score_is_shown_and_to_children_no_other_number(app, style, summary):
    study, _ = app(style + STUDY.replace("    order: random\n", "    feedback: true\n"))
    end = play(Walker(study, "p1").agree())["end"]
    assert (end["score"], end["passed"]) == (None, False)
    assert end["text"].startswith(summary)
    assert bool(end["text"]) == bool(summary)


def test_a_study_leads_through_tasks_of_a_suite_and_of_the_arena(app, tmp_path):
    study, store = app(STUDY)
    walker = Walker(study, "p1").agree()
    assert walker.page.url.path == "/suite"
    first = walker.client.get("/suite/state").json()
    assert (first["position"], first["count"], first["leave"]) == (0, 3, "Leave the study")
    assert not first["may_stop"]
    assert reply(walker, 0).status_code == 200
    # It may not be stopped, and another server continues it.
    walker.client.post("/suite/stop", data={"trial": first["trial"]})
    again = Walker(app(STUDY)[0], "p1")
    assert again.page.headers["location"] == "/suite"
    assert len(again.client.get("/suite/state").json()["turns"]) == 2
    ended = play(again, turn=1)
    assert ended["trial"] == first["trial"]
    assert ended["end"] == {"why": "", "text": "", "passed": None, "score": None}
    assert again.client.post("/suite/next", data={"trial": first["trial"]}).json()["position"] == 1
    done = play(again)
    assert again.client.post("/suite/next", data={"trial": done["trial"]}).json() == {"page": "/"}
    again.open()
    assert again.page.url.path == "/play"
    person = store.participant(again.token)
    trials = store.trials(person.id)
    played = [(trial.block, trial.mode, trial.position) for trial in trials]
    assert played == [("objects", "form", 0), ("objects", "form", 1)]
    assert {trial.task_id for trial in trials} == {"noisy-00001", "noisy-00002"}
    export(store, "tiny", tmp_path / "data")
    assert list(pd.read_csv(tmp_path / "data" / "trials.csv")["block"]) == ["objects"] * 2
    [file, _] = (tmp_path / "data" / "recordings").rglob("noisy-*.json")
    choices = json.loads(file.read_text())["choices"]
    assert (choices["machine"], choices["seed"]) == ("noisy", 3)


def test_who_left_plays_no_further_reply(app):
    study, store = app(STUDY)
    walker = Walker(study, "p1").agree()
    shown = reply(walker, 0).json()
    walker.send("/withdraw")
    sent = {"trial": shown["trial"], "turn": 1}
    assert walker.client.post("/suite/reply", data=sent).json() == {"page": "/"}
    [trial] = store.trials(store.participant(walker.token).id)
    assert len(store.replies(trial.id)) == 1
    assert Walker(study, "p2").client.get("/suite/state").status_code == 403


@pytest.mark.parametrize(("old", "new", "told"), CASES["wrong"])
def test_a_wrong_block_is_refused_with_its_line(tmp_path, old, new, told):
    with pytest.raises(ConfigError, match=told):
        planned(tmp_path, STUDY.replace(old, new))


def test_the_check_says_with_which_choices_a_suite_is_played(tmp_path):
    lines = _blocks(planned(tmp_path, STUDY))
    assert "objects: suite est, machine: noisy, observation: image." in lines
    assert not any(line.startswith("driving: suite") for line in lines)


def test_the_duration_is_estimated_from_the_most_replies(tmp_path):
    plan = planned(tmp_path, STUDY)
    without = replace(plan, tasks={**plan.tasks, "objects": ()})
    assert plan.minutes()[1] - without.minutes()[1] == pytest.approx(2 * HORIZON * REPLY_S / 60)


def test_time_limits_end_a_task_and_the_block(app, monkeypatch):
    study, store = app(STUDY.replace("order: random", "limit_s: 60\n    limit_minutes: 0.9"))
    walker, now = Walker(study, "p1").agree(), time.time()
    assert 55 < reply(walker, 0).json()["left_s"] <= 60
    # Who is away for an hour has played until the limit.
    monkeypatch.setattr("people.play.suite_games.time.time", lambda: now + 3600)
    late = reply(walker, 1).json()
    assert (late["end"]["why"], late["known"] + len(late["turns"])) == ("The time for this task is over.", 2)
    person = store.participant(walker.token)
    [trial] = store.trials(person.id)
    assert (trial.ended_by, trial.passed, len(store.replies(trial.id))) == ("limit", False, 1)
    assert trial.seconds_played == pytest.approx(60, abs=1)
    assert walker.client.post("/suite/next", data={"trial": late["trial"]}).json() == {"page": "/"}
    assert current_stage(study.state.study.plan, progress_of(store, person)).block_name == "driving"


def test_a_reply_is_an_action_and_the_limit_counts_from_the_first_form(app, monkeypatch):
    text = STUDY.replace("order: random", "limit_s: 1200").replace(
        "unsigned: true", "unsigned: true, timeout: 10 min"
    )
    walker, now = Walker(app(text)[0], "p1").agree(), time.time()
    walker.client.get("/suite/state")
    study, store = app(text)
    for minutes, left_s in ((8, 720), (16, 240)):
        monkeypatch.setattr("time.time", lambda minutes=minutes: now + 60 * minutes)
        free_places(study.state.study.plan, store)
        again = Walker(study, "p1")
        assert again.client.get("/suite/state").json()["left_s"] == pytest.approx(left_s, abs=5)
        reply(again, 0)
    assert progress_of(store, store.participant(again.token)).ending is None


def test_an_episode_that_was_played_by_scripts_has_a_replay(app, monkeypatch):
    async def images(_, task, *others):
        yield task.id

    monkeypatch.setattr("people.study.experimenter_pages.replay_images", images)
    head, tail = STUDY[: STUDY.index("test:")], TINY[TINY.index("completion:") :]
    study, _ = app(f"mode: scripts\n{head}test: {{tasks: [01-01-01], may_stop: true}}\n{tail}")
    client = Walker(study, "p1").agree().client
    client.post("/suite/stop", data={"trial": client.get("/suite/state").json()["trial"]})
    assert experimenter_of(study).get("/experimenter/person/p1/trial/1/frames").text == "01-01-01"


def test_orders_by_group_keep_the_tasks_of_a_group_together(tmp_path):
    groups = STUDY.replace("suite: est", "suite: laboratory").replace("{machine: noisy, seed: 3}", "{}")
    tasks = "[11-01-01, 12-01-01, 11-02-01, 12-02-01]"
    plan = planned(
        tmp_path,
        groups.replace("[noisy-00002, noisy-00001]", tasks).replace(
            "order: random", "order: latin-square\n    by: group"
        ),
    )
    block, [first, *_] = plan.study.test[0], plan.tasks["objects"]
    orders = {order_of(block, plan.tasks["objects"], 0, "p", row) for row in range(2)}
    assert rows_of(block, plan.tasks["objects"]) == 2
    assert {tuple(task[:2] for task in order) for order in orders} == {
        ("11", "11", "12", "12"),
        ("12", "12", "11", "11"),
    }
    assert first.group


def test_simulated_people_play_practice_and_blocks_of_suites(app, tmp_path):
    practised = (
        "practice: {suite: laboratory, tasks: [11-01-01], tries: 2, criterion: {passed: 1, of_last: 2}}\n"
    )
    study, store = app(practised + STUDY)
    [journey] = simulate(study.state.study.plan, store, 1)
    assert journey.ending == "completed"
    trials = store.trials(store.participant(journey.token).id)
    assert {trial.block for trial in trials} == {"practice", "objects", "driving"}
    assert all(trial.seconds_played is not None for trial in trials)
    assert len(journey.tasks) == len(trials)


@pytest.mark.parametrize("language", ["de", "child"])
def test_the_page_of_a_suite_is_in_the_language_of_the_study(app, language):
    own = "style: child\n" if language == "child" else f"language: {language}\n"
    study, _ = app(own + STUDY)
    walker = Walker(study, "p1").agree()
    texts = walker.client.get("/play.words").json()
    page = walker.client.get("/suite").text + walker.client.get("/suite.js").text
    used = [text for text in PAGE_TEXTS if f'"{text}"' in page or f">{text}<" in page]
    assert len(used) > 12
    expected = translation(language)["play_words"] if language == "de" else texts
    assert all(texts[text] == expected[text] != text for text in used if language == "de")
    assert (
        reply(walker, 0, likely=101)
        .json()["detail"]
        .endswith(
            "Bitte gib eine Zahl von 0 bis 100 ein."
            if language == "de"
            else "Please write a number from 0 to 100."
        )
    )
    left = walker.client.get("/suite/state").json()["leave"]
    assert left == ("Studie abbrechen" if language == "de" else "Stop playing")


BELIEF = {f"item-belief{number}": "50" for number in range(9)}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
ABUSES = {
    **CASES["abuses"],
    "another's cookie": ({"cookie": f"{COOKIE}=another"}, {}, 403),
    **{
        f"origin {origin}": ({"origin": origin}, {}, 403)
        for origin in ("", "null", "http://a.b", "https://testserver:1")
    },
    "many fields": ({}, dict.fromkeys(map(str, range(4000)), ""), 400),
    **{
        f"trial {trial!r}": ({}, {"trial": trial}, 400)
        for trial in ("", "\0", "x", "-1", "1e3", "٣", "9" * 40)
    },
    "a script": ({}, {"item-belief0": HOSTILE, "turn": "0"}, 422),
    **{f"turn {turn}": ({}, {"turn": str(turn)}, 200) for turn in (1, 7, 999_999_999)},
}


@pytest.mark.parametrize("abuse", ABUSES)
def test_abuses_of_the_page_of_a_suite_are_refused_and_store_nothing(app, abuse):
    study, store = app(STUDY.replace("suite: est", f"suite: est\n    title: {json.dumps(HOSTILE)}"))
    walker = Walker(study, "p1").agree()
    walker.send("/go")
    shown = walker.client.get("/suite/state").json()
    headers, values, status = ABUSES[abuse]
    sent = {"trial": shown["trial"], "turn": "0", **BELIEF, **values}
    # Only replies have a turn and answers.
    for address in ("reply",) if "turn" in values else ("reply", "stop", "next"):
        answer = walker.client.post(f"/suite/{address}", data=sent, headers=headers)
        assert answer.status_code == status
        assert "Traceback" not in answer.text
        assert answer.headers["x-content-type-options"] == "nosniff"
    now = walker.client.get("/suite/state").json()
    assert (now["turns"], now["end"], now["title"]) == (shown["turns"], None, HOSTILE)
    [trial] = store.trials(store.participant(walker.token).id)
    assert store.replies(trial.id) == []


def test_texts_in_forms_are_escaped():
    text = Choice(id="a", ask=HOSTILE, options=(HOSTILE, "b"))
    line = Command(
        id="b", ask="x", templates=(f"{HOSTILE} OBJ",), words=(HOSTILE,), buttons=(HOSTILE,), near=HOSTILE
    )
    html = fields_html((text, line), {"a": HOSTILE, "b": HOSTILE}, Texts())
    assert "<script" not in html
    assert "<img" not in html
    assert html.count("onerror=alert(2)") > 8
