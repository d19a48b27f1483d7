"""Each choice of a protocol does what it says: a test per choice that fails if it did the opposite."""

import asyncio
import base64
from math import cos, radians, sin

import inspect_ai
import numpy as np
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentImage, ModelOutput, get_model

from arena import ConfigError
from evaluation.choices.effective import effective
from evaluation.episode import Session, conversation_order
from evaluation.inspect_task.dialogue import first_messages
from evaluation.inspect_task.registry import make_task
from evaluation.suite import ModelEnd
from evaluation.suites import chosen_tasks
from llm_control.choices import ArenaChoices
from llm_control.messages import system_text
from llm_control.observations import describe
from llm_control.play import ScriptedEpisode, loops, movement, objection
from llm_control.prompts import arena_prompts
from llm_control.script import parse
from render import Renderer, decode
from tests.arena.worlds import agent, episode, item
from tests.cases import cases
from tests.llm_control.batteries import ARENA, battery_of, run, write_battery
from tests.llm_control.replies import called, said

CASES = cases(__file__)

SMALL = {"image_size": 32, "initial_idle_steps": (1, 1)}

battery = battery_of((20, 16), (24, 20), (16, 24))


def play_with(*items, **choices):
    protocol = ArenaChoices(**{**SMALL, **choices})
    return ScriptedEpisode(episode(*(items or (agent(),)), t=1000), Renderer(32, 32).frame, protocol)


def ask_with(battery, given, **choices):
    """The first task as a model plays it that gives these replies, one after another, and its calls."""
    protocol = effective(ARENA, None, {**SMALL, "tasks": "01-04-03", **choices}).choices
    outputs = [reply if isinstance(reply, ModelOutput) else said(reply) for reply in given]
    task = make_task(ARENA, chosen_tasks(ARENA, protocol, battery), protocol, arena_prompts())
    model, folder = get_model("mockllm/model", custom_outputs=outputs), str(battery.parent / "logs")
    (log,) = inspect_ai.eval(task, model, display="none", log_dir=folder, log_samples=True)
    log = read_eval_log(log.location, resolve_attachments=True)
    assert log.samples[0].error is None, log.samples[0].error
    return log.samples[0], [event for event in log.samples[0].events if event.event == "model"]


def images(message):
    return [part for part in message.content if isinstance(part, ContentImage)]


def pixels(image):
    return decode(base64.b64decode(image.image.partition(",")[2]))


@pytest.mark.parametrize(("choices", "script", "steps"), CASES["along"])
def test_pictures_along_a_script(choices, script, steps):
    run_ = play_with(**choices)
    run_.reply(script)
    again = play_with()
    for step, action in enumerate(parse(script).actions(), start=1):
        again.episode.step(action)
        if step in steps:
            assert np.array_equal(run_.along[steps.index(step)], again.frame())
    assert len(run_.along) == len(steps)


def test_pictures_along_a_script_cost_no_memory_for_long_ones():
    assert play_with(agent(), image_every=400).reply("Turn(5999999994);").error is not None
    assert play_with(image_every=400).reply("Turn(599999994);").done


@pytest.mark.parametrize("count", [1, 3])
def test_a_message_has_as_many_pictures(count, battery):
    _, calls = ask_with(battery, ["Go(3);", "Go(9);"], images_per_script=count, max_scripts=2)
    assert len(images(calls[1].input[-1])) == count


def test_one_step_refuses_longer_scripts():
    frame = ArenaChoices(one_step=True)
    for script in ("Go(1);", "Go(-1);", "Turn(6);", "Turn(-11);", "Think('a'); Go(1);"):
        assert objection(parse(script), frame) is None
        assert objection(parse(script), ArenaChoices()) is None
    for script in ("Go(2);", "Turn(12);", "Turn(5);", "Go(1); Go(1);", "Think('a');"):
        assert "expected one command of one step" in objection(parse(script), frame)
        assert objection(parse(script), ArenaChoices()) is None
    turn = play_with(one_step=True).reply("Go(2);")
    assert (turn.steps, turn.position[0]) == (1, 20)


def test_thoughts_may_be_limited():
    script = parse("Think('four'); Think('more'); Go(1);")
    assert objection(script, ArenaChoices()) is None
    assert objection(script, ArenaChoices(thought_chars=8)) is None
    assert "8 characters" in objection(script, ArenaChoices(thought_chars=7))
    assert "not allowed" in objection(script, ArenaChoices(thought_chars=0))
    assert objection(parse("Go(1);"), ArenaChoices(thought_chars=0)) is None


@pytest.mark.parametrize(("replies", "loop"), CASES["loops"])
def test_a_loop_is_the_same_or_two_alternating_movements(replies, loop):
    assert loops([movement(parse(reply)) for reply in replies], 4) is loop


def test_no_script_limit_goes_beyond_any():
    limited, unlimited = play_with(max_scripts=2), play_with(max_scripts=None, loop_turns=50)
    for script in ("Turn(6);", "Turn(12);", "Turn(18);"):
        limited.reply(script)
        unlimited.reply(script)
    assert limited.model_end is ModelEnd.MAX_SCRIPTS
    assert unlimited.wants_reply


@pytest.mark.parametrize(("memory", "texts"), [(None, 4), (2, 3), (1, 2), (0, 1)])
def test_only_the_last_turns_are_sent(memory, texts, battery):
    replies = ["Turn(6);", "Turn(12);", "Turn(18);", "Turn(24);"]
    _, calls = ask_with(battery, replies, max_scripts=4, memory_turns=memory)
    last = calls[3].input
    assert [m.text for m in last if m.role == "assistant"] == replies[3 - (texts - 1) : 3]
    assert last[0].role == "system"
    assert last[-1].role == "user"
    assert "Turn 4." in last[-1].text
    if memory is not None:
        assert f"Turn {4 - memory}." in last[1].text


def test_only_the_last_turns_that_fit_are_sent(battery):
    replies = ["Turn(6);", "Turn(12);", "Turn(18);"]
    _, calls = ask_with(battery, replies, max_scripts=3)
    turns = [sum(len(message.text) for message in calls[2].input[at : at + 2]) for at in (2, 4)]
    for memory, kept in ((sum(turns), 2), (sum(turns) - 1, 1), (turns[1] - 1, 0)):
        _, calls = ask_with(battery, replies, max_scripts=3, memory_characters=memory)
        assert [m.text for m in calls[2].input if m.role == "assistant"] == replies[2 - kept : 2]
        assert f"Turn {3 - kept}." in calls[2].input[1].text


@pytest.mark.parametrize(
    ("turns", "characters", "said"),
    [
        (5, None, "your last 5 turns;"),
        (None, 900, "your last few (together at most 900 characters) turns;"),
        (5, 900, "your last 5 (together at most 900 characters) turns;"),
    ],
)
def test_the_system_text_says_how_much_is_sent(turns, characters, said):
    choices = ArenaChoices(memory_turns=turns, memory_characters=characters)
    assert said in system_text(choices, arena_prompts(), 1)


def test_with_tools_no_result_is_sent_without_its_call(battery):
    replies = [called("act", script=f"Turn({6 * n});") for n in (1, 2, 3)]
    _, calls = ask_with(battery, replies, max_scripts=3, memory_turns=1, replies="tools")
    assert [message.role for message in calls[2].input][:3] == ["system", "user", "assistant"]
    assert "Turn 2." in calls[2].input[1].text
    assert images(calls[2].input[1])


def test_tools_play_what_scripts_play(battery):
    scripted, _ = ask_with(battery, ["Turn(12);", "Go(3);", "Turn(6); Go(2);"], max_scripts=3)
    calls = [called("turn", degrees=12), called("go", steps=3), called("act", script="Turn(6); Go(2);")]
    sample, events = ask_with(battery, calls, max_scripts=3, replies="tools", tools="act,go,turn")
    assert sample.metadata["episode"]["replay"] == scripted.metadata["episode"]["replay"]
    assert sorted(tool.name for tool in events[0].tools) == ["act", "go", "turn"]


def test_text_instead_of_a_call_costs_a_step_and_is_told(battery):
    _, calls = ask_with(battery, ["Go(3);", called("act", script="Go(1);")], max_scripts=2, replies="tools")
    assert "You called no tool" in calls[1].input[-1].text
    assert [tool.name for tool in calls[0].tools] == ["act"]
    _, calls = ask_with(battery, ["Go(3);"], max_scripts=1)
    assert calls[0].tools == []


def first_pictures(battery, **choices):
    _, calls = ask_with(battery, ["Turn(6);"], max_scripts=1, **choices)
    return [pixels(image) for image in images(calls[0].input[1])]


def test_pictures_are_changed_as_asked(battery):
    true = first_pictures(battery)[0].astype(int)
    assert np.ptp(true, axis=2).max() > 30
    assert np.ptp(first_pictures(battery, grayscale=True)[0], axis=2).max() == 0
    coarse = first_pictures(battery, resolution=8)[0]
    assert coarse.shape == (32, 32, 3)
    assert (coarse.reshape(8, 4, 8, 4, 3) == coarse.reshape(8, 4, 8, 4, 3)[:, :1, :, :1]).all()
    blurred = first_pictures(battery, blur_px=3)[0].astype(int)
    assert np.abs(np.diff(blurred, axis=0)).max() < np.abs(np.diff(true, axis=0)).max() / 2
    assert first_pictures(battery, image_size=16)[0].shape == (16, 16, 3)


def test_blind_is_black_and_shuffled_is_elsewhere(battery):
    true = first_pictures(battery, tasks="01-04-03,01-06-02")[0]
    assert true.any()
    assert not first_pictures(battery, vision="blind")[0].any()
    shuffled = first_pictures(battery, vision="shuffled", tasks="01-04-03,01-06-02")
    assert shuffled[0].any()
    assert not np.array_equal(shuffled[0], true)
    again = first_pictures(battery, vision="shuffled", tasks="01-04-03,01-06-02")
    assert np.array_equal(shuffled[0], again[0])
    other = first_pictures(battery, vision="shuffled", tasks="01-04-03,01-06-02", seed=1)
    assert not np.array_equal(shuffled[0], other[0])
    with pytest.raises(ConfigError, match="two tasks"):
        chosen_tasks(ARENA, ArenaChoices(vision="shuffled", tasks=("01-04-03",)), battery)


@pytest.mark.parametrize("observation", ["image", "text", "both"])
def test_what_is_in_view_is_shown_or_told_or_both(observation, battery):
    _, calls = ask_with(battery, ["Turn(180);", "Go(1);"], max_scripts=2, observation=observation)
    first, later = calls[0].input[1], calls[1].input[-1]
    assert bool(images(first)) == bool(images(later)) == (observation != "text")
    assert ("green ball: straight ahead, 5.5 m away, 1.0 m across" in first.text) == (observation != "image")
    assert "green ball" not in later.text
    assert ("There are no images" in calls[0].input[0].text) == (observation == "text")


def test_words_name_only_what_is_not_hidden():
    wall = item("Wall", "20 0 13", sizes="6 3 1", rotations="0")
    ball = item("GoodGoal", "20 0 18", sizes="1 1 1")
    glass = item("WallTransparent", "20 0 13", sizes="6 3 1", rotations="0")
    assert "green ball" not in describe(episode(agent("20 0 10"), wall, ball).scene())
    assert "- wall: from" in describe(episode(agent("20 0 10"), wall, ball).scene())
    through = describe(episode(agent("20 0 10"), glass, ball).scene())
    assert "green ball" in through
    assert "transparent wall" in through
    assert "green ball" not in describe(episode(agent("20 0 10", 180), ball).scene())
    dark = episode(agent("20 0 10"), ball, blackouts="-1")
    for _ in range(4):
        dark.step(next(iter(parse("Go(1);").actions())))
    assert dark.lights_on or "dark" in describe(dark.scene())


@pytest.mark.parametrize(
    ("bearing", "distance", "told"),
    [(20, 8, "20 degrees to the right, 7.5 m away"), (-35, 6, "35 degrees to the left, 5.5 m away")],
)
def test_words_measure_as_the_camera_sees(bearing, distance, told):
    x, z = 20 + distance * sin(radians(bearing)), 10 + distance * cos(radians(bearing))
    scene = episode(agent("20 0 10"), item("GoodGoal", f"{x} 0 {z}", sizes="1 1 1")).scene()
    assert f"green ball: {told}" in describe(scene)


def test_generation_parameters_are_sent(battery):
    sent = {"temperature": 0.5, "max_tokens": 77, "reasoning_effort": "low", "reasoning_tokens": 99}
    for choices, expected in ((sent, sent), ({}, dict.fromkeys(sent) | {"temperature": 0.0})):
        _, calls = ask_with(battery, ["Turn(6);"], max_scripts=1, **choices)
        config = calls[0].config.model_dump()
        assert {name: config.get(name) for name in sent} == expected


def test_one_conversation_plays_all_tasks_in_an_order_that_is_recorded(battery, tmp_path):
    choices = {"trials": 2, "image_size": 64, "max_scripts": 9}
    result = run(battery, tmp_path / "logs", "arena/pixels", "one-conversation", **choices)
    assert len(result.rows) == 6
    assert all(row.error is None and row.steps for row in result.rows)
    samples = read_eval_log(str(result.log)).samples
    assert [str(sample.id) for sample in samples] == ["conversation"] * 2
    chosen = effective(ARENA, "one-conversation", {}).choices
    tasks = tuple(chosen_tasks(ARENA, chosen, battery))
    for sample in samples:
        expected = [task.id for task in conversation_order(chosen, tasks, sample.epoch - 1)]
        assert sample.metadata["order"] == list(sample.metadata["episodes"]) == expected
        assert sum("The next episode follows" in message.text for message in sample.messages) == 2


def test_listed_order_is_kept_and_shuffled_order_differs_by_trial(battery):
    tasks = tuple(chosen_tasks(ARENA, ArenaChoices(), battery))
    listed = ArenaChoices(conversation="run")
    shuffled = ArenaChoices(conversation="run", order="shuffled")
    assert conversation_order(listed, tasks, 0) == conversation_order(listed, tasks, 1) == tasks
    orders = {tuple(t.id for t in conversation_order(shuffled, tasks, trial)) for trial in range(8)}
    assert len(orders) > 1


def test_tasks_levels_and_battery_choose_what_is_played(battery):
    def ids(**choices):
        return [task.id for task in chosen_tasks(ARENA, effective(ARENA, None, choices).choices, battery)]

    assert ids() == ["01-04-03", "01-06-02", "01-21-01"]
    assert ids(tasks="01-21-01,01-04-03") == ["01-21-01", "01-04-03"]
    with pytest.raises(ConfigError, match="no task 09-99-99"):
        ids(tasks="09-99-99")
    with pytest.raises(ConfigError, match="named twice"):
        ids(tasks="01-04-03,01-04-03")
    with pytest.raises(ConfigError, match="none of the tasks"):
        ids(tasks="01-04-03", levels=2)


def test_idle_steps_decide_on_the_first_pictures(battery):
    assert len(first_pictures(battery, initial_idle_steps="1,2,3,4")) == 3
    assert len(first_pictures(battery, initial_idle_steps="5")) == 1


def test_an_episode_that_ends_before_the_first_reply_asks_for_none(tmp_path):
    short = write_battery(tmp_path / "short", (20, 30), t=5)
    protocol = ArenaChoices(image_size=32, tasks=("01-04-03",))
    tasks = chosen_tasks(ARENA, protocol, short)
    session = Session(ARENA, tasks, 0, protocol, arena_prompts(), tasks)
    messages = asyncio.run(first_messages(session))
    assert not session.wants_reply
    assert "The episode is over" in messages[-1].text


def test_pictures_are_sent_in_the_format_and_with_the_gutter_that_are_chosen(battery):
    lossless = first_pictures(battery)[0]
    choices = {"image_format": "jpeg", "image_gutter": 2, "image_detail": "low"}
    _, calls = ask_with(battery, ["Turn(6);"], max_scripts=1, **choices)
    (image,) = images(calls[0].input[1])
    assert image.image.startswith("data:image/jpeg;base64,")
    assert image.detail == "low"
    sent = pixels(image)
    assert sent.shape == (32, 36, 3)
    assert sent[:, [0, -1]].min() > 200
    assert 0 < np.abs(sent[:, 2:-2].astype(int) - lossless).mean() < 8
