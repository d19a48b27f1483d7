"""What comes in with a request: read with limits, and from our own pages only."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

from human_data.people.play.security import same_origin

LARGEST_FORM = 512 * 1024
"""Bytes; a page of 100 full answers."""

MOST_FIELDS = 500
LONGEST_PARAMETER = 200
"""Characters of a link's parameter; Prolific's have 24."""


class FormRefused(Exception):
    """A request is not taken: the HTTP status, and why in a sentence."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that one of our pages sends; the last where one is there twice.

    Raises FormRefused where it comes from elsewhere, is too large or is no form.
    """
    if not same_origin(request):
        raise FormRefused(403, "The form was sent by a page of another site.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # A form without fields has no body, and may then come without a type.
    if kind not in ("", "application/x-www-form-urlencoded"):
        raise FormRefused(415, "Expected a form (application/x-www-form-urlencoded).")
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_FORM:
            raise FormRefused(413, f"The form is larger than {LARGEST_FORM // 1024} KiB.")
    try:
        text = data.decode("utf-8", "replace")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="replace")
    except ValueError:
        raise FormRefused(400, f"The form has more than {MOST_FIELDS} fields.") from None
    return {name: _plain(value) for name, value in pairs}


def link_parameters(given: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Those parameters of a link that have one of these names, cut to a length that can be kept."""
    return {name: _plain(given[name])[:LONGEST_PARAMETER] for name in names if given.get(name)}


def _plain(text: str) -> str:
    """Without NUL and half characters, with one kind of line end, and without blanks around it."""
    whole = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return whole.replace("\r\n", "\n").strip()
