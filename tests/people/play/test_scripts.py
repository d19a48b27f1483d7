"""A person plays with scripts: the texts, images and rules are those of a model."""

import base64

import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from arena import Episode
from llm_control.choices import ArenaChoices
from llm_control.observations import eye
from llm_control.play import ScriptedEpisode
from people.play.app import create_suite_app
from people.play.task_source import Course
from people.store import Store
from people.store.export import export
from render import decode
from report.comparison.read import read_runs_apart
from testbed import task_named
from tests.people.play.test_suites import Visitor

TASK = task_named("01-05-01")


class Typist(Visitor):
    """Somebody who writes scripts, at a server of their own."""

    def __init__(self, store: Store) -> None:
        course = Course.by_scripts([TASK, task_named("01-01-01")], {"seed": "0", "animal_ai": "3.1.3"})
        app, self.server = create_suite_app(store, course)
        TestClient.__init__(self, app, headers={"Origin": "http://testserver"})

    def write(self, text: str) -> dict:
        """Send a script; the turn that it leads to."""
        turn = self.shown["known"] + len(self.shown["turns"]) - 1
        self.reply(turn, {"script": text})
        return self.shown["turns"][-1]


@pytest.fixture
def typist(store):
    typist = Typist(store)
    typist.get("/")
    typist.look()
    return typist


def images(turn):
    shown = [part["image"] for part in turn["parts"] if "image" in part]
    return [decode(base64.b64decode(image.partition(",")[2])) for image in shown]


def text(turn) -> str:
    return "".join(part.get("text", "") for part in turn["parts"])


def test_the_conversation_is_a_models(store, typist):
    protocol = ArenaChoices()
    with Episode(TASK.spec, task_id=TASK.id) as episode:
        play = ScriptedEpisode(episode, eye(protocol, TASK, (TASK,), 0), protocol)
        (first,) = typist.shown["turns"]
        assert "You answer with a script" in typist.shown["help"]
        np.testing.assert_array_equal(images(first), play.begin())
        assert "Scripts left, this one included: 30." in text(first)
        second = typist.write("Turn(30); Go(3);")
        play.reply("Turn(30); Go(3);")
        np.testing.assert_array_equal(images(second)[0], play.frame())
        third = typist.write("fly me there")
        assert play.reply("fly me there").error in text(third)
        assert "Scripts left, this one included: 28." in text(third)
    again = Typist(store)
    again.cookies = typist.cookies
    assert [turn["said"] for turn in again.look()["turns"]] == [None, "Turn(30); Go(3);", "fly me there"]


def test_after_thirty_scripts_the_clock_runs_down_and_everything_is_stored(store, typist):
    for number in range(30):
        typist.write(f"Turn({6 * (-1) ** number});")
    assert typist.shown["end"]["passed"] is False
    typist.act("/suite/next")
    assert typist.shown["position"] == 1
    trial = store.trials(store.participants("play")[0].id)[0]
    actions, recording = store.actions(trial.id), store.recording(trial.id)
    assert (trial.mode, trial.outcome, trial.ended_by) == ("scripts", "health gone", "limit")
    assert [reply.reply for reply in store.replies(trial.id)][:2] == ["Turn(6);", "Turn(-6);"]
    assert len(actions) == trial.steps_played < recording.steps


def test_a_recording_is_replayed_and_verified(store, typist, command, tmp_path):
    typist.write("Turn(30); Go(3);")
    typist.act("/suite/stop")
    person = store.participants("play")[0]
    trial = store.trials(person.id)[0]
    assert (trial.ended_by, trial.steps_played < trial.steps) == ("stopped", True)
    export(store, "play", tmp_path / "data")
    (recording,) = (tmp_path / "data" / "recordings" / person.code).iterdir()
    assert f": {trial.steps} steps, " in command("replay", recording).succeeded()
    assert "1 of 1 episodes: agrees" in command("verify", recording).succeeded()
    assert pd.isna(pd.read_csv(tmp_path / "data" / "trials.csv").loc[0, "frames_per_s"])
    results = str(tmp_path / "data" / "results.csv")
    (run,) = read_runs_apart([(None, results)], original=False, animal_ai=None)
    assert run.agent == "person (scripts)"
