"""Reading the data of requests: with limits, and from our own pages only."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from people.play.security import same_origin
from people.store.errors import clean
from people.study.questions import as_list

MAX_FORM_BYTES = 512 * 1024
"""Enough for 100 answers of full length."""

MAX_FIELDS = 500
LIST = "[]"
MAX_PARAMETER = 200
"""Characters of a parameter of a link; those of Prolific have 24."""


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form sent by one of our pages.

    Of a repeated field, the last value; all values of a field whose name ends in `LIST` are one answer, as
    made by `as_list`.

    Raises HTTPException if it comes from another site, is too large or is not a form, or if too many come.
    """
    request.app.state.forms.check(request)
    if not same_origin(request):
        raise HTTPException(403, "The form was sent by a page of another site.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # A form without fields has no body, and may have no content type.
    if kind not in ("", "application/x-www-form-urlencoded"):
        raise HTTPException(415, "Expected a form (application/x-www-form-urlencoded).")
    too_large = HTTPException(413, f"The form is larger than {MAX_FORM_BYTES // 1024} KiB.")
    if int(request.headers.get("content-length", 0)) > MAX_FORM_BYTES:
        raise too_large
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_FORM_BYTES:
            raise too_large
    try:
        text = data.decode("utf-8", "replace")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="replace")
    except ValueError:
        raise HTTPException(400, f"The form has more than {MAX_FIELDS} fields.") from None
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        if name.endswith(LIST):
            lists.setdefault(name.removesuffix(LIST), []).append(_plain(value))
    fields = {name: _plain(value) for name, value in pairs if not name.endswith(LIST)}
    return fields | {name: as_list(values) for name, values in lists.items()}


def link_parameters(given: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """The parameters of a link that have one of these names, cut to `MAX_PARAMETER`."""
    return {name: _plain(given[name])[:MAX_PARAMETER] for name in names if given.get(name)}


def _plain(text: str) -> str:
    """Without NUL, lone surrogates, surrounding spaces and carriage returns."""
    return clean(text).replace("\r\n", "\n").strip()
