"""Tasks of other suites as stages of a study."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from arena.errors import ConfigError
from people.simulation.simulate import simulate
from people.store.export import export
from people.study.plan import REPLY_S
from suites.est.world import HORIZON
from tests.people.study.server import TINY, planned
from tests.people.study.walk import Walker

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


def test_a_study_leads_through_tasks_of_a_suite_and_of_the_arena(app, tmp_path):
    study, store = app(STUDY)
    walker = Walker(study, "p1").agree()
    assert walker.page.url.path == "/suite"
    first = walker.client.get("/suite/state").json()
    assert first["place"] == "Task 1 of 3"
    assert not first["may_stop"]
    assert reply(walker, 0).status_code == 200
    # It may not be stopped, and another server continues it.
    walker.client.post("/suite/stop", data={"trial": first["trial"]})
    again = Walker(app(STUDY)[0], "p1")
    assert again.page.headers["location"] == "/suite"
    assert len(again.client.get("/suite/state").json()["turns"]) == 2
    ended = play(again, turn=1)
    assert ended["trial"] == first["trial"]
    assert ended["end"] == {"text": "", "passed": None, "score": None}
    second = again.client.post("/suite/next", data={"trial": first["trial"]}).json()
    assert second["place"] == "Task 2 of 3"
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


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("suite: est", "suite: esd", r":\d+: test.0.suite: .*did you mean est"),
        ("machine: noisy", "machine: big", r"test.0.suite: option machine: got 'big'"),
        ("noisy-00002, ", "noisy-0, ", r"test.0.suite: .*no task noisy-0"),
        ("noisy-00002, ", "noisy-00001, ", r"test.0.suite: tasks: noisy-00001 is named twice"),
        ("order: random", "limit_minutes: 3", r"limit_minutes is about tasks of the arena"),
        ("order: random", "views: [top]", r"views is about tasks of the arena"),
        ("suite: est", "title: x", r"choices are those of a suite"),
        ("seed: 3", "replies: tools", r"people reply by a form"),
    ],
)
def test_a_wrong_block_is_refused_with_its_line(tmp_path, old, new, told):
    with pytest.raises(ConfigError, match=told):
        planned(tmp_path, STUDY.replace(old, new))


def test_the_duration_is_estimated_from_the_most_replies(tmp_path):
    plan = planned(tmp_path, STUDY)
    without = replace(plan, tasks={**plan.tasks, "objects": ()})
    assert plan.minutes()[1] - without.minutes()[1] == pytest.approx(2 * HORIZON * REPLY_S / 60)


def test_simulated_participants_play_the_arena_only(app):
    study, store = app(STUDY)
    with pytest.raises(ConfigError, match="play the arena only, and not est"):
        simulate(study.state.study.plan, store, 1)
