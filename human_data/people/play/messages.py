"""What the page and the server say to each other over the websocket: JSON text, and frames as binary.

The page's messages count from 1 (`n`); the first is `Hello`. What the person does names its trial.
"""

import struct
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from arena import ACTIONS
from human_data.people.play.wire import VIEWS, Drawn, View

PROTOCOL = 1
"""Version of these messages; the page says which it speaks."""

LARGEST_MESSAGE = 16_384
"""Bytes of a message from the page. A script has at most 4,000 characters, 4 bytes each."""

LARGEST_SCRIPT = 4_000
"""Characters of a script; thirty commands and a page of thoughts fit."""

_FRAME = struct.Struct("<IIdHBB")
"""Frame number, step, due time (Unix seconds), pixels a side, JPEG quality, view (index into `VIEWS`)."""

HEADER_BYTES = _FRAME.size


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    n: int = Field(ge=1, le=2**31)


class Hello(_Message):
    """The first message of a connection."""

    type: Literal["hello"]
    protocol: int


class Pong(_Message):
    """The answer to `ping`, with its number; tells how long the way is without a picture on it."""

    type: Literal["pong"]
    ping: int = Field(ge=1, le=2**31)


class Ack(_Message):
    """A frame is on the screen."""

    type: Literal["ack"]
    frame: int = Field(ge=1, le=2**32 - 1)


class _OfTrial(_Message):
    trial: int = Field(ge=1, le=2**53)


class Start(_OfTrial):
    """The person is ready: the episode runs, or goes on after a pause."""

    type: Literal["start"]


class Pause(_OfTrial):
    """The person wants a pause, or the page is hidden."""

    type: Literal["pause"]
    reason: Literal["key", "hidden"]


class Keys(_OfTrial):
    """What the keys that are held now mean, as an index into `arena.ACTIONS`."""

    type: Literal["keys"]
    action: int = Field(ge=0, lt=len(ACTIONS))


class Look(_OfTrial):
    """Show another view from now on."""

    type: Literal["view"]
    view: View


class ScriptText(_OfTrial):
    """A script, in scripts' mode."""

    type: Literal["script"]
    text: str = Field(max_length=LARGEST_SCRIPT)


class GiveUp(_OfTrial):
    """End the episode as it is."""

    type: Literal["stop"]


class Next(_OfTrial):
    """Go on to the next task, after the end of this trial."""

    type: Literal["next"]


Message = Hello | Pong | Start | Pause | Keys | Ack | Look | ScriptText | GiveUp | Next

_MESSAGES: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


class Refused(Exception):
    """A message is not taken, and the connection ends: `code` of RFC 6455, and the reason in words."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        # A close frame holds 125 bytes, two of them the code.
        self.reason = reason.encode("utf-8", "replace")[:120].decode("utf-8", "ignore")


POLICY, UNSUPPORTED, TOO_BIG, REPLACED = 1008, 1003, 1009, 4001
"""Close codes: broken rule, binary message, too large a one (RFC 6455), and opened elsewhere (our own)."""


def read_message(text: str) -> Message:
    """The message of a text; raises Refused where it is none."""
    if len(text) > LARGEST_MESSAGE or len(text.encode("utf-8", "replace")) > LARGEST_MESSAGE:
        raise Refused(
            TOO_BIG, f"message of {len(text)} characters, at most {LARGEST_MESSAGE} bytes are taken"
        )
    try:
        return _MESSAGES.validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, problem["loc"])) or "message"
        raise Refused(POLICY, f"{place}: {problem['msg']}") from None


def frame_bytes(number: int, drawn: Drawn) -> bytes:
    """A frame as it goes over the wire: the header, then the JPEG file."""
    view = VIEWS.index(drawn.view)
    return _FRAME.pack(number, drawn.step, drawn.due, drawn.size, drawn.quality, view) + drawn.jpeg


def read_frame(data: bytes) -> tuple[int, Drawn]:
    """The number of a frame and the frame; for programs that play without a page."""
    number, step, due, size, quality, view = _FRAME.unpack_from(data)
    return number, Drawn(0, step, due, size, quality, VIEWS[view], data[HEADER_BYTES:])
