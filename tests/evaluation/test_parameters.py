"""Parameters of requests in logs, cards and reports are those that a server of each wire format received."""

import json
import re
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from werkzeug import Response

import evaluation.generation.generate as faults
from evaluation.log.run import open_logs
from evaluation.summary import Requests, sent_words
from report.build import write_log_report
from tests.cases import cases
from tests.evaluation.test_evaluate import anthropic_reply, google_reply
from tests.llm_control.batteries import run, write_battery
from tests.llm_control.provider import answer

CASES = cases(__file__)

TURNS = 8
"""More than the requests of a sample that Inspect keeps by default."""

FAST = {"image_size": 16, "initial_idle_steps": "1", "tasks": "01-04-03"}

UNSTATED = {"messages", "input", "contents", "system", "systeminstruction", "tools", "model", "stream"}
"""Conversation, model and transport in a request's body, in lower case."""


def normal(value: object) -> object:
    """Parameters named without the spelling that an SDK translates: thinkingConfig, thinking_config."""
    if isinstance(value, dict):
        return {key.replace("_", "").lower(): normal(each) for key, each in value.items()}
    return [normal(each) for each in value] if isinstance(value, list) else value


def received(body: dict) -> dict:
    """The parameters in a request's body."""
    flat = {**body.get("generationConfig", {}), **body}
    flat.pop("generationConfig", None)
    return {key: value for key, value in normal(flat).items() if key not in UNSTATED}


def as_json(body: object) -> Response:
    return Response(json.dumps(body), content_type="application/json")


def responses_reply(text: str) -> dict:
    said = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [said]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return {"id": "r1", "model": "some-model-2", "status": "completed", "output": [message], "usage": usage}


def streamed(text: str, whole: bool = True) -> Response:
    """An answer of Anthropic as events; if not whole, its connection ends in the middle."""
    begun = {**anthropic_reply(""), "content": [], "stop_reason": None}
    events = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]
    sent = events if whole else events[:3]
    body = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in sent)
    cut = {} if whole else {"Content-Length": str(len(body) + 500)}
    # Werkzeug corrects the length of a body that it has as a whole.
    return Response(iter([body.encode()]), headers=cut, content_type="text/event-stream")


@pytest.fixture
def server(httpserver, monkeypatch):
    """A server of all wire formats; gives the bodies of the requests that it answered with a turn."""
    for name, base in (("OPENAI", "/v1"), ("ANTHROPIC", ""), ("GOOGLE", "")):
        monkeypatch.setenv(f"{name}_API_KEY", "test-key")
        monkeypatch.setenv(f"{name}_BASE_URL", httpserver.url_for(base).rstrip("/"))
    monkeypatch.setattr(faults, "FIRST_WAIT_S", 0.01)
    bodies, fail_at = [], set()

    def serve(request):
        body = request.get_json()
        # Before its first request Inspect asks whether the server gives summaries of reasoning.
        if len(json.dumps(body)) < 1000:
            return as_json(responses_reply("yes"))
        if len(bodies) in fail_at:
            fail_at.remove(len(bodies))
            return streamed("Go(1", whole=False) if body.get("stream") else Response('{"id": "c1", "cho')
        bodies.append(body)
        text = "Go(1);" if len(bodies) % 2 else "Turn(30);"
        if request.path.endswith("/chat/completions"):
            return answer(text)
        if request.path.endswith("/responses"):
            return as_json(responses_reply(text))
        if body.get("stream"):
            return streamed(text)
        return as_json(anthropic_reply(text) if request.path.endswith("/messages") else google_reply(text))

    httpserver.expect_request(re.compile(".*")).respond_with_handler(serve)
    serve.bodies, serve.fail_at = bodies, fail_at
    return serve


@pytest.fixture
def played(server, tmp_path):
    """Plays one episode of `TURNS` replies, and gives the run."""

    def play(model, **choices):
        folder = write_battery(tmp_path / "battery", (35, 35), t=5000)
        made = run(folder, tmp_path / "logs", model, **{**FAST, "max_scripts": TURNS, **choices})
        assert [row.turns for row in made.rows] == [TURNS], made.rows
        return made

    return play


def card_of(log: Path, folder: Path) -> tuple[dict, str]:
    """The run card and the main page of a log's report."""
    page = write_log_report(open_logs([(None, log)]), folder, frames=False).page
    return json.loads((folder / "run_card.json").read_text("utf-8"))[0], page.read_text("utf-8")


@pytest.mark.parametrize("model", CASES["models"])
def test_card_and_report_state_what_the_server_received_in_every_request(model, played, server, tmp_path):
    made = played(model, **CASES["models"][model])
    assert len(server.bodies) == TURNS
    sent = received(server.bodies[0])
    assert all(received(body) == sent for body in server.bodies)
    card, page = card_of(made.log, tmp_path / "report")
    (stated,) = card["sent"]
    assert (normal(stated["parameters"]), stated["requests"]) == (sent, TURNS)
    assert ("temperature" in stated["parameters"]) == (model in ("openai/gpt-4o", "google/gemini-2.5-pro"))
    methods = page[page.index("Sent with each request: ") :]
    assert "; or " not in methods[: methods.index("</p>")]
    # Each picture is in the log once, whatever the wire format is.
    pictures = [a for a in read_eval_log(str(made.log)).samples[0].attachments.values() if "iVBOR" in a[:40]]
    assert len(pictures) <= TURNS + 2


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-0", "openai/gpt-4o"])
def test_a_cut_answer_leaves_the_parameters_of_the_repeated_request(model, played, server, tmp_path):
    server.fail_at.update({1, 4, 6})
    card, _ = card_of(played(model).log, tmp_path / "report")
    (stated,) = card["sent"]
    assert (normal(stated["parameters"]), stated["requests"]) == (received(server.bodies[0]), TURNS)
    assert card["failed_attempts"] == 3


def test_requests_that_an_older_log_does_not_have_are_unknown(played, tmp_path):
    whole = read_eval_log(str(played("anthropic/claude-sonnet-4-0").log))
    calls = [event for event in whole.samples[0].events if event.event == "model"]
    for event in calls[5:]:
        event.call = None
    write_eval_log(whole, str(tmp_path / "old.eval"))
    card, page = card_of(tmp_path / "old.eval", tmp_path / "report")
    assert [(each["parameters"] is None, each["requests"]) for each in card["sent"]] == [
        (False, 5),
        (True, 3),
    ]
    assert "unknown parameters, as the log does not have the requests themselves (3 requests)" in page
    assert "temperature 0" not in page


def test_no_parameters_are_claimed_of_an_offline_agent(tmp_path):
    folder = write_battery(tmp_path / "battery", (35, 35))
    made = run(folder, tmp_path / "logs", "arena/random", **FAST, max_scripts=2)
    card, page = card_of(made.log, tmp_path / "report")
    assert card["sent"] == []
    assert "Sent with each request:" not in page


def test_parameters_in_words():
    sent = [Requests(parameters={"temperature": 0.0, "stop": ["<EOS>"]}, seeds=0, requests=3)]
    assert sent_words(sent) == 'stop ["<EOS>"], temperature 0'
    assert sent_words([Requests(parameters={}, seeds=0, requests=3)]) == "no parameters"
    assert sent_words(()) == ""
