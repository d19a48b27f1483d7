"""Websocket messages between page and server: JSON text, binary frames.

The page numbers its messages from 1 (`n`); the first is `Hello`. Messages about a trial name it.
"""

import struct
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from arena import ACTIONS
from people.play.worker_protocol import VIEWS, Drawn, View

PROTOCOL = 3
"""Version of these messages, sent by the page in `Hello`."""

MAX_MESSAGE_BYTES = 16_384
"""Maximum bytes of a message from the page. All have at most 1 KiB."""


_FRAME = struct.Struct("<IIdHBB")
"""Header of a frame: number, step, due time, side, quality, view. Unix seconds, pixels, JPEG quality, index
into `VIEWS`."""


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    n: int = Field(ge=1, le=2**31)


class Hello(_Message):
    """The first message of a connection."""

    type: Literal["hello"]
    protocol: int


class Pong(_Message):
    """The reply to `ping`, with its number. Measures the round trip of a small message."""

    type: Literal["pong"]
    ping: int = Field(ge=1, le=2**31)


class Ack(_Message):
    """A frame is displayed."""

    type: Literal["ack"]
    frame: int = Field(ge=1, le=2**32 - 1)


class _OfTrial(_Message):
    trial: int = Field(ge=1, le=2**53)


Pixels = Annotated[int, Field(ge=1, le=20_000)]
"""Length on a page in CSS pixels."""


class Start(_OfTrial):
    """Message that the participant starts or resumes the episode.

    `viewport` is the width and height of the page, `pixel_ratio` the number of the display's pixels per CSS
    pixel (zoom included), `picture` the side of the picture, and `input` the kind of input that started it.
    """

    type: Literal["start"]
    viewport: tuple[Pixels, Pixels]
    pixel_ratio: float = Field(ge=0.05, le=50, allow_inf_nan=False)
    picture: Pixels
    input: Literal["keys", "touch", "gamepad"]

    @property
    def display(self) -> dict[str, Any]:
        """Page's report about itself, as noted."""
        return self.model_dump(include={"viewport", "pixel_ratio", "picture", "input"})


class Pause(_OfTrial):
    """Message that the page paused, was hidden, or became too small."""

    type: Literal["pause"]
    reason: Literal["key", "hidden", "small"]


class Keys(_OfTrial):
    """Message with the held keys' action, an index into `arena.ACTIONS`."""

    type: Literal["keys"]
    action: int = Field(ge=0, lt=len(ACTIONS))


class ChangeView(_OfTrial):
    """Show another view from now on."""

    type: Literal["view"]
    view: View


class StopTask(_OfTrial):
    """End the episode early."""

    type: Literal["stop"]


class Next(_OfTrial):
    """Continue with the next task, after the end of this trial."""

    type: Literal["next"]


TrialMessage = Start | Pause | Keys | ChangeView | StopTask | Next
Message = Hello | Pong | Ack | TrialMessage

_MESSAGES: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


class ConnectionRefused(Exception):
    """Closing of the connection. It has a `code` of RFC 6455, and a reason for the page."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        # A close frame has 125 bytes, two of them for the code.
        self.reason = reason.encode("utf-8", "replace")[:120].decode("utf-8", "ignore")


POLICY, UNSUPPORTED, TOO_BIG, INTERNAL, REPLACED = 1008, 1003, 1009, 1011, 4001
"""Close codes of RFC 6455, and our own. Policy violation, unsupported data, message too big, internal error;
opened in another window."""


def read_message(text: str) -> Message:
    """Parse a message; raises ConnectionRefused if it is not valid."""
    if len(text) > MAX_MESSAGE_BYTES or len(text.encode("utf-8", "replace")) > MAX_MESSAGE_BYTES:
        raise ConnectionRefused(
            TOO_BIG, f"message of {len(text)} characters, expected at most {MAX_MESSAGE_BYTES} bytes"
        )
    try:
        return _MESSAGES.validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, problem["loc"])) or "message"
        raise ConnectionRefused(POLICY, f"{place}: {problem['msg']}") from None


def frame_bytes(number: int, drawn: Drawn) -> bytes:
    """Return a frame as sent to the page: header and JPEG file."""
    view = VIEWS.index(drawn.view)
    return _FRAME.pack(number, drawn.step, drawn.due, drawn.size, drawn.quality, view) + drawn.jpeg


def read_frame(data: bytes) -> tuple[int, Drawn]:
    """Return a frame's number and content, for clients without a page."""
    number, step, due, size, quality, view = _FRAME.unpack_from(data)
    return number, Drawn(step, due, size, quality, VIEWS[view], data[_FRAME.size :])
