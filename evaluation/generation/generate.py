"""Single requests to a model: parameters, and parameters that it refuses."""

import email.utils
import json
import os
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import Tool, ToolChoice, ToolInfo
from inspect_ai.util import LimitExceededError
from pydantic import ValidationError
from tenacity import RetryCallState, wait_exponential_jitter

from arena.errors import EvaluationError, first_line
from evaluation.choices.run_choices import RunChoices
from evaluation.generation.budget import admission
from evaluation.generation.journal import NotKept, RefusedBefore, digest, episode_replies
from evaluation.generation.memory import ImageBudget
from evaluation.generation.stops import FAILED, HOPELESS, FinalError, ProviderError, cause_of, status_of
from evaluation.inspect_task.interface import PARAMETERS, given_config, model_usage_cost, obeying
from evaluation.log.exchanges import parameters_in
from evaluation.suite import agent_seed
from evaluation.suites import suite_names

_REFUSABLE = ("temperature", "seed")
"""Parameters sent by default that a model may refuse. Refusing any other is an error."""


def generate_config(model: Model, choices: RunChoices, sample_id: str, trial: int) -> GenerateConfig:
    """Combine the parameters of a request. Offline agents also get the sample's seed. Options of Inspect AI's
    command are obeyed. Raises InspectUserError for one that contradicts a choice."""
    choices = obeying(choices)
    chosen = {parameter: getattr(choices, choice) for choice, parameter in PARAMETERS.items()}
    chosen["stop_seqs"] = list(choices.stop) if choices.stop else None
    if choices.reasoning_summary == "default":
        chosen["reasoning_summary"] = None
    config = GenerateConfig(**chosen)
    if str(model).partition("/")[0] in suite_names():
        given = given_config().seed
        config.seed = agent_seed(choices.seed if given is None else given, sample_id, trial)
    return config


async def generate(
    model: Model,
    messages: list[ChatMessage],
    tools: Sequence[Tool],
    config: GenerateConfig,
    images: ImageBudget,
) -> tuple[ModelOutput, GenerateConfig]:
    """Request one reply; return it with the parameters that the model accepted.

    A refused parameter is left out, and so are all pictures but the last if a server takes one only; the log
    notes both. Kept replies of an interrupted run cost nothing more.
    """
    guard(model)
    replies = episode_replies()
    while True:
        await admission().next()
        try:
            output = await model.generate(images.applied(messages), list(tools), config=config)
            if not replies.has_given(output):
                admission().paid(output.usage, aside=model.role is not None)
            return output, config
        except (LimitExceededError, FinalError):
            raise
        except Exception as error:
            if images.give_way(error):
                replies.refuse(error)
                continue
            refused = refused_parameter(error, config)
            if refused is None:
                kind = FinalError if status_of(error) in HOPELESS else ProviderError
                raise kind(f"the provider failed: {cause_of(error)}") from error
            replies.refuse(error)
            transcript().info({"left out": refused, "because": str(error)[:500]})
            config = config.model_copy(update={refused: None})


def refused_parameter(error: Exception, config: GenerateConfig) -> str | None:
    """Find our parameter that a provider's error refuses, if any."""
    if status_of(error) not in (400, 422):
        return None
    # Inspect appends the whole request to the text, and that names every parameter.
    text = cause_of(error).lower()
    named = [p for p in _REFUSABLE if p in text and getattr(config, p) is not None]
    return named[0] if named else None


FIRST_WAIT_S = 3.0
"""Seconds before the first retry, doubled for each further one (Inspect AI's)."""

LONGEST_WAIT_S = 600.0
"""Maximum wait in seconds for a server's `retry-after`."""


class BrokenReply(EvaluationError):
    """A provider's answer is unreadable; the model has said nothing playable."""


def guard(model: Model) -> None:
    """Make a provider count requests singly, hide keys, and store replies.

    Answers that cannot be read become `BrokenReply` and are requested again, as after a failed connection;
    what an earlier process was answered is not requested. Without effect the second time.
    """
    api: Any = model.api
    if getattr(api, "_arena_guarded", False):
        return
    api._arena_guarded = True
    generate, should_retry = api.generate, api.should_retry

    async def guarded(
        input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> Any:
        replies, request = episode_replies(), digest(str(model), input, tools)
        if (answer := replies.next(request)) is not None:
            return answer
        # The SDK's own retries would be missing in the log.
        if hasattr(getattr(api, "client", None), "max_retries"):
            api.client.max_retries = 0
        keys = secrets([getattr(api, "api_key", None)])
        try:
            result = _checked(await generate(input, tools, tool_choice, config), keys)
        except Exception as error:
            redact_error(error, keys)
            because = first_line(error)[:300]
            transcript().info({FAILED: type(error).__name__, "because": because}, source="arena_llm")
            if _unreadable(error):
                raise BrokenReply(f"the provider's answer cannot be read: {because}") from None
            raise
        output, call = result if isinstance(result, tuple) else (result, None)
        if not isinstance(output, Exception):
            _price(model, output)
            sent = None if call is None else parameters_in(call.request)
            replies.keep(request, output, sent, model.role)
        return result

    def retried(error: Exception) -> Any:
        ours = isinstance(error, NotKept | RefusedBefore)
        return not ours and (isinstance(error, BrokenReply) or should_retry(error))

    api.generate, api.should_retry = guarded, retried
    api.retry_wait = lambda: _wait


def _price(model: Model, output: ModelOutput) -> None:
    """Add a reply's price to its usage, as Inspect AI does afterwards."""
    if output.usage is not None:
        output.usage.total_cost = model_usage_cost(model, output.usage, output)


def _checked(result: Any, keys: tuple[str, ...]) -> Any:
    """Return a provider's result without keys; raise its errors."""
    output, *rest = result if isinstance(result, tuple) else (result,)
    for call in rest:
        for name in ("request", "response", "error"):
            if getattr(call, name, None) is not None:
                setattr(call, name, without_secrets(getattr(call, name), keys))
    if isinstance(output, Exception):
        redact_error(output, keys)
    elif not output.choices or any(map(_without_candidates, rest)):
        raise BrokenReply("the answer has no message")
    else:
        output = ModelOutput.model_validate(without_secrets(output.model_dump(), keys)) if keys else output
    return (output, *rest) if isinstance(result, tuple) else output


def _without_candidates(call: Any) -> bool:
    """Return whether Google answered with neither message nor reason. Inspect AI makes a text of that."""
    response = call.response or {}
    return "contents" in call.request and not (response.get("candidates") or response.get("promptFeedback"))


def _unreadable(error: Exception) -> bool:
    """Return whether the provider's code failed to read an answer. Such as broken JSON, or missing parts."""
    slips = (AssertionError, AttributeError, KeyError, IndexError, TypeError)
    stumbles = (json.JSONDecodeError, ValidationError, *slips)
    return isinstance(error, stumbles) or type(error).__name__ == "APIResponseValidationError"


def _wait(retry_state: RetryCallState) -> float:
    """Wait as long as the server asks, otherwise exponentially longer."""
    asked = retry_after(retry_state.outcome.exception() if retry_state.outcome else None)
    if asked is not None:
        return min(asked, LONGEST_WAIT_S)
    return wait_exponential_jitter(initial=FIRST_WAIT_S, max=LONGEST_WAIT_S, jitter=FIRST_WAIT_S)(retry_state)


def retry_after(error: BaseException | None) -> float | None:
    """Read the wait in seconds from an error's answer, if any. RFC 9110, 10.2.3."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = str(headers.get("retry-after") or "") if headers is not None else ""
    try:
        return max(float(value), 0.0)
    except ValueError:
        date = email.utils.parsedate_tz(value)
        return max(email.utils.mktime_tz(date) - time.time(), 0.0) if date else None


_NAMES = re.compile(r"(?i)(?:^|_)(?:key|token|secret|password)$")
"""Ends of environment variables' names that hold keys."""

_SHORTEST = 8
"""Minimum characters of a key. Shorter values, such as `none`, would remove ordinary words."""

PLACEHOLDER = "[key]"
"""Placeholder of a key."""


def secrets(more: Iterable[object] = ()) -> tuple[str, ...]:
    """List the keys in the environment and among `more`, the longest first."""
    found = {value for name, value in os.environ.items() if _NAMES.search(name)}
    found |= {value for value in more if isinstance(value, str)}
    return tuple(sorted((value for value in found if len(value) >= _SHORTEST), key=len, reverse=True))


def without_secrets(value: Any, keys: tuple[str, ...]) -> Any:
    """Remove keys from strings, bytes, lists and dicts; other values stay."""
    if isinstance(value, str):
        for key in keys:
            value = value.replace(key, PLACEHOLDER)
        return value
    if isinstance(value, bytes):
        for key in keys:
            value = value.replace(key.encode(), PLACEHOLDER.encode())
        return value
    if isinstance(value, dict):
        return {k: without_secrets(v, keys) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(without_secrets(v, keys) for v in value) if type(value) in (list, tuple) else value
    return value


def redact_error(error: BaseException, keys: tuple[str, ...]) -> None:
    """Remove keys from an error in place, with its causes and answer."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.args = without_secrets(each.args, keys)
        for name, value in vars(each).items():
            setattr(each, name, without_secrets(value, keys))
        answer = getattr(each, "response", None)
        if isinstance(content := getattr(answer, "_content", None), bytes):
            answer._content = without_secrets(content, keys)  # type: ignore[union-attr]
        pending += [each.__cause__, each.__context__]
