"""Stop reasons of models, and errors that make restarts useless."""

from collections.abc import Mapping
from typing import Any

from arena.errors import EvaluationError

OUTPUT_LIMIT = "output limit"
CONTEXT_LENGTH = "context length"
CONTENT_FILTER = "content filter"
REFUSAL = "refusal"
ABANDONED = "abandoned"

CAUSES: Mapping[str, str] = {
    OUTPUT_LIMIT: "the output limit, which cut off the reply",
    CONTEXT_LENGTH: "the model's context length, which the request exceeded",
    CONTENT_FILTER: "the provider's content filter",
    REFUSAL: "a refusal of the model",
    ABANDONED: "its agent, which did not play it to its end",
}
"""Reason of an episode's end, by the kind of stop."""

_REASONS = {"max_tokens": OUTPUT_LIMIT, "model_length": CONTEXT_LENGTH, "content_filter": CONTENT_FILTER}
"""Kinds of stops by Inspect AI's stop reasons."""


def stop_of(output: Any) -> dict[str, Any] | None:
    """Describe a stop for the log, as `kind` and `said`. None for a reply."""
    message, details = output.message, output.choices[0].stop_details
    parts = message.content if not isinstance(message.content, str) else ()
    refused = any(getattr(part, "refusal", None) for part in parts)
    refused = refused or (details is not None and details.type == "refusal")
    kind = REFUSAL if refused else _REASONS.get(str(output.stop_reason))
    if kind is None:
        return None
    said = output.completion or (details.explanation if details else "") or ""
    return {"kind": kind, "said": " ".join(said.split())[:300]}


FAILED = "attempt failed"
"""Log key of a failed request."""

HOPELESS = frozenset({400, 401, 402, 403, 404, 405, 413, 415, 422})
"""HTTP statuses of requests that would fail again (RFC 9110, 15.5)."""

_met: dict[str, tuple["FinalError", list[Any]]] = {}
"""Errors and earlier messages by sample uuid, which survives restarts."""


class ProviderError(EvaluationError):
    """A provider failed more often than requests are retried."""


class FinalError(EvaluationError):
    """A restart of the trial would end in the same error."""


def remember(state: Any, error: FinalError) -> None:
    """Make Inspect's restart of a sample end at once. `state` is its TaskState."""
    _met[state.uuid] = error, state.messages


def refuse_restart(state: Any) -> None:
    """Raise a sample's final error again, if any; its messages are kept."""
    if state.uuid in _met:
        error, state.messages = _met[state.uuid]
        raise error


def status_of(error: BaseException) -> Any:
    """Find the HTTP status behind an error, which Inspect may have wrapped."""
    cause: BaseException | None = error
    while cause is not None:
        status = getattr(cause, "status_code", None) or getattr(cause, "code", None)
        if status is not None:
            return status
        cause = cause.__cause__
    return None


def cause_of(error: BaseException) -> str:
    """Quote the provider's innermost error in one line, without the request."""
    while error.__cause__ is not None:
        error = error.__cause__
    said = getattr(error, "provider_message", None) or getattr(error, "message", None) or str(error)
    lines = [line.strip() for line in str(said).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300]
