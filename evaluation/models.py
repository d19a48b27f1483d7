"""From the name that a user gives to a model of Inspect AI."""

import os
import re
from pathlib import Path

from arena.errors import EvaluationError

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

OFFLINE = ("arena/pixels", "arena/random", "arena/oracle", "arena/replay/FOLDER", "policy:FILE")
"""Agents that need no key and no network; the last two play recordings of a folder, and a learned policy."""


_POLICY, _POLICY_PROVIDER = "policy:", "arena/policy/"
"""What the name of a learned policy begins with: as a user writes it, and as a model of Inspect."""


def policy_file(name: str) -> Path | None:
    """The file of a learned policy, by its name in either form; None for anything else."""
    for begin in (_POLICY, _POLICY_PROVIDER):
        if name.startswith(begin) and name != begin:
            return Path(name.removeprefix(begin))
    return None


def model_name(name: str) -> str:
    """The `provider/model` of Inspect for what the user wrote.

    Raises EvaluationError where the provider cannot be told, or its key is not set.
    """
    full = full_name(name)
    keys = _KEYS.get(full.partition("/")[0], ())
    if keys and not any(os.environ.get(key) for key in keys):
        raise EvaluationError(f"{full} needs a key: set {keys[0]}, for example: export {keys[0]}=...")
    return full


def full_name(name: str) -> str:
    """The same without a look at the key. Raises EvaluationError where the provider cannot be told."""
    if (file := policy_file(name)) is not None:
        return f"{_POLICY_PROVIDER}{file}"
    provider, slash, model = name.partition("/")
    if not slash:
        provider = next((p for pattern, p in _FAMILIES if pattern.match(name)), "")
        model = name
    if not provider or not model:
        raise EvaluationError(
            f"unknown model {name!r}: write provider/model as Inspect AI does, such as openai/NAME, "
            f"or use an offline agent: {', '.join(OFFLINE)}"
        )
    full = f"{provider}/{model}"
    if provider == "arena" and full not in OFFLINE and not model.startswith("replay/"):
        raise EvaluationError(f"unknown agent {full!r}: the offline agents are {', '.join(OFFLINE)}")
    return full
