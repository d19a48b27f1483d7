"""`--agent` as a choice: its defaults, what it excludes, and that runs without it stay what they were."""

import json
import re

import pytest

from arena.errors import ConfigError, EvaluationError
from evaluation.capabilities import prompts_of
from evaluation.choices.effective import effective
from evaluation.choices.run_choices import RunChoices
from evaluation.estimate import estimate
from evaluation.request import EvalRequest, player_of
from evaluation.suites import get_suite

EST, ARENA = get_suite("est"), get_suite("arena")


def request(suite=EST, **choices):
    return EvalRequest(suite, "openai/gpt-4o", choices=choices)


def test_an_agent_has_a_memory_of_its_own_unless_another_is_given():
    found = effective(EST, None, {"agent": "react", "memory_turns": "5"})
    assert (found.choices.memory_turns, found.choices.memory_characters) == (5, 10_000)
    assert (found.origins["memory_turns"], found.origins["memory_characters"]) == ("option", "agent react")
    assert effective(EST, None, {"agent": "hypothesizer"}).choices.memory_turns == 3
    everything = effective(EST, None, {"agent": "react", "memory_turns": "none", "memory_characters": None})
    assert everything.choices.memory == ""


def test_a_run_without_an_agent_is_what_it_was():
    assert "agent" not in RunChoices().planned()
    assert request().fingerprint == request(agent="direct").fingerprint != request(agent="react").fingerprint
    assert request().prompts.texts().keys() == prompts_of(EST).texts().keys()


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"agent": "hypothesizer", "conversation": "run"}, "its plan or memory is that of one episode"),
        ({"agent": "react", "replies": "steps"}, "plays whole episodes by itself"),
        ({"agent": "recat"}, "agent: got 'recat', expected 'direct', 'react', 'plan-execute' or"),
    ],
)
def test_what_an_agent_excludes(choices, told):
    with pytest.raises(ConfigError, match=told):
        effective(ARENA, None, choices)


def test_an_offline_agent_is_refused(command, tmp_path):
    said = command("eval", "--model", "arena/random", "--agent", "react", "--log-dir", tmp_path).sentence
    assert "arena/random: not a language model, which agent = react needs" in said
    with pytest.raises(EvaluationError, match="not a language model"):
        player_of(EST, "est/blind", EST.choices(agent="react"))


CALLS = {"direct": 10, "react": 10, "plan-execute": 29, "hypothesizer": 19}


@pytest.mark.parametrize(("agent", "calls"), CALLS.items())
def test_an_estimate_counts_the_requests_beside_the_replies(agent, calls):
    found = estimate(request(agent=agent, tasks="est-00001,est-00002"))
    assert found.calls == 2 * calls
    assert found.output_tokens == 2 * calls * 80
    plain = estimate(request(tasks="est-00001,est-00002"))
    assert agent == "direct" or found.input_tokens > plain.input_tokens


def test_a_summary_of_the_memory_is_estimated_too():
    found = estimate(request(ARENA, agent="hypothesizer", tasks="01-01-01", max_scripts=11))
    assert (found.calls, found.output_tokens) == (11 + 10 + 1, 21 * 80 + 2000)
    # Of pictures, an action is sent up to four, a reflection and a summary one; the first view has three.
    first, later = 3, 1
    acts = first + (first + later) + (first + 2 * later) + (first + 3 * later) + 7 * 4 * later
    assert found.images == acts + 10 * later + later


def test_the_command_shows_what_an_agent_sets(command):
    shown = command("eval", "--suite", "est", "--agent", "react", "--show").stdout
    assert re.search(r"memory_turns +│ 40 +│ agent react", shown)
    assert json.loads(json.dumps(request(agent="react").plan()))["protocol"]["agent"] == "react"
