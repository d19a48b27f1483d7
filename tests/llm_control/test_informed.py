"""Plans and recordings as replies: by the oracle, and by the agent that plays recordings."""

import asyncio
import json

import pytest
from inspect_ai.log import read_eval_log
from typer.testing import CliRunner

from arena import (
    BACKWARD,
    FORWARD,
    IDLE,
    TURN_LEFT,
    TURN_RIGHT,
    Action,
    Episode,
    Move,
    Recording,
    RecordingError,
    Rotate,
    load,
)
from arena_llm.cli import app
from evaluation.engines.backend import CURRENT, CurrentEpisode
from llm_control.agents.informed import END, SCRIPTS, WAIT, Plan, informed_reply, next_reply, replies_needed
from llm_control.choices import ArenaChoices
from llm_control.environment import ArenaEnvironment
from llm_control.script import ScriptSyntaxError, compress, parse
from testbed import Task
from tests.arena.worlds import agent, item, spec
from tests.llm_control.batteries import battery_of, run, setup_of

WORLD = (
    agent("5 0 5", 45),
    item("Wall", "20 0 20", sizes="20 3 1", rotations="0"),
    item("GoodGoalMulti", "30 0 35", sizes="1 1 1"),
    item("GoodGoal", "10 0 30", sizes="1 1 1"),
)
LONG = (FORWARD, TURN_LEFT) * 400
OPENING = (IDLE,) * 49


def told(plan, protocol):
    """The replies that play a plan, and the actions that come of them."""
    replies, done = [], plan.begun
    while done < len(plan.actions):
        replies.append(next_reply(plan, done, protocol))
        done += 1 if replies[-1] == WAIT else parse(replies[-1], strict=True).steps
    return replies


def test_a_script_says_exactly_the_actions():
    actions = (FORWARD,) * 3 + (TURN_LEFT,) * 2 + (BACKWARD,) + (TURN_RIGHT,) * 30 + (FORWARD,)
    assert [str(c) for c in compress(actions)] == ["Go(3);", "Turn(-12);", "Go(-1);", "Turn(180);", "Go(1);"]
    replies = told(Plan(49, OPENING + actions), ArenaChoices())
    assert tuple(a for text in replies for a in parse(text, strict=True).actions()) == actions


@pytest.mark.parametrize("action", [IDLE, Action(Move.FORWARD, Rotate.LEFT)])
def test_what_no_script_says_is_refused(action):
    with pytest.raises(RecordingError, match="no command has the action"):
        compress([FORWARD, action])


@pytest.mark.parametrize("strict", [True, False])
def test_waiting_is_no_script(strict):
    with pytest.raises(ScriptSyntaxError):
        parse(WAIT, strict=strict)


@pytest.mark.parametrize(("most", "replies"), [(30, SCRIPTS), (5, 5), (None, SCRIPTS)])
def test_a_long_plan_takes_no_more_scripts_than_are_allowed(most, replies):
    protocol = ArenaChoices(max_scripts=most, loop_turns=50)
    plan = Plan(49, OPENING + LONG)
    assert len(told(plan, protocol)) == replies_needed(plan, protocol) == replies


def test_idle_steps_take_a_reply_each_and_what_is_between_them_one():
    plan = Plan(2, (IDLE, IDLE, IDLE, *LONG, IDLE, IDLE, FORWARD))
    assert [reply == WAIT for reply in told(plan, ArenaChoices())] == [True, False, True, True, False]
    assert replies_needed(plan, ArenaChoices()) == 5
    assert next_reply(plan, len(plan.actions), ArenaChoices()) == END


def begun(arena, task_id, **choices):
    """An episode that is being played, and its first observation, in words: the oracle needs no pictures."""
    setup = setup_of(Task(task_id, 0, None, arena, ""), ArenaChoices(observation="text", **choices))
    environment = ArenaEnvironment(setup)
    CURRENT.set(CurrentEpisode(setup, environment))
    return environment, environment.begin()


def oracles():
    return asyncio.run(informed_reply("oracle"))


def test_the_oracle_passes_by_scripts():
    playing, shown = begun(spec(*WORLD, pass_mark="1.5"), "there and back", strict=True)
    while not shown.done:
        shown = playing.reply(oracles())
        assert playing.turns[-1].error is None
    record = playing.finish()
    assert record.passed
    assert len(record.turns) <= SCRIPTS


def test_the_oracle_plans_again_when_something_else_happened():
    playing, _ = begun(spec(*WORLD[:1], WORLD[3]), "astray", initial_idle_steps=())
    first = oracles()
    shown = playing.reply("Turn(-90); Go(20);")
    assert oracles() != first
    while not shown.done:
        shown = playing.reply(oracles())
    assert playing.finish().passed


SMALL = {"image_size": 64, "trials": 1, "tasks": "01-04-03,01-06-02"}

battery = battery_of((20, 30), (28, 13))


@pytest.mark.parametrize(
    "choices",
    [
        {"replies": "tools", "tools": "go,turn"},
        {"replies": "tools", "conversation": "run"},
        {"memory_turns": 0, "one_step": True, "max_scripts": "none", "loop_turns": 50},
        {"thought_chars": 0},
    ],
    ids=str,
)
def test_the_oracle_passes_under_other_choices(choices, battery, tmp_path):
    result = run(battery, tmp_path / "logs", "arena/oracle", **SMALL, **choices)
    assert [(row.passed, row.error) for row in result.rows] == [(True, None)] * 2


def kept(result):
    """The recordings of a run by task."""
    samples = read_eval_log(str(result.log)).samples
    return {str(s.id): Recording.model_validate(s.metadata["episode"]["replay"]) for s in samples}


def saved(folder, recordings):
    folder.mkdir()
    for task_id, recording in recordings.items():
        (folder / f"{task_id}.json").write_text(recording.model_dump_json())
    return f"arena/replay/{folder}"


OTHERS = ({}, {"replies": "tools"}, {"memory_turns": 1}, {"max_scripts": "none", "loop_turns": 200})


@pytest.mark.slow
@pytest.mark.parametrize("choices", OTHERS, ids=str)
@pytest.mark.parametrize("agent_", ["arena/oracle", "arena/random"])
def test_recordings_of_a_run_play_again_to_the_same_bits(agent_, choices, battery, tmp_path):
    first = kept(run(battery, tmp_path / "a", agent_, **SMALL, max_scripts=4))
    assert kept(run(battery, tmp_path / "b", saved(tmp_path / "kept", first), **SMALL, **choices)) == first


def recorded(battery, actions, seed=0, trial=0):
    """What becomes of these actions in the first task, and then until the time is up."""
    arena = load(battery / "01-04-03.yaml").arenas[0]
    with Episode(arena, task_id="01-04-03", seed=seed, trial=trial) as episode:
        for action in actions:
            episode.step(action)
        while not episode.done:
            episode.step(IDLE)
        return episode.recording()


ONE = {**SMALL, "tasks": "01-04-03"}


def test_idle_steps_in_between_and_the_clock_that_ran_down_are_played(battery, tmp_path):
    recording = recorded(battery, (*OPENING, IDLE, FORWARD, FORWARD, IDLE, IDLE, TURN_LEFT, BACKWARD))
    assert not recording.passed
    model = saved(tmp_path / "kept", {"01-04-03": recording})
    assert kept(run(battery, tmp_path / "logs", model, **ONE)) == {"01-04-03": recording}


def test_a_recording_without_an_opening_is_played_under_a_protocol_without_one(battery, tmp_path):
    recording = recorded(battery, (FORWARD,) * 5)
    model = saved(tmp_path / "kept", {"01-04-03": recording})
    with pytest.raises(RecordingError, match=r"begins with 0 idle steps.*49; add --initial-idle-steps 0"):
        run(battery, tmp_path / "logs", model, **ONE)
    again = run(battery, tmp_path / "logs", model, **ONE, initial_idle_steps="0")
    assert kept(again) == {"01-04-03": recording}


def test_a_recording_of_the_command_is_played(battery, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "scripts.txt").write_text("Turn(-12); Turn(12);\nGo(40);\n")
    file = tmp_path / "kept" / "01-04-03.json"
    command = ["run", battery / "01-04-03.yaml", "--scripts", tmp_path / "scripts.txt", "--recording", file]
    said = CliRunner().invoke(app, list(map(str, command)))
    assert said.exit_code == 0, said.output
    again = run(battery, tmp_path / "logs", f"arena/replay/{file.parent}", **ONE)
    assert again.rows[0].passed
    assert kept(again)["01-04-03"] == Recording.read(file)


DIAGONAL = Action(Move.FORWARD, Rotate.LEFT)


@pytest.mark.parametrize(
    ("actions", "changes", "told_"),
    [
        ((*OPENING, DIAGONAL), {}, "no command has the action.*`arena-llm replay .*01-04-03.json` plays any"),
        ((*OPENING, *(IDLE, FORWARD) * 20), {}, "takes 40 replies.*allows 30; add --max-scripts 40"),
        ((*OPENING, *(IDLE,) * 40, FORWARD), {}, "takes 41 replies.*add --initial-idle-steps 89"),
        (OPENING, {"spec_sha256": "0"}, "made in another arena"),
        (OPENING, {"others": (((0, 417),),)}, "has 2 agents"),
    ],
    ids=["diagonal", "waits", "long opening", "another arena", "several agents"],
)
def test_what_cannot_be_played_is_refused_with_a_remedy(actions, changes, told_, battery, tmp_path):
    recording = recorded(battery, actions).model_copy(update=changes)
    model = saved(tmp_path / "kept", {"01-04-03": recording})
    with pytest.raises(RecordingError, match=told_):
        run(battery, tmp_path / "logs", model, **ONE)
    assert not (tmp_path / "logs").exists()


def test_the_seed_matters_only_where_the_arena_is_random(battery, tmp_path):
    model = saved(tmp_path / "a", {"01-04-03": recorded(battery, (*OPENING, FORWARD), seed=5)})
    result = run(battery, tmp_path / "logs", model, **(ONE | {"trials": 2}))
    assert [row.error for row in result.rows] == [None, None]
    file = battery / "01-04-03.yaml"
    file.write_text(file.read_text().replace("x: 20, y: 0, z: 30", "x: -1, y: 0, z: 30"))
    model = saved(tmp_path / "b", {"01-04-03": recorded(battery, (*OPENING, FORWARD), seed=5)})
    with pytest.raises(RecordingError, match=r"the arena is random, .*seed 5.*not seed 0.*--seed"):
        run(battery, tmp_path / "logs", model, **ONE)
    assert run(battery, tmp_path / "logs", model, **ONE, seed=5).rows[0].error is None


def test_missing_and_broken_recordings_are_named(battery, tmp_path):
    model = saved(tmp_path / "kept", {})
    with pytest.raises(RecordingError, match=r"01-04-03\.json, 01-06-02\.json for the 2 tasks.*--tasks"):
        run(battery, tmp_path / "logs", model, **SMALL)
    with pytest.raises(RecordingError, match="no such folder"):
        run(battery, tmp_path / "logs", "arena/replay/nowhere", **SMALL)
    (tmp_path / "kept" / "01-04-03.json").write_text(json.dumps({"format": 1}))
    with pytest.raises(RecordingError, match=r"01-04-03\.json: not a recording"):
        run(battery, tmp_path / "logs", model, **ONE)
