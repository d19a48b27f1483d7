"""The one replay: a recording's moments are those of the episode."""

import pytest

from arena import ACTIONS, FORWARD, TURN_LEFT, TURN_RIGHT, Episode, Recording, RecordingError, Replay
from arena.recording import packed
from arena.replay import play
from tests.arena.worlds import agent, episode, item, spec

GOAL = item("GoodGoal", "20 0 20", sizes="1 1 1")
STEPS = [(TURN_RIGHT,)] * 3 + [(TURN_LEFT,)] * 3 + [(FORWARD,)] * 60


def test_moments_are_the_start_and_the_state_after_each_step():
    with episode(agent(), GOAL) as first:
        seen = [(each.step, each.actions, each.events, first.position) for each in play(first, STEPS)]
        recording = first.recording()
    assert 6 < len(seen) < len(STEPS)
    with Replay(recording, first.spec) as replay:
        start, *after = [(*moment[1:], moment.episode.position) for moment in replay.moments()]
        assert (replay.unlike(), replay.differences(), replay.other_versions()) == ((), (), ())
    assert start == (0, (), (), (20.0, start[3][1], 5.0))
    assert after == seen
    assert [event.name for event in after[-1][2]] == ["GoodGoal"]


def test_several_agents_take_an_action_each_in_every_moment():
    arena = spec(agent("10 0 5"), agent("30 0 5"), version="4")
    steps = [(FORWARD, TURN_LEFT)] * 5
    with Episode(arena, task_id="two") as first:
        assert [moment.actions for moment in play(first, steps)] == steps
        recording = first.recording()
    with Replay(recording, arena) as replay:
        assert [moment.actions for moment in replay.moments()] == [(), *steps]
        assert replay.unlike() == ()


def test_a_recording_knows_its_arena():
    with episode(agent(), GOAL) as run:
        assert run.recording().is_of(run.spec)
        assert not run.recording().is_of(spec(agent()))


def test_actions_pack_and_unpack():
    assert packed([ACTIONS[i] for i in (0, 0, 3, 3, 3, 8, 0)]) == ((0, 2), (3, 3), (8, 1), (0, 1))


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 1}'])
def test_a_broken_recording_is_one_sentence(tmp_path, text):
    path = tmp_path / "episode.json"
    path.write_text(text)
    with pytest.raises(RecordingError, match="not a recording"):
        Recording.read(path)
    with pytest.raises(RecordingError, match="cannot be read"):
        Recording.read(tmp_path / "absent.json")
