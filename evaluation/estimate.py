"""Predicted requests of a run, before anything is spent."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from evaluation.agents.agents import CHARACTERS_PER_TOKEN, asides, note_tokens, opening
from evaluation.choices.run_choices import COLLAGE_PX, Bounds, RunChoices, kept_images
from evaluation.generation.prices import load_prices, price_of
from evaluation.log.run import CONVERSATION
from evaluation.request import EvalRequest, full_name

REPLY_TOKENS = 80
"""Tokens of a reply without reasoning: two sentences of thought, three commands. Our assumption."""

SHORTEST_CACHED = 1024
"""Minimum tokens of a cached prefix (OpenAI's and Anthropic's caching guides)."""


class Estimate(NamedTuple):
    """Requests of a run in which episodes use all replies. None means unknown.

    `replies` is the maximum of any episode; `assumed` marks a number given by the user, otherwise they follow
    from the choices, and no episode can need more. `images` are counted as often as they are sent,
    `image_tokens` are those of one picture; `most_images` are those of the largest request. `cost` is in US
    dollars; `cached_cost` is the cost if the repeated part of each request is read from a cache. Reasoning
    tokens are in `output_tokens` only if the choices limit them.
    """

    model: str
    episodes: int
    replies: int
    assumed: bool
    calls: int
    images: int
    most_images: int
    image_tokens: int | None
    input_tokens: int | None
    output_tokens: int
    cost: float | None
    cached_cost: float | None


class _Call(NamedTuple):
    """Request: pictures, tokens of text and answer, and the repeated part."""

    images: int
    tokens: int
    output: int
    repeated_images: int = 0
    repeated_tokens: int = 0


def estimate(request: EvalRequest, prices: Path | None = None, turns: int | None = None) -> Estimate | None:
    """Predict a run; `turns` are the replies per episode (default: maximum).

    None if the replies of an episode are unbounded and `turns` are not given. An agent that plays by itself
    makes no calls. Needs no key and makes no API calls. Raises ConfigError as `evaluate` does, and
    EvaluationError for a model's name that cannot be read.
    """
    model = full_name(request.suite, request.model)
    choices = request.effective.choices
    episodes = len(request.tasks) * choices.trials
    if choices.acts:
        return Estimate(model, episodes, 0, False, 0, 0, 0, 0, 0, 0, 0.0, 0.0)
    samples = _samples(request, turns)
    if samples is None:
        return None
    conversations = _conversations(request, samples)
    times = Counter(samples.values())
    calls = [call for each in times for call in conversations[each] * (times[each] * choices.trials)]
    images = sum(call.images for call in calls)
    each = _image_tokens(model, choices, conversations)
    out = sum(call.output for call in calls)
    tokens, cost, cached_cost = None, None, None
    if each is not None:
        tokens = sum(call.tokens + call.images * each for call in calls)
        repeated = [call.repeated_tokens + call.repeated_images * each for call in calls]
        cached = sum(tokens for tokens in repeated if tokens >= SHORTEST_CACHED)
        price = price_of(model, load_prices(prices))
        cost = price.of(tokens, out) if price else None
        cached_cost = price.of(tokens, out, cached) if price and price.cache_read is not None else None
    return Estimate(
        model=model,
        episodes=episodes,
        replies=max(map(max, samples.values())),
        assumed=turns is not None,
        calls=len(calls),
        images=images,
        most_images=max(call.images for call in calls),
        image_tokens=each,
        input_tokens=tokens,
        output_tokens=out,
        cost=cost,
        cached_cost=cached_cost,
    )


def sample_prices(request: EvalRequest, prices: Path | None = None) -> dict[str, list[float]]:
    """Predict the price of each sample's requests, in US dollars. Empty if unknown. The samples are by id.
    Raises as `estimate`."""
    model, choices = full_name(request.suite, request.model), request.effective.choices
    price, samples = price_of(model, load_prices(prices)), _samples(request, None)
    if price is None or samples is None or choices.acts:
        return {}
    conversations = _conversations(request, samples)
    each = _image_tokens(model, choices, conversations)
    if each is None:
        return {}
    costs = {
        replies: [price.of(call.tokens + call.images * each, call.output) for call in calls]
        for replies, calls in conversations.items()
    }
    return {sample: costs[replies] for sample, replies in samples.items()}


def _samples(request: EvalRequest, turns: int | None) -> dict[str, tuple[int, ...]] | None:
    """Count each sample's maximum replies per episode, by id; None if unbounded."""
    choices = request.effective.choices
    replies = {task.id: turns or choices.bounds(task.content).replies for task in request.tasks}
    known = {task_id: each for task_id, each in replies.items() if each is not None}
    if len(known) < len(replies):
        return None
    if choices.conversation == "run":
        return {CONVERSATION: tuple(known.values())}
    return {task_id: (each,) for task_id, each in known.items()}


def _conversations(
    request: EvalRequest, samples: Mapping[str, tuple[int, ...]]
) -> dict[tuple[int, ...], list[_Call]]:
    """List the requests of each kind of sample, by its episodes' replies."""
    choices = request.effective.choices
    opened = opening(request.suite, choices, request.prompts, len(next(iter(samples.values()))))
    text = sum(len(message.text) for message in opened) // CHARACTERS_PER_TOKEN
    shown = sum(1 for m in opened if not isinstance(m.content, str) for p in m.content if p.type == "image")
    bounds = choices.bounds()
    return {each: list(_calls(choices, bounds, each, text, shown)) for each in set(samples.values())}


def _image_tokens(
    model: str, choices: RunChoices, conversations: Mapping[tuple[int, ...], list[_Call]]
) -> int | None:
    """Count tokens per picture, or full collage. 0 without pictures, None if unknown."""
    if not any(call.images for calls in conversations.values() for call in calls):
        return 0
    bounds = choices.bounds()
    height, width = bounds.image_px, bounds.image_width or bounds.image_px
    if choices.images == "collage":
        columns = math.ceil(math.sqrt(max(map(sum, conversations)) * bounds.images))
        height = width = min(bounds.image_px * columns, COLLAGE_PX)
    return image_tokens(model, height, width, choices.image_detail)


def _calls(
    choices: RunChoices, bounds: Bounds, replies: tuple[int, ...], text: int, shown: int
) -> Iterator[_Call]:
    """Yield the requests of a conversation over episodes with these replies."""
    begins = {sum(replies[:place]) for place in range(len(replies))}
    so_far = [0]
    for number in range(sum(replies)):
        so_far.append(so_far[-1] + (bounds.first_images if number in begins else bounds.images))
    whole = choices.images == "all" and not choices.memory and not asides(choices, 1)
    most = _turns_sent_again(choices, bounds)
    text += note_tokens(choices)
    told = _told(choices, bounds)
    before = _Call(0, 0, 0)
    for number in range(sum(replies)):
        for answer in asides(choices, number):
            pictures = shown + so_far[number + 1] - so_far[number]
            tokens = text + bounds.turn_tokens
            yield _Call(_sent(choices, pictures), tokens, _limited(choices, answer or REPLY_TOKENS))
        back = int(min(number, most))
        pictures = shown + so_far[number + 1] - so_far[number if told is not None else number - back]
        earlier = bounds.turn_tokens if told is None else told
        tokens = text + bounds.turn_tokens + back * (earlier + REPLY_TOKENS)
        if told is not None and 0 < back == number:
            # The first observation is not replaced.
            pictures, tokens = pictures + so_far[1], tokens + bounds.turn_tokens - told
        repeated = (before.images, before.tokens) if whole else (0, 0)
        before = _Call(_sent(choices, pictures), tokens, _limited(choices, REPLY_TOKENS), *repeated)
        yield before


def _turns_sent_again(choices: RunChoices, bounds: Bounds) -> float:
    """Maximum earlier turns of a request of assumed lengths; infinite if unlimited."""
    turns = math.inf if choices.memory_turns is None else choices.memory_turns
    if choices.memory_characters is None:
        return turns
    told = _told(choices, bounds)
    turn = ((bounds.turn_tokens if told is None else told) + REPLY_TOKENS) * CHARACTERS_PER_TOKEN
    return min(turns, choices.memory_characters // turn)


def _told(choices: RunChoices, bounds: Bounds) -> int | None:
    """Tokens of an earlier observation's line; None if sent whole."""
    return bounds.told_tokens if choices.short_turns else None


def _sent(choices: RunChoices, pictures: int) -> int:
    return len(kept_images(choices.images, pictures)) if choices.images != "all" else pictures


def _limited(choices: RunChoices, answer: int) -> int:
    """Tokens of the answer, with reasoning if the choices limit that."""
    tokens = answer + (choices.reasoning_tokens or 0)
    return min(tokens, choices.max_tokens) if choices.max_tokens is not None else tokens


NOTE = (
    "Tokens per picture follow the providers' rules as of 2025, not verified; they are in "
    "evaluation/estimate.py."
)
"""Note on every figure that rests on these rules."""

_OPENAI_TILES = (
    ("gpt-4o-mini", 2833, 5667),
    ("gpt-4o", 85, 170),
    ("gpt-4.1", 85, 170),
    ("gpt-5", 70, 140),
    ("o1", 75, 150),
    ("o3", 75, 150),
)
"""Model, tokens of a picture, tokens of each tile of 512 pixels."""

_OPENAI_PATCHES = (
    ("gpt-5-mini", 1.62),
    ("gpt-5-nano", 2.46),
    ("gpt-4.1-mini", 1.62),
    ("gpt-4.1-nano", 2.46),
    ("o4-mini", 1.72),
)
"""Model, and tokens of each patch of 32 pixels (at most 1536)."""

_DATED = re.compile(r"(-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest|preview.*))?")
"""Suffix of a dated model name."""

_CLAUDE = re.compile(r"claude-(3-|(sonnet|opus|haiku)-4(-[0-6])?(-\d{8})?$)")
"""Up to 4.6; later models see larger pictures."""

_CLAUDE_MOST = 1600
"""Maximum picture tokens. Larger pictures, or of more than 1568 pixels a side, are shrunk before counting."""


def image_tokens(model: str, height: int, width: int | None = None, detail: str = "auto") -> int | None:
    """Count a picture's tokens for provider/model; None if unknown. Sides are in pixels, at most 2048
    (default: a square). With the `detail` low, OpenAI's tiles are left out."""
    provider, _, name = model.partition("/")
    rules: dict[str, Callable[[str, int, int, str], int | None]] = {
        "openai": _openai,
        "anthropic": _anthropic,
        "google": _google,
        "arena": lambda name, height, width, detail: 0,
    }
    return rules[provider](name, height, width or height, detail) if provider in rules else None


def _is_version(name: str, known: str) -> bool:
    """Return whether a model is a known one, perhaps dated or numbered."""
    return name.startswith(known) and bool(_DATED.fullmatch(name.removeprefix(known)))


def _openai(name: str, height: int, width: int, detail: str) -> int | None:
    for known, factor in _OPENAI_PATCHES:
        if _is_version(name, known):
            return math.ceil(min(math.ceil(height / 32) * math.ceil(width / 32), 1536) * factor)
    scale = min(1, 768 / min(height, width))
    tiles = math.ceil(height * scale / 512) * math.ceil(width * scale / 512)
    for known, base, tile in _OPENAI_TILES:
        if _is_version(name, known):
            return base + (tile * tiles if detail != "low" else 0)
    return None


def _anthropic(name: str, height: int, width: int, detail: str) -> int | None:
    return min(math.ceil(height * width / 750), _CLAUDE_MOST) if _CLAUDE.match(name) else None


def _google(name: str, height: int, width: int, detail: str) -> int | None:
    if not name.startswith(("gemini-1", "gemini-2")):
        return None
    if max(height, width) <= 384 or name.startswith("gemini-1"):
        return 258
    unit = math.floor(min(height, width) / 1.5)
    return 258 * math.ceil(height / unit) * math.ceil(width / unit)


_PICTURES = {"openai": 500, "anthropic": 100, "google": 3600}
_MEGABYTES = {"openai": 50, "anthropic": 32, "google": 20}

PNG_BYTES = 9.7
"""PNG bytes per (pixels a side) ** 1.5. 9 of 10 first pictures of every 30th task of the battery have at most
this many if drawn with 64 to 512 pixels a side (measured, 90 pictures each)."""


JPEG_BYTES = 7.1
"""JPEG bytes (quality 75) per (pixels a side) ** 1.25, measured likewise."""


def picture_bytes(side: int, image_format: str = "png") -> int:
    """Bytes of a square picture in a request, encoded in base64."""
    data = JPEG_BYTES * side**1.25 if image_format == "jpeg" else PNG_BYTES * side * math.sqrt(side)
    return round(data * 4 / 3)


def request_warnings(model: str, choices: RunChoices, most_images: int) -> list[str]:
    """List the provider limits that a run's largest request may exceed."""
    provider = model.partition("/")[0]
    megabytes = most_images * picture_bytes(choices.bounds().image_px, choices.image_format) / 1e6
    sent = {"pictures": (float(most_images), _PICTURES), "MB of pictures": (megabytes, _MEGABYTES)}
    return [
        f"The largest request may have {amount:,.0f} {what}, and {provider} accepts {known[provider]} (as of "
        "2025, not verified): send fewer, for example with --images last-4 or --memory-turns 10."
        for what, (amount, known) in sent.items()
        if provider in known and amount > known[provider]
    ]
