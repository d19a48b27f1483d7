"""The quality of trials: what a page displayed, and pauses."""

import pandas as pd
import pytest

from people.store.export import export
from people.store.quality import poor_trials, quality_of_trials
from people.store.store import new_note, write_batch
from tests.people.store.played import BEGUN, begin, stretch


def event(trial, kind, at, **data):
    return new_note(trial.participant_id, kind, {"trial": trial.id, "step": 0, **data}, BEGUN + at)


@pytest.fixture
def person(store):
    return store.add_participant("A1", "study")


def quality(store, trial):
    found = quality_of_trials(store, "study")[trial.id]
    return pd.Series(found, dtype=object), poor_trials(store, [trial.participant_id])


def test_images_and_pauses_are_counted_in_every_trial(store, person, tmp_path):
    trial, other = begin(store, person), begin(store, person, position=1)
    written = [
        event(trial, "start", 0, device="Firefox, Windows", viewport=[320, 568], input="keys"),
        stretch(trial, 0, late_steps=2),
        event(trial, "pause", 10, reason="key"),
        event(trial, "start", 14, device="Chrome, Android", viewport=[844, 390], input="touch"),
        stretch(trial, 14, 5.0, frames=50, age=40, quality_level=3),
        event(trial, "pause", 19, reason="disconnected"),
        event(trial, "start", 20.5, device="Chrome, Android", viewport=[844, 390], input="touch"),
        event(trial, "pause", 21, reason="hidden"),
    ]
    # As after a commit whose confirmation was lost.
    assert [write_batch(store.database, written) for _ in range(2)] == [[], []]
    seen, poor = quality(store, trial)
    assert (seen.frames_per_s, seen.frame_age_ms, seen.frame_age_p95_ms) == (14.0, 20.0, 40.0)
    assert (seen.quality_level, seen.late_steps, seen.poor_picture, poor) == (3, 2, False, {})
    assert (seen.pauses, seen.paused_s, seen.longest_pause_s, seen.disconnections) == (3, 5.5, 4.0, 1)
    assert (seen.input, seen.device, seen.viewport) == ("touch", "Chrome, Android", "844x390")
    export(store, "study", tmp_path / "out")
    rows = pd.read_csv(tmp_path / "out" / "trials.csv").set_index("trial_id")
    assert rows.frames_per_s[trial.id] == 14
    assert rows.loc[other.id, "frames_per_s":].isna().all()
    assert list(pd.read_csv(tmp_path / "out" / "stretches.csv").frames) == [160, 50]


@pytest.mark.parametrize(
    ("values", "is_poor"),
    [
        ({"frames": 99}, True),
        ({"frames": 100}, False),
        ({"age": 151}, True),
        ({"age": 150}, False),
        ({"frames": 0}, True),
        ({"frames": 1, "seconds": 1.9}, False),
    ],
)
def test_a_poor_stretch_makes_the_trial_poor(store, person, values, is_poor):
    trial = begin(store, person)
    write_batch(store.database, [stretch(trial, 0), stretch(trial, 10, **values), stretch(trial, 20)])
    seen, poor = quality(store, trial)
    assert seen.poor_picture is is_poor
    assert poor == ({person.id: 1} if is_poor else {})


def test_a_stretch_of_a_deleted_trial_is_rejected(store, person):
    trial = begin(store, person)
    write_batch(store.database, [stretch(trial, 0)])
    assert store.delete_participant("study", "A1").stretches == 1
    assert write_batch(store.database, [stretch(trial, 10)]) == [f"trial {trial.id}: no such trial"]
