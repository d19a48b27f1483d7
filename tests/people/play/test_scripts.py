"""A person plays with scripts: the texts, images and rules are those of a model."""

import base64

import numpy as np

from arena import Episode
from llm_control.choices import ArenaChoices
from llm_control.observations import eye
from llm_control.play import ScriptedEpisode
from people.play.player import SCRIPT_NOTE
from render import decode
from testbed import task_named
from tests.people.play.server import Page

TASK = task_named("01-05-01")


def images(turn):
    return [decode(base64.b64decode(image.partition(",")[2])) for image in turn["images"]]


def test_the_conversation_is_a_models(scripts_server):
    protocol = ArenaChoices()
    token = scripts_server.newcomer()
    with Episode(TASK.spec, task_id=TASK.id) as episode, Page(scripts_server, token) as page:
        play = ScriptedEpisode(episode, eye(protocol, TASK, (TASK,), 0), protocol)
        trial = page.until("trial")
        assert (trial["mode"], trial["step"]) == ("scripts", 49)
        assert "You answer with a script" in trial["instructions"]
        (first,) = trial["turns"]
        np.testing.assert_array_equal(images(first), play.begin())
        assert "Scripts left, this one included: 30." in first["text"]
        page.do("script", text="Turn(30); Go(3);")
        (second,) = page.until("turns")["turns"]
        assert second["steps"] == play.reply("Turn(30); Go(3);").steps
        np.testing.assert_array_equal(images(second)[0], play.frame())
        page.do("script", text="fly me there")
        (third,) = page.until("turns")["turns"]
        assert third["error"] == play.reply("fly me there").error
        assert "Scripts left, this one included: 28." in third["text"]
        steps = episode.steps
    with Page(scripts_server, token) as page:
        again = page.until("trial")
        assert [turn["script"] for turn in again["turns"]] == [None, "Turn(30); Go(3);", "fly me there"]
        assert again["step"] == steps
        page.do("keys", action=3)
        assert page.refusal() == (1008, "keys is not allowed in this trial")


def test_after_thirty_scripts_the_clock_runs_down_and_everything_is_stored(scripts_server):
    token = scripts_server.newcomer()
    with Page(scripts_server, token) as page:
        page.until("trial")
        for number in range(30):
            page.do("script", text=f"Turn({6 * (-1) ** number});")
        end = page.until("end")
        page.do("next")
        assert page.until("trial")["position"] == 1
    with scripts_server.store() as store:
        trial = store.trials(store.participant(token).id)[0]
        actions, recording = store.actions(trial.id), store.recording(trial.id)
        notes = [note for note in store.notes(store.participant(token).id) if note.kind == SCRIPT_NOTE]
    assert (trial.mode, trial.outcome, len(notes)) == ("scripts", "health gone", 30)
    assert (trial.ended_by, end["text"]) == ("limit", "You have used all your scripts.")
    assert len(actions) == trial.steps_played == end["steps"] < recording.steps
