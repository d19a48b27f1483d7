"""One request to a model: with which parameters, and what happens if it refuses one."""

from collections.abc import Sequence

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import Tool
from inspect_ai.util import LimitExceededError

from evaluation.choices.run_choices import RunChoices
from evaluation.generation.budget import admission
from evaluation.generation.faults import guard
from evaluation.generation.journal import episode_replies
from evaluation.generation.memory import ImageBudget
from evaluation.generation.stops import HOPELESS, FinalError, ProviderError, cause_of, status_of
from evaluation.inspect_task.inspect_options import obeying
from evaluation.inspect_task.interface import given_config
from evaluation.suite import agent_seed
from evaluation.suites import suite_names

_REFUSABLE = ("temperature", "seed")
"""Parameters that we send and that a model may not take; any other that a user sets is an error there."""


def generate_config(model: Model, choices: RunChoices, sample_id: str, trial: int) -> GenerateConfig:
    """The parameters of a request; the offline agents get a seed for the sample besides.

    Options of Inspect AI's command are obeyed. Raises InspectUserError for one that contradicts a choice.
    """
    choices = obeying(choices)
    summary = None if choices.reasoning_summary == "default" else choices.reasoning_summary
    config = GenerateConfig(
        temperature=choices.temperature,
        max_tokens=choices.max_tokens,
        stop_seqs=list(choices.stop) if choices.stop else None,
        reasoning_effort=choices.reasoning_effort,
        reasoning_tokens=choices.reasoning_tokens,
        reasoning_summary=summary,
        max_retries=choices.retries,
        attempt_timeout=choices.reply_timeout,
    )
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
    """One reply, and the parameters that the model took.

    A parameter that the model refuses is left out, and so are all pictures but the last where a server takes
    one only; the log says so. Kept replies of an interrupted run cost nothing more.
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
    """Which of our parameters a provider's error refuses, if it is that kind of error."""
    if status_of(error) not in (400, 422):
        return None
    # Inspect appends the whole request to the text, and that names every parameter.
    text = cause_of(error).lower()
    named = [p for p in _REFUSABLE if p in text and getattr(config, p) is not None]
    return named[0] if named else None
