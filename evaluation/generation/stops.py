"""Why a model stopped, where what came is no reply: it is never played, and its episode has no verdict."""

from collections.abc import Mapping
from typing import Any

OUTPUT_LIMIT = "output limit"
CONTEXT_LENGTH = "context length"
CONTENT_FILTER = "content filter"
REFUSAL = "refusal"

CAUSES: Mapping[str, str] = {
    OUTPUT_LIMIT: "the output limit, which cut off the reply",
    CONTEXT_LENGTH: "the model's context length, which the request exceeded",
    CONTENT_FILTER: "the provider's content filter",
    REFUSAL: "a refusal of the model",
}
"""What ended an episode, by the kind of stop."""

_REASONS = {"max_tokens": OUTPUT_LIMIT, "model_length": CONTEXT_LENGTH, "content_filter": CONTENT_FILTER}
"""The kinds by Inspect AI's stop reasons."""


def stop_of(output: Any) -> dict[str, Any] | None:
    """What a log keeps of a stop, `kind` and `said`; None for an output that is a reply."""
    message, details = output.message, output.choices[0].stop_details
    parts = message.content if not isinstance(message.content, str) else ()
    refused = any(getattr(part, "refusal", None) for part in parts)
    refused = refused or (details is not None and details.type == "refusal")
    kind = REFUSAL if refused else _REASONS.get(str(output.stop_reason))
    if kind is None:
        return None
    said = output.completion or (details.explanation if details else "") or ""
    return {"kind": kind, "said": " ".join(said.split())[:300]}
