"""JSON objects in a reply, whatever stands around them."""

import json
from collections.abc import Iterator
from typing import Any

LONGEST = 100_000
"""Characters of a reply that are looked at, the last ones."""


def json_objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The JSON objects of a text that are in no other one, with their beginnings and ends."""
    decoder, place = json.JSONDecoder(), text.find("{", max(len(text) - LONGEST, 0))
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield place, end, found
        place = text.find("{", end)
