"""Episodes: what is shown, what counts, how they end; and the offline agents."""

import pytest

from evaluation.suites import chosen_tasks
from suites.scienceworld.catalogue import kinds
from suites.scienceworld.findings import episode_panels, run_panels
from tests.suites.scienceworld.simulation import SUITE, opened, played
from tests.suites.setups import needs_java

pytestmark = [needs_java, pytest.mark.e2e]


@pytest.mark.parametrize("task_id", ["4-2-0225", "7-1-0093"])
@pytest.mark.parametrize("simplifications", ["easy", "plain"])
def test_the_gold_path_solves_a_task(task_id, simplifications):
    record = played("gold", task_id, simplifications=simplifications, budget="gold")
    assert (record.score, record.passed, record.outcome) == (1.0, True, "solved")
    assert record.metrics["total_reward"] == pytest.approx(sum(turn["reward"] for turn in record.turns))
    assert record.metrics["required_subgoals"] == 1
    assert record.turns[-1]["reached"]


def test_a_wrong_focus_ends_the_task_with_nothing():
    environment = opened("4-1-0225")
    first = environment.begin().parts[0]
    assert first.startswith("Your task is to find a(n) living thing.")
    assert "- teleport OBJ" in first
    assert "This room is called" in first
    assert first.endswith("In your inventory, you see:\n\tan orange\n\nStep 1 of 100. What is your command?")
    end = environment.reply("I think it is alive.\nfocus on orange")
    assert (end.done, end.reward) == (True, -1)
    record = environment.finish()
    assert (record.score, record.passed, record.outcome) == (0.0, False, "wrong")
    assert record.metrics["total_reward"] == -1
    assert record.summary == "The task is over (wrong). Your score is 0 of 100."


def test_the_simulator_answers_in_its_own_words():
    environment = opened("4-1-0225", simplifications="plain")
    assert "teleport" not in environment.begin().parts[0]
    shown = environment.reply("please do something").parts[0]
    assert shown.startswith("No known action matches that input.\n\nThis ")
    assert environment.reply("teleport to hallway").parts[0].startswith("No known action")
    assert environment.reply("").parts[0].startswith("No known action")
    assert environment.refuse("hello", "Call a tool.").parts[0].startswith("Call a tool.")
    # What is around is shown once.
    assert environment.reply("look around").parts[0].count("You also see:") == 1
    asked = environment.reply("look at door").parts[0]
    if asked.startswith("Ambiguous request"):
        assert "that input" not in environment.reply("0").parts[0]
    record = environment.finish()
    assert [turn["error"] is not None for turn in record.turns[:5]] == [True, True, True, True, False]
    assert (record.outcome, record.metrics["unusable_commands"]) == ("stop", 4)


def test_hints_list_names_or_commands():
    for hints, listed, absent in (
        ("none", "Step 1", "can be used now"),
        ("objects", "can be used now:\n\nagent\nair\n", "focus on agent"),
        ("actions", "do something now:\n\n", "can be used now"),
    ):
        environment = opened("4-1-0225", hints=hints)
        shown = environment.begin()
        assert listed in shown.parts[0]
        assert absent not in shown.parts[0]
        assert ("focus on agent" in shown.parts[0]) == (hints == "actions")
        assert "agent" in shown.data["objects"]
        environment.close()


def test_an_episode_ends_with_its_steps(monkeypatch):
    monkeypatch.setattr("suites.scienceworld.episode.PAPER_STEPS", 3)
    record = played("random-valid", "1-1-0021")
    assert record.metrics["steps"] <= 3
    if record.score == 0 and record.outcome != "wrong":
        assert (record.outcome, record.model_end) == ("last step", "episode")


def test_a_report_has_the_papers_scores_subgoals_and_twins():
    def solved(task):
        tests = kinds()[task].variations("test")[:2]
        return [played("gold", f"{task}-{k:04}", budget="gold").as_dict() for k in tests]

    named, unknown = solved("3-3"), solved("3-4")
    lost = [{**record, "score": 0.0, "passed": False} for record in unknown]
    panels = dict(run_panels({"gold": named + unknown, "other": named + lost}))
    twins = "Named and unknown: is knowledge looked up?"
    assert list(panels) == ["Scores with the paper's", "Subgoals reached", twins]
    scores = panels["Scores with the paper's"]
    assert "<td>3-4 Conductivity, unknown substance</td>" in scores
    assert scores.count("0.20") == 1, "DRRN's score of 3-4"
    assert "+1.00" in panels[twins]
    ((title, progress),) = episode_panels(named[0])
    assert (title, progress.count("<tr>")) == ("Subgoals", 1 + len(named[0]["replay"]["subgoals"]))
    assert run_panels({"nobody": []}) == []


@pytest.mark.slow
@pytest.mark.parametrize("task", kinds())
def test_gold_solves_three_test_variations(task):
    for spec in chosen_tasks(SUITE, SUITE.choices(tasks=(task,)), None):
        record = played("gold", spec.id, simplifications="plain", budget="gold")
        assert record.score == 1, (spec.id, record.outcome, record.turns[-1])


@pytest.mark.parametrize(("command", "most"), [("wait", 10), ("wait1", 51), ("look around", 200)])
def test_moves_end_an_episode_as_in_the_package(command, most):
    environment = opened("4-1-0225", budget="moves")
    observation, replies = environment.begin(), 0
    while not observation.done:
        if replies == 9 and command == "wait":
            assert "Step 100 of 100." in observation.parts[0]
        observation, replies = environment.reply(command), replies + 1
    record = environment.finish()
    assert (replies, record.outcome, record.model_end.name) == (most, "last step", "EPISODE")
