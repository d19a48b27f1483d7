"""The suite as models play it: tasks, episodes, agents that read; and what a report says of them."""

import asyncio
import json
import math
import re

import numpy as np
import pytest
from inspect_ai.model import ChatMessageUser

from arena.errors import ConfigError
from evaluation.capabilities import agents_of, logged_task, reply_of, tools_of
from evaluation.choices.run_choices import RunChoices
from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.suite import AgentTurn, agent_seed
from evaluation.suites import chosen_tasks, find_task, get_suite
from evaluation.transcript import transcript
from suites.est.agents import AGENTS
from suites.est.episode import read_drawn
from suites.est.findings import brier, calibration, run_panels
from suites.est.replies import read_reply
from suites.est.suite import EstChoices
from suites.est.world import PRESETS, Machines
from tests.suites.setups import setup_of

SUITE = get_suite("est")
BELIEF = f"Belief([{', '.join(['0.4'] * 9)}]);"


def opened(**choices):
    setup = setup_of(SUITE, "est-00001", **choices)
    return setup, SUITE.open(setup)


def test_a_reference_agent_says_that_it_reads_no_texts_of_the_users_own():
    setup, environment = opened()
    CURRENT.set(CurrentEpisode(setup, environment))
    turn = AgentTurn("naive", [ChatMessageUser(content="Nothing stands on it.")], (), 7)
    with pytest.raises(ConfigError, match=r"est/naive: found no panel.* leave out --prompts"):
        asyncio.run(agents_of(SUITE)["naive"](turn))


@pytest.mark.parametrize("machine", PRESETS)
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_that_reads_plays_as_in_a_batch(name, machine):
    setup = setup_of(SUITE, f"{machine}-00003", machine=machine)
    record, seed = transcript(setup, name).record, agent_seed(0, setup.task.id, 0)
    drawn = read_drawn(setup.task.content).episodes()
    world = Machines(PRESETS[machine], 1, np.random.default_rng(seed), drawn)
    agent, rewards = AGENTS[name](PRESETS[machine], 1, np.random.default_rng(seed)), []
    while not world.over[0]:
        rewards.append(float(world.step(*agent.act(world.panels, world.lights)).rewards[0]))
    assert [turn["reward"] for turn in record.turns] == rewards
    assert record.metrics["total_reward"] == sum(rewards)
    assert record.passed == (rewards[-1] == 20)
    assert not any(turn["error"] for turn in record.turns)


def test_a_call_of_the_tool_is_a_reply():
    setup, environment = opened(replies="tools")
    assert "`experiment`" in SUITE.opening(setup.choices, setup.prompts, 1)[0].text
    assert "`experiment`" not in SUITE.opening(EstChoices(), setup.prompts, 1)[0].text
    messages = [ChatMessageUser(content="".join(environment.begin().parts))]
    CURRENT.set(CurrentEpisode(setup, environment))
    name, arguments = asyncio.run(agents_of(SUITE)["naive"](AgentTurn("naive", messages, ("experiment",), 7)))
    assert name in tools_of(SUITE)
    written = asyncio.run(agents_of(SUITE)["naive"](AgentTurn("naive", messages, (), 7)))
    assert read_reply(reply_of(SUITE, name, arguments))[1:3] == read_reply(written)[1:3]
    assert read_reply(reply_of(SUITE, name, {"belief": [0.5]})).problems


def test_a_suite_without_tools_refuses_calls():
    with pytest.raises(ConfigError, match=r"^replies = tools: impossible, because the suite has no tools$"):
        RunChoices(replies="tools")


def test_tasks_are_the_same_however_many_are_asked_for():
    every = chosen_tasks(SUITE, EstChoices(episodes=30), None)
    assert [task.id for task in every[:2]] == ["est-00001", "est-00002"]
    assert len({task.sha256 for task in every}) == 30
    assert chosen_tasks(SUITE, EstChoices(tasks=("est-00030", "est-00002")), None) == (every[29], every[1])
    assert find_task(SUITE, "est-00030", EstChoices(), None) == every[29]
    assert logged_task(SUITE, json.loads(json.dumps(vars(every[3])))).sha256 == every[3].sha256
    assert all(len(read_drawn(task.content).blickets) == int(task.group[0]) for task in every)
    for wrong in ("est-00000", "est-100000", "est-1", "ivre-00001"):
        with pytest.raises(ConfigError, match="est-00001 to est-99999"):
            chosen_tasks(SUITE, EstChoices(tasks=(wrong,)), None)


def test_a_belief_that_is_missing_holds_on_and_an_unreadable_trial_is_empty():
    _, environment = opened()
    environment.begin()
    for reply in (f"{BELIEF} Trial([1]);", BELIEF, "nonsense"):
        environment.reply(reply)
    shown = environment.reply(f"{BELIEF} Trial([0]);").parts[0]
    assert "Trial needs numbers" in shown
    assert "On the machine: nothing. The machine is dark." in shown
    shown = environment.reply("Trial([1, 9]);").parts[0]
    assert "There was no Belief" in shown
    assert "your trial number 2" in shown
    shown = environment.refuse("hello", "Call a tool.").parts[0]
    assert "Call a tool." in shown
    record = environment.finish()
    assert [turn["belief"] for turn in record.turns] == [(0.4,) * 9] * 6
    assert [turn["trial"] for turn in record.turns] == [None, None, None, (), (1, 9), ()]
    assert [turn["error"] is None for turn in record.turns] == [True, True, False, False, False, False]
    assert (record.metrics["missing_beliefs"], record.metrics["missing_trials"]) == (3, 2)
    assert (record.outcome, record.passed) == ("stop", False)
    assert "The Blickets were" in record.summary


def test_regret_is_what_a_trial_leaves_unlearnt():
    """Nothing is learnt from an empty machine, and as much as possible from the best trial."""
    regrets = {}
    for name, reply in {"empty": "Trial([]);", "all": "Trial([1, 2, 3, 4, 5, 6, 7, 8, 9]);"}.items():
        _, environment = opened()
        environment.begin()
        for _ in range(4):
            environment.reply(f"{BELIEF} {reply}")
        turn = environment.finish().turns[3]
        regrets[name] = turn["regret"]
        assert turn["information"] == pytest.approx(0, abs=1e-6)
        assert turn["regret"] > 0.5
    best = transcript(setup_of(SUITE, "est-00001"), "search-informative").record
    assert all(turn["regret"] == 0 for turn in best.turns if turn["regret"] is not None)
    assert best.metrics["trial_regret"] == 0


def test_pictures_take_the_place_of_words_or_join_them():
    for observation, pictures, words in (("text", 0, True), ("image", 1, False), ("both", 1, True)):
        _, environment = opened(observation=observation, image_size=96)
        shown = environment.begin()
        frames = [part for part in shown.parts if not isinstance(part, str)]
        assert len(frames) == pictures
        assert all(frame.shape == (96, 96, 3) and frame.std() > 10 for frame in frames)
        assert ("On the machine:" in shown.parts[-1]) == words
        assert (shown.drawn_by is not None) == bool(pictures)
        # What draws is not even looked for where there are only words.


def record(*beliefs, blickets=(0, 1)):
    turns = [{"belief": list(belief), "belief_given": True} for belief in beliefs]
    return {"turns": turns, "replay": {"blickets": list(blickets)}}


def test_calibration_counts_objects_by_what_was_stated():
    episodes = [record([0.95] * 2 + [0.05] * 7), record([0.95] * 4 + [0.55] * 5, blickets=(0, 8))]
    low, middle, high = calibration(episodes)
    assert [(each.number, each.stated) for each in (low, middle, high)] == [
        (7, pytest.approx(0.05)),
        (5, pytest.approx(0.55)),
        (6, pytest.approx(0.95)),
    ]
    assert (low.share, middle.share, high.share) == (0, 0.2, 0.5)
    assert all(each.interval[0] <= each.share <= each.interval[1] for each in (low, middle, high))
    # Eight of nine are off by 0.05, then three Blickets' worth by 0.95 and so on.
    first, second = 9 * 0.05**2, 0.05**2 + 3 * 0.95**2 + 4 * 0.55**2 + 0.45**2
    assert brier(episodes) == pytest.approx((first + second) / 18)


def test_beliefs_that_were_not_given_do_not_count():
    silent = {"turns": [{"belief": [0.5] * 9, "belief_given": False}], "replay": {"blickets": [0]}}
    assert calibration([silent]) == []
    assert math.isnan(brier([silent]))


@pytest.mark.parametrize(("machine", "beside"), [("est", True), ("ivre", False)])
def test_the_papers_rows_stand_beside_its_own_machine_alone(machine, beside):
    setups = [setup_of(SUITE, f"{machine}-0000{n}", machine=machine) for n in (1, 2, 3)]
    records = [transcript(setup, "search-informative").record.as_dict() for setup in setups]
    (_, figures), (_, steps), (_, _calibration) = run_panels({"mine": records})
    assert ("paper: search-naive" in figures) == beside
    # The best trials leave no regret, and the exact belief no distance.
    assert re.search(r'>4</td><td class="num">3</td><td class="num">0.000</td>.*>0.000</td></tr>', steps)
    assert run_panels({"nobody": []}) == []
