"""Beliefs with a body: when they are asked for, what is kept of them, counted, shown and verified."""

import json
import math

import pytest

from arena.errors import ConfigError
from evaluation.capabilities import prompts_of
from evaluation.choices.effective import effective
from evaluation.estimate import estimate
from evaluation.suite import EpisodeSetup, ModelEnd
from evaluation.suites import chosen_tasks, get_suite
from evaluation.verify.sources import Verdict
from llm_control.environment import ArenaEnvironment
from report.build import write_log_report
from tests.arena.test_laboratory import TEXT
from tests.evaluation.agents.scripted import content
from tests.evaluation.verify.logs import checked, rewritten
from tests.llm_control.batteries import ARENA, eval_request, evaluated, task_text
from tests.llm_control.provider import MODEL, answer

ASKED = "How likely is each door to be the right one?"
SCRIPTS = ("Go(8);", "Turn(180); Go(9);", "Turn(180); Go(30);", "Turn(6);")
"""Onto the orange pad, off and onto it again, and once more to the orange door behind it; it is wrong."""


@pytest.fixture
def battery(tmp_path):
    """A machine aside, so that pad and door are in a line; and a task without a question."""
    aside = TEXT.replace("z: 12}", "z: 3}").replace("{x: 20, y: 0, z: 17}", "{x: 5, y: 0, z: 17}")
    (folder := tmp_path / "battery").mkdir()
    (folder / "machine.yaml").write_text(aside)
    (folder / "plain.yaml").write_text(task_text(24, 20))
    return folder


def opened(battery, task="machine", **chosen):
    given = {"beliefs": True, "initial_idle_steps": (1,), "observation": "text", "tasks": task, **chosen}
    choices = effective(ARENA, None, given).choices
    (spec,) = chosen_tasks(ARENA, choices, battery)
    return ArenaEnvironment(EpisodeSetup(ARENA, spec, 0, choices, prompts_of(ARENA)))


def test_a_belief_is_asked_for_after_an_experiment_while_all_doors_are_shut(battery):
    environment = opened(battery)
    assert "`Belief([0.2, 0.5, 0.3]);`" in environment.begin().parts[0]
    asked = environment.reply(SCRIPTS[0])
    assert asked.kind == "predict"
    assert f"{ASKED} Answer with Belief" in asked.parts[0]
    assert "doors: blue: thing 1 (blue); orange: thing 2" in asked.parts[0]
    before = environment.episode.steps
    then = environment.reply("Belief([0.5, 0.25, 0.25]);")
    assert (then.kind, then.reward, environment.episode.steps) == ("act", 0.0, before)
    assert "Turn 2." in then.parts[0]
    assert "Scripts left, this one included: 29." in then.parts[0]
    assert environment.reply("Turn(6); Turn(-6);").kind == "act"
    assert environment.reply(SCRIPTS[1]).kind == "predict"


def test_no_belief_is_asked_for_when_the_models_part_is_over(battery):
    environment = opened(battery, max_scripts=1)
    environment.begin()
    assert environment.reply(SCRIPTS[0]).done
    record = environment.finish()
    assert (record.model_end, len(record.turns)) == (ModelEnd.MAX_SCRIPTS, 1)
    assert (record.metrics["experiments"], record.metrics["missing_beliefs"]) == (1, 0)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # 0.5 log2(0.5 / 0.5) + 0.5 log2(0.5 / 0.25); the orange door is not what it favoured.
        (
            "Belief([0.5, 0.25, 0.25]);",
            "blue, I think",
            {"missing_beliefs": 1, "divergence": 0.5, "agrees": 0},
        ),
        # log2(0.5 / 0.1)
        (
            "Go(9);",
            "Belief([10 %, 80 %, 10 %])",
            {"missing_beliefs": 1, "divergence": math.log2(5), "agrees": 1},
        ),
        ("Belief([0.5, 0, 0.5]);", "Belief([0.5, 0.25, 0.25]);", {"missing_beliefs": 0, "divergence": 0.25}),
        ("", "Belief([0.5, 0.5]);", {"missing_beliefs": 2, "divergence": None, "agrees": None}),
        ("Belief([0.9, 0.9, 0.9]);", "Open(1);", {"missing_beliefs": 2, "divergence": None, "agrees": None}),
    ],
)
def test_beliefs_are_measured_beside_the_exact_ones(battery, first, second, expected):
    environment = opened(battery)
    environment.begin()
    for reply in (SCRIPTS[0], first, SCRIPTS[1], second, SCRIPTS[2]):
        environment.reply(reply)
    record = environment.finish()
    # The door was opened by a script that made an experiment on its way.
    assert (record.metrics["experiments"], len(record.turns)) == (3, 5)
    found = {name: record.metrics.get(name) for name in expected}
    assert found == {name: value and pytest.approx(value, abs=2e-3) for name, value in expected.items()}
    stated = [turn for turn in record.turns if turn.get("kind") == "predict"]
    assert [turn["experiments"] for turn in stated] == [1, 2]
    # The orange thing alone leaves the lamp dark, and one of three counts; an empty plate says no more.
    assert {turn["posterior"] for turn in stated} == {(0.5, 0.0, 0.5)}
    assert [turn["steps"] for turn in stated] == [0, 0]
    assert all((turn["belief"] is None) == (turn["error"] is not None) for turn in stated)


def played(battery, logs, bodies_of, **chosen):
    """A run of a model that plays the scripts, and states two beliefs if it is asked; and the requests."""
    left = {"scripts": [*SCRIPTS] * 2, "beliefs": ["Belief([0.5, 0.25, 0.25]);", "blue"]}

    def reply(bodies):
        asked = ASKED in content(bodies[-1]["messages"][-1])
        return answer(left["beliefs" if asked else "scripts"].pop(0))

    bodies = bodies_of(reply)
    choices = {"max_scripts": 4, "image_size": 16, "initial_idle_steps": "1", **chosen}
    request = eval_request(MODEL, battery, choices=choices)
    result = evaluated(request, logs, max_samples=1)
    assert len(bodies) <= estimate(request).calls
    return result, [body["messages"] for body in bodies]


def test_a_run_is_verified_and_its_report_shows_the_chain(battery, tmp_path, bodies_of):
    result, requests = played(battery, tmp_path / "logs", bodies_of, tasks="machine", beliefs=True)
    assert ["How likely" in content(messages[-1]) for messages in requests] == [0, 1, 0, 1, 0, 0]
    (found,) = checked(result.log, frames=True)
    assert (found.verdict, found.findings, found.turns) == (Verdict.AGREES, (), 6)
    written = write_log_report([result.run], tmp_path / "report", frames=False)
    chain = written.page.read_text("utf-8").partition("From experiments to the right door")[2]
    cells = chain.partition("<tbody>")[2].partition("</tr>")[0].replace("</td>", "").split("<td")[1:]
    values = [cell.partition(">")[2].partition(" [")[0] for cell in cells[1:]]
    # Three experiments in four scripts; the second and third say nothing where a bit could be had: 0.918 of
    # 2.918 bits. The orange door is wrong, and the last stated belief favoured the blue one.
    assert values == ["1", "3.00", "7.50", "0.31", "0.50", "0.00", "0.50", "0.00", "0.00"]
    pages = [page.read_text("utf-8") for page in written.page.parent.rglob("*.html")]
    (shown,) = [page for page in pages if "Experiments and what follows from them" in page]
    assert shown.count("<td>stated belief</td>") == 1


def test_a_changed_belief_is_found_out(battery, tmp_path, bodies_of):
    result, _ = played(battery, tmp_path / "logs", bodies_of, tasks="machine", beliefs=True)

    def change(whole):
        whole.samples[0].metadata["episode"]["turns"][1]["belief"] = [0.25, 0.25, 0.5]

    (found,) = checked(rewritten(result.log, tmp_path, change))
    assert [(each.turn, each.what) for each in found.findings] == [(2, "belief")]


def test_scripts_are_asked_for_as_without_beliefs(battery, tmp_path, bodies_of):
    """The question and its answer are not sent again; only the first message says that there are any."""
    note = prompts_of(ARENA)["note_beliefs"].text
    _, told = played(battery, tmp_path / "on", bodies_of, beliefs=True)
    _, plain = played(battery, tmp_path / "off", bodies_of)
    scripts = [messages for messages in told if ASKED not in content(messages[-1])]
    assert len(told) == len(scripts) + 2 == len(plain) + 2
    assert sum(note in json.dumps(messages) for messages in scripts) == len(plain) // 2
    assert json.dumps(scripts).replace(f"{note}\\n\\n", "") == json.dumps(plain)


def test_both_conditions_ask_by_the_same_sentence():
    texts = (prompts_of(get_suite(name))["belief"].text for name in ("arena", "laboratory"))
    (sentence,) = {text.rpartition("\n\n")[2] for text in texts}
    assert ASKED in sentence


def test_beliefs_are_no_tool_calls():
    with pytest.raises(ConfigError, match="beliefs are written as text"):
        effective(ARENA, None, {"beliefs": True, "replies": "tools"})
