"""From the name that a user gives to a model of Inspect AI, or to an agent of a suite."""

import os
import re
from typing import Any

from arena.errors import EvaluationError
from evaluation.capabilities import by_name, is_kind, player
from evaluation.scale.references import agent_names
from evaluation.suite import Player, Suite

_FAMILIES = (
    (re.compile(r"gpt-|chatgpt-|o\d"), "openai"),
    (re.compile(r"claude-"), "anthropic"),
    (re.compile(r"gemini-"), "google"),
)
"""Bare names that begin so belong to that provider; the ids themselves are never listed."""

_KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
"""Where each provider's key is looked for; one of them is enough."""


def model_name(suite: Suite, name: str) -> str:
    """The `provider/model` of Inspect for what the user wrote.

    Raises EvaluationError if the provider cannot be inferred, or its key is not set.
    """
    full = full_name(suite, name)
    keys = _KEYS.get(full.partition("/")[0], ())
    if keys and not any(os.environ.get(key) for key in keys):
        raise EvaluationError(f"{full} needs a key: set {keys[0]}, for example: export {keys[0]}=...")
    return full


def full_name(suite: Suite, name: str) -> str:
    """The same without a look at the key. Raises EvaluationError if the provider cannot be inferred."""
    if (own := _short(suite, name)) is not None:
        return own
    provider, slash, model = name.partition("/")
    if not slash:
        provider = next((p for pattern, p in _FAMILIES if pattern.match(name)), "")
        model = name
    if not provider or not model:
        raise EvaluationError(
            f"unknown model {name!r}: write provider/model as Inspect AI does, such as openai/NAME, "
            f"or use an offline agent: {_offline(suite)}"
        )
    full = f"{provider}/{model}"
    if provider == suite.name and not _is_agent(suite, model):
        raise EvaluationError(f"unknown agent {full!r}: the offline agents are {_offline(suite)}")
    return full


def _short(suite: Suite, name: str) -> str | None:
    """What `policy:FILE` stands for if the suite has agents of that kind; None for other names."""
    kind, _, rest = name.partition(":")
    known = rest and "/" not in kind and any(is_kind(each, kind) for each in agent_names(suite))
    return f"{suite.name}/{kind}/{rest}" if known else None


def _is_agent(suite: Suite, name: str) -> bool:
    """Whether a name is that of an agent; in `replay/FOLDER` anything may stand for the word in capitals."""
    return by_name(dict.fromkeys(agent_names(suite), True), name) is not None


def _offline(suite: Suite) -> str:
    return ", ".join(f"{suite.name}/{agent}" for agent in agent_names(suite))


def player_of(suite: Suite, model: str, choices: Any) -> Player | None:
    """The agent of a full name that plays whole episodes by itself; None for models that are asked.

    Raises EvaluationError as `player` does, and if the choices are for another kind.
    """
    provider, _, name = model.partition("/")
    found = player(suite, name) if provider == suite.name else None
    if provider == suite.name and choices.agent != "direct":
        raise EvaluationError(f"{model}: it is no language model; agent = {choices.agent} is for those only")
    if found is None and choices.acts:
        raise EvaluationError(
            f"{model}: replies = steps is for agents that play whole episodes by themselves"
        )
    if found is not None and not choices.acts:
        raise EvaluationError(
            f"{model}: it plays whole episodes and writes no replies; use arena-llm eval or -T replies=steps"
        )
    return found
