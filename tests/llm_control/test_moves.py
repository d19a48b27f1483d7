"""Replies of one word, and what follows a loop of them."""

import pytest

from arena import IDLE
from evaluation.suite import ModelEnd
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode
from llm_control.script import MOVES, ScriptSyntaxError, move_of, parse_move
from tests.arena.worlds import agent, episode

FRAME_BY_FRAME = {"commands": "moves", "one_step": True, "max_scripts": 150, "initial_idle_steps": (1,)}


@pytest.mark.parametrize(
    ("reply", "meaning"),
    [
        ("Forward", "Go(1);"),
        ("Backward", "Go(-1);"),
        (" Left\n", "Turn(-6);"),
        ("Think('It is Right there'); Right", "Think('It is Right there'); Turn(6);"),
    ],
)
def test_a_word_is_a_step(reply, meaning):
    assert str(parse_move(reply, strict=True)) == meaning
    assert move_of(parse_move(reply)) == reply.strip()


@pytest.mark.parametrize("reply", ["", "Go(1);", "Forward Left", "Forward(1)", "Go(2); Left", "GoForward"])
def test_other_replies_are_refused_in_both_modes(reply):
    for strict in (True, False):
        with pytest.raises(ScriptSyntaxError):
            parse_move(reply, strict=strict)


def test_slips_are_repaired_unless_strict():
    for reply in ("forward", "Forward;", "Think('on') forward"):
        script = parse_move(reply)
        assert script.commands[-1] == MOVES["Forward"]
        assert script.repairs
        with pytest.raises(ScriptSyntaxError):
            parse_move(reply, strict=True)


def played(replies, **choices):
    chosen = ArenaChoices(**{**FRAME_BY_FRAME, **choices})
    played = ScriptedEpisode(episode(agent(), t=100), None, chosen)
    played.begin()
    for reply in replies:
        assert played.wants_reply
        played.reply(reply)
    turns, end, recording = played.finish()
    return end, recording.unpacked()[1 + len(turns) :]


@pytest.mark.parametrize("words", [("Left", "Left"), ("Forward", "Left"), ("What?", "Right")])
def test_a_loop_is_repeated_to_the_end_if_that_is_chosen(words):
    steps = [IDLE if word == "What?" else next(iter(MOVES[word].actions())) for word in words]
    end, rest = played(words * 2, loop_turns=4, after_loop="repeat")
    assert end is ModelEnd.LOOP
    assert len(rest) > 100
    assert list(rest) == [steps[place % 2] for place in range(len(rest))]
    assert set(played(words * 2, loop_turns=4)[1]) == {IDLE}


def test_only_a_loop_is_repeated():
    replies = ["Left"] * 3 + ["Right"] * 3
    end, rest = played(replies, max_scripts=6, loop_turns=4, after_loop="repeat")
    assert end is ModelEnd.MAX_SCRIPTS
    assert set(rest) == {IDLE}


def test_a_loop_that_takes_no_time_lets_the_clock_run_down():
    chosen = ArenaChoices(loop_turns=2, after_loop="repeat", initial_idle_steps=(1,))
    run = ScriptedEpisode(episode(agent(), t=100), None, chosen)
    run.begin()
    for _ in range(2):
        run.reply("Think('on');")
    _, end, recording = run.finish()
    assert end is ModelEnd.LOOP
    assert set(recording.unpacked()) == {IDLE}
