"""`arena-llm verify`: logged values, compared with the replay's, and logged pictures, drawn again."""

import shutil

import numpy as np
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentImage

from evaluation.verify.sources import Verdict
from tests.cases import cases
from tests.evaluation.verify.logs import as_content, changed, checked, first_of, frame, images, put, turn

CASES = cases(__file__)


def alter(sample, path, value):
    """Put a value at a path, a number further than `further` there, or call a method of what is there."""
    *way, last = path
    place = sample
    for key in way:
        place = place[key] if isinstance(place, dict | list) else vars(place)[key]
    where = place if isinstance(place, dict | list) else vars(place)
    if not isinstance(value, dict):
        where[last] = value
    elif "further" in value:
        where[last] += value["further"]
    else:
        ((method, argument),) = value.items()
        getattr(where[last], method)(argument)


@pytest.mark.parametrize("name", CASES["changes"])
def test_each_change_is_found_where_it_is(name, log, tmp_path):
    path, value, expected = CASES["changes"][name]
    first, second = checked(changed(log, tmp_path, lambda sample, _: alter(sample, path, value)))
    assert first.verdict is Verdict.DIFFERS
    found = {(finding.turn, finding.what) for finding in first.findings}
    assert (tuple(expected) if expected else (first.turns, "events")) in found
    assert second.verdict is Verdict.AGREES


def test_a_changed_value_is_the_only_finding(log, tmp_path):
    (finding,) = checked(changed(log, tmp_path, lambda s, _: put(turn(s, 2), "health", 12.5)))[0].findings
    honest = turn(first_of(read_eval_log(str(log))), 2)["health"]
    assert (finding.turn, finding.what, finding.logged, finding.replayed) == (2, "health", 12.5, honest)


@pytest.mark.parametrize(("path", "value"), CASES["broken"])
def test_a_broken_episode_is_no_crash_and_no_agreement(path, value, log, tmp_path):
    first, second = checked(changed(log, tmp_path, lambda sample, _: alter(sample, path, value)))
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
