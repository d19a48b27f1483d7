"""Agents play episodes of each suite against a local server: what is asked, counted, logged and verified."""

import json
from dataclasses import replace
from pathlib import Path

import inspect_ai
import pytest
from inspect_ai.log import read_eval_log
from werkzeug import Response

from evaluation.estimate import estimate
from evaluation.evaluate import evaluate
from evaluation.generation.budget import RunLimits, spent_before
from evaluation.request import EvalRequest
from evaluation.suites import get_suite
from evaluation.verify.sources import Verdict
from report.build import write_log_report
from tests.evaluation.agents.scripted import CHOICES, MODEL, PRICE, TOKENS, Scripted, content
from tests.evaluation.example_suite import guessing
from tests.evaluation.test_evaluate import anthropic_reply
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import write_battery
from tests.suites.setups import each_of, needs_package

__all__ = ["guessing"]

AGENTS = ("react", "plan-execute", "hypothesizer")


def samples_of(log):
    return read_eval_log(str(log.path), resolve_attachments=True).samples


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("suite", each_of(["arena", "est", "boxing", "scienceworld", "discoveryworld"]))
def test_each_agent_plays_each_suite(agent, suite, play, tmp_path):
    model, request, run = play(suite, agent=agent)
    log = run(max_samples=1)
    samples = samples_of(log)
    assert [sample.error for sample in samples] == [None] * len(samples)
    turns = [turn for sample in samples for turn in sample.metadata["episode"]["turns"]]
    replies, kinds, episodes = len(turns), model.kinds(), len(samples)
    assert kinds["act"] == replies >= 10 * episodes
    if agent == "react":
        assert kinds.total() == replies
    elif agent == "plan-execute":
        plan = [step for sample in samples for step in sample.metadata["agent"]["plan"]]
        assert kinds["plan"] == len(plan)
        ended = [str(step["result"]) for step in plan]
        assert kinds["result"] == sum(result.startswith("done, finding") for result in ended) > 1
        if suite != "scienceworld":
            assert "failed, because its 2 actions were used up" in ended
    else:
        # Questions of BoxingGym are forgotten.
        each = [s.metadata["episode"]["turns"] for s in samples]
        lasting = [sum(turn.get("kind") != "predict" for turn in turns) for turns in each]
        assert kinds["reflection"] == sum(lasting) - episodes
        assert kinds["summary"] == sum((number - 1) // 10 for number in lasting)
    assert not any(turn["error"] for turn in turns)
    assert not any("reason" in turn["reply"] for turn in turns)
    spent = spent_before(log.path)
    assert spent.tokens == kinds.total() * TOKENS
    assert spent.cost == pytest.approx(kinds.total() * PRICE)
    assert kinds.total() <= estimate(request).calls
    results = checked(log.path, frames=True)
    assert [(each.verdict, each.findings) for each in results] == [(Verdict.AGREES, ())] * episodes
    assert sum(each.requests for each in results) == (replies if suite == "arena" else 0)
    assert_reported(log, agent, tmp_path / "report")


def assert_reported(log, agent, folder):
    """The pages show what an agent wrote beside its actions."""
    pages = [page.read_text() for page in write_log_report([log], folder).page.parent.rglob("*.html")]
    assert any("reason 3 is that 7 is little" in page for page in pages)
    assert any("stage 2, until it is seen" in page for page in pages) == (agent == "plan-execute")
    noted = ("value 1", "values 1 to 10 in short")
    assert any(words in page for page in pages for words in noted) == (agent == "hypothesizer")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_novice_gets_nothing_of_what_a_scientist_knows(agent, play):
    model, _, run = play("boxing", agent=agent)
    run()
    ((alone,),) = [messages for _, messages in model.requests if len(messages) == 1]
    assert alone["role"] == "user"
    assert content(alone).startswith("Somebody has carried out experiments")
    assert content(alone).endswith("Reply with `<answer>length</answer>` (length: a number).")


@pytest.mark.parametrize("agent", AGENTS)
def test_agents_act_by_tools_too(agent, play):
    model, _, run = play("arena", agent=agent, replies="tools", tasks="01-04-03")
    log = run()
    (sample,) = samples_of(log)
    assert [turn["reply"] for turn in sample.metadata["episode"]["turns"]] == ["Turn(6);"] * 12
    assert model.kinds()["act"] == 12
    (found,) = checked(log.path, frames=True)
    assert (found.verdict, found.requests) == (Verdict.AGREES, 12)
    (episode,) = log.episodes()
    assert episode.talk.exchanges[3].thought == "Reason 4."
    if agent == "plan-execute":
        assert model.kinds()["result"] > 1


def test_an_executor_is_sent_the_turns_of_its_step_only(play):
    model, _, run = play("arena", agent="plan-execute", tasks="01-04-03")
    run()
    acts = [messages for kind, messages in model.requests if kind == "act"]
    assert [sum(m["role"] == "assistant" for m in messages) for messages in acts[:6]] == [0, 0, 0, 1, 0, 0]
    third = content(acts[2][-1])
    assert "1. stage 1, until it is seen\n   done, finding 1\n2. stage 2" in third
    assert "number 3: stage 3, until it is seen" in third
    assert "You may take 2 more actions" in third
    assert [plan.count("until it is seen\n   ") for plan in model.asked("plan")[:3]] == [0, 1, 2]


def test_a_hypothesizer_is_sent_three_turns_and_its_memory(play):
    model, _, run = play("arena", agent="hypothesizer", tasks="01-04-03")
    log = run()
    acts = [messages for kind, messages in model.requests if kind == "act"]
    assert [sum(m["role"] == "assistant" for m in messages) for messages in acts] == [0, 1, 2, *[3] * 9]
    notebook = content(acts[1][-1])
    heavy = {"id": "H1", "statement": "it is heavy", "status": "pending", "evidence": ["it fell"]}
    assert json.dumps(heavy) in notebook
    assert '{"id": "M2", "statement": "value 1"}' in notebook
    # After ten replies the memory is a summary, to which the last reflection has added.
    last = content(acts[-1][-1])
    assert "values 1 to 10 in short" in last
    assert "it is heavy" not in last
    (sample,) = samples_of(log)
    facts = sample.metadata["agent"]
    # The status of the first hypothesis is none of the three.
    assert (facts["dropped"], "unreadable" in facts) == (1, False)
    memory = facts["memory"]
    assert [each["statement"] for each in memory["measurements"]] == ["values 1 to 10 in short", "value 11"]


def test_a_limit_of_the_run_counts_every_request(play):
    model, _, run = play("est", agent="hypothesizer")
    log = run(limits=RunLimits(tokens=25 * TOKENS), max_samples=1)
    assert model.kinds().total() == 25
    assert "1 stopped at the next reply" in log.cap
    again = run(resume=True, max_samples=1)
    # Either episode takes 19 requests, and none is made twice.
    assert model.kinds().total() == 2 * 19
    assert again.complete
    assert spent_before(again.path).tokens == 2 * 19 * TOKENS


def test_a_limit_of_an_episode_counts_every_request(play):
    model, _, run = play("est", agent="hypothesizer", tasks="est-00001", max_tokens_per_episode=5500)
    (episode,) = run().episodes()
    assert model.kinds() == {"act": 3, "reflection": 3}
    assert (episode.result.passed, episode.result.error) == (None, "ended by the token limit (5,500)")
    assert len(episode.turns) == 3
    # What came last was no reply.
    assert episode.talk.unplayed is None


def test_a_stop_in_a_request_beside_the_replies_ends_the_models_part(play):
    model, _, run = play("est", agent="hypothesizer", tasks="est-00001")
    model.stops = "reflection"
    log = run()
    assert model.kinds() == {"act": 1, "reflection": 1}
    (row,) = log.results()
    assert (row.passed, row.error) == (None, "ended by the output limit, which cut off the reply: Noted: {")
    assert [each.verdict for each in checked(log.path)] == [Verdict.AGREES]


def test_a_suite_that_knows_nothing_of_agents_is_played_and_verified(guessing, play):
    model, _, run = play("guessing", agent="hypothesizer")
    log = run(max_samples=1)
    assert model.kinds() == {"act": 12, "reflection": 11, "summary": 1}
    (sample,) = samples_of(log)
    assert [turn["guess"] for turn in sample.metadata["episode"]["turns"]] == [100] * 12
    assert [each.verdict for each in checked(log.path)] == [Verdict.AGREES]


def test_inspects_own_evaluation_takes_an_agent(openai, tmp_path):
    model = Scripted("est")
    openai(model)
    given = {"agent": "plan-execute", "tasks": "est-00001"}
    (log,) = inspect_ai.eval("arena_llm/est", MODEL, task_args=given, display="none", log_dir=str(tmp_path))
    assert model.kinds()["plan"] > 1
    (sample,) = log.samples
    assert len(sample.metadata["episode"]["turns"]) == 10
    assert [each.verdict for each in checked(Path(log.location))] == [Verdict.AGREES]


def test_react_plays_a_conversation_over_all_tasks(play):
    model, _, run = play("est", agent="react", conversation="run", memory_turns=None, memory_characters=None)
    log = run()
    assert model.kinds() == {"act": 20}
    assert [row.error for row in log.results()] == [None, None]
    assert [each.verdict for each in checked(log.path)] == [Verdict.AGREES] * 2


def test_a_folder_of_texts_may_have_those_of_agents(play, tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "react.md").write_text("Reason aloud. $action")
    model, request, _ = play("est", agent="react", tasks="est-00001")
    own = replace(request, texts=texts)
    log = evaluate(own, tmp_path / "logs", display="none")
    system = content(model.requests[0][1][0])
    assert "Reason aloud. Then write `Action:`" in system
    assert "You think before you act" not in system
    assert own.prompts.sha256 != request.prompts.sha256
    assert log.prompts().texts() == own.prompts.texts()


def test_a_note_follows_the_result_of_a_tool_with_anthropics_sdk(httpserver, monkeypatch, tmp_path):
    """Anthropic refuses a result that does not follow its call, and messages of one role in a row."""
    bodies = []

    def answered(request):
        bodies.append(json.loads(request.data))
        call = {"type": "tool_use", "id": f"t{len(bodies)}", "name": "act", "input": {"script": "Turn(6);"}}
        acts = {"content": [call]} if bodies[-1].get("tools") else {}
        return Response(json.dumps(anthropic_reply("{}") | acts), content_type="application/json")

    httpserver.expect_request("/v1/messages").respond_with_handler(answered)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", httpserver.url_for(""))
    choices = {**CHOICES["arena"], "max_scripts": 3, "agent": "hypothesizer", "replies": "tools"}
    folder = write_battery(tmp_path / "battery", (20, 16))
    request = EvalRequest(get_suite("arena"), "anthropic/claude-3-5-sonnet-20240620", folder, choices=choices)
    log = evaluate(request, tmp_path / "logs", display="none")
    assert [(row.turns, row.error) for row in log.results()] == [(3, None)]
    for body in bodies:
        roles = [message["role"] for message in body["messages"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    last = bodies[-1]["messages"][-1]["content"]
    assert [part["type"] for part in last] == ["tool_result", "text"]
    assert "Your notebook" in last[1]["text"]
    assert [bool(body.get("tools")) for body in bodies] == [True, False, True, False, True]


LONG = {
    "arena": ({"max_scripts": 45, "tasks": "01-04-03"}, ("Turn(6);",), 40, ()),
    "est": ({"tasks": "est-00001"}, (), 9, ("The machine is",)),
    "boxing": ({"experiments": 45, "novice": False}, ("<observe>2</observe>",), 40, ("A dugong of age 2",)),
    "scienceworld": ({}, ("wait1", "fly"), 40, ("You decide to wait", "No known action")),
    "discoveryworld": ({"steps": 45}, ("turn(east)", "hop()"), 40, ("I rotated", "hop")),
}
"""Of each suite the choices, the actions, the number of turns that are sent, and words of their lines."""


@pytest.mark.parametrize("suite", each_of(LONG, slow=["boxing"]))
def test_earlier_turns_have_a_line_instead_of_their_observation(suite, play):
    choices, actions, turns, words = LONG[suite]
    model, request, run = play(suite, agent="react", **choices)
    model.actions = actions or model.actions
    log = run()
    _, *earlier, now = [m for kind, m in model.requests if kind == "act"][-1]
    replies = [message for message in earlier if message["role"] == "assistant"]
    told = [content(message) for message in earlier if message["role"] == "user"]
    assert len(replies) == turns
    assert sum(map(len, told + [content(m) for m in replies])) < 11_000
    lines = told[-4:]
    if words:
        assert all(any(word in line for word in words) for line in lines), lines
        assert max(map(len, lines)) < min(400, len(content(now)))
    assert [(each.verdict.name, each.findings) for each in checked(log.path)] == [("AGREES", ())]
    assert len(model.requests) <= estimate(request).calls


@needs_package
def test_pictures_of_earlier_turns_are_not_sent(play):
    model, request, run = play("discoveryworld", agent="react", observation="both", steps=4, memory_turns=2)
    run()
    pictures = [str(messages).count("data:image/png") for _, messages in model.requests]
    # The first observation has no line.
    assert pictures == [1, 2, 2, 1]
    assert estimate(request).images == sum(pictures)
