"""What a run will ask of a provider, before anything is spent: an upper bound, by the protocol's limits."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.evaluate import Request
from evaluation.generation.image_rules import COLLAGE_PX, kept_images
from evaluation.generation.image_tokens import image_tokens
from evaluation.generation.prices import load_prices, price_of
from evaluation.models import full_name
from llm_control.choices import Protocol
from llm_control.conversation import opening
from llm_control.prompts import prompt_set

CHARACTERS_PER_TOKEN = 4
"""Of English text, by OpenAI's rule of thumb ("What are tokens and how to count them", help.openai.com)."""

TURN_TOKENS = 60
"""Of our message after a reply, pictures left out: its text has about 240 characters."""

REPLY_TOKENS = 80
"""Of a reply without reasoning: a thought of two sentences and three commands. Our assumption."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run asks for at most, if every episode needs `turns` replies; None is what is not known.

    `images` are counted as often as they are sent, `image_tokens` are those of one picture; `cost` is in US
    dollars, without the discounts of caches. Reasoning tokens are in `output_tokens` only where the protocol
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


def estimate(request: Request, prices: Path | None = None, turns: int | None = None) -> Estimate:
    """Predict a run; `turns` are the replies per episode, the protocol's limit where left out, 30 where none.

    A learned policy asks for nothing. Needs no key and asks nobody.
    Raises ConfigError as `evaluate` does, and EvaluationError for a model's name
    that cannot be read.
    """
    model = full_name(request.model)
    protocol = request.effective().protocol
    tasks = request.tasks()
    if protocol.acts:
        return Estimate(model, len(tasks) * protocol.trials, 0, 0, 0, 0, 0, 0, 0.0)
    together = len(tasks) if protocol.conversation == "run" else 1
    turns = turns or protocol.max_scripts or 30
    conversations = len(tasks) // together * protocol.trials
    opened = opening(protocol, prompt_set(request.prompt), together)
    text = sum(len(message.text) for message in opened) // CHARACTERS_PER_TOKEN
    shown = sum(1 for m in opened if not isinstance(m.content, str) for p in m.content if p.type == "image")
    calls = list(_calls(protocol, turns * together, turns, text, shown))
    images = conversations * sum(sent for sent, _ in calls)
    each = image_tokens(model, _side(protocol, turns * together)) if images else 0
    words = conversations * sum(tokens for _, tokens in calls)
    tokens_in = words + images * each if each is not None else None
    tokens_out = conversations * len(calls) * _reply(protocol)
    price = price_of(model, load_prices(prices))
    cost = price.of(tokens_in, tokens_out) if price and tokens_in is not None else None
    episodes = len(tasks) * protocol.trials
    return Estimate(
        model, episodes, turns, conversations * len(calls), images, each, tokens_in, tokens_out, cost
    )


def _calls(protocol: Protocol, calls: int, turns: int, text: int, shown: int) -> Iterator[tuple[int, int]]:
    """Pictures and tokens of text that are sent with each call of a conversation."""
    first = max(len(protocol.initial_idle_steps) - 1, 1) if protocol.shows_images else 0
    later = protocol.images_per_script if protocol.shows_images else 0
    for call in range(calls):
        back = call if protocol.memory_turns is None else min(call, protocol.memory_turns)
        begun = sum(1 for past in range(call - back, call + 1) if past % turns == 0)
        pictures = shown + begun * first + (back + 1 - begun) * later
        yield (
            len(kept_images(protocol.images, pictures)),
            text + (back + 1) * TURN_TOKENS + back * REPLY_TOKENS,
        )


def _side(protocol: Protocol, calls: int) -> int:
    """Pixels a side of the pictures that are sent; of a collage, when it is fullest."""
    if protocol.images != "collage":
        return protocol.image_size
    columns = math.ceil(math.sqrt(calls * protocol.images_per_script))
    return min(protocol.image_size * columns, COLLAGE_PX)


def _reply(protocol: Protocol) -> int:
    reply = REPLY_TOKENS + (protocol.reasoning_tokens or 0)
    return min(reply, protocol.max_tokens) if protocol.max_tokens is not None else reply
