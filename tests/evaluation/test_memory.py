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

from evaluation.generation.memory import ALONE, ONCE, SENT, TOLD, sent

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
    assert [(m.role, m.text) for m in sent(talk, 1, None, 13)[1:]] == [("user", "a ball")]


@pytest.mark.parametrize(
    ("characters", "kept"), [(None, 3), (22, 3), (21, 2), (18, 2), (17, 1), (6, 1), (5, 0)]
)
def test_a_line_stands_for_an_earlier_observation_and_counts_for_the_present_one(characters, kept):
    lines = {3: "2nd", 5: "3rd!", 7: "4th"}
    talk = [
        m.model_copy(update={"metadata": {TOLD: lines[i]}}) if i in lines else m for i, m in enumerate(TALK)
    ]
    said = [m.text for m in sent(talk, 1, None, characters, short=True)[1:]]
    views = ["the first view, which is no turn", "1", "2nd", "12345678", "3rd!", "123", "fourth!"]
    assert said == views[2 * (3 - kept) :]
    assert sent(talk, 1, None, None) == talk


def test_what_is_sent_once_is_left_out_later_with_its_answer():
    def asked(text: str, rule: str) -> ChatMessageUser:
        return ChatMessageUser(content=text, metadata={SENT: rule})

    told = [message.text for message in sent([*TALK[:3], asked("q1", ONCE)], 1, None, None)]
    assert told[1:] == ["the first view, which is no turn", "1", "q1"]
    talk = [*TALK[:3], asked("q1", ONCE), ChatMessageAssistant(content="a1"), asked("q2", ONCE)]
    assert [message.text for message in sent(talk, 1, None, None)] == [*told[:3], "q2"]
    talk += [ChatMessageAssistant(content="a2"), ChatMessageUser(content="and on")]
    assert [message.text for message in sent(talk, 1, None, None)] == [*told[:3], "and on"]
    assert [message.text for message in sent(talk, 1, 0, None)] == [told[0], "and on"]
    talk += [ChatMessageAssistant(content="2"), asked("to a novice", ALONE)]
    assert [message.text for message in sent(talk, 1, None, None)] == ["to a novice"]
    talk += [ChatMessageAssistant(content="a3"), ChatMessageUser(content="next")]
    assert [message.text for message in sent(talk, 1, 1, None)] == [told[0], "and on", "2", "next"]
