"""What a run will ask of a provider, before anything is spent: an upper bound, by the protocol's limits."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.choices.run_choices import Bounds, RunChoices
from evaluation.generation.image_rules import COLLAGE_PX, kept_images
from evaluation.generation.image_tokens import image_tokens
from evaluation.generation.prices import load_prices, price_of
from evaluation.models import full_name
from evaluation.request import EvalRequest

CHARACTERS_PER_TOKEN = 4
"""Of English text, by OpenAI's rule of thumb ("What are tokens and how to count them", help.openai.com)."""

REPLY_TOKENS = 80
"""Of a reply without reasoning: a thought of two sentences and three commands. Our assumption."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run asks for at most, if every episode needs `turns` replies; None means unknown.

    `images` are counted as often as they are sent, `image_tokens` are those of one picture; `cost` is in US
    dollars, without the discounts of caches. Reasoning tokens are in `output_tokens` only if the choices
    limit them.
    """

    model: str
    episodes: int
    turns: int
    calls: int
    images: int
    image_tokens: int | None
    input_tokens: int | None
    output_tokens: int
    cost: float | None


def estimate(request: EvalRequest, prices: Path | None = None, turns: int | None = None) -> Estimate:
    """Predict a run; `turns` are the replies per episode (default: the maximum of the choices, or 30).

    An agent that plays by itself makes no calls. Needs no key and makes no API calls. Raises ConfigError as
    `evaluate` does, and EvaluationError for a model's name that cannot be read.
    """
    model = full_name(request.suite, request.model)
    choices, tasks = request.effective.choices, request.tasks
    episodes = len(tasks) * choices.trials
    if choices.acts:
        return Estimate(model, episodes, 0, 0, 0, 0, 0, 0, 0.0)
    bounds = choices.bounds()
    together = len(tasks) if choices.conversation == "run" else 1
    turns = turns or bounds.replies or 30
    conversations = len(tasks) // together * choices.trials
    opened = request.suite.opening(choices, request.prompts, together)
    text = sum(len(message.text) for message in opened) // CHARACTERS_PER_TOKEN
    shown = sum(1 for m in opened if not isinstance(m.content, str) for p in m.content if p.type == "image")
    calls = list(_calls(choices, bounds, turns * together, turns, text, shown))
    images = conversations * sum(sent for sent, _ in calls)
    each = image_tokens(model, _side(choices, bounds, turns * together)) if images else 0
    words = conversations * sum(tokens for _, tokens in calls)
    tokens_in = words + images * each if each is not None else None
    tokens_out = conversations * len(calls) * _reply(choices)
    price = price_of(model, load_prices(prices))
    cost = price.of(tokens_in, tokens_out) if price and tokens_in is not None else None
    count = conversations * len(calls)
    return Estimate(model, episodes, turns, count, images, each, tokens_in, tokens_out, cost)


def _calls(
    choices: RunChoices, bounds: Bounds, calls: int, turns: int, text: int, shown: int
) -> Iterator[tuple[int, int]]:
    """Pictures and tokens of text that are sent with each call of a conversation."""
    for call in range(calls):
        back = call if choices.memory_turns is None else min(call, choices.memory_turns)
        begun = sum(1 for past in range(call - back, call + 1) if past % turns == 0)
        pictures = shown + begun * bounds.first_images + (back + 1 - begun) * bounds.images
        yield (
            len(kept_images(choices.images, pictures)),
            text + (back + 1) * bounds.turn_tokens + back * REPLY_TOKENS,
        )


def _side(choices: RunChoices, bounds: Bounds, calls: int) -> int:
    """Pixels a side of the pictures that are sent; of a collage, when it is fullest."""
    if choices.images != "collage":
        return bounds.image_px
    columns = math.ceil(math.sqrt(calls * bounds.images))
    return min(bounds.image_px * columns, COLLAGE_PX)


def _reply(choices: RunChoices) -> int:
    reply = REPLY_TOKENS + (choices.reasoning_tokens or 0)
    return min(reply, choices.max_tokens) if choices.max_tokens is not None else reply
