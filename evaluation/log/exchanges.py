"""What a model was really sent before each of its replies, read from a sample of a log.

The conversation is in the sample's messages. Each request is an event of its own, whose input is what was
sent: a budget of pictures or a short memory leaves parts of the conversation out.
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
"""What a log has in the place of a long text or a picture, followed by its name among the attachments."""


def resolved(text: str, attachments: Mapping[str, str]) -> str:
    """A text of a log as it was before the log took it apart."""
    return attachments.get(text.removeprefix(_ATTACHED), text) if text.startswith(_ATTACHED) else text


def texts_of(message: Any, kept: Mapping[str, str]) -> Iterator[str]:
    """The texts of a message in order; `kept` are the log's attachments."""
    if isinstance(message.content, str):
        yield resolved(message.content, kept)
        return
    for part in message.content:
        if part.type == "text":
            yield resolved(part.text, kept)


def text_of(message: Any, kept: Mapping[str, str]) -> str:
    """The whole text of a message."""
    return "\n".join(texts_of(message, kept))


def replies_of(
    message: Any, suite: Suite, played: set[str | None], kept: Mapping[str, str], choices: RunChoices
) -> Iterator[Reply]:
    """What of a message was played: its text, or what its calls of the suite's tools stand for."""
    text = text_of(message, kept)
    if not message.tool_calls:
        yield read_reply(text, choices)
    thought = "" if choices.agent == "direct" else text
    for call in message.tool_calls or ():
        name = call.function.rpartition("/")[2]
        if name in tools_of(suite) and call.id in played:
            yield Reply(thought, resolved(reply_of(suite, name, call.arguments), kept))


def agent_facts(sample: Any) -> Mapping[str, Any]:
    """What a sample of a log has of the agent that played it, as `Calls.log`; empty without one."""
    return (sample.metadata or {}).get("agent") or {}


def reasoning_of(message: Any, kept: Mapping[str, str]) -> str:
    """A model's own reasoning, or the provider's summary if the text itself is withheld."""
    parts = message.content if not isinstance(message.content, str) else ()
    texts = (
        part.summary if part.redacted or not part.reasoning else part.reasoning
        for part in parts
        if part.type == "reasoning"
    )
    return "\n".join(resolved(text, kept) for text in texts if text)


JUDGE = "judge"
"""The role of a second model, whose requests are no part of the conversation."""

OTHER = "other"
"""The role of a second model that gives some of an episode's replies."""

_UNSTATED = (
    *("messages", "input", "contents", "prompt", "system", "system_instruction", "instructions", "tools"),
    *("extra_headers", "extra_query", "headers", "httpOptions", "http_options", "stream", "stream_options"),
    *("model", "modelId", "model_name"),
)
"""The parts of a request that are the conversation itself, that say how it is carried, and that name the
model, by the providers' names."""

_NESTED = ("config", "generation_config", "generationConfig", "inferenceConfig", "extra_body")
"""The parts of a request that hold further parameters."""

UNKNOWN_PARAMETERS = "null"
"""The parameters of a request whose raw call is not in the log, as JSON."""

DIRECT = RunChoices()
"""Choices of a run without an agent."""

Pictures = tuple[str, ...]
"""Pictures as data URIs."""


class Request(NamedTuple):
    """What was sent for one reply, and what that took.

    `slots` are the pictures in order, as data URIs, with None where one was left out; `collage` is the one
    picture that was sent in the place of all of them. `began` is the time of the request; `parameters` are
    those of the request (`parameters_of`), and `reasoning` is what the answer has of the model's own.
    `budget` is that of pictures which took the place of the protocol's because the server takes no more;
    else None.
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
        """How many pictures of the conversation the model was sent."""
        return len(self.slots) if self.collage else sum(slot is not None for slot in self.slots)


class Exchange(NamedTuple):
    """A reply and what the conversation showed since the reply before.

    `thought` is what an agent's model wrote before the reply, or beside a tool's call.
    `message` is the place of the reply among the sample's messages; `shown` are the pictures and `told` is
    the text in between; `so_far` counts all pictures of the conversation before the reply. `request` is None
    where the log has none: the reply was kept from an attempt that was broken off.
    """

    reply: str
    message: int
    shown: Pictures
    told: str
    request: Request | None
    so_far: int = 0
    thought: str = ""


class Talk(NamedTuple):
    """An exchange for each turn of a sample or of one episode, and the pictures after the last reply.

    `unplayed` is a request whose reply was not played; `before` are the pictures of a sample's demonstration.
    """

    exchanges: tuple[Exchange, ...] = ()
    rest: Pictures = ()
    told_last: str = ""
    unplayed: Request | None = None
    before: Pictures = ()

    @property
    def pictures(self) -> Pictures:
        """All pictures that the conversation shows of the episode, in order."""
        return (*(uri for each in self.exchanges for uri in each.shown), *self.rest)


def picture(uri: str) -> Frame:
    """The frame of a data URI, uint8 (H, W, 3). Raises ValueError or OSError if it is no picture."""
    return decode(base64.b64decode(uri.partition(",")[2], validate=True))


def talk(sample: Any, suite: Suite, ours: bool = True, choices: RunChoices = DIRECT) -> Talk:
    """The exchanges of a sample that was read with messages, events and attachments, unresolved or not.

    `ours` says that our own solver played; with another's, only calls of the suite's tools are replies.
    `choices` are those of the run, whose agent says how its replies are read.
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
    return Talk(tuple(found), tuple(shown), "\n".join(told), unplayed)


def _requests(sample: Any, kept: Mapping[str, str]) -> Iterator[tuple[str | None, Request]]:
    """The requests that were answered, by the id of the message that answered each."""
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
    """Everything in a request except conversation, model and transport, as JSON with sorted keys.

    From the body as it was sent, by the provider's own names; `UNKNOWN_PARAMETERS` if the log does not have
    it: Inspect AI keeps the first ones only unless told otherwise, and some providers log none. What was
    asked for is no substitute, because a provider's code leaves out what a model does not take. None for an
    offline agent, which is sent no request.
    """
    if event.model.partition("/")[0] in suite_names():
        return None
    if event.call is None:
        return UNKNOWN_PARAMETERS
    return json.dumps(parameters_in(event.call.request), sort_keys=True, default=str)


def parameters_in(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Everything in the body of a request except conversation, model and transport."""
    nested = [sent[name] for name in _NESTED if isinstance(sent.get(name), dict)]
    own = {name: value for name, value in sent.items() if name not in _NESTED}
    return {k: v for part in (*nested, own) for k, v in part.items() if v is not None and k not in _UNSTATED}


def picture_slots(messages: Sequence[Any], attachments: Mapping[str, str]) -> Iterator[str | None]:
    """The pictures of messages in order, as data URIs; None where one was left out."""
    for message in messages:
        for part in message.content if not isinstance(message.content, str) else ():
            if part.type == "image":
                yield resolved(part.image, attachments)
            elif part.type == "text" and resolved(part.text, attachments) == LEFT_OUT:
                yield None


def matched(said: Talk, replies: Sequence[str], demonstration: bool) -> Talk | None:
    """The exchanges of the turns with these replies, one for each; None if there are fewer.

    A demonstration's replies come before; a reply that a limit kept from being played may come after.
    """
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
    return Talk(kept, first.shown, first.told, first.request, before)


def parted(said: Talk, turns: Sequence[int], first: int) -> list[Talk]:
    """The parts of the episodes of a conversation, of which each had the given number of turns.

    `first` is the number of pictures at the start of an episode: one that was over before the first reply
    left these in front of the next one's.
    """
    found: list[Talk] = []
    exchanges, at, waiting = said.exchanges, 0, 0
    for count in turns:
        if not count:
            waiting += 1
            continue
        own = exchanges[at : at + count]
        begun, shown = _begun(own[0].shown, waiting, first)
        found += [*begun, Talk((own[0]._replace(shown=shown), *own[1:]))]
        at, waiting = at + count, 0
    ends = max(len(said.rest) - waiting * first, 0)
    if found:
        found[-1] = found[-1]._replace(rest=said.rest[:ends])
    found += _begun(said.rest[ends:], waiting, first)[0]
    if found:
        found[-1] = found[-1]._replace(told_last=said.told_last, unplayed=said.unplayed)
    return found


def _begun(shown: Pictures, episodes: int, first: int) -> tuple[list[Talk], Pictures]:
    """Episodes without a reply, and the pictures that come after theirs."""
    begun = [Talk(rest=shown[k * first : (k + 1) * first]) for k in range(episodes)]
    return begun, shown[episodes * first :]
