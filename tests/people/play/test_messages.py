import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from people.play.page_protocol import (
    MAX_MESSAGE_BYTES,
    ConnectionRefused,
    Keys,
    frame_bytes,
    read_frame,
    read_message,
)
from people.play.worker_protocol import Drawn
from people.simulation.visitor import DISPLAY
from tests.cases import cases

CASES = cases(__file__)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
NAMES = ["type", "n", "trial", "action", "text", "view", "reason", "frame", "ping", "protocol"]
TYPES = st.sampled_from(["hello", "start", "pause", "keys", "ack", "view", "script", "stop", "next", "pong"])


def start(**changes: object) -> str:
    return json.dumps({"type": "start", "n": 1, "trial": 1, **DISPLAY, **changes})


def test_a_message_is_read():
    keys = Keys(n=3, type="keys", trial=7, action=8)
    assert read_message('{"type":"keys","n":3,"trial":7,"action":8}') == keys
    assert read_message(start()).display == {**DISPLAY, "viewport": (1280, 800)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *CASES["invalid"],
        (start(viewport=[0, 800]), "start.viewport.0: Input should be greater than or equal to 1"),
        (start(viewport=[800]), "start.viewport.1: Field required"),
        (start(pixel_ratio=1000), "start.pixel_ratio: Input should be less than"),
        (start(picture=10**6), "start.picture: Input should be less than"),
        (start(input="voice"), "start.input: Input should be 'keys'"),
    ],
)
def test_an_invalid_message_is_refused_with_a_reason(text, reason):
    with pytest.raises(ConnectionRefused) as refused:
        read_message(text)
    assert refused.value.code == 1008
    assert reason in refused.value.reason


def test_size_has_a_limit_of_bytes():
    for large in (" " * (MAX_MESSAGE_BYTES + 1), "é" * (MAX_MESSAGE_BYTES // 2 + 1)):
        with pytest.raises(ConnectionRefused) as refused:
            read_message(large)
        assert refused.value.code == 1009


@given(
    st.text() | JSON.map(json.dumps) | st.dictionaries(st.sampled_from(NAMES), JSON | TYPES).map(json.dumps)
)
def test_any_text_is_a_message_or_refused_with_a_reason_that_fits_a_close_frame(text):
    try:
        reason = f"message {read_message(text).n}"
    except ConnectionRefused as refused:
        reason = refused.reason
    assert 0 < len(reason.encode()) <= 123


def test_a_frame_comes_out_as_it_went_in():
    drawn = Drawn(41, 1_700_000_000.25, 384, 60, "top", b"picture")
    assert read_frame(frame_bytes(9, drawn)) == (9, drawn)
