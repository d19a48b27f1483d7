"""Predictions of calls, images, tokens and price, against real runs and by hand."""

import json

import pytest

from llm_control.estimate import estimate
from llm_control.evaluate import Request
from llm_control.image_tokens import image_tokens
from tests.llm_control.batteries import run, write_battery
from tests.llm_control.provider import MODEL, answer
from tests.llm_control.test_evaluate import png_of

SMALL = {"image_size": 16, "max_scripts": 3, "trials": 2}


@pytest.fixture
def battery(tmp_path):
    return write_battery(tmp_path / "battery", (20, 16), (24, 20))


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"images": "last-2"},
        {"images": "first+last"},
        {"images": "collage"},
        {"memory_turns": 1},
        {"demonstration": True},
        {"conversation": "run"},
        {"observation": "text"},
        {"initial_idle_steps": "1"},
    ],
    ids=str,
)
def test_calls_and_images_are_those_of_a_run(choices, battery, tmp_path, httpserver, monkeypatch):
    bodies = []

    def serve(request):
        bodies.append(json.loads(request.data))
        return answer("Turn(6);")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(serve)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    predicted = estimate(Request(MODEL, battery, choices={**SMALL, **choices}))
    assert bodies == []
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    run(battery, tmp_path / "logs", MODEL, **SMALL, **choices)
    assert predicted.episodes == 4
    assert predicted.calls == len(bodies)
    assert predicted.images == sum(len(png_of(body)) for body in bodies)


def test_a_price_follows_from_tokens_and_an_unknown_one_is_unknown(battery, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text(f"{MODEL}: {{input: 1000000, output: 0}}\nlocal/model: {{input: 1, output: 1}}\n")
    known = estimate(Request(MODEL, battery, choices=SMALL), prices)
    assert known.cost == known.input_tokens
    assert known.input_tokens > known.images * 255
    assert estimate(Request("openai/nosuch", battery, choices=SMALL)).cost is None
    assert estimate(Request("local/model", battery, choices=SMALL), prices).cost is None
    words = estimate(Request("local/model", battery, choices={**SMALL, "observation": "text"}), prices)
    assert words.cost > 0


@pytest.mark.parametrize(
    ("model", "side", "tokens"),
    [
        ("openai/gpt-4o", 512, 255),
        ("openai/gpt-4o", 1024, 765),
        ("openai/gpt-4.1-mini", 1024, 1659),
        ("anthropic/claude-sonnet-4-0", 1000, 1334),
        ("google/gemini-2.5-pro", 384, 258),
        ("google/gemini-2.5-pro", 512, 1032),
        ("ollama/any", 512, None),
        ("openai/nosuch", 512, None),
    ],
)
def test_tokens_of_a_picture(model, side, tokens):
    assert image_tokens(model, side) == tokens


def test_the_command_says_unknown(battery):
    from typer.testing import CliRunner

    from arena_llm.cli import app

    said = CliRunner().invoke(
        app, ["estimate", "--model", "ollama/any", "--testbed", str(battery), "--turns", "2"]
    )
    assert said.exit_code == 0, said.output
    assert "unknown" in said.output
    assert "with 2 replies" in said.output
