"""Plans and recordings told as scripts."""

import pytest

from arena import (
    BACKWARD,
    FORWARD,
    IDLE,
    TURN_LEFT,
    TURN_RIGHT,
    Action,
    Episode,
    Move,
    RecordingError,
    Rotate,
)
from llm_control.agents.informed import PLAYED, SCRIPTS, oracle_reply, replay_reply, scripts
from llm_control.play import Play
from llm_control.protocol import Protocol
from llm_control.script import parse
from llm_control.script.compress import compress
from tests.arena.worlds import agent, item, spec

WORLD = (
    agent("5 0 5", 45),
    item("Wall", "20 0 20", sizes="20 3 1", rotations="0"),
    item("GoodGoalMulti", "30 0 35", sizes="1 1 1"),
    item("GoodGoal", "10 0 30", sizes="1 1 1"),
)


def play(tell):
    """An episode played by scripts, as the evaluation plays it, but without pictures."""
    episode = Episode(spec(*WORLD, pass_mark="1.5"), task_id="there and back", seed=0)
    PLAYED.set(episode)
    playing = Play(episode, None, Protocol(strict=True))
    playing.begin()
    while playing.wants_reply:
        turn = playing.reply(tell(len(playing.turns)))
        assert turn.error is None
    return playing.finish()


def test_a_script_says_exactly_the_actions():
    actions = (FORWARD,) * 3 + (TURN_LEFT,) * 2 + (BACKWARD,) + (TURN_RIGHT,) * 30 + (FORWARD,)
    assert [str(c) for c in compress(actions)] == ["Go(3);", "Turn(-12);", "Go(-1);", "Turn(180);", "Go(1);"]
    told = [action for text in scripts(actions) for action in parse(text, strict=True).actions()]
    assert tuple(told) == actions


@pytest.mark.parametrize("action", [IDLE, Action(Move.FORWARD, Rotate.LEFT)])
def test_what_no_script_says_is_refused(action):
    with pytest.raises(RecordingError, match="no script says"):
        compress([FORWARD, action])


def test_a_long_plan_takes_no_more_scripts_than_are_allowed():
    assert len(scripts((FORWARD, TURN_LEFT) * 400)) <= SCRIPTS


def test_the_oracle_passes_by_scripts():
    record = play(oracle_reply)
    assert record.recording.passed
    assert len(record.turns) <= SCRIPTS


def test_a_recording_replays_to_the_same_bits(tmp_path):
    record = play(oracle_reply).recording
    (tmp_path / "there and back.json").write_text(record.model_dump_json())
    assert play(lambda replies: replay_reply(tmp_path, replies)).recording == record


def test_a_recording_that_begins_otherwise_is_refused(tmp_path):
    record = play(oracle_reply).recording
    _, idle = record.actions[0]
    other = record.model_copy(update={"actions": record.actions[1:], "steps": record.steps - idle})
    (tmp_path / "there and back.json").write_text(other.model_dump_json())
    with pytest.raises(RecordingError, match="does not begin"):
        play(lambda replies: replay_reply(tmp_path, replies))


def test_a_missing_recording_is_named(tmp_path):
    with pytest.raises(RecordingError, match=r"there and back\.json"):
        play(lambda replies: replay_reply(tmp_path, replies))
