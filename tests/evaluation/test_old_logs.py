"""Logs and recordings of 0.2 and of early states of 0.3 are read, verified, replayed and reported."""

from pathlib import Path

import pytest

from arena.replay import Replay
from arena_llm.verify import is_recording, verify
from evaluation.log.run import RunLog
from evaluation.verify.sources import Options, Verdict, find_sources
from llm_control.logged import logged_recording, logged_specs

FOLDER = Path(__file__).parent / "logs"
LOGS = sorted(FOLDER.glob("version-*.eval"))
RECORDINGS = {
    "version-0.2": "arena-llm 0.2.0, here ",
    "version-0.3.0.dev0-bullet": "physics unknown, here ",
    "version-0.3.0.dev0-physics-2": "physics arena-llm physics 2, here ",
}
"""Recordings, and the version that is named of each."""


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_every_episode_is_read_replayed_and_verified(path):
    log = RunLog(path)
    assert (log.suite.name, log.complete, log.ours) == ("arena", True, True)
    specs = logged_specs(log)
    episodes = list(log.episodes())
    assert len(episodes) == log.planned
    for episode in episodes:
        recording = logged_recording(episode)
        assert episode.result.turns == len(episode.turns) == len(episode.talk.exchanges)
        with Replay(recording, specs[episode.result.task_id]) as replay:
            replay.to_end()
            # A ball that is eaten slows the agent since 0.3, and a step more or less may follow.
            assert replay.episode.outcome == recording.outcome
            assert replay.episode.steps == pytest.approx(recording.steps, abs=1)
    found = find_sources([path], is_recording)
    results = [each for source in found.sources for each in verify(source, Options(frames=True))]
    assert len(results) == log.planned
    # Bits have changed since, and another machine may draw other pictures.
    assert {each.verdict for each in results} <= {Verdict.AGREES, Verdict.OTHER_SOFTWARE}
    assert all(each.turns and each.versions for each in results)


def test_logs_are_reported_and_compared(tmp_path, command):
    runs = [f"{path.stem}={path}" for path in LOGS]
    command("report", *runs, "--out", tmp_path / "report").succeeded()
    command("compare", *runs, "--out", tmp_path / "compared").succeeded()
    names = {line.split(",")[2] for line in (tmp_path / "compared/levels.csv").read_text().splitlines()[1:]}
    assert {path.stem for path in LOGS} <= names


@pytest.mark.parametrize(("name", "other"), RECORDINGS.items(), ids=RECORDINGS)
def test_recordings_end_as_recorded_and_their_version_is_named(name, other, command):
    path = FOLDER / f"{name}.json"
    assert command("replay", path).succeeded().endswith("The replay ends as the recording does.\n")
    said = command("verify", path).succeeded()
    assert "1 of 1 episodes: agrees" in said
    assert f"Made with other software, 1 episodes: {other}" in said


def test_a_recording_of_a_later_format_is_refused(tmp_path, command):
    path = tmp_path / "later.json"
    path.write_text((FOLDER / "version-0.2.json").read_text().replace('"format":1', '"format":2'))
    for name in ("replay", "verify"):
        result = command(name, path)
        assert result.returncode == 1
        assert "format: got 2, expected 1; read it with the arena-llm that wrote it" in (
            result.stdout + result.stderr
        )
