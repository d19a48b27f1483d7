"""Requests as sent before each reply, from a log's sample.

The conversation is in the sample's messages. Each request is an event, whose input is what was sent: a budget
of pictures or a short memory leaves parts of the conversation out.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from evaluation.agents.replies import Reply, read_reply
from evaluation.capabilities import reply_of, tools_of
from evaluation.choices.run_choices import COLLAGE, LEFT_OUT, RunChoices
from evaluation.suite import Suite
from evaluation.suites import suite_names
from render import Frame, decode

_ATTACHED = "attachment://"
"""Prefix of an attachment's name, in place of a text or picture."""


def resolved(text: str, attachments: Mapping[str, str]) -> str:
    """Restore a text that the log split into attachments."""
    return attachments.get(text.removeprefix(_ATTACHED), text) if text.startswith(_ATTACHED) else text


def texts_of(message: Any, kept: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of a message in order. `kept` are the log's attachments."""
    if isinstance(message.content, str):
        yield resolved(message.content, kept)
        return
    for part in message.content:
        if part.type == "text":
            yield resolved(part.text, kept)


def text_of(message: Any, kept: Mapping[str, str]) -> str:
    """Join the whole text of a message."""
    return "\n".join(texts_of(message, kept))


def replies_of(
    message: Any, suite: Suite, played: set[str | None], kept: Mapping[str, str], choices: RunChoices
) -> Iterator[Reply]:
    """Yield a message's played replies: its text, or its tool calls."""
    text = text_of(message, kept)
    if not message.tool_calls:
        yield read_reply(text, choices)
    thought = "" if choices.agent == "direct" else text
    for call in message.tool_calls or ():
        name = call.function.rpartition("/")[2]
        if name in tools_of(suite) and call.id in played:
            yield Reply(thought, resolved(reply_of(suite, name, call.arguments), kept))


def agent_facts(sample: Any) -> Mapping[str, Any]:
    """Read the agent's facts in a sample, as `Calls.log`; empty without any."""
    return (sample.metadata or {}).get("agent") or {}


def reasoning_of(message: Any, kept: Mapping[str, str]) -> str:
    """Extract a model's reasoning, or the provider's summary if it is withheld."""
    parts = message.content if not isinstance(message.content, str) else ()
    texts = (
        part.summary if part.redacted or not part.reasoning else part.reasoning
        for part in parts
        if part.type == "reasoning"
    )
    return "\n".join(resolved(text, kept) for text in texts if text)


JUDGE = "judge"
"""Role of a judging model, outside the conversation."""

OTHER = "other"
"""Role of a second model that gives some of an episode's replies."""

_UNSTATED = (
    *("messages", "input", "contents", "prompt", "system", "system_instruction", "instructions", "tools"),
    *("extra_headers", "extra_query", "headers", "httpOptions", "http_options", "stream", "stream_options"),
    *("model", "modelId", "model_name"),
)
"""Request parts for conversation, transport and model, by the providers' names."""

_NESTED = ("config", "generation_config", "generationConfig", "inferenceConfig", "extra_body")
"""Request parts that hold further parameters."""

UNKNOWN_PARAMETERS = "null"
"""Parameters of a request without logged raw call, as JSON."""

DIRECT = RunChoices()
"""Choices of a run without an agent."""

Pictures = tuple[str, ...]
"""Pictures as data URIs."""


class Request(NamedTuple):
    """Request for one reply, with its usage.

    `slots` are the pictures in order, as data URIs, None for omitted ones; `collage` is the one picture that
    replaced all of them. `began` is the time of the request; `parameters` are those of the request
    (`parameters_of`), and `reasoning` is the model's own. `budget` is a picture budget that replaced the
    protocol's because the server takes no more; otherwise None.
    """

    slots: tuple[str | None, ...]
    collage: str | None
    began: datetime
    usage: Any = None
    stop_reason: str = ""
    parameters: str | None = None
    reply: str = ""
    reasoning: str = ""
    budget: str | None = None

    @property
    def sent(self) -> int:
        """Count the pictures of the conversation that were sent."""
        return len(self.slots) if self.collage else sum(slot is not None for slot in self.slots)


class Exchange(NamedTuple):
    """Reply with the conversation since the reply before.

    `thought` is what an agent's model wrote before the reply, or together with a tool call. `message` is the
    place of the reply among the sample's messages; `shown` are the pictures and `told` is the text in
    between; `so_far` counts all pictures of the conversation before the reply. `request` is None if the log
    lacks it: the reply was kept from an interrupted attempt.
    """

    reply: str
    message: int
    shown: Pictures
    told: str
    request: Request | None
    so_far: int = 0
    thought: str = ""


class Talk(NamedTuple):
    """Exchanges of a sample or episode, and pictures after the last reply.

    `unplayed` is a request whose reply was not played; `before` are the pictures of a sample's demonstration,
    `rules` the system messages.
    """

    exchanges: tuple[Exchange, ...] = ()
    rest: Pictures = ()
    told_last: str = ""
    unplayed: Request | None = None
    before: Pictures = ()
    rules: str = ""

    @property
    def pictures(self) -> Pictures:
        """Collect all pictures of the episode in order."""
        return (*(uri for each in self.exchanges for uri in each.shown), *self.rest)


def picture(uri: str) -> Frame:
    """Decode a data URI to a frame, uint8 (H, W, 3). Raises ValueError or OSError if it is no picture."""
    return decode(base64.b64decode(uri.partition(",")[2], validate=True))


def talk(sample: Any, suite: Suite, ours: bool = True, choices: RunChoices = DIRECT) -> Talk:
    """Read the exchanges of a sample with messages, events and attachments.

    Attachments may be unresolved. `ours` says that our own solver played; with another's, only calls of the
    suite's tools are replies. `choices` are those of the run, whose agent decides how replies are read.
    """
    kept = sample.attachments or {}
    agent = agent_facts(sample)
    asides = agent.get("calls") or {}
    requests = {id_: request for id_, request in _requests(sample, kept) if id_ not in asides}
    answered = {message.id for message in sample.messages if message.role == "assistant"}
    played_tools = {m.tool_call_id for m in sample.messages if m.role == "tool" and m.error is None}
    found: list[Exchange] = []
    shown, told, so_far = list[str](), list[str](), 0
    for place, message in enumerate(sample.messages):
        if message.role != "assistant":
            images = [image for image in picture_slots([message], kept) if image]
            shown += images
            so_far += len(images)
            if message.role != "system":
                told.append(text_of(message, kept))
            continue
        request = requests.get(message.id)
        own = replies_of(message, suite, played_tools, kept, choices) if ours or message.tool_calls else ()
        for thought, reply in own:
            about = (tuple(shown), "\n".join(told), request, so_far, thought)
            found.append(Exchange(reply, place, *about))
            # Further calls of one message were written before the first was answered.
            shown, told = [], []
    lost = [request for id_, request in requests.items() if id_ not in answered]
    unplayed = lost[-1] if lost and "asking" not in agent else None
    system = [text_of(message, kept) for message in sample.messages if message.role == "system"]
    return Talk(tuple(found), tuple(shown), "\n".join(told), unplayed, rules="\n\n".join(system))


def _requests(sample: Any, kept: Mapping[str, str]) -> Iterator[tuple[str | None, Request]]:
    """Yield answered requests with the id of the answering message."""
    budget: str | None = None
    for event in sample.events or ():
        if event.event == "info" and isinstance(event.data, dict) and "instead of" in event.data:
            budget = str(event.data.get("images"))
        if event.event != "model" or event.error or not event.output or not event.output.choices:
            continue
        if event.role == JUDGE:
            continue
        yield event.output.message.id, _request(event, kept)._replace(budget=budget)


def _request(event: Any, kept: Mapping[str, str]) -> Request:
    parts = list(picture_slots(event.input, kept))
    texts = (t for m in event.input if m.role != "assistant" for t in texts_of(m, kept))
    is_collage = COLLAGE in texts
    return Request(
        slots=tuple(None if is_collage else part for part in parts),
        collage=parts[-1] if is_collage else None,
        began=event.timestamp,
        usage=event.output.usage,
        stop_reason=str(event.output.stop_reason),
        parameters=parameters_of(event),
        reply=resolved(event.output.completion, kept),
        reasoning=reasoning_of(event.output.message, kept),
    )


def parameters_of(event: Any) -> str | None:
    """Extract request parameters without conversation, model and transport, as sorted JSON.

    From the sent body, by the provider's own names; `UNKNOWN_PARAMETERS` if it is not logged: Inspect AI
    keeps the first ones only by default, and some providers log none. The requested parameters are no
    substitute, because a provider's code omits what a model does not take. None for an offline agent, which
    gets no requests.
    """
    if event.model.partition("/")[0] in suite_names():
        return None
    if event.call is None:
        return UNKNOWN_PARAMETERS
    return json.dumps(parameters_in(event.call.request), sort_keys=True, default=str)


def parameters_in(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Extract parameters from a request body without conversation, model and transport."""
    nested = [sent[name] for name in _NESTED if isinstance(sent.get(name), dict)]
    own = {name: value for name, value in sent.items() if name not in _NESTED}
    return {k: v for part in (*nested, own) for k, v in part.items() if v is not None and k not in _UNSTATED}


def picture_slots(messages: Sequence[Any], attachments: Mapping[str, str]) -> Iterator[str | None]:
    """Yield pictures of messages in order, as data URIs. None for omitted ones."""
    for message in messages:
        for part in message.content if not isinstance(message.content, str) else ():
            if part.type == "image":
                yield resolved(part.image, attachments)
            elif part.type == "text" and resolved(part.text, attachments) == LEFT_OUT:
                yield None


def matched(said: Talk, replies: Sequence[str], demonstration: bool) -> Talk | None:
    """Match exchanges to the turns with these replies. None if there are fewer. A demonstration's replies
    come before; a reply that a limit kept from being played may come after."""
    extra = len(said.exchanges) - len(replies)
    if extra < 0:
        return None
    texts = [each.reply for each in said.exchanges]

    def agreement(start: int) -> int:
        return sum(one == other for one, other in zip(texts[start:], replies, strict=False))

    start = max(range(extra, -1, -1), key=agreement) if demonstration else 0
    kept = said.exchanges[start : start + len(replies)]
    after = said.exchanges[start + len(replies) :]
    before = tuple(uri for each in said.exchanges[:start] for uri in each.shown)
    if not after:
        return said._replace(exchanges=kept, before=before)
    first = after[0]
    return Talk(kept, first.shown, first.told, first.request, before, said.rules)


def parted(said: Talk, turns: Sequence[int], first: int) -> list[Talk]:
    """Split a conversation by its episodes' numbers of turns. `first` is the number of pictures at the start
    of an episode: one that was over before the first reply left these in front of the next one's."""
    found: list[Talk] = []
    exchanges, at, waiting = said.exchanges, 0, 0
    for count in turns:
        if not count:
            waiting += 1
            continue
        own = exchanges[at : at + count]
        begun, shown = _begun(own[0].shown, waiting, first)
        found += [*begun, Talk((own[0]._replace(shown=shown), *own[1:]), rules=said.rules)]
        at, waiting = at + count, 0
    ends = max(len(said.rest) - waiting * first, 0)
    if found:
        found[-1] = found[-1]._replace(rest=said.rest[:ends])
    found += _begun(said.rest[ends:], waiting, first)[0]
    if found:
        found[-1] = found[-1]._replace(told_last=said.told_last, unplayed=said.unplayed)
    return found


def _begun(shown: Pictures, episodes: int, first: int) -> tuple[list[Talk], Pictures]:
    """Split off episodes without a reply, and the pictures after them."""
    begun = [Talk(rest=shown[k * first : (k + 1) * first]) for k in range(episodes)]
    return begun, shown[episodes * first :]
