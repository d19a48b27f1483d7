"""Scripts and replies of one word, played; and what follows a loop of them."""

import pytest

from arena import IDLE, Outcome
from evaluation.suite import ModelEnd
from llm_control.choices import ArenaChoices
from llm_control.play import ScriptedEpisode
from llm_control.script import MOVES, ScriptSyntaxError, move_of, parse_move
from render import Renderer
from tests.arena.worlds import agent, episode, item

SMALL = ArenaChoices(image_size=32)


def play(*items, protocol=SMALL, **options):
    return ScriptedEpisode(episode(*items, **options), Renderer(32, 32).frame, protocol)


def test_the_paper_waits_49_steps_and_shows_three_pictures():
    run = play(agent(), t=1000)
    assert len(run.begin()) == 3
    assert run.episode.steps == 49
    assert run.episode.health == pytest.approx(100 - 49 * 0.06, abs=1e-3)


def test_a_script_is_played_and_told():
    run = play(agent("20 0 5"), t=1000)
    run.begin()
    turn = run.reply("Think('on'); Turn(90); Go(9);")
    assert (turn.turn, turn.steps, turn.thoughts, turn.error) == (1, 24, ("on",), None)
    assert turn.yaw == pytest.approx(90)
    assert turn.position[0] == pytest.approx(24.97, abs=0.02)
    assert turn.reward == pytest.approx(-24 * 0.0006, abs=1e-5)


def test_an_invalid_script_costs_one_idle_step_and_says_why():
    run = play(agent(), t=1000)
    run.begin()
    turn = run.reply("I would go left.")
    assert turn.steps == 1
    assert turn.error
    assert "line 1" in turn.error.lower()


def test_strict_mode_refuses_what_tolerant_mode_mends():
    for strict in (False, True):
        run = play(agent(), protocol=SMALL.model_copy(update={"strict": strict}))
        turn = run.reply("Go(3)")
        assert (turn.error is not None) is strict
        assert bool(turn.repairs) is not strict


def test_a_script_stops_with_the_episode():
    run = play(agent("20 0 5"), item("GoodGoal", "20 0 10", sizes="1 1 1"))
    turn = run.reply("Go(40);")
    assert turn.done
    assert turn.outcome == Outcome.GOAL
    assert turn.steps < 40
    assert [event.name for event in turn.events] == ["GoodGoal"]
    assert not run.wants_reply


def test_when_scripts_run_out_the_clock_runs_down():
    run = play(agent(), protocol=SMALL.model_copy(update={"max_scripts": 2}))
    run.begin()
    run.reply("Turn(6);")
    assert run.wants_reply
    run.reply("Turn(6);")
    assert not run.wants_reply
    _, _, recording = run.finish()
    assert recording.outcome == Outcome.HEALTH
    assert recording.total_reward == pytest.approx(-1, abs=1e-3)


def test_an_arena_without_a_clock_is_stopped():
    run = play(agent(), t=0)
    assert run.reply("Turn(999999996);").done
    assert run.finish()[2].outcome == Outcome.STOPPED


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
    frames = {"commands": "moves", "one_step": True, "max_scripts": 150, "initial_idle_steps": (1,)}
    played = ScriptedEpisode(episode(agent(), t=100), None, ArenaChoices(**{**frames, **choices}))
    played.begin()
    for reply in replies:
        assert played.wants_reply
        played.reply(reply)
    assert not played.wants_reply
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
