"""One question to a model: with which parameters, and what happens when it refuses one."""

from collections.abc import Sequence

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import Tool

from evaluation.generation.budget import purse
from evaluation.generation.image_budget import ImageBudget
from llm_control.agents.provider import agent_seed
from llm_control.choices import Protocol

_REFUSABLE = ("temperature", "seed")
"""Parameters that we send and that a model may not take; what else a protocol sets is an error there."""


def generate_config(model: Model, protocol: Protocol, sample_id: str, trial: int) -> GenerateConfig:
    """The parameters of a protocol; the offline agents get a seed for the sample besides."""
    config = GenerateConfig(
        temperature=protocol.temperature,
        max_tokens=protocol.max_tokens,
        reasoning_effort=protocol.reasoning_effort,
        reasoning_tokens=protocol.reasoning_tokens,
        max_retries=protocol.retries,
        attempt_timeout=protocol.reply_timeout,
    )
    if str(model.name).startswith(("random", "pixels")):
        config.seed = agent_seed(protocol.seed, sample_id, trial)
    return config


async def ask(
    model: Model,
    messages: list[ChatMessage],
    tools: Sequence[Tool],
    config: GenerateConfig,
    images: ImageBudget,
) -> tuple[ModelOutput, GenerateConfig]:
    """One reply, and the parameters that the model took.

    A parameter that the model refuses is left out, and so are all pictures but the last where a server takes
    one only; the log says so.
    """
    while True:
        try:
            output = await model.generate(images.applied(messages), list(tools), config=config)
            purse().spend(output.usage)
            return output, config
        except Exception as error:
            if images.give_way(error):
                continue
            refused = refused_parameter(error, config)
            if refused is None:
                raise
            transcript().info({"left out": refused, "because": str(error)[:500]})
            config = config.model_copy(update={refused: None})


def refused_parameter(error: Exception, config: GenerateConfig) -> str | None:
    """Which of our parameters a provider's error refuses, if it is that kind of error."""
    cause = error
    while cause.__cause__ is not None and _status(cause) is None:
        cause = cause.__cause__  # type: ignore[assignment]
    if _status(cause) not in (400, 422):
        return None
    # Inspect appends the whole request to the text, and that names every parameter.
    text = str(getattr(cause, "provider_message", None) or getattr(cause, "message", None) or cause).lower()
    named = [p for p in _REFUSABLE if p in text and getattr(config, p) is not None]
    return named[0] if named else None


def _status(error: BaseException) -> object:
    """The HTTP status that a provider's SDK puts on its errors; Inspect may wrap them in its own."""
    return getattr(error, "status_code", None) or getattr(error, "code", None)
