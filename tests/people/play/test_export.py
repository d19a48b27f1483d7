"""Exporting what a person played: the same recording as a model's, for the same commands."""

import pandas as pd
import pytest

from report.comparison.read import read_runs_apart
from tests.people.play.server import Page


@pytest.mark.e2e
def test_a_persons_recording_is_replayed_and_verified(server, command, tmp_path):
    token = server.newcomer()
    with Page(server, token) as page:
        page.drive(3, action=5)
        page.do("keys", action=3)
        page.steps(15)
        end = page.finish()
    with server.store() as store:
        person = store.participant(token)
        steps, code = store.trials(person.id)[0].steps, person.code
    # The score is of more steps than were played.
    assert steps > end["steps"]
    out = tmp_path / "data"
    command("people", "export", "--db", server.database, "--study", "play", "--out", out).succeeded()
    (recording,) = (out / "recordings" / code).iterdir()
    replayed = command("replay", recording).succeeded()
    assert f": {steps} steps, " in replayed
    assert "The replay ends as the recording does." in replayed
    verified = command("verify", recording).succeeded()
    assert "1 of 1 episodes: agrees" in verified
    assert f"Replayed {steps} steps" in verified
    trial = pd.read_csv(out / "trials.csv").set_index("participant").loc[code].iloc[0]
    assert 0 < trial.frames_per_s < 18
    assert 0 < trial.frame_age_ms <= trial.frame_age_p95_ms < 60_000
    assert trial.device.endswith("?")
    assert trial.pauses >= 0
    # As `arena-llm compare` reads it.
    (run,) = read_runs_apart([(None, str(out / "results.csv"))], original=False, animal_ai=None)
    assert run.agent == "person"
