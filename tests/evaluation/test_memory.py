"""Which turns of a conversation are sent again, by their number and by their characters."""

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentText,
)
from inspect_ai.tool import ToolCall

from evaluation.generation.memory import sent

TALK: list[ChatMessage] = [
    ChatMessageSystem(content="The system text is as long as it likes."),
    ChatMessageUser(content="the first view, which is no turn"),
    ChatMessageAssistant(content="1"),
    ChatMessageUser(content="second"),
    ChatMessageAssistant(content="12345678"),
    ChatMessageUser(content=[ContentText(text="third"), ContentImage(image="data:image/png;base64,aGk=")]),
    ChatMessageAssistant(content="123"),
    ChatMessageUser(content="fourth!"),
]
"""Three turns, of 7, 13 and 10 characters."""


@pytest.mark.parametrize(
    ("turns", "characters", "kept"),
    [
        (None, None, 3), (None, 30, 3), (None, 29, 2), (None, 23, 2), (None, 22, 1), (None, 10, 1),
        (None, 9, 0), (None, 0, 0), (2, 30, 2), (2, 22, 1), (1, 1000, 1), (0, 1000, 0),
    ],
)  # fmt: skip
def test_the_last_turns_that_fit_are_sent_whole_after_the_view_before_them(turns, characters, kept):
    messages = sent(TALK, 1, turns, characters)
    assert [m.text for m in messages if m.role == "assistant"] == ["1", "12345678", "123"][3 - kept :]
    assert messages[0] is TALK[0]
    views = ["fourth!", "third", "second", "the first view, which is no turn"]
    assert messages[1].role == "user"
    assert messages[1].text == views[kept]
    assert messages[-1].text == "fourth!"


def test_before_the_first_reply_all_is_sent():
    assert sent(TALK[:2], 1, 0, 0) == TALK[:2]


def test_what_a_tool_is_given_counts_and_what_it_returns():
    call = ToolCall(id="a", function="act", arguments={"script": "Go(1);", "times": 12})
    answer = ChatMessageTool(content="a ball", tool_call_id="a")
    talk = [*TALK[:2], ChatMessageAssistant(content="", tool_calls=[call]), answer]
    assert len(sent(talk, 1, None, 14)) == 4
    forgotten = sent(talk, 1, None, 13)
    assert [(m.role, m.text) for m in forgotten[1:]] == [("user", "a ball")]
