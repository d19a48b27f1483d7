"""`arena-llm verify`: logged values, compared with the replay's, and logged pictures, drawn again."""

import shutil

import numpy as np
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentImage

from evaluation.verify.sources import Verdict
from tests.evaluation.verify.logs import (
    as_content,
    changed,
    checked,
    first_of,
    frame,
    images,
    put,
    recording,
    turn,
)

CHANGES = {
    "turn's reward": (lambda s: put(turn(s, 2), "reward", turn(s, 2)["reward"] + 1e-9), (2, "reward")),
    "total reward": (lambda s: put(turn(s), "total_reward", 0.5), (1, "total_reward")),
    "health": (lambda s: put(turn(s), "health", turn(s)["health"] - 1e-6), (1, "health")),
    "position": (lambda s: put(turn(s)["position"], 0, 20.000001), (1, "position")),
    "yaw": (lambda s: put(turn(s), "yaw", 0.5), (1, "yaw")),
    "speed": (lambda s: put(turn(s), "speed", 9.0), (1, "speed")),
    "lights": (lambda s: put(turn(s), "lights", False), (1, "lights")),
    "an added event": (
        lambda s: turn(s)["events"].append(
            {"tick": 9, "kind": "good goal", "thing": 0, "name": "GoodGoal", "reward": 1.0}
        ),
        (1, "events"),
    ),
    "a removed event": (lambda s: turn(s, 0)["events"].clear(), None),
    "steps of a turn": (lambda s: put(turn(s), "steps", turn(s)["steps"] + 1), (1, "steps")),
    "a thought": (lambda s: put(turn(s), "thoughts", ["I see nothing."]), (1, "thoughts")),
    "a repair": (lambda s: put(turn(s), "repairs", ["mended"]), (1, "repairs")),
    "an error": (lambda s: put(turn(s), "error", "not a script"), (1, "error")),
    "a reply": (lambda s: put(turn(s), "reply", "Turn(72);"), (1, "thoughts")),
    "a message": (lambda s: put(s.messages[2].__dict__, "content", "Turn(72);"), (1, "reply")),
    "an action": (
        lambda s: put(recording(s)["actions"], 1, [2, recording(s)["actions"][1][1]]),
        (None, "actions"),
    ),
    "the recorded total": (lambda s: put(recording(s), "total_reward", 0.9), (None, "total_reward")),
    "the recorded health": (lambda s: put(recording(s), "health", 99.0), (None, "health")),
    "the outcome": (lambda s: put(recording(s), "outcome", "health gone"), (None, "outcome")),
    "the verdict": (lambda s: put(recording(s), "passed", False), (None, "passed")),
    "the score": (
        lambda s: put(s.scores["episode_score"].__dict__, "value", 0.0),
        (None, "score episode_score"),
    ),
    "the reward as a score": (
        lambda s: put(s.scores["total_reward"].__dict__, "value", 0.5),
        (None, "score total_reward"),
    ),
    "the replies as a score": (
        lambda s: put(s.scores["replies"].metadata, "turns", 7),
        (None, "score replies: turns"),
    ),
    "the score's facts": (
        lambda s: put(s.scores["episode_score"].metadata, "turns", 1),
        (None, "score episode_score: turns"),
    ),
    "the seed": (lambda s: put(recording(s), "seed", 3), (None, "seed")),
    "the trial": (lambda s: put(recording(s), "trial", 1), (None, "trial")),
    "a turn left out": (lambda s: s.metadata["episode"]["turns"].pop(), (None, "score episode_score: turns")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_found_where_it_is(name, log, tmp_path):
    change, expected = CHANGES[name]
    path = changed(log, tmp_path, lambda sample, _: change(sample))
    first, second = checked(path)
    assert first.verdict is Verdict.DIFFERS
    found = {(finding.turn, finding.what) for finding in first.findings}
    assert (expected or (first.turns, "events")) in found
    assert second.verdict is Verdict.AGREES


def test_a_changed_value_is_the_only_finding(log, tmp_path):
    path = changed(log, tmp_path, lambda s, _: put(turn(s, 2), "health", 12.5))
    (finding,) = checked(path)[0].findings
    honest = turn(first_of(read_eval_log(str(log))), 2)["health"]
    assert (finding.turn, finding.what, finding.logged, finding.replayed) == (2, "health", 12.5, honest)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: turn(s).pop("reply"),
        lambda s: put(turn(s), "steps", -1),
        lambda s: put(turn(s), "thoughts", None),
        lambda s: s.metadata["episode"].pop("turns"),
        lambda s: put(recording(s), "actions", [[77, 1]]),
        lambda s: put(recording(s), "task_id", "01-09-09"),
    ],
)
def test_a_broken_episode_is_no_crash_and_no_agreement(change, log, tmp_path):
    path = changed(log, tmp_path, lambda sample, _: change(sample))
    first, second = checked(path)
    assert first.verdict in (Verdict.UNVERIFIED, Verdict.DIFFERS)
    assert second.verdict is Verdict.AGREES


def test_an_arena_that_changed_on_disk_is_played_from_the_log_and_told(log, battery, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(battery, other)
    path = other / "01-01-01.yaml"
    path.write_text(path.read_text().replace("z: 24", "z: 30"))
    first, second = checked(log, folder=other)
    assert (first.verdict, second.verdict) == (Verdict.AGREES, Verdict.AGREES)
    assert first.notes
    assert not second.notes

    def change(sample, whole):
        for step in whole.plan.steps:
            step.params.pop("tasks", None)

    first, second = checked(changed(log, tmp_path, change), folder=other)
    assert (first.verdict, second.verdict) == (Verdict.UNVERIFIED, Verdict.AGREES)
    assert "its file is not the one that was played" in first.problem


def test_an_untouched_log_agrees_to_the_bit_pictures_included(log):
    results = checked(log, frames=True)
    assert [each.verdict for each in results] == [Verdict.AGREES, Verdict.AGREES]
    assert results[0].turns > 2
    # Three pictures at the start, and one after each turn but the last.
    assert [each.pictures for each in results] == [each.turns + 2 for each in results]
    assert all(each.passed and not each.versions and not each.notes for each in results)


def other_pixel(sample, _):
    content, number = images(sample)[3]
    picture = frame(content[number].image).copy()
    picture[10, 20, 1] ^= 1
    content[number] = as_content(picture)


def instead(*parts):
    """Puts these parts in the place of the picture after the first turn."""

    def change(sample, _):
        content, number = images(sample)[3]
        content[number : number + 1] = parts

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (other_pixel, "1 pixels differ, by up to 1"),
        (instead(ContentImage(image="data:image/png;base64,aGVsbG8=")), "no picture"),
        (instead(as_content(np.zeros((64, 64, 3), np.uint8))), "64 x 64"),
        (instead(), ""),
    ],
)
def test_a_changed_picture_is_found_only_with_frames(change, told, log, tmp_path):
    path = changed(log, tmp_path, change)
    assert all(each.verdict is Verdict.AGREES for each in checked(path))
    first, second = checked(path, frames=True)
    assert (first.verdict, second.verdict) == (Verdict.DIFFERS, Verdict.AGREES)
    assert (first.findings[0].turn, first.findings[0].what) == (2, "picture")
    assert told in str(first.findings[0].logged)


def test_a_picture_by_another_renderer_is_said_to_be_so(log, tmp_path):
    def change(sample, whole):
        sample.metadata["drawn_by"] = "GeForce"
        other_pixel(sample, whole)

    first = checked(changed(log, tmp_path, change), frames=True)[0]
    assert first.verdict is Verdict.OTHER_SOFTWARE
    assert "pictures by GeForce, here " in first.versions[0]


def test_an_unknown_choice_of_the_protocol_leaves_pictures_out(log, tmp_path):
    def change(_, whole):
        whole.plan.steps[0].params["choices"]["fisheye"] = 2

    first = checked(changed(log, tmp_path, change), frames=True)[0]
    assert (first.verdict, first.pictures) == (Verdict.AGREES, 0)
    assert "fisheye=2" in first.notes[0]


def test_without_frames_nothing_is_drawn(log, monkeypatch):
    monkeypatch.setattr("llm_control.observations._renderer", None)
    assert [each.verdict for each in checked(log)] == [Verdict.AGREES, Verdict.AGREES]
