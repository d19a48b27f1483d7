"""Logs that version 0.2 wrote are read, verified and replayed."""

from pathlib import Path

import pytest

from arena.replay import Replay
from arena_llm.verify import is_recording, verify
from evaluation.log.run import RunLog
from evaluation.verify.sources import Options, Verdict, find_sources
from llm_control.logged import logged_recording, logged_specs

LOGS = sorted((Path(__file__).parent / "logs").glob("version-0.2-*.eval"))


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
    assert all(each.turns for each in results)
