"""A local server that speaks OpenAI's wire format, for tests of what happens when it does not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug import Request, Response

Serve = Callable[[Request], Response]

MODEL = "openai/gpt-4o"


def answer(text: str | None, tokens: int = 2, finish_reason: str = "stop", **message: object) -> Response:
    """A whole reply, with a usage of that number of tokens."""
    said = {"role": "assistant", "content": text, **message}
    body = {
        **{"id": "c1", "object": "chat.completion", "created": 1, "model": "some-model-2"},
        "choices": [{"index": 0, "message": said, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": tokens - 1, "completion_tokens": 1, "total_tokens": tokens},
    }
    return Response(json.dumps(body), content_type="application/json")


def failure(status: int, text: str = "no", code: str | None = None, **headers: str) -> Response:
    """An error as OpenAI sends it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"error": {"message": text, "type": "error", "code": code}})
    return Response(body, status, headers=named, content_type="application/json")


@pytest.fixture
def openai(httpserver, monkeypatch) -> Callable[[Serve], None]:
    """Lets a function answer the requests of all models of OpenAI."""
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    return httpserver.expect_request("/v1/chat/completions").respond_with_handler


@pytest.fixture
def prices(tmp_path) -> Path:
    """A dollar per million tokens, so that a reply of 1000 tokens costs a tenth of a cent."""
    path = tmp_path / "prices.yaml"
    path.write_text(f"{MODEL}: {{input: 1, output: 1}}\n")
    return path


@pytest.fixture
def bodies_of(openai) -> Callable[[Callable[[list[dict]], Response]], list[dict]]:
    """The bodies of the requests, each of which a function of all until then answers."""

    def begin(reply: Callable[[list[dict]], Response]) -> list[dict]:
        bodies: list[dict] = []

        def serve(request: Request) -> Response:
            bodies.append(request.get_json())
            return reply(bodies)

        openai(serve)
        return bodies

    return begin
