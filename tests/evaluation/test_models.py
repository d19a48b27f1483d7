import pytest

from arena import EvaluationError
from evaluation.request import model_name
from tests.llm_control.batteries import ARENA


@pytest.mark.parametrize(
    ("given", "key", "full"),
    [
        ("gpt-4o", "OPENAI_API_KEY", "openai/gpt-4o"),
        ("o3-mini", "OPENAI_API_KEY", "openai/o3-mini"),
        ("claude-x", "ANTHROPIC_API_KEY", "anthropic/claude-x"),
        ("gemini-x", "GOOGLE_API_KEY", "google/gemini-x"),
        ("openai/any", "OPENAI_API_KEY", "openai/any"),
        ("arena/pixels", None, "arena/pixels"),
        ("ollama/any", None, "ollama/any"),
    ],
)
def test_names_map_to_providers(given, key, full, monkeypatch):
    if key:
        monkeypatch.setenv(key, "k")
    assert model_name(ARENA, given) == full


@pytest.mark.parametrize(
    ("given", "key"),
    [("gpt-4o", "OPENAI_API_KEY"), ("claude-x", "ANTHROPIC_API_KEY"), ("gemini-x", "GOOGLE_API_KEY")],
)
def test_a_missing_key_is_named(given, key, monkeypatch):
    for name in (
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EvaluationError, match=f"set {key}"):
        model_name(ARENA, given)


@pytest.mark.parametrize("given", ["frob", "", "/x", "x/", "arena/other"])
def test_an_unknown_model_says_how_to_write_one(given):
    with pytest.raises(EvaluationError, match=r"arena/pixels"):
        model_name(ARENA, given)
